//! A backend that reads its answers from a list: for tests and benches, of ours and of embedders.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use super::{LlmBackend, LlmError, LlmErrorKind, LlmRequest, LlmResponse};

/// Answers from a list, in order, and remembers what it was asked.
///
/// # Examples
///
/// ```
/// # use ln_agent_core::llm::ScriptedBackend;
/// let model = ScriptedBackend::replying(["first answer", "second answer"]);
/// assert_eq!(model.requests().len(), 0);
/// ```
#[derive(Debug)]
pub struct ScriptedBackend {
    state: Mutex<State>,
    /// Start again after the last answer.
    repeats: bool,
}

#[derive(Debug, Default)]
struct State {
    script: VecDeque<Result<LlmResponse, LlmError>>,
    requests: Vec<LlmRequest>,
}

impl ScriptedBackend {
    /// Gives these texts, then fails.
    #[must_use]
    pub fn replying<T: Into<String>>(texts: impl IntoIterator<Item = T>) -> Self {
        Self::scripted(texts.into_iter().map(|text| Ok(LlmResponse::text(text))))
    }

    /// Gives these texts over and over.
    #[must_use]
    pub fn repeating<T: Into<String>>(texts: impl IntoIterator<Item = T>) -> Self {
        Self { repeats: true, ..Self::replying(texts) }
    }

    /// Gives these answers and errors, then fails.
    #[must_use]
    pub fn scripted(script: impl IntoIterator<Item = Result<LlmResponse, LlmError>>) -> Self {
        let state = State { script: script.into_iter().collect(), requests: Vec::new() };
        Self { state: Mutex::new(state), repeats: false }
    }

    /// What it was asked so far. A repeating script does not remember.
    #[must_use]
    pub fn requests(&self) -> Vec<LlmRequest> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).requests.clone()
    }
}

#[async_trait::async_trait]
impl LlmBackend for ScriptedBackend {
    fn name(&self) -> &str {
        "scripted"
    }

    async fn step(&self, request: &LlmRequest) -> Result<LlmResponse, LlmError> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let answer = state.script.pop_front();
        if self.repeats {
            state.script.extend(answer.clone());
        } else {
            state.requests.push(request.clone());
        }
        answer.unwrap_or_else(|| {
            Err(LlmError::new(LlmErrorKind::Other, "scripted", "the script is at its end"))
        })
    }
}
