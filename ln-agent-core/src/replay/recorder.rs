//! Standing between a run and everything it asks.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Header;
use super::line::{End, Line, Source};
use super::tap_model::RecordedBackend;
use super::tap_tool::RecordedTool;
use super::tap_world::{RecordedApprover, RecordedClock};
use super::tape::Tape;
use crate::approve::Approver;
use crate::clock::Clock;
use crate::llm::LlmBackend;
use crate::tool::{Registry, Tool};
use crate::types::{PipelineResult, Stage};

/// Writes the cassette of one run: everything that is asked through it, and what was answered.
///
/// A write that fails stops nothing; [`end`](Self::end) tells it.
#[derive(Clone)]
pub struct Recorder {
    tape: Arc<Tape>,
    path: PathBuf,
}

impl Recorder {
    /// Makes the file and writes its first line. The file can be read by its owner only.
    ///
    /// # Errors
    ///
    /// The system's error when the file cannot be made or written.
    pub fn begin(path: &Path, header: Header) -> io::Result<Self> {
        let tape = Tape::create(path)?;
        tape.write(&Line::Header(Box::new(header)));
        tape.check()?;
        Ok(Self { tape: Arc::new(tape), path: path.to_owned() })
    }

    /// The backend of a stage, recorded. Streams stay streams.
    #[must_use]
    pub fn backend(&self, stage: Stage, inner: Arc<dyn LlmBackend>) -> Arc<dyn LlmBackend> {
        Arc::new(RecordedBackend { tape: Arc::clone(&self.tape), stage, inner })
    }

    /// The tools, recorded.
    ///
    /// # Panics
    ///
    /// Never: the names are those of a registry.
    #[must_use]
    pub fn tools(&self, tools: &Registry) -> Registry {
        let inner = tools.specs().filter_map(|spec| tools.get(&spec.name));
        let recorded = inner.map(|inner| {
            Arc::new(RecordedTool { tape: Arc::clone(&self.tape), inner: Arc::clone(inner) }) as Arc<dyn Tool>
        });
        Registry::new(recorded).expect("a registry's names differ")
    }

    /// The clock, recorded: readings and sleeps.
    #[must_use]
    pub fn clock(&self, inner: Arc<dyn Clock>) -> Arc<dyn Clock> {
        Arc::new(RecordedClock { tape: Arc::clone(&self.tape), inner })
    }

    /// The approver, recorded.
    #[must_use]
    pub fn approver(&self, inner: Arc<dyn Approver>) -> Arc<dyn Approver> {
        Arc::new(RecordedApprover { tape: Arc::clone(&self.tape), inner })
    }

    /// The number of nodes, recorded at each reading.
    pub fn node_count(
        &self,
        inner: Arc<dyn Fn() -> u32 + Send + Sync>,
    ) -> impl Fn() -> u32 + Send + Sync + 'static + use<> {
        let tape = Arc::clone(&self.tape);
        move || {
            let count = inner();
            tape.reading(Source::NodeCount, count.into());
            count
        }
    }

    /// Writes the last line and gives the file's path.
    ///
    /// # Errors
    ///
    /// The first write that failed during the run.
    pub fn end(&self, result: &PipelineResult) -> io::Result<&Path> {
        self.tape.write(&Line::End(End { run_id: result.run_id.clone(), outcome: result.outcome }));
        self.tape.check()?;
        Ok(&self.path)
    }
}

impl fmt::Debug for Recorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recorder").field("path", &self.path).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use serde_json::{Value, json};

    use super::*;
    use crate::tool::{Effect, ToolError, ToolSpec};
    use crate::types::Object;

    struct Pay(ToolSpec);

    #[async_trait::async_trait]
    impl Tool for Pay {
        fn spec(&self) -> &ToolSpec {
            &self.0
        }

        async fn call(&self, _args: Object) -> Result<Value, ToolError> {
            Ok(json!({ "status": "complete" }))
        }
    }

    #[tokio::test]
    async fn a_write_that_fails_does_not_stop_a_payment_but_is_told_once() {
        let file = tempfile::NamedTempFile::new().unwrap();
        // Opened for reading, so every write fails.
        let tape = Arc::new(Tape::of(File::open(file.path()).unwrap()));
        let recorder = Recorder { tape, path: file.path().to_owned() };
        let pay: Arc<dyn Tool> = Arc::new(Pay(ToolSpec::new("pay", "Pays.", Effect::Spend)));
        let tools = recorder.tools(&Registry::new([pay]).unwrap());

        let paid = tools.get("pay").unwrap().call(Object::new()).await;

        assert_eq!(paid, Ok(json!({ "status": "complete" })));
        assert!(recorder.tape.check().is_err());
        assert!(recorder.tape.check().is_ok());
    }
}
