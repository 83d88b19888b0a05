//! One prompt and what must come of it.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use crate::types::{Object, Op};

/// One prompt and what must come of it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// Its name, unique in the battery.
    pub id: String,
    /// What is said; `{name}` stands for a captured value.
    pub prompt: String,
    /// Tools that are called, in this order; others may stand between.
    #[serde(default)]
    pub expect_tools: Vec<String>,
    /// Of each group at least one is called.
    #[serde(default)]
    pub any_tools: Vec<Vec<String>>,
    /// Tools that are not called, or the words `read`, `write`, `spend` for whole effects.
    #[serde(default)]
    pub forbid_tools: Vec<String>,
    /// Most steps that may be carried out.
    #[serde(default)]
    pub max_steps: Option<usize>,
    /// How the run ends. Default: ok.
    #[serde(default)]
    pub expect: Expect,
    /// What the answer says: literal text, or `{1.payload.blocks}` out of step 1's envelope.
    #[serde(default)]
    pub answer_has: Vec<String>,
    /// What it does not say.
    #[serde(default)]
    pub answer_lacks: Vec<String>,
    /// Arguments that were sent, by tool.
    #[serde(default)]
    pub args: BTreeMap<String, Object>,
    /// Values for later prompts, by name.
    #[serde(default)]
    pub capture: BTreeMap<String, String>,
    /// What read-only calls see afterwards.
    #[serde(default)]
    pub state: Vec<StateCheck>,
    /// Cases that must have passed before.
    #[serde(default)]
    pub needs: Vec<String>,
    /// Cases of one session share their history. Default: none.
    #[serde(default)]
    pub session: Option<String>,
}

/// How a run must end.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "snake_case")]
pub enum Expect {
    /// The goal was reached.
    #[default]
    Ok,
    /// It was not.
    Failed,
    /// It was turned away before anything changed.
    Refused,
    /// The outcome is not known.
    Unknown,
    /// It asks, and does nothing.
    Clarify,
    /// It explains, and does nothing.
    Informational,
}

/// A read-only call after the run, made by the engine and not by the agent.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StateCheck {
    /// The tool.
    pub tool: String,
    /// Its arguments.
    #[serde(default)]
    pub args: Object,
    /// Where to look in the envelope, such as `payload.channels.#`.
    pub path: String,
    /// How to compare; `delta` compares with the same call before the prompt.
    pub op: Op,
    /// With what.
    #[serde(default)]
    pub value: Value,
}
