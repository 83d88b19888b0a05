//! A model behind HTTP: the same course for every dialect.

use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Value;

use super::config::RemoteConfig;
use super::endpoint::Endpoint;
use super::events::{Event, Events, Framing};
use super::failure::in_stream;
use super::unwrap::unwrap_calls;
use crate::llm::reply::tool_calls;
use crate::llm::{LlmError, LlmErrorKind, LlmRequest, LlmResponse};

/// The form of a provider's requests and answers.
pub(crate) trait Wire: Send + Sync {
    /// Name in traces and errors.
    const PROVIDER: &'static str;
    /// How its stream is framed.
    const FRAMING: Framing;
    /// Puts a stream together.
    type Fold: Fold;

    /// The path below the base.
    fn path(&self, stream: bool) -> String;

    /// The body of a request, and what in it is otherwise than asked.
    fn body(&self, request: &LlmRequest, stream: bool) -> Result<Body, LlmError>;

    /// The answer in a whole reply.
    fn response(&self, reply: &Value) -> Result<LlmResponse, LlmError>;

    /// Adapts to a refusal of a parameter, if it can. Returns what is done otherwise from now on.
    fn adapt(&self, _refusal: &LlmError) -> Option<String> {
        None
    }

    /// Looks at a finished answer beside its request, and adds warnings.
    fn finish(&self, _request: &LlmRequest, _response: &mut LlmResponse) {}
}

/// Puts a stream together, event by event.
pub(crate) trait Fold: Default + Send {
    /// Takes one event. Text goes to `on_text` as it comes.
    fn take(
        &mut self,
        event: &Value,
        on_text: &(dyn for<'t> Fn(&'t str) + Send + Sync),
    ) -> Result<(), LlmError>;

    /// The provider said that the answer is whole.
    fn is_complete(&self) -> bool;

    /// The answer so far.
    fn response(self) -> Result<LlmResponse, LlmError>;
}

/// A request's body.
#[derive(Debug, PartialEq)]
pub(crate) struct Body {
    /// What is sent.
    pub(crate) json: Value,
    /// What is otherwise than asked, for the record.
    pub(crate) warnings: Vec<String>,
}

impl From<Value> for Body {
    fn from(json: Value) -> Self {
        Self { json, warnings: Vec::new() }
    }
}

/// A model behind HTTP.
#[derive(Debug)]
pub(crate) struct Remote<W> {
    wire: W,
    endpoint: Endpoint,
}

impl<W: Wire> Remote<W> {
    /// Checks address and key, and connects to nothing. `base` is the address that the paths of the wire follow.
    pub(crate) fn new(
        wire: W,
        config: &RemoteConfig,
        base: &str,
        headers: impl FnOnce(&str) -> Vec<(&'static str, String)>,
    ) -> Result<Self, LlmError> {
        if config.model.trim().is_empty() {
            return Err(LlmError::new(LlmErrorKind::NotFound, W::PROVIDER, "no model is named"));
        }
        let headers = config.usable_key(W::PROVIDER)?.map(headers).unwrap_or_default();
        Ok(Self { wire, endpoint: Endpoint::new(W::PROVIDER, config, base, &headers)? })
    }

    /// With headers that every request has.
    pub(crate) fn with_header(mut self, name: &'static str, value: &'static str) -> Self {
        self.endpoint.add_header(name, value);
        self
    }

    /// Name in traces and errors.
    #[expect(clippy::unused_self, reason = "a backend asks its remote, whatever the wire")]
    pub(crate) const fn provider(&self) -> &'static str {
        W::PROVIDER
    }

    /// One whole answer.
    pub(crate) async fn step(&self, request: &LlmRequest) -> Result<LlmResponse, LlmError> {
        let (reply, warnings) = self.send(request, false).await?;
        let request_id = reply.request_id();
        let body = reply.json().await.map_err(|error| self.endpoint.clean(error))?;
        let failure = in_stream(W::PROVIDER, &body);
        let response = failure.map_or_else(|| self.wire.response(&body), Err);
        self.signed(response, request, request_id, warnings)
    }

