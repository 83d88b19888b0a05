//! The lines of a cassette.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::Header;
use crate::llm::{LlmError, LlmResponse};
use crate::tool::ToolError;
use crate::types::{GuardReport, Outcome, RunId, Stage};

/// One line.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(super) enum Line {
    Header(Box<Header>),
    Model(Box<ModelExchange>),
    Tool(ToolExchange),
    Approval(ApprovalExchange),
    Reading(Reading),
    Sleep(Sleep),
    Guard(GuardReading),
    End(End),
}

/// A question to a model. Without response and error the run gave up waiting.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct ModelExchange {
    /// Its place in the order of questions.
    pub(super) seq: u64,
    pub(super) stage: Stage,
    pub(super) backend: String,
    pub(super) request: Value,
    /// The pieces in which the text arrived, where it was streamed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) chunks: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) response: Option<LlmResponse>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<LlmError>,
}

/// A call of a tool. Without response and error the run gave up waiting.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct ToolExchange {
    pub(super) seq: u64,
    pub(super) tool: String,
    pub(super) args: Value,
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub(super) response: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<ToolError>,
}

/// A question to whoever approves plans.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct ApprovalExchange {
    pub(super) seq: u64,
    pub(super) hash: String,
    pub(super) answer: Answer,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Answer {
    Approved,
    Pending,
    Denied(String),
}

/// A number that was read off the world.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct Reading {
    pub(super) seq: u64,
    pub(super) of: Source,
    pub(super) value: u64,
}

#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Source {
    UnixMs,
    MonotonicMs,
    NodeCount,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct Sleep {
    pub(super) seq: u64,
    pub(super) ms: u64,
}

/// What the guard before a model said of itself.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct GuardReading {
    pub(super) seq: u64,
    pub(super) stage: Stage,
    pub(super) report: GuardReport,
}

/// The last line.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct End {
    pub(super) run_id: RunId,
    pub(super) outcome: Outcome,
}

impl Line {
    /// What it is, for people.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Header(_) => "the header".to_owned(),
            Self::Model(model) => {
                format!("exchange {}, the {:?}'s model", model.seq, model.stage).to_lowercase()
            }
            Self::Tool(call) => format!("exchange {}, tool {}", call.seq, call.tool),
            Self::Approval(asked) => format!("exchange {}, approval", asked.seq),
            Self::Reading(reading) => format!("exchange {}, reading of {}", reading.seq, reading.of.name()),
            Self::Sleep(sleep) => format!("exchange {}, sleep of {} ms", sleep.seq, sleep.ms),
            Self::Guard(guard) => format!("exchange {}, guard", guard.seq),
            Self::End(_) => "the end".to_owned(),
        }
    }

    pub(super) fn seq(&self) -> u64 {
        match self {
            Self::Header(_) => 0,
            Self::Model(line) => line.seq,
            Self::Tool(line) => line.seq,
            Self::Approval(line) => line.seq,
            Self::Reading(line) => line.seq,
            Self::Sleep(line) => line.seq,
            Self::Guard(line) => line.seq,
            Self::End(_) => u64::MAX,
        }
    }

    /// Whether the run gave up waiting for it. Such a call may or may not be made again.
    pub(super) fn was_given_up(&self) -> bool {
        match self {
            Self::Model(line) => line.response.is_none() && line.error.is_none(),
            Self::Tool(line) => line.response.is_none() && line.error.is_none(),
            _ => false,
        }
    }
}

impl Source {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::UnixMs => "the wall clock",
            Self::MonotonicMs => "the stopwatch",
            Self::NodeCount => "the number of nodes",
        }
    }
}

/// A payload that is `null` is an answer, too.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}
