//! One answer, read with a limit on its length and on every silence.

use std::time::Duration;

use reqwest::header::{CONTENT_TYPE, HeaderMap};
use reqwest::{Response, StatusCode};
use serde_json::Value;

use super::failure;
use super::transport;
use crate::llm::{LlmError, LlmErrorKind, redact};

/// Characters of a body that an error shows.
const SHOWN_CHARS: usize = 300;

/// One answer whose body is still to be read.
#[derive(Debug)]
pub(super) struct Reply {
    provider: &'static str,
    response: Response,
    idle: Duration,
    limit: usize,
    read: usize,
}

impl Reply {
    pub(super) const fn new(
        provider: &'static str,
        response: Response,
        idle: Duration,
        limit: usize,
    ) -> Self {
        Self { provider, response, idle, limit, read: 0 }
    }

    pub(super) fn status(&self) -> StatusCode {
        self.response.status()
    }

    pub(super) fn headers(&self) -> &HeaderMap {
        self.response.headers()
    }

    pub(super) const fn limit(&self) -> usize {
        self.limit
    }

    /// The provider's number of the request.
    pub(super) fn request_id(&self) -> Option<String> {
        failure::request_id(self.headers())
    }

    /// The next bytes of the body; `None` at its end.
    pub(super) async fn chunk(&mut self) -> Result<Option<Vec<u8>>, LlmError> {
        let next = tokio::time::timeout(self.idle, self.response.chunk()).await;
        match next {
            Err(_) => Err(self.signed(transport::silent(self.provider, self.idle))),
            Ok(Err(error)) => {
                let doing = format!("the connection broke off after {} bytes", self.read);
                Err(self.signed(transport::error(self.provider, error, &doing)))
            }
            Ok(Ok(None)) => Ok(None),
            Ok(Ok(Some(bytes))) => {
                self.read += bytes.len();
                Ok(Some(bytes.to_vec()))
            }
        }
    }

    /// The whole body as one JSON value.
    pub(super) async fn json(mut self) -> Result<Value, LlmError> {
        let bytes = self.body(self.limit).await?;
        serde_json::from_slice(&bytes).map_err(|error| {
            let kind = match self.content_type() {
                // A page of a proxy, a login form, the wrong port: no model server at all.
                "text/html" | "text/plain" | "" => LlmErrorKind::Endpoint,
                _ => LlmErrorKind::Malformed,
            };
            let told = match kind {
                LlmErrorKind::Endpoint => format!("it answers `{}`, not JSON", self.content_type()),
                _ => format!("its answer is no JSON ({error})"),
            };
            self.error(kind, &format!("{told}: {}", shown(&bytes)))
        })
    }

    /// The whole body, up to `limit` bytes.
    pub(super) async fn body(&mut self, limit: usize) -> Result<Vec<u8>, LlmError> {
        let mut body = Vec::new();
        while let Some(chunk) = self.chunk().await? {
            if body.len() + chunk.len() > limit {
                return Err(self.too_large());
            }
            body.extend(chunk);
        }
        Ok(body)
    }

    /// The start of the body, whatever its length: for errors.
    pub(super) async fn start_of_body(&mut self, most: usize) -> Vec<u8> {
        let mut body = Vec::new();
        while body.len() < most
            && let Ok(Some(chunk)) = self.chunk().await
        {
            body.extend(chunk);
        }
        body
    }

    pub(super) fn too_large(&self) -> LlmError {
        let message = format!("the answer is longer than {} bytes", self.limit);
        self.error(LlmErrorKind::TooLarge, &message)
    }

    /// The media type of the body, without parameters.
    pub(super) fn content_type(&self) -> &str {
        let value = self.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
        value.unwrap_or_default().split(';').next().unwrap_or_default().trim()
    }

    /// A failure of this answer.
    pub(super) fn error(&self, kind: LlmErrorKind, message: &str) -> LlmError {
        self.signed(LlmError::new(kind, self.provider, message))
    }

    fn signed(&self, mut error: LlmError) -> LlmError {
        error.request_id = self.request_id();
        error
    }
}

/// The start of a body as one line.
pub(super) fn shown(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = redact(&words.join(" "));
    match line.char_indices().nth(SHOWN_CHARS) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None if line.is_empty() => "(empty)".to_owned(),
        None => line,
    }
}
