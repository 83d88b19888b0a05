//! The stage itself.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::error::{ParseFault, TranslatorError};
use super::{parse, prompt, settle};
use crate::llm::{LlmBackend, LlmErrorKind, LlmRequest, LlmResponse, LlmTask, Message, Role};
use crate::observe::Observer;
use crate::offline::translate;
use crate::types::{Exchange, GuardReport, IntentBlock, RunEvent, Stage, TokenUsage};

/// Characters of a reply that an event shows.
const PREVIEW_CHARS: usize = 300;
/// Characters of an unusable reply that are shown to its model again.
const ECHO_CHARS: usize = 4_000;

/// Asks one backend for intents.
#[derive(Clone)]
pub struct Translator {
    backend: Arc<dyn LlmBackend>,
    config: TranslatorConfig,
}

/// How the translator asks.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct TranslatorConfig {
    /// Extra attempts when a reply is no intent. Default 2.
    pub max_retries: u32,
    /// From 0 (repeatable) to 2. Default 0.1.
    pub temperature: f32,
    /// Most tokens of a reply. Default 512.
    pub max_output_tokens: u32,
    /// The offline reading steps in where a model gives no usable intent, or another one than the words do.
    /// Default false.
    pub falls_back: bool,
}

/// One prompt and what it is read against.
#[derive(Clone, Copy, Debug)]
pub struct TranslatorInput<'a> {
    /// What the user typed: at most 64 KiB, no control characters but line breaks and tabs.
    pub prompt: &'a str,
    /// The window of earlier exchanges, oldest first.
    pub history: &'a [Exchange],
    /// Nodes are 1 to this number.
    pub node_count: u32,
    /// Node of this agent, counted from 1.
    pub own_node: u32,
}

/// An intent, and what it cost.
#[derive(Clone, Debug, PartialEq)]
pub struct Translation {
    /// What was understood.
    pub intent: IntentBlock,
    /// Tokens of all attempts.
    pub usage: TokenUsage,
}

impl Translator {
    /// A translator that asks this backend.
    #[must_use]
    pub fn new(backend: Arc<dyn LlmBackend>, config: TranslatorConfig) -> Self {
        Self { backend, config }
    }

    /// The guard before its backend, if there is one.
    #[must_use]
    pub fn guard(&self) -> Option<GuardReport> {
        self.backend.guard()
    }

    /// Turns a prompt into an intent.
    ///
    /// # Errors
    ///
    /// [`TranslatorError::Prompt`] for a prompt that is not passed on, [`TranslatorError::Llm`] when the backend
    /// gives no answer, [`TranslatorError::Unusable`] when no attempt yields an intent.
    pub async fn translate(
        &self,
        ask: TranslatorInput<'_>,
        observer: &dyn Observer,
    ) -> Result<Translation, TranslatorError> {
        prompt::check(ask.prompt).map_err(TranslatorError::Prompt)?;
        let mut request = self.request(ask);
        let mut usage = TokenUsage::default();
        let attempts = if self.backend.is_offline() { 1 } else { self.config.max_retries.saturating_add(1) };
        let mut attempt = 1;
        loop {
            let response = self.step(&request, attempt, observer).await?;
            usage.add(response.usage);
            match self.read(&response, ask, attempt < attempts, observer) {
                Ok(intent) => {
                    observer.observe(&RunEvent::IntentParsed { intent: intent.clone() });
                    return Ok(Translation { intent, usage });
                }
                Err(last) => {
                    let error = last.to_string();
                    observer
                        .observe(&RunEvent::ParseFailed { stage: Stage::Translator, error: error.clone() });
                    if attempt == attempts {
                        if self.config.falls_back && !self.backend.is_offline() {
                            let intent = fall_back(ask, &error, observer);
                            return Ok(Translation { intent, usage });
                        }
                        return Err(TranslatorError::Unusable { attempts, last, usage });
                    }
                    request.messages.extend(correction(&response, &error));
                    attempt += 1;
                }
            }
        }
    }

    /// The intent in a reply: a model's is held against the words.
    fn read(
        &self,
        response: &LlmResponse,
        ask: TranslatorInput<'_>,
        may_ask_again: bool,
        observer: &dyn Observer,
    ) -> Result<IntentBlock, ParseFault> {
        let intent = parse::intent(&response.content, ask.prompt, ask.node_count)?;
        if self.backend.is_offline() {
            return Ok(intent);
        }
        let settled = settle::settle(intent, ask, self.config.falls_back, may_ask_again)?;
        if let Some(reason) = settled.fallback {
            observer.observe(&RunEvent::LlmFallback { stage: Stage::Translator, reason });
        }
        if !settled.corrections.is_empty() {
            let corrections = settled.corrections;
            observer.observe(&RunEvent::IntentCorrected { corrections });
        }
        Ok(settled.intent)
    }

