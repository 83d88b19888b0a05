//! The stage itself.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::prompt;
use crate::llm::{LlmBackend, LlmRequest, LlmTask, Message, Role};
use crate::observe::Observer;
use crate::offline::answer;
use crate::types::{
    ExecutionPlan, IntentBlock, IntentType, RunEvent, Stage, StepResult, TokenUsage, Verdict, Verification,
};

/// Puts results into words.
pub struct Summarizer {
    backend: Arc<dyn LlmBackend>,
    config: SummarizerConfig,
}

/// Settings of the summarizer.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct SummarizerConfig {
    /// Temperature of its model, 0 to 2. Default 0.2.
    pub temperature: f32,
    /// Longest answer, in tokens. Default 512.
    pub max_output_tokens: u32,
    /// Tool output shown to the model, in characters. Default 8,000.
    pub max_tool_output_chars: usize,
}

/// A finished run.
#[derive(Clone, Copy, Debug)]
pub struct SummaryInput<'a> {
    /// What was understood.
    pub intent: &'a IntentBlock,
    /// What was planned.
    pub plan: &'a ExecutionPlan,
    /// What happened.
    pub results: &'a [StepResult],
    /// What was confirmed.
    pub verification: &'a [Verification],
    /// The computed verdict.
    pub verdict: &'a Verdict,
}

/// The answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    /// Its text, never empty.
    pub text: String,
    /// Tokens it took; zero without a model.
    pub usage: TokenUsage,
}

impl Default for SummarizerConfig {
    fn default() -> Self {
        Self { temperature: 0.2, max_output_tokens: 512, max_tool_output_chars: 8_000 }
    }
}

impl Summarizer {
    /// A summarizer that asks this backend.
    #[must_use]
    pub fn new(backend: Arc<dyn LlmBackend>, config: SummarizerConfig) -> Self {
        Self { backend, config }
    }

    /// Writes the answer: a known sentence where one fits, else one model call. A model that fails or is silent
    /// costs nothing but its sentence: the answer is then written from the results themselves.
    pub async fn summarize(&self, input: SummaryInput<'_>, observer: &dyn Observer) -> Summary {
        if let Some(text) =
            answer::template(input.intent, input.plan, input.results).filter(|_| input.verdict.ok)
        {
            observer.observe(&RunEvent::Token { text: text.clone() });
            return Summary { text, usage: TokenUsage::default() };
        }
        let (text, usage) = match self.ask(input, observer).await {
            Ok((text, usage)) => (text, usage),
            Err(error) => {
                observer.observe(&RunEvent::SummarizerError { error });
                let text = answer::compose(
                    input.intent,
                    input.plan,
                    input.results,
                    input.verification,
                    input.verdict,
                );
                observer.observe(&RunEvent::Token { text: text.clone() });
                (text, TokenUsage::default())
            }
        };
        Summary { text: honest(text, &input, self.backend.is_offline()), usage }
    }

    async fn ask(
        &self,
        input: SummaryInput<'_>,
        observer: &dyn Observer,
    ) -> Result<(String, TokenUsage), String> {
        let stage = Stage::Summarizer;
        observer.observe(&RunEvent::LlmCall { stage, backend: self.backend.name().to_owned(), attempt: 1 });
        let request = LlmRequest {
            task: LlmTask::Summarize {
                intent: input.intent.clone(),
                plan: input.plan.clone(),
                results: input.results.to_vec(),
                verification: input.verification.to_vec(),
                verdict: input.verdict.clone(),
            },
            messages: vec![
                Message::new(Role::System, prompt::system(&input)),
                Message::new(Role::User, prompt::user(&input, self.config.max_tool_output_chars)),
            ],
            tools: Vec::new(),
            response_schema: None,
            max_output_tokens: self.config.max_output_tokens,
            temperature: self.config.temperature,
        };
        let on_text = |text: &str| observer.observe(&RunEvent::Token { text: text.to_owned() });
        let response = self.backend.stream(&request, &on_text).await.map_err(|error| {
            observer.observe(&RunEvent::LlmError { stage, error: error.to_string() });
            error.to_string()
        })?;
        let text = response.content.trim().to_owned();
        observer.observe(&RunEvent::LlmResponse { stage, preview: text.chars().take(300).collect() });
        if text.is_empty() {
            return Err("the model's answer is empty".to_owned());
        }
        let invented = if self.backend.is_offline() { Vec::new() } else { invented(&text, &input) };
        if !invented.is_empty() {
            return Err(format!("the model stated what nobody told it: {}", invented.join(", ")));
        }
        let cut = if response.truncated { " … (the answer was cut off)" } else { "" };
        Ok((format!("{text}{cut}"), response.usage))
    }
}

impl fmt::Debug for Summarizer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Summarizer").field("config", &self.config).finish_non_exhaustive()
    }
}

/// A model may praise a failed run; what is computed stands before it.
fn honest(text: String, input: &SummaryInput<'_>, offline: bool) -> String {
    if offline {
        return text;
    }
    if input.intent.intent_type == IntentType::Informational && !text.starts_with("No action was taken") {
        return format!("No action was taken. {text}");
    }
    if input.verdict.ok {
        return text;
    }
    format!("The goal was not reached: {}. {text}", input.verdict.reason)
}

/// Numbers and ids of a text that stand nowhere in the run.
fn invented(text: &str, input: &SummaryInput<'_>) -> Vec<String> {
    let run = json!([input.intent, input.plan.steps, input.results, input.verification, input.verdict]);
    answer::unsupported(text, &[run])
}
