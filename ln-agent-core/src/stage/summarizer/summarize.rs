//! Whom the answer comes from: a template, the model, or the results themselves.

use std::fmt;
use std::sync::Arc;

use serde_json::{Value, json};

use super::prompt;
use crate::llm::{LlmBackend, LlmRequest, LlmResponse, LlmTask};
use crate::observe::Observer;
use crate::offline::answer;
use crate::types::{
    ExecutionPlan, IntentBlock, IntentType, RunEvent, Stage, StepResult, TokenUsage, Verdict, Verification,
};

/// Stage 4: turns results into the answer.
#[derive(Clone)]
pub struct Summarizer {
    backend: Arc<dyn LlmBackend>,
    config: SummarizerConfig,
}

/// Settings of the summarizer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SummarizerConfig {
    /// From 0 to 2. Default 0.2.
    pub temperature: f32,
    /// Most tokens of an answer. Default 512.
    pub max_output_tokens: u32,
    /// Most characters of tool answers that a model is shown. Default 8,000.
    pub max_tool_output_chars: usize,
}

/// A finished run, all but its answer.
#[derive(Clone, Copy, Debug)]
pub struct SummaryInput<'a> {
    /// What was wanted.
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

/// The answer and what it cost.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// The answer, never empty.
    pub text: String,
    /// Tokens; zero where no model was asked.
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

    /// The answer. Its pieces go to the observer as [`RunEvent::Token`].
    ///
    /// A plan out of the dispatch table that went well has its sentence. Everything else that was executed or is to be
    /// explained is put into words by the model, once. Where the model fails, says nothing, or states numbers or ids
    /// that nobody gave it, the answer is composed from the results. The text never contradicts the verdict: an answer
    /// to a goal that was not reached begins with ✗ and the reason.
    pub async fn summarize(&self, input: SummaryInput<'_>, observer: &dyn Observer) -> Summary {
        let template =
            if input.verdict.ok { answer::template(input.intent, input.plan, input.results) } else { None };
        let explains = input.intent.intent_type == IntentType::Informational;
        if let Some(text) = template {
            return without_model(text, observer);
        }
        if input.results.is_empty() && !explains {
            return without_model(composed(&input), observer);
        }
        match self.ask(&input, observer).await {
            Ok(summary) => summary,
            Err((error, usage)) => {
                observer.observe(&RunEvent::SummarizerError { error });
                Summary { usage, ..without_model(composed(&input), observer) }
            }
        }
    }

    async fn ask(
        &self,
        input: &SummaryInput<'_>,
        observer: &dyn Observer,
    ) -> Result<Summary, (String, TokenUsage)> {
        let stage = Stage::Summarizer;
        observer.observe(&RunEvent::LlmCall { stage, backend: self.backend.name().to_owned(), attempt: 1 });
        let notice = self.notice(input);
        if !notice.is_empty() {
            observer.observe(&RunEvent::Token { text: notice.clone() });
        }
        let on_text = |text: &str| observer.observe(&RunEvent::Token { text: text.to_owned() });
        let LlmResponse { content, usage, .. } =
            self.backend.stream(&self.request(input), &on_text).await.map_err(|error| {
                let error = error.to_string();
                observer.observe(&RunEvent::LlmError { stage, error: error.clone() });
                (error, TokenUsage::default())
            })?;
        let preview = content.chars().take(300).collect();
        observer.observe(&RunEvent::LlmResponse { stage, preview });
        match self.fault(&content, input) {
            Some(fault) => Err((fault, usage)),
            None => Ok(Summary { text: format!("{notice}{}", opened(content.trim(), input)), usage }),
        }
    }

    /// What a model's text must begin with when the goal was not reached. The offline backend says so itself.
    fn notice(&self, input: &SummaryInput<'_>) -> String {
        if input.verdict.ok || self.backend.is_offline() {
            return String::new();
        }
        format!("✗ {}.\n", input.verdict.reason.trim_end_matches('.'))
    }

    /// Why a text cannot be the answer.
    fn fault(&self, text: &str, input: &SummaryInput<'_>) -> Option<String> {
        if text.trim().is_empty() {
            return Some("the model answered nothing".to_owned());
        }
        if self.backend.is_offline() {
            return None;
        }
        let invented = answer::unsupported(text, &evidence(input));
        (!invented.is_empty())
            .then(|| format!("the model stated what nobody told it: {}", invented.join(", ")))
    }

    fn request(&self, input: &SummaryInput<'_>) -> LlmRequest {
        LlmRequest {
            task: LlmTask::Summarize {
                intent: input.intent.clone(),
                plan: input.plan.clone(),
                results: input.results.to_vec(),
                verification: input.verification.to_vec(),
                verdict: input.verdict.clone(),
            },
            messages: prompt::messages(input, self.config.max_tool_output_chars),
            response_schema: None,
            max_output_tokens: self.config.max_output_tokens,
            temperature: self.config.temperature,
        }
    }
}

impl fmt::Debug for Summarizer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Summarizer")
            .field("backend", &self.backend.name())
            .field("config", &self.config)
            .finish()
    }
}

/// Everything that a model was told, and more: what it says must stand somewhere in it.
fn evidence(input: &SummaryInput<'_>) -> Vec<Value> {
    vec![json!([input.intent, input.plan.steps, input.results, input.verification, input.verdict])]
}

/// An explanation begins by saying that nothing was done, whether or not the model obeyed.
fn opened(text: &str, input: &SummaryInput<'_>) -> String {
    const NOTHING: &str = "No action was taken.";
    if input.intent.intent_type == IntentType::Informational
        && !text.starts_with(NOTHING.trim_end_matches('.'))
    {
        return format!("{NOTHING} {text}");
    }
    text.to_owned()
}

fn composed(input: &SummaryInput<'_>) -> String {
    answer::compose(input.intent, input.plan, input.results, input.verification, input.verdict)
}

fn without_model(text: String, observer: &dyn Observer) -> Summary {
    observer.observe(&RunEvent::Token { text: text.clone() });
    Summary { text, usage: TokenUsage::default() }
}
