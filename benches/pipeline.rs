//! What the pipeline itself costs, beside models and nodes. Run with `cargo bench -p ln-agent-benches`.
#![expect(clippy::unwrap_used, reason = "a bench that cannot be set up has nothing to measure")]

use std::sync::Arc;
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use ln_agent_benches::Pausing;
use ln_agent_core::clock::SystemClock;
use ln_agent_core::llm::ScriptedBackend;
use ln_agent_core::observe::Discard;
use ln_agent_core::pipeline::{Ask, Network, Pipeline};
use ln_agent_core::replay::{Mode, Recorder};
use ln_agent_core::stage::executor::{Executor, ExecutorConfig};
use ln_agent_core::tool::Registry;
use ln_agent_core::types::ExecutionPlan;
use serde_json::json;
use tokio::runtime::Runtime;

const INTENT: &str = r#"{"goal": "read the chain", "intent_type": "freeform", "context": {}, "success_criteria": [],
    "clarifications_needed": [], "human_summary": "Reads the chain."}"#;
const PLAN: &str = r#"{"plan_rationale": "one read", "steps": [{"step_id": 1, "tool": "look", "args": {}}]}"#;

/// One whole run: three answers of a scripted model, one instant tool.
fn whole_run(c: &mut Criterion) {
    let runtime = Runtime::new().unwrap();
    let tools = Registry::new([Pausing::tool("look", Duration::ZERO)]).unwrap();
    let model = Arc::new(ScriptedBackend::repeating([INTENT, PLAN, "The chain has 111 blocks."]));
    let pipeline = Pipeline::builder(model, tools).network(Network::Playground).build().unwrap();
    c.bench_function("pipeline run, scripted model, instant tool", |b| {
        b.to_async(&runtime).iter(|| async {
            let result = pipeline.run(Ask::new("read the chain")).await.unwrap();
            assert!(result.success, "{result:?}");
        });
    });
}

/// The same run with its cassette on disk: what recording adds.
fn recorded_run(c: &mut Criterion) {
    let runtime = Runtime::new().unwrap();
    let tools = Registry::new([Pausing::tool("look", Duration::ZERO)]).unwrap();
    let model = Arc::new(ScriptedBackend::repeating([INTENT, PLAN, "The chain has 111 blocks."]));
    let pipeline = Pipeline::builder(model, tools).network(Network::Playground).build().unwrap();
    let path = std::env::temp_dir().join(format!("ln-agent-bench-{}.jsonl", std::process::id()));
    let ask = Ask::new("read the chain");
    c.bench_function("the same run, recorded", |b| {
        b.to_async(&runtime).iter(|| async {
            let recorder = Recorder::begin(&path, pipeline.header(Mode::Run, ask, None)).unwrap();
            let result = pipeline.recorded(&recorder).run(ask).await.unwrap();
            recorder.end(&result).unwrap();
        });
    });
    std::fs::remove_file(path).unwrap();
}

/// A plan of 50 instant steps, each reading the one before.
fn executor_step(c: &mut Criterion) {
    const STEPS: u32 = 50;
    let runtime = Runtime::new().unwrap();
    let tools = Registry::new([Pausing::tool("look", Duration::ZERO)]).unwrap();
    let executor = Executor::new(tools, Arc::new(SystemClock::default()), ExecutorConfig::default());
    let steps: Vec<_> = (1..=STEPS)
        .map(|id| json!({ "step_id": id, "tool": "look", "depends_on": if id > 1 { vec![id - 1] } else { vec![] } }))
        .collect();
    let plan: ExecutionPlan = serde_json::from_value(json!({ "steps": steps })).unwrap();
    let mut group = c.benchmark_group("executor");
    group.throughput(Throughput::Elements(u64::from(STEPS)));
    group.bench_function("50 dependent instant steps", |b| {
        b.to_async(&runtime).iter(|| async {
            let execution = executor.execute(&plan, 2, &Discard).await;
            assert_eq!(execution.results.len(), STEPS as usize);
        });
    });
    group.finish();
}

/// Four independent reads of 50 ms: side by side, and in order.
fn fan_out(c: &mut Criterion) {
    let runtime = Runtime::new().unwrap();
    let names = ["a", "b", "c", "d"];
    let tools = Registry::new(names.map(|name| Pausing::tool(name, Duration::from_millis(50)))).unwrap();
    let steps: Vec<_> =
        names.iter().enumerate().map(|(index, tool)| json!({ "step_id": index + 1, "tool": tool })).collect();
    let plan: ExecutionPlan = serde_json::from_value(json!({ "steps": steps })).unwrap();
    let mut group = c.benchmark_group("four reads of 50 ms");
    group.sample_size(20);
    for (name, max_workers) in [("side by side", 8), ("in order", 1)] {
        let config = ExecutorConfig { max_workers, ..ExecutorConfig::default() };
        let executor = Executor::new(tools.clone(), Arc::new(SystemClock::default()), config);
        group.bench_function(name, |b| {
            b.to_async(&runtime).iter(|| async {
                let execution = executor.execute(&plan, 2, &Discard).await;
                assert_eq!(execution.results.len(), 4);
            });
        });
    }
    group.finish();
}

criterion_group!(benches, whole_run, recorded_run, executor_step, fan_out);
criterion_main!(benches);
