//! A stream of JSON values, in either framing.

use serde_json::Value;

use super::ndjson::LineDecoder;
use super::reply::Reply;
use super::sse::SseDecoder;
use crate::llm::{LlmError, LlmErrorKind};

/// How a provider frames its stream.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Framing {
    /// Server-sent events.
    Sse,
    /// One JSON value a line.
    Lines,
}

/// The values of a stream, one after another.
#[derive(Debug)]
pub(super) struct Events {
    reply: Reply,
    decoder: Decoder,
    ready: std::vec::IntoIter<String>,
    ended: bool,
}

#[derive(Debug)]
enum Decoder {
    Sse(SseDecoder),
    Lines(LineDecoder),
}

/// One piece of a stream.
#[derive(Debug, PartialEq)]
pub(super) enum Event {
    /// A value.
    Value(Value),
    /// `[DONE]`.
    Done,
    /// Something that is no JSON; providers may add what they like.
    Other,
}

impl Events {
    pub(super) fn new(reply: Reply, framing: Framing) -> Self {
        let decoder = match framing {
            Framing::Sse => Decoder::Sse(SseDecoder::default()),
            Framing::Lines => Decoder::Lines(LineDecoder::default()),
        };
        Self { reply, decoder, ready: Vec::new().into_iter(), ended: false }
    }

    /// The next piece; `None` when the provider closed the stream.
    pub(super) async fn next(&mut self) -> Result<Option<Event>, LlmError> {
        loop {
            if let Some(text) = self.ready.next() {
                return Ok(Some(event(&text)));
            }
            if self.ended {
                return Ok(None);
            }
            match self.reply.chunk().await? {
                Some(bytes) => {
                    self.ready = self.decoder.push(&bytes).into_iter();
                    if self.decoder.pending() > self.reply.limit() {
                        return Err(self.reply.too_large());
                    }
                }
                None => {
                    self.ended = true;
                    // An event without its blank line counts if it is whole; half a value is dropped.
                    let last = self.decoder.finish().filter(|text| event(text) != Event::Other);
                    self.ready = last.into_iter().collect::<Vec<_>>().into_iter();
                }
            }
        }
    }

    /// The provider's number of the request.
    pub(super) fn request_id(&self) -> Option<String> {
        self.reply.request_id()
    }

    /// The stream ended before the provider said that the answer is whole.
    pub(super) fn cut(&self) -> LlmError {
        self.reply.error(LlmErrorKind::Network, "the stream ended before the answer was whole")
    }
}

impl Decoder {
    fn push(&mut self, bytes: &[u8]) -> Vec<String> {
        match self {
            Self::Sse(decoder) => decoder.push(bytes),
            Self::Lines(decoder) => decoder.push(bytes),
        }
    }

    fn finish(&mut self) -> Option<String> {
        match self {
            Self::Sse(decoder) => decoder.finish(),
            Self::Lines(decoder) => decoder.finish(),
        }
    }

    fn pending(&self) -> usize {
        match self {
            Self::Sse(decoder) => decoder.pending(),
            Self::Lines(decoder) => decoder.pending(),
        }
    }
}

fn event(text: &str) -> Event {
    if text.trim() == "[DONE]" {
        return Event::Done;
    }
    serde_json::from_str(text).map_or(Event::Other, Event::Value)
}