    fn request(&self, ask: TranslatorInput<'_>) -> LlmRequest {
        LlmRequest {
            task: LlmTask::Translate {
                prompt: ask.prompt.to_owned(),
                history: ask.history.to_vec(),
                node_count: ask.node_count,
                own_node: ask.own_node,
            },
            messages: vec![
                Message::new(Role::System, prompt::RULES),
                Message::new(Role::System, prompt::session(ask.history, ask.node_count, ask.own_node)),
                Message::new(Role::User, prompt::user(ask.prompt, ask.node_count, ask.own_node)),
            ],
            tools: Vec::new(),
            response_schema: Some(prompt::schema()),
            max_output_tokens: self.config.max_output_tokens,
            temperature: self.config.temperature,
        }
    }

    async fn step(
        &self,
        request: &LlmRequest,
        attempt: u32,
        observer: &dyn Observer,
    ) -> Result<LlmResponse, TranslatorError> {
        let stage = Stage::Translator;
        observer.observe(&RunEvent::LlmCall { stage, backend: self.backend.name().to_owned(), attempt });
        let answer = self.backend.step(request).await;
        observer.observe(&match &answer {
            Ok(response) => {
                RunEvent::LlmResponse { stage, preview: first_chars(&response.content, PREVIEW_CHARS) }
            }
            Err(error) if error.kind == LlmErrorKind::Disabled => RunEvent::LlmDisabled { stage },
            Err(error) => RunEvent::LlmError { stage, error: error.to_string() },
        });
        for warning in answer.iter().flat_map(|response| &response.warnings) {
            observer.observe(&RunEvent::LlmWarning { stage, warning: warning.clone() });
        }
        answer.map_err(TranslatorError::Llm)
    }
}

impl Default for TranslatorConfig {
    fn default() -> Self {
        Self { max_retries: 2, temperature: 0.1, max_output_tokens: 512, falls_back: false }
    }
}

impl fmt::Debug for Translator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Translator")
            .field("backend", &self.backend.name())
            .field("config", &self.config)
            .finish()
    }
}

/// The offline reading, in place of a model's that never was usable.
fn fall_back(ask: TranslatorInput<'_>, error: &str, observer: &dyn Observer) -> IntentBlock {
    let reason = format!("the model gave no usable intent ({error}); the offline reading is used");
    observer.observe(&RunEvent::LlmFallback { stage: Stage::Translator, reason });
    let intent = translate(ask.prompt, ask.history, ask.node_count, ask.own_node);
    observer.observe(&RunEvent::IntentParsed { intent: intent.clone() });
    intent
}

/// The unusable reply and what is wrong with it. Providers refuse an empty message, so an empty reply is not shown.
fn correction(response: &LlmResponse, error: &str) -> impl Iterator<Item = Message> {
    let said = first_chars(&response.content, ECHO_CHARS);
    let echo = (!said.trim().is_empty()).then(|| Message::new(Role::Assistant, said));
    let limit = if response.truncated { " It reached the length limit." } else { "" };
    let advice =
        format!("Your answer could not be used: {error}.{limit} Answer again with the JSON object only.");
    echo.into_iter().chain([Message::new(Role::User, advice)])
}

