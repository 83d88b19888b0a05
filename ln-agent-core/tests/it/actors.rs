//! Tools that answer by script and remember how they were asked.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ln_agent_core::tool::{Effect, Registry, Tool, ToolError, ToolErrorKind, ToolSpec};
use ln_agent_core::types::Object;
use serde_json::{Value, json};

/// What a tool does when it is asked.
pub(crate) enum Reply {
    Answer(Value),
    Fail(ToolErrorKind, &'static str),
    /// The node's own error code.
    Code(i64),
    After(Duration, Value),
    Hang,
}

type Script = Box<dyn Fn(usize, &Object) -> Reply + Send + Sync>;

/// A cast of tools with one shared record of their calls.
#[derive(Default)]
pub(crate) struct Cast {
    tools: Vec<Arc<dyn Tool>>,
    record: Record,
}

/// The calls in the order in which they were made, and how many were under way at once.
#[derive(Clone, Default)]
pub(crate) struct Record(Arc<Mutex<Calls>>);

#[derive(Default)]
struct Calls {
    made: Vec<(String, Value)>,
    counts: BTreeMap<String, usize>,
    running: usize,
    most: usize,
}

struct Actor {
    spec: ToolSpec,
    script: Script,
    record: Record,
}

/// Counts a call as running until it ends or is dropped.
struct Running(Record);

impl Cast {
    /// A tool whose arguments are free, with a script that knows how often it was asked before.
    pub(crate) fn tool(
        self,
        name: &str,
        effect: Effect,
        script: impl Fn(usize, &Object) -> Reply + Send + Sync + 'static,
    ) -> Self {
        let mut spec = ToolSpec::new(name, "For tests.", effect);
        spec.input_schema = json!({ "type": "object", "properties": { "node": { "type": "integer" }, "n": { "type": "integer" } } });
        self.spec(spec, script)
    }

    /// The same with a specification of its own.
    pub(crate) fn spec(
        mut self,
        spec: ToolSpec,
        script: impl Fn(usize, &Object) -> Reply + Send + Sync + 'static,
    ) -> Self {
        let record = self.record.clone();
        self.tools.push(Arc::new(Actor { spec, script: Box::new(script), record }));
        self
    }

    /// A read that always gives this answer.
    pub(crate) fn reading(self, name: &str, answer: Value) -> Self {
        self.tool(name, Effect::Read, move |_, _| Reply::Answer(answer.clone()))
    }

    pub(crate) fn finish(self) -> (Registry, Record) {
        (Registry::new(self.tools).unwrap(), self.record)
    }
}

impl Record {
    pub(crate) fn calls(&self) -> Vec<(String, Value)> {
        self.0.lock().unwrap().made.clone()
    }

    pub(crate) fn names(&self) -> Vec<String> {
        self.calls().into_iter().map(|(name, _)| name).collect()
    }

    /// The most calls that were under way at the same time.
    pub(crate) fn most_at_once(&self) -> usize {
        self.0.lock().unwrap().most
    }

    pub(crate) fn running(&self) -> usize {
        self.0.lock().unwrap().running
    }

    fn start(&self, name: &str, args: &Object) -> (usize, Running) {
        let mut calls = self.0.lock().unwrap();
        calls.made.push((name.to_owned(), Value::Object(args.clone())));
        calls.running += 1;
        calls.most = calls.most.max(calls.running);
        let count = calls.counts.entry(name.to_owned()).or_default();
        *count += 1;
        (*count - 1, Running(self.clone()))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.0.0.lock().unwrap().running -= 1;
    }
}

#[async_trait::async_trait]
impl Tool for Actor {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn call(&self, args: Object) -> Result<Value, ToolError> {
        let (before, _running) = self.record.start(&self.spec.name, &args);
        match (self.script)(before, &args) {
            Reply::Answer(payload) => Ok(payload),
            Reply::Fail(kind, message) => Err(ToolError::new(kind, message)),
            Reply::Code(code) => {
                let mut error = ToolError::new(ToolErrorKind::Failed, "the node says no");
                error.code = Some(code);
                Err(error)
            }
            Reply::After(delay, payload) => {
                tokio::time::sleep(delay).await;
                Ok(payload)
            }
            Reply::Hang => std::future::pending().await,
        }
    }
}
