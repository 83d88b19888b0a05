//! The stage itself.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::prompt;
use super::shown::{Ended, Shown};
use crate::llm::{LlmBackend, LlmRequest, LlmTask, Message, Role};
use crate::observe::Observer;
use crate::offline::answer::{self, Support};
use crate::types::{
    ExecutionPlan, GuardReport, IntentBlock, IntentType, RunEvent, Stage, StepResult, TokenUsage, Verdict,
    Verification,
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

    /// The guard before its backend, if there is one.
    #[must_use]
    pub fn guard(&self) -> Option<GuardReport> {
        self.backend.guard()
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
        if input.intent.intent_type == IntentType::Noop {
            // There is nothing that a model could add to nothing.
            let text =
                answer::compose(input.intent, input.plan, input.results, input.verification, input.verdict);
            observer.observe(&RunEvent::Token { text: text.clone() });
            return Summary { text, usage: TokenUsage::default() };
        }
        let (asked, usage) = self.ask(input, observer).await;
        match asked {
            Ok(text) => Summary { text, usage },
            Err(Unusable { why, shown }) => {
                if shown {
                    observer.observe(&RunEvent::AnswerRestarted { reason: why.clone() });
                }
                observer.observe(&RunEvent::SummarizerError { error: why });
                let text = answer::compose(
                    input.intent,
                    input.plan,
                    input.results,
                    input.verification,
                    input.verdict,
                );
                observer.observe(&RunEvent::Token { text: text.clone() });
                Summary { text, usage }
            }
        }
    }

    async fn ask(
        &self,
        input: SummaryInput<'_>,
        observer: &dyn Observer,
    ) -> (Result<String, Unusable>, TokenUsage) {
        let stage = Stage::Summarizer;
        observer.observe(&RunEvent::LlmCall { stage, backend: self.backend.name().to_owned(), attempt: 1 });
        let request = self.request(input);
        if self.backend.is_offline() {
            let on_text = |text: &str| observer.observe(&RunEvent::Token { text: text.to_owned() });
            let answered = self.backend.stream(&request, &on_text).await;
            return match answered {
                Ok(response) => (Ok(response.content.trim().to_owned()), response.usage),
                Err(error) => (Err(Unusable { why: error.to_string(), shown: false }), TokenUsage::default()),
            };
        }
        let run = json!([input.intent, input.plan.steps, input.results, input.verification, input.verdict]);
        let shown = Shown::new(observer, Support::of(&[run]), beginning(&input));
        let answered = self.backend.stream(&request, &|text: &str| shown.take(text)).await;
        let response = match answered {
            Ok(response) => response,
            Err(error) => {
                let why = error.to_string();
                observer.observe(&RunEvent::LlmError { stage, error: why.clone() });
                return (Err(Unusable { why, shown: shown.has_begun() }), TokenUsage::default());
            }
        };
        let preview = response.content.trim().chars().take(300).collect();
        observer.observe(&RunEvent::LlmResponse { stage, preview });
        for warning in response.warnings {
            observer.observe(&RunEvent::LlmWarning { stage, warning });
        }
        if response.content.trim().is_empty() {
            return (
                Err(Unusable { why: "the model's answer is empty".to_owned(), shown: false }),
                response.usage,
            );
        }
        let text = match shown.end(if response.truncated { " … (the answer was cut off)" } else { "" }) {
            Ended::Whole(text) => Ok(text),
            Ended::Invented { words, shown } => {
                let why = format!("the model stated what nobody told it: {}", words.join(", "));
                Err(Unusable { why, shown })
            }
        };
        (text, response.usage)
    }

    fn request(&self, input: SummaryInput<'_>) -> LlmRequest {
        LlmRequest {
            task: LlmTask::Summarize {
                intent: input.intent.clone(),
                plan: input.plan.clone(),
                results: input.results.to_vec(),
                verification: input.verification.to_vec(),
                verdict: input.verdict.clone(),
            },
            messages: vec![
                Message::new(Role::System, prompt::RULES),
                Message::new(Role::System, prompt::about(&input)),
                Message::new(Role::User, prompt::user(&input, self.config.max_tool_output_chars)),
            ],
            tools: Vec::new(),
            response_schema: None,
            max_output_tokens: self.config.max_output_tokens,
            temperature: self.config.temperature,
        }
    }
}

/// Why a model's answer is not used.
struct Unusable {
    why: String,
    /// Some of it was shown already.
    shown: bool,
}

impl fmt::Debug for Summarizer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Summarizer").field("config", &self.config).finish_non_exhaustive()
    }
}

/// A model may praise a failed run; what is computed stands before it.
fn beginning(input: &SummaryInput<'_>) -> String {
    if input.intent.intent_type == IntentType::Informational {
        return "No action was taken. ".to_owned();
    }
    if input.verdict.ok {
        String::new()
    } else {
        format!("The goal was not reached: {}. ", input.verdict.reason)
    }
}
