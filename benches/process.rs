//! What processes cost: the release binary must have been built (`cargo build --release`).
#![expect(clippy::unwrap_used, reason = "a bench that cannot be set up has nothing to measure")]

use std::path::PathBuf;
use std::process::{Command, Output};
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use ln_agent_core::adapter::mcp::{McpClient, ServerCommand};
use ln_agent_core::tool::Effect;
use serde_json::{Map, json};
use tempfile::TempDir;
use tokio::runtime::Runtime;

/// A playground of its own, stopped when the bench is over.
struct Playground {
    program: PathBuf,
    dir: TempDir,
}

impl Playground {
    fn up() -> Self {
        let program = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../target/release/ln-agent"));
        assert!(program.exists(), "build it first: cargo build --release");
        let playground = Self { program, dir: TempDir::new().unwrap() };
        assert!(playground.run(&["network", "up", "2"]).status.success());
        playground
    }

    fn run(&self, args: &[&str]) -> Output {
        Command::new(&self.program).args(args).env("RUNTIME_DIR", self.dir.path()).output().unwrap()
    }
}

impl Drop for Playground {
    fn drop(&mut self) {
        self.run(&["network", "down"]);
    }
}

fn version(c: &mut Criterion) {
    let playground = Playground::up();
    c.bench_function("ln-agent --version", |b| {
        b.iter(|| assert!(playground.run(&["--version"]).status.success()))
    });
}

fn ask(c: &mut Criterion) {
    let playground = Playground::up();
    c.bench_function("ln-agent ask, running playground", |b| {
        b.iter(|| {
            let output = playground.run(&["ask", "what is the block height?"]);
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        });
    });
}

fn tool_call(c: &mut Criterion) {
    let playground = Playground::up();
    let runtime = Runtime::new().unwrap();
    let dir = playground.dir.path().display().to_string();
    let env = vec![("RUNTIME_DIR".to_owned(), dir)];
    let command = ServerCommand { program: playground.program.clone(), args: vec!["mcp".into()], env };
    let client = McpClient::new(command);
    let mut args = Map::new();
    args.insert("node".into(), json!(1));
    c.bench_function("ln_listpeers through MCP stdio and a node's socket", |b| {
        b.to_async(&runtime).iter(|| async {
            client.call("ln_listpeers", args.clone(), Effect::Read, None).await.unwrap();
        });
    });
    runtime.block_on(client.shutdown());
}

fn playground(c: &mut Criterion) {
    c.bench_function("network up 3, from nothing", |b| {
        b.iter_custom(|iterations| {
            let mut total = Duration::ZERO;
            for _ in 0..iterations {
                let playground = Playground::up();
                playground.run(&["network", "reset"]);
                let start = std::time::Instant::now();
                assert!(playground.run(&["network", "up", "3"]).status.success());
                total += start.elapsed();
            }
            total
        });
    });
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20);
    targets = version, ask, tool_call, playground
}
criterion_main!(benches);
