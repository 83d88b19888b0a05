//! A stream of replies, each with the parts that are new.

use serde_json::Value;

use super::reply::Answer;
use crate::adapter::http::Fold;
use crate::llm::{LlmError, LlmResponse};

/// What the replies have said so far.
#[derive(Debug, Default)]
pub(super) struct Stream {
    answer: Answer,
}

impl Fold for Stream {
    fn take(
        &mut self,
        event: &Value,
        on_text: &(dyn for<'t> Fn(&'t str) + Send + Sync),
    ) -> Result<(), LlmError> {
        self.answer.take(event, on_text);
        Ok(())
    }

    /// No event says that the stream is whole; the reason why the model stopped does.
    fn is_complete(&self) -> bool {
        self.answer.has_ended()
    }

    fn response(self) -> Result<LlmResponse, LlmError> {
        self.answer.response()
    }
}
