//! A backend that answers from a cassette.

use std::sync::Arc;

use super::line::{Line, ModelExchange};
use super::player::Deck;
use super::tap_model::as_value;
use super::{difference, scrubbed};
use crate::llm::{LlmBackend, LlmError, LlmErrorKind, LlmRequest, LlmResponse};
use crate::types::{GuardReport, Stage};

pub(super) struct PlayedBackend {
    pub(super) deck: Arc<Deck>,
    pub(super) stage: Stage,
    pub(super) name: String,
    pub(super) offline: bool,
}

impl PlayedBackend {
    /// The next recorded exchange of this stage, if it answers this request.
    fn next(&self, request: &LlmRequest, streamed: bool) -> Result<Box<ModelExchange>, LlmError> {
        let refuse = |what: String, shown: String| {
            Err(LlmError::new(LlmErrorKind::Replay, &*self.name, self.deck.note(what, shown)))
        };
        let stage = format!("{:?}", self.stage).to_lowercase();
        let next = self.deck.take(|line| match line {
            Line::Model(exchange) if exchange.stage == self.stage => Some((exchange.clone(), line.name())),
            _ => None,
        });
        let Some((exchange, name)) = next else {
            return refuse(format!("the {stage} asks its model once more than recorded"), String::new());
        };
        let now = scrubbed(as_value(request));
        if now != exchange.request {
            return refuse(
                format!("{name}: asked otherwise than recorded"),
                difference(&exchange.request, &now),
            );
        }
        if streamed != exchange.chunks.is_some() {
            let (was, is) = if streamed { ("whole", "streamed") } else { ("streamed", "whole") };
            return refuse(format!("{name}: its answer came {was}, now it is wanted {is}"), String::new());
        }
        Ok(exchange)
    }
}

#[async_trait::async_trait]
impl LlmBackend for PlayedBackend {
    fn name(&self) -> &str {
        &self.name
    }

    async fn step(&self, request: &LlmRequest) -> Result<LlmResponse, LlmError> {
        outcome(*self.next(request, false)?).await
    }

    async fn stream(
        &self,
        request: &LlmRequest,
        on_text: &(dyn for<'t> Fn(&'t str) + Send + Sync),
    ) -> Result<LlmResponse, LlmError> {
        let exchange = *self.next(request, true)?;
        exchange.chunks.iter().flatten().for_each(|piece| on_text(piece));
        outcome(exchange).await
    }

    fn guard(&self) -> Option<GuardReport> {
        self.deck.take(|line| match line {
            Line::Guard(guard) if guard.stage == self.stage => Some(guard.report.clone()),
            _ => None,
        })
    }

    fn is_offline(&self) -> bool {
        self.offline
    }
}

async fn outcome(exchange: ModelExchange) -> Result<LlmResponse, LlmError> {
    match (exchange.response, exchange.error) {
        (Some(response), _) => Ok(response),
        (None, Some(error)) => Err(error),
        // The run gave up waiting, and so it will now.
        (None, None) => std::future::pending().await,
    }
}
