//! A backend with a guard before it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::estimate::HeuristicTokenEstimator;
use super::lane::Lane;
use crate::llm::{LlmBackend, LlmError, LlmRequest, LlmResponse};
use crate::types::GuardReport;

/// Sends what its lane lets through, and repeats what failed.
pub(super) struct Guarded {
    inner: Arc<dyn LlmBackend>,
    lane: Arc<Lane>,
}

/// Who is handed text as it arrives.
type OnText<'f> = dyn for<'t> Fn(&'t str) + Send + Sync + 'f;

impl Guarded {
    pub(super) fn new(inner: Arc<dyn LlmBackend>, lane: Arc<Lane>) -> Self {
        Self { inner, lane }
    }

    /// One call with its retries, which end as soon as `is_final` says that the failure was seen from outside.
    async fn ask(
        &self,
        request: &LlmRequest,
        on_text: Option<&OnText<'_>>,
        is_final: impl Fn() -> bool + Send,
    ) -> Result<LlmResponse, LlmError> {
        let tokens = HeuristicTokenEstimator.total_tokens(request);
        let _place = self.lane.enter(tokens).await.inspect_err(|_| self.lane.count_refusal())?;
        let mut retries = 0;
        loop {
            let ticket = self.lane.pass(tokens).await.inspect_err(|_| {
                if retries == 0 {
                    self.lane.count_refusal();
                }
            })?;
            if retries > 0 {
                self.lane.count_retry();
            }
            let result = match on_text {
                None => self.inner.step(request).await,
                Some(on_text) => self.inner.stream(request, on_text).await,
            };
            ticket.settle(&result);
            let error = match result {
                Ok(response) => return Ok(response),
                Err(error) => error,
            };
            // The failure that opened the circuit tells more than the refusal that a retry would run into.
            if is_final() || !error.is_retryable() || !self.lane.is_closed() {
                return Err(error);
            }
            let Some(wait) = self.lane.rules.schedule.wait(retries, error.retry_after, request) else {
                return Err(error);
            };
            tracing::info!(%error, wait_ms = wait.as_millis(), "asking the model again");
            self.lane.sleep(wait).await;
            retries += 1;
        }
    }
}

#[async_trait::async_trait]
impl LlmBackend for Guarded {
    fn name(&self) -> &str {
        self.inner.name()
    }

    async fn step(&self, request: &LlmRequest) -> Result<LlmResponse, LlmError> {
        self.ask(request, None, || false).await
    }

    async fn stream(
        &self,
        request: &LlmRequest,
        on_text: &(dyn for<'t> Fn(&'t str) + Send + Sync),
    ) -> Result<LlmResponse, LlmError> {
        // Text that somebody has read cannot be taken back, and a second attempt would say it again.
        let shown = AtomicBool::new(false);
        let relay = |text: &str| {
            if !text.is_empty() {
                shown.store(true, Ordering::Relaxed);
            }
            on_text(text);
        };
        self.ask(request, Some(&relay), || shown.load(Ordering::Relaxed)).await
    }

    fn guard(&self) -> Option<GuardReport> {
        Some(self.lane.report())
    }

    fn is_offline(&self) -> bool {
        self.inner.is_offline()
    }
}
