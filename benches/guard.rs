//! What the guard before a model costs when it holds nothing back. Run with
//! `cargo bench -p ln-agent-benches --bench guard`; the difference of the two lines is the guard.
#![expect(clippy::unwrap_used, reason = "a bench that cannot be set up has nothing to measure")]

use std::sync::Arc;

use criterion::{Criterion, criterion_group, criterion_main};
use ln_agent_core::clock::SystemClock;
use ln_agent_core::guard::{GuardConfig, GuardKey, Guards};
use ln_agent_core::llm::{LlmBackend, LlmRequest, LlmTask, Message, Role, ScriptedBackend};
use serde_json::json;
use tokio::runtime::Runtime;

/// As large as a planner's request: a long system prompt, a short question, a schema.
fn request() -> LlmRequest {
    LlmRequest {
        task: LlmTask::Translate { prompt: "hi".into(), history: vec![], node_count: 2, own_node: 1 },
        messages: vec![
            Message::new(Role::System, "You turn an intent into a plan of tools. ".repeat(150)),
            Message::new(Role::User, "open a channel from node 1 to node 2"),
        ],
        tools: vec![],
        response_schema: Some(json!({
            "type": "object",
            "properties": { "plan_rationale": { "type": "string" }, "steps": { "type": "array" } },
            "required": ["plan_rationale", "steps"],
        })),
        max_output_tokens: 1_000,
        temperature: 0.0,
    }
}

/// The same instant answer with and without a guard.
fn one_call(c: &mut Criterion) {
    let runtime = Runtime::new().unwrap();
    let bare: Arc<dyn LlmBackend> = Arc::new(ScriptedBackend::repeating(["hello"]));
    let guards = Guards::new(GuardConfig::unlimited(), Arc::new(SystemClock::default()));
    let guarded = guards.wrap(Arc::clone(&bare), GuardKey::new("scripted", "none", ""));
    let request = request();
    let mut group = c.benchmark_group("one model call, instant answer");
    for (name, backend) in [("bare", &bare), ("guarded, unlimited", &guarded)] {
        group.bench_function(name, |b| {
            b.to_async(&runtime).iter(|| async { backend.step(&request).await.unwrap() });
        });
    }
    group.finish();
}

criterion_group!(benches, one_call);
criterion_main!(benches);
