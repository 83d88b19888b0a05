//! The settings of the pipeline with their types.

use std::str::FromStr;
use std::time::Duration;

use super::form::parse_bool;
use super::{Config, ConfigError};
use crate::types::{AmountError, Msat, NodeIndex};

/// What the pipeline needs to know, parsed once at start.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Settings {
    /// Remote models may be asked.
    pub allow_llm: bool,
    /// Temperature of the translator, 0 to 2.
    pub translator_temperature: f32,
    /// Extra attempts of the translator.
    pub translator_max_retries: u32,
    /// Longest intent, in tokens.
    pub translator_max_output_tokens: u32,
    /// Temperature of the planner, 0 to 2.
    pub planner_temperature: f32,
    /// Extra attempts of the planner.
    pub planner_max_retries: u32,
    /// Longest plan, in tokens.
    pub planner_max_output_tokens: u32,
    /// `0`, `1` or `fallback`.
    pub planner_force_llm: String,
    /// The planner's model is shown all tools, not only those that fit.
    pub planner_all_tools: bool,
    /// Temperature of the summarizer, 0 to 2.
    pub summarizer_temperature: f32,
    /// Longest answer, in tokens.
    pub summarizer_max_output_tokens: u32,
    /// Tool output shown to the summarizer, in characters.
    pub max_tool_output_chars: usize,
    /// Exchanges that follow-ups may refer to.
    pub history_max: usize,
    /// Deadline of an ordinary tool call.
    pub call_timeout: Duration,
    /// Consecutive reads after which a repeated one is blocked.
    pub max_consecutive_reads: u32,
    /// Pause before a retry.
    pub retry_delay: Duration,
    /// Reads at once.
    pub max_workers: usize,
    /// Most one run may spend, fees included. `None`: no cap.
    pub max_spend: Option<Msat>,
    /// Node of this agent.
    pub own_node: NodeIndex,
    /// What each run asked and was answered is kept, so that it can be replayed.
    pub record_runs: bool,
}

impl Settings {
    /// Whether remote models may be asked: `ALLOW_LLM`.
    #[must_use]
    pub fn allows_llm(config: &Config) -> bool {
        parse_bool(&config.value("ALLOW_LLM").text).unwrap_or(true)
    }

    /// The typed values of a configuration.
    ///
    /// # Errors
    ///
    /// [`ConfigError::Value`] for a spending cap without unit, and for a node 0.
    pub fn from_config(config: &Config) -> Result<Self, ConfigError> {
        let temperature = |var: &str| {
            // Precedence: the stage's own variable, then LLM_TEMPERATURE, then the stage's default.
            let shared = config.is_given("LLM_TEMPERATURE") && !config.is_given(var);
            number::<f32>(config, if shared { "LLM_TEMPERATURE" } else { var })
        };
        let tokens = |var: &str| {
            let shared = config.is_given("LLM_MAX_OUTPUT_TOKENS") && !config.is_given(var);
            number::<u32>(config, if shared { "LLM_MAX_OUTPUT_TOKENS" } else { var })
        };
        Ok(Self {
            allow_llm: Self::allows_llm(config),
            translator_temperature: temperature("TRANSLATOR_TEMPERATURE")?,
            translator_max_retries: number(config, "TRANSLATOR_MAX_RETRIES")?,
            translator_max_output_tokens: tokens("TRANSLATOR_MAX_OUTPUT_TOKENS")?,
            planner_temperature: temperature("PLANNER_TEMPERATURE")?,
            planner_max_retries: number(config, "PLANNER_MAX_RETRIES")?,
            planner_max_output_tokens: tokens("PLANNER_MAX_OUTPUT_TOKENS")?,
            planner_force_llm: config.value("PLANNER_FORCE_LLM").text.to_ascii_lowercase(),
            planner_all_tools: config.value("PLANNER_TOOLS").text.eq_ignore_ascii_case("all"),
            summarizer_temperature: temperature("SUMMARIZER_TEMPERATURE")?,
            summarizer_max_output_tokens: tokens("SUMMARIZER_MAX_OUTPUT_TOKENS")?,
            max_tool_output_chars: number(config, "LLM_MAX_TOOL_OUTPUT_CHARS")?,
            history_max: number(config, "PIPELINE_HISTORY_MAX")?,
            call_timeout: seconds(config, "MCP_CALL_TIMEOUT_S")?,
            max_consecutive_reads: number(config, "MAX_CONSEC_READ_ONLY")?,
            retry_delay: seconds(config, "EXECUTOR_RETRY_DELAY_S")?,
            max_workers: number(config, "EXECUTOR_MAX_WORKERS")?,
            max_spend: config
                .text("MAX_SPEND")
                .map(|text| text.parse().map_err(|_: AmountError| misread(config, "MAX_SPEND", AN_AMOUNT)))
                .transpose()?,
            own_node: number(config, "NODE_NUMBER")?,
            record_runs: parse_bool(&config.value("RECORD_RUNS").text).unwrap_or(true),
        })
    }
}

const AN_AMOUNT: &str = "an amount with its unit, as in 10sat, 2500msat or 0.001btc";

fn number<T: FromStr>(config: &Config, var: &str) -> Result<T, ConfigError> {
    let text = &config.value(var).text;
    text.parse().map_err(|_| misread(config, var, "a number that fits"))
}

fn seconds(config: &Config, var: &str) -> Result<Duration, ConfigError> {
    let secs: f64 = number(config, var)?;
    Duration::try_from_secs_f64(secs).map_err(|_| misread(config, var, "a number of seconds"))
}

fn misread(config: &Config, var: &str, expected: &str) -> ConfigError {
    let value = config.value(var);
    ConfigError::Value {
        key: var.to_owned(),
        source_name: value.source.to_string(),
        text: value.text.clone(),
        expected: expected.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::Sources;
    use super::*;

    fn settings(pairs: &[(&str, &str)]) -> Result<Settings, ConfigError> {
        let environment: BTreeMap<_, _> =
            pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        Settings::from_config(&Config::load(&Sources { environment, ..Sources::default() })?)
    }

    #[test]
    fn a_stages_own_temperature_beats_the_shared_one_beats_the_default() {
        let seen = settings(&[("LLM_TEMPERATURE", "0"), ("PLANNER_TEMPERATURE", "0.7")]).unwrap();

        assert_eq!((seen.translator_temperature, seen.planner_temperature), (0.0, 0.7));
        assert_eq!(settings(&[]).unwrap().translator_temperature, 0.1);
    }

    #[test]
    fn a_spending_cap_needs_its_unit() {
        assert_eq!(settings(&[("MAX_SPEND", "10sat")]).unwrap().max_spend, Some(Msat(10_000)));
        assert!(settings(&[("MAX_SPEND", "10")]).is_err());
    }

    #[test]
    fn a_switch_that_says_0_is_off() {
        assert!(!settings(&[("ALLOW_LLM", "0")]).unwrap().allow_llm);
        assert!(settings(&[]).unwrap().allow_llm);
        assert!(!settings(&[("RECORD_RUNS", "off")]).unwrap().record_runs);
        assert!(settings(&[]).unwrap().record_runs);
    }
}
