//! How the planner asks, and whom first.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Settings of the planner.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
pub struct PlannerConfig {
    /// Further attempts after a reply that is no valid plan. Default 2.
    pub max_retries: u32,
    /// From 0 to 2. Default 0.1.
    pub temperature: f32,
    /// Most tokens of a reply. Default 2,048.
    pub max_output_tokens: u32,
    /// Whether the dispatch table or the model comes first. Default: the table.
    pub force_llm: ForceLlm,
    /// The model is shown all tools, not only those that fit the intent. Default false.
    pub all_tools: bool,
    /// The offline backend steps in for a model that gives no valid plan. Default false.
    pub falls_back: bool,
    /// A model's plan is held against the words of the request: no change that they do not ask for, no value that
    /// stands nowhere. Default true. **Without it a model may change what nobody asked for**; it is for agents whose
    /// tools are their own, of which the words of a request say nothing.
    pub checks_words: bool,
    /// "My node". Default 1.
    pub own_node: u32,
}

/// `PLANNER_FORCE_LLM`: what comes first, the dispatch table or the model.
///
/// # Examples
///
/// ```
/// # use ln_agent_core::stage::planner::ForceLlm;
/// assert_eq!("fallback".parse(), Ok(ForceLlm::Fallback));
/// assert_eq!("".parse(), Ok(ForceLlm::Off));
/// assert!("maybe".parse::<ForceLlm>().is_err());
/// ```
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ForceLlm {
    /// The table first, the model for everything else.
    #[default]
    Off,
    /// The model only: for audits.
    On,
    /// The model first, the table when it fails.
    Fallback,
}

/// A text that is no value of `PLANNER_FORCE_LLM`.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("`{0}` is no mode: expected 0, 1 or fallback")]
pub struct UnknownForceLlm(String);

impl Default for PlannerConfig {
    fn default() -> Self {
        Self {
            max_retries: 2,
            temperature: 0.1,
            max_output_tokens: 2_048,
            force_llm: ForceLlm::Off,
            all_tools: false,
            falls_back: false,
            checks_words: true,
            own_node: 1,
        }
    }
}

impl ForceLlm {
    /// Its name in the environment and in traces.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Off => "0",
            Self::On => "1",
            Self::Fallback => "fallback",
        }
    }
}

impl FromStr for ForceLlm {
    type Err = UnknownForceLlm;

    fn from_str(text: &str) -> Result<Self, UnknownForceLlm> {
        match text.trim().to_ascii_lowercase().as_str() {
            "" | "0" | "false" | "no" | "off" => Ok(Self::Off),
            "1" | "true" | "yes" | "on" => Ok(Self::On),
            "fallback" => Ok(Self::Fallback),
            _ => Err(UnknownForceLlm(text.to_owned())),
        }
    }
}