    /// One answer, piece by piece.
    ///
    /// A stream that ends early is an answer that is marked as truncated if a piece of it was handed over already,
    /// and an error if not.
    pub(crate) async fn stream(
        &self,
        request: &LlmRequest,
        on_text: &(dyn for<'t> Fn(&'t str) + Send + Sync),
    ) -> Result<LlmResponse, LlmError> {
        let (reply, warnings) = self.send(request, true).await?;
        let mut events = Events::new(reply, W::FRAMING);
        let shown = AtomicBool::new(false);
        let handed = |text: &str| {
            shown.store(true, Ordering::Relaxed);
            on_text(text);
        };
        let mut fold = W::Fold::default();
        let ended = Self::fold(&mut events, &mut fold, &handed).await;
        let cut = match ended {
            Ok(()) if fold.is_complete() => None,
            Ok(()) => Some(events.cut()),
            Err(error) => Some(error),
        };
        let response = match cut {
            None => fold.response(),
            Some(error) if shown.into_inner() && is_cut(&error) => fold.response().map(|mut response| {
                response.truncated = true;
                // Half a tool call must not be carried out.
                response.tool_calls.clear();
                response.warnings.push(error.to_string());
                response
            }),
            Some(error) => Err(error),
        };
        self.signed(response, request, events.request_id(), warnings)
    }

    async fn fold(
        events: &mut Events,
        fold: &mut W::Fold,
        on_text: &(dyn for<'t> Fn(&'t str) + Send + Sync),
    ) -> Result<(), LlmError> {
        while let Some(event) = events.next().await? {
            match event {
                Event::Value(value) => match in_stream(W::PROVIDER, &value) {
                    Some(error) => return Err(error),
                    None => fold.take(&value, on_text)?,
                },
                Event::Done | Event::Other => {}
            }
        }
        Ok(())
    }

    /// Sends a request; once more, otherwise, where the provider refuses a parameter that can be done without.
    async fn send(
        &self,
        request: &LlmRequest,
        stream: bool,
    ) -> Result<(super::reply::Reply, Vec<String>), LlmError> {
        let mut adapted = Vec::new();
        loop {
            let body = self.wire.body(request, stream)?;
            match self.endpoint.post(&self.wire.path(stream), &body.json).await {
                Ok(reply) => return Ok((reply, [body.warnings, adapted].concat())),
                // Each adaptation is made once, so this ends.
                Err(refusal) => match self.wire.adapt(&refusal) {
                    Some(change) => adapted.push(change),
                    None => return Err(refusal),
                },
            }
        }
    }

    fn signed(
        &self,
        response: Result<LlmResponse, LlmError>,
        request: &LlmRequest,
        request_id: Option<String>,
        warnings: Vec<String>,
    ) -> Result<LlmResponse, LlmError> {
        match response {
            Ok(mut response) => {
                response.usage.calls = 1;
                response.request_id = response.request_id.take().or(request_id);
                response.warnings.extend(warnings);
                calls_in_words(request, &mut response);
                unwrap_calls(request, &mut response);
                self.wire.finish(request, &mut response);
                Ok(response)
            }
            Err(mut error) => {
                error.request_id = error.request_id.take().or(request_id);
                Err(self.endpoint.clean(error))
            }
        }
    }
}

/// Makes a backend of a type whose `remote` is a [`Remote`].
macro_rules! remote_backend {
    ($backend:ty) => {
        #[async_trait::async_trait]
        impl $crate::llm::LlmBackend for $backend {
            fn name(&self) -> &str {
                self.remote.provider()
            }

            async fn step(
                &self,
                request: &$crate::llm::LlmRequest,
            ) -> Result<$crate::llm::LlmResponse, $crate::llm::LlmError> {
                self.remote.step(request).await
            }

            async fn stream(
                &self,
                request: &$crate::llm::LlmRequest,
                on_text: &(dyn for<'t> Fn(&'t str) + Send + Sync),
            ) -> Result<$crate::llm::LlmResponse, $crate::llm::LlmError> {
                self.remote.stream(request, on_text).await
            }
        }
    };
}
pub(crate) use remote_backend;

/// Some models write their tool calls into the text. Only tools that were offered count.
fn calls_in_words(request: &LlmRequest, response: &mut LlmResponse) {
    if response.tool_calls.is_empty() && !response.truncated {
        let known: Vec<&str> = request.tools.iter().map(|tool| tool.name.as_str()).collect();
        response.tool_calls = tool_calls(&response.content, &known);
    }
}

/// The answer broke off, as opposed to the provider saying that something is wrong.
fn is_cut(error: &LlmError) -> bool {
    error.status.is_none()
        && error.code.is_none()
        && matches!(error.kind, LlmErrorKind::Network | LlmErrorKind::Timeout)
}