fn first_chars(text: &str, most: usize) -> String {
    text.chars().take(most).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::llm::{LlmError, ScriptedBackend};
    use crate::observe::Collector;
    use crate::stage::translator::PromptFault;

    const GOOD: &str = r#"{"goal": "read the height", "context": {"read_target": "block_height"}}"#;

    fn ask(prompt: &str) -> TranslatorInput<'_> {
        TranslatorInput { prompt, history: &[], node_count: 2, own_node: 1 }
    }

    async fn run(
        backend: &Arc<ScriptedBackend>,
        prompt: &str,
    ) -> (Result<Translation, TranslatorError>, Vec<String>) {
        let seen = Collector::default();
        let translator = Translator::new(backend.clone(), TranslatorConfig::default());
        let result = translator.translate(ask(prompt), &seen).await;
        let names =
            seen.events().iter().map(|event| json!(event)["event"].as_str().unwrap().to_owned()).collect();
        (result, names)
    }

    #[tokio::test]
    async fn a_good_reply_needs_one_call() {
        let backend = Arc::new(ScriptedBackend::replying([GOOD]));

        let (result, events) = run(&backend, "block height?").await;

        let translation = result.unwrap();
        assert_eq!(translation.intent.raw_prompt, "block height?");
        assert_eq!(translation.intent.context["read_target"], "block_height");
        assert_eq!(translation.usage, TokenUsage { calls: 1, ..TokenUsage::default() });
        assert_eq!(events, ["llm_call", "llm_response", "intent_parsed"]);
        let request = &backend.requests()[0];
        assert_eq!(
            request.messages.iter().map(|m| m.role).collect::<Vec<_>>(),
            [Role::System, Role::System, Role::User]
        );
        assert_eq!(request.messages[2].content, "Message: block height?");
        assert_eq!(request.response_schema.as_ref().unwrap()["required"].as_array().unwrap().len(), 6);
        assert_eq!((request.temperature, request.max_output_tokens), (0.1, 512));
    }

    #[tokio::test]
    async fn a_bad_reply_goes_back_with_its_error() {
        let backend = Arc::new(ScriptedBackend::replying(["", "{\"goal\": \"re", GOOD]));

        let (result, events) = run(&backend, "block height?").await;

        assert_eq!(result.unwrap().usage.calls, 3);
        let (call, response, failed) = ("llm_call", "llm_response", "parse_failed");
        assert_eq!(events, [call, response, failed, call, response, failed, call, response, "intent_parsed"]);
        let last = backend.requests().pop().unwrap().messages;
        let turns = last[3..].iter().map(|m| (m.role, m.content.as_str())).collect::<Vec<_>>();
        assert_eq!(
            turns,
            [
                (
                    Role::User,
                    "Your answer could not be used: the reply is empty: answer with one JSON object. Answer again with the JSON object only."
                ),
                (Role::Assistant, "{\"goal\": \"re"),
                (
                    Role::User,
                    "Your answer could not be used: the JSON value is cut off: it opens at line 1 and is never closed; answer shorter. Answer again with the JSON object only."
                ),
            ]
        );
    }

    #[tokio::test]
    async fn three_bad_replies_end_the_stage() {
        let backend = Arc::new(ScriptedBackend::replying(["no", "[]", "{\"goal\": \"\"}", GOOD]));

        let error = run(&backend, "block height?").await.0.unwrap_err();

        assert_eq!(
            error.to_string(),
            "no intent after 3 attempts: `goal` is missing or empty: state the whole wish in one sentence",
        );
        assert!(
            matches!(error, TranslatorError::Unusable { attempts: 3, last: ParseFault::NoGoal, usage } if usage.calls == 3)
        );
        assert_eq!(backend.requests().len(), 3);
    }

    #[tokio::test]
    async fn a_model_that_does_not_answer_is_not_asked_again() {
        let lost = LlmError::new(LlmErrorKind::Network, "openai", "lost");
        let backend = Arc::new(ScriptedBackend::scripted([Err(lost.clone()), Ok(LlmResponse::text(GOOD))]));

        let (result, events) = run(&backend, "block height?").await;

        assert!(matches!(result.unwrap_err(), TranslatorError::Llm(error) if error == lost));
        assert_eq!((events, backend.requests().len()), (vec!["llm_call".into(), "llm_error".into()], 1));
    }

    #[tokio::test]
    async fn a_refused_prompt_reaches_no_model() {
        let backend = Arc::new(ScriptedBackend::replying([GOOD]));

        let (result, events) = run(&backend, "").await;

        assert!(matches!(result.unwrap_err(), TranslatorError::Prompt(PromptFault::Empty)));
        assert_eq!((events.len(), backend.requests().len()), (0, 0));
    }

    #[tokio::test]
    async fn an_offline_backend_is_asked_once() {
        struct Mute;
        #[async_trait::async_trait]
        impl LlmBackend for Mute {
            fn name(&self) -> &str {
                "mute"
            }
            async fn step(&self, request: &LlmRequest) -> Result<LlmResponse, LlmError> {
                assert!(matches!(&request.task, LlmTask::Translate { prompt, .. } if prompt == "hi"));
                Ok(LlmResponse::text("no"))
            }
            fn is_offline(&self) -> bool {
                true
            }
        }
        let translator = Translator::new(Arc::new(Mute), TranslatorConfig::default());

        let error = translator.translate(ask("hi"), &Collector::default()).await.unwrap_err();

        assert!(matches!(error, TranslatorError::Unusable { attempts: 1, .. }));
    }
}
