//! A backend whose exchanges are recorded.

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;

use super::line::{GuardReading, Line, ModelExchange};
use super::tape::Tape;
use crate::llm::{LlmBackend, LlmError, LlmRequest, LlmResponse};
use crate::types::{GuardReport, Stage};

pub(super) struct RecordedBackend {
    pub(super) tape: Arc<Tape>,
    pub(super) stage: Stage,
    pub(super) inner: Arc<dyn LlmBackend>,
}

/// An exchange under way; it is written when it is dropped, answered or not.
struct Open<'a> {
    tape: &'a Tape,
    exchange: ModelExchange,
    /// The pieces of a stream.
    pieces: Option<Mutex<Vec<String>>>,
}

impl RecordedBackend {
    fn open(&self, request: &LlmRequest, streamed: bool) -> Open<'_> {
        let exchange = ModelExchange {
            seq: self.tape.next(),
            stage: self.stage,
            backend: self.inner.name().to_owned(),
            request: as_value(request),
            chunks: None,
            response: None,
            error: None,
        };
        Open { tape: &self.tape, exchange, pieces: streamed.then(Mutex::default) }
    }
}

#[async_trait::async_trait]
impl LlmBackend for RecordedBackend {
    fn name(&self) -> &str {
        self.inner.name()
    }

    async fn step(&self, request: &LlmRequest) -> Result<LlmResponse, LlmError> {
        let mut open = self.open(request, false);
        let answer = self.inner.step(request).await;
        open.answered(&answer);
        answer
    }

    async fn stream(
        &self,
        request: &LlmRequest,
        on_text: &(dyn for<'t> Fn(&'t str) + Send + Sync),
    ) -> Result<LlmResponse, LlmError> {
        let mut open = self.open(request, true);
        let answer = {
            let noting = |text: &str| {
                open.note(text);
                on_text(text);
            };
            self.inner.stream(request, &noting).await
        };
        open.answered(&answer);
        answer
    }

    fn guard(&self) -> Option<GuardReport> {
        let report = self.inner.guard()?;
        let reading = GuardReading { seq: self.tape.next(), stage: self.stage, report: report.clone() };
        self.tape.write(&Line::Guard(reading));
        Some(report)
    }

    fn is_offline(&self) -> bool {
        self.inner.is_offline()
    }
}

impl Open<'_> {
    fn note(&self, text: &str) {
        if let Some(pieces) = &self.pieces {
            pieces.lock().unwrap_or_else(PoisonError::into_inner).push(text.to_owned());
        }
    }

    fn answered(&mut self, answer: &Result<LlmResponse, LlmError>) {
        match answer {
            Ok(response) => self.exchange.response = Some(response.clone()),
            Err(error) => self.exchange.error = Some(error.clone()),
        }
    }
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        self.exchange.chunks = self.pieces.take().map(|pieces| {
            let pieces = pieces.into_inner().unwrap_or_else(PoisonError::into_inner);
            // A secret may lie across two pieces; then they are kept as one, in which it is found.
            let whole = pieces.concat();
            if self.tape.masks(&whole) { vec![whole] } else { pieces }
        });
        self.tape.write(&Line::Model(Box::new(self.exchange.clone())));
    }
}

/// The request as it is written: numbers in their shortest form.
pub(super) fn as_value(request: &LlmRequest) -> Value {
    // By way of text, because a temperature of 0.1 is 0.10000000149011612 where f32 becomes f64.
    serde_json::to_string(request)
        .and_then(|text| serde_json::from_str(&text))
        .expect("a request has text keys only, so it is JSON")
}
