//! The seam to language models: what is asked, what comes back, and who answers.

mod error;
mod redact;
pub mod reply;
mod request;
mod response;
pub mod schema;
mod scripted;

pub use error::{LlmError, LlmErrorKind};
pub use redact::redact;
pub use request::{LlmRequest, LlmTask, Message, Role, ToolDefinition};
pub use response::{LlmResponse, ToolCall};
pub use scripted::ScriptedBackend;

use crate::types::GuardReport;

/// Somebody who answers: a remote model, a local one, or the offline backend.
///
/// # Examples
///
/// ```
/// use ln_agent_core::llm::{LlmBackend, LlmError, LlmRequest, LlmResponse};
///
/// struct Echo;
///
/// #[async_trait::async_trait]
/// impl LlmBackend for Echo {
///     fn name(&self) -> &str {
///         "echo"
///     }
///
///     async fn step(&self, request: &LlmRequest) -> Result<LlmResponse, LlmError> {
///         Ok(LlmResponse::text(request.messages.last().map(|m| m.content.clone()).unwrap_or_default()))
///     }
/// }
/// ```
#[async_trait::async_trait]
pub trait LlmBackend: Send + Sync {
    /// Its name in traces and errors, such as `openai` or `offline`.
    fn name(&self) -> &str;

    /// Answers one request. Dropping the future cancels it.
    ///
    /// # Errors
    ///
    /// [`LlmError`] when no usable answer came; [`LlmError::is_retryable`] says whether asking again can help.
    async fn step(&self, request: &LlmRequest) -> Result<LlmResponse, LlmError>;

    /// Answers one request, handing over the text as it arrives. The default hands it over in one piece.
    ///
    /// # Errors
    ///
    /// As [`step`](Self::step).
    async fn stream(
        &self,
        request: &LlmRequest,
        on_text: &(dyn for<'t> Fn(&'t str) + Send + Sync),
    ) -> Result<LlmResponse, LlmError> {
        let response = self.step(request).await?;
        on_text(&response.content);
        Ok(response)
    }

    /// The guard before it, if there is one: what it let through and held back so far.
    fn guard(&self) -> Option<GuardReport> {
        None
    }

    /// Whether it works without any model. Its intents and plans are then final: nothing is retried.
    fn is_offline(&self) -> bool {
        false
    }
}

const _OBJECT_SAFE: fn(&dyn LlmBackend) = |_| {};
