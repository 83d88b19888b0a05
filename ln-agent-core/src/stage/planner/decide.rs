//! The order of decisions: nothing to do, dispatch, model, dispatch as a safety net.

use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use super::config::{ForceLlm, PlannerConfig};
use super::fault::PlanFault;
use super::prompt;
use super::references::{check_context, check_nodes};
use super::rewrite::rewrite_placeholders;
use super::shortlist::Shortlist;
use super::validate::validate;
use crate::llm::{LlmBackend, LlmError, LlmRequest, LlmTask, Message, Role, reply};
use crate::observe::Observer;
use crate::offline::{self, Dispatch, Evidence, Unlicensed, dispatch};
use crate::tool::Registry;
use crate::types::{
    ExecutionPlan, GuardReport, IntentBlock, IntentType, PlanStep, RunEvent, Stage, TokenUsage,
};

/// Stage 2: turns an intent into a plan.
#[derive(Clone)]
pub struct Planner {
    backend: Arc<dyn LlmBackend>,
    config: PlannerConfig,
}

/// A plan and what it cost to make.
#[derive(Clone, Debug, PartialEq)]
pub struct Planning {
    /// The plan; every step is valid.
    pub plan: ExecutionPlan,
    /// Tokens of all attempts; zero when no model was asked.
    pub usage: TokenUsage,
}

/// Why there is no plan.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PlannerError {
    /// The model could not be reached, or refused. Its source knows if a retry can help.
    #[error("planner model call failed")]
    Llm(#[source] LlmError),
    /// The intent that a model read asks for a change that the words do not.
    #[error("not asked for: {0}")]
    Unasked(#[source] Unlicensed),
    /// No attempt gave a valid plan; the last fault.
    #[error("no valid plan after {attempts} {}: {fault}", if *attempts == 1 { "attempt" } else { "attempts" })]
    Invalid {
        /// How often the model was asked.
        attempts: u32,
        /// What was wrong the last time.
        fault: String,
    },
}

impl Planner {
    /// A planner that asks this backend.
    #[must_use]
    pub fn new(backend: Arc<dyn LlmBackend>, config: PlannerConfig) -> Self {
        Self { backend, config }
    }

    /// The guard before its backend, if there is one.
    #[must_use]
    pub fn guard(&self) -> Option<GuardReport> {
        self.backend.guard()
    }

    /// The plan for an intent. Nodes are 1 to `node_count`.
    ///
    /// 1. [`Informational`](IntentType::Informational) and [`Noop`](IntentType::Noop) have no steps.
    /// 2. A tag of the dispatch table has its plan there, and clauses have theirs in the recipes, unless
    ///    [`ForceLlm`] forbids it.
    /// 3. The model is asked, and told what is wrong with its reply, up to `max_retries` more times. A backend
    ///    without a model is asked once.
    /// 4. With [`ForceLlm::Fallback`], the dispatch table steps in for a model that failed.
    ///
    /// # Errors
    ///
    /// [`PlannerError`] when none of these gives a valid plan.
    pub async fn plan(
        &self,
        intent: &IntentBlock,
        tools: &Registry,
        node_count: u32,
        observer: &dyn Observer,
    ) -> Result<Planning, PlannerError> {
        if intent.intent_type.is_idle() {
            let why = format!("An intent of type {} needs no steps.", intent.intent_type.name());
            return Ok(finish(plan(intent, Vec::new(), why), TokenUsage::default(), observer));
        }
        let known = match self.recipe(intent, node_count) {
            Some(recipe) => {
                self.bear_out(&recipe.steps, intent, tools, node_count).map_err(PlannerError::Unasked)?;
                Some(recipe)
            }
            None => dispatch(intent),
        };
        let dispatched = known.filter(|found| is_usable(found, tools, node_count));
        match (self.config.force_llm, &dispatched) {
            (ForceLlm::Off, Some(found)) => {
                observer.observe(&RunEvent::DeterministicDispatchHit { target: found.target.clone() });
                return Ok(finish(from_table(intent, found), TokenUsage::default(), observer));
            }
            (ForceLlm::Off, None) => {}
            (mode, _) => observer.observe(&RunEvent::PlannerForceLlmActive { mode: mode.name().to_owned() }),
        }
        observer.observe(&RunEvent::PlannerLlmDispatch {});
        let mut usage = TokenUsage::default();
        match (self.ask(intent, tools, node_count, observer, &mut usage).await, dispatched) {
            (Ok(plan), _) => Ok(finish(plan, usage, observer)),
            (Err(PlannerError::Invalid { fault, .. }), found) if self.config.falls_back => {
                let found = found.or_else(|| offline_plan(intent, node_count, self.config.own_node));
                let found = found.filter(|found| is_usable(found, tools, node_count));
                let attempts = self.attempts();
                let found = found.ok_or(PlannerError::Invalid { attempts, fault: fault.clone() })?;
                let reason = format!("the model gave no valid plan ({fault}); the offline plan is used");
                observer.observe(&RunEvent::LlmFallback { stage: Stage::Planner, reason });
                Ok(finish(from_table(intent, &found), usage, observer))
            }
            (Err(_), Some(found)) if self.config.force_llm == ForceLlm::Fallback => {
                observer.observe(&RunEvent::PlannerFallbackDispatchFired { target: found.target.clone() });
                Ok(finish(from_table(intent, &found), usage, observer))
            }
            (Err(error), _) => Err(error),
        }
    }

    /// Whether the words bear out what a model wants: no change that they do not ask for.
    fn bear_out(
        &self,
        steps: &[PlanStep],
        intent: &IntentBlock,
        tools: &Registry,
        node_count: u32,
    ) -> Result<(), Unlicensed> {
        if !self.config.checks_words {
            return Ok(());
        }
        let evidence = Evidence::of_intent(intent, node_count, self.config.own_node);
        evidence.check_tools(steps, &|step| tools.effect_of(&step.tool, &step.args))
    }

    fn attempts(&self) -> u32 {
        if self.backend.is_offline() { 1 } else { self.config.max_retries.saturating_add(1) }
    }

    /// The plan of the clauses that the translator made of a model's tasks. A backend without a model plans by itself.
    fn recipe(&self, intent: &IntentBlock, node_count: u32) -> Option<Dispatch> {
        let has_clauses = !self.backend.is_offline() && intent.context.contains_key("clauses");
        let planned = has_clauses.then(|| offline::plan(intent, node_count).ok()).flatten()?;
        let (steps, rationale) = (planned.steps, planned.plan_rationale);
        (!steps.is_empty()).then(|| Dispatch { target: "recipe".to_owned(), steps, rationale })
    }

    async fn ask(
        &self,
        intent: &IntentBlock,
        tools: &Registry,
        node_count: u32,
        observer: &dyn Observer,
        usage: &mut TokenUsage,
    ) -> Result<ExecutionPlan, PlannerError> {
        let attempts = self.attempts();
        let fitting = match self.config.all_tools {
            true => Shortlist::whole(tools),
            false => Shortlist::fitting(intent, tools),
        };
        let mut request = LlmRequest {
            task: LlmTask::Plan { intent: intent.clone(), node_count },
            messages: prompt::messages(intent, &fitting, node_count),
            tools: Vec::new(),
            response_schema: Some(prompt::reply_schema(&fitting.tools)),
            max_output_tokens: self.config.max_output_tokens,
            temperature: self.config.temperature,
        };
        let first = request.messages.len();
        let mut attempt = 1;
        loop {
            let content = self.reply(&request, attempt, observer, usage).await?;
            let fault = match self.read(&content, intent, tools, node_count) {
                Ok(plan) => return Ok(plan),
                Err(fault) => fault,
            };
            observer.observe(&RunEvent::ParseFailed { stage: Stage::Planner, error: fault.clone() });
            if attempt >= attempts {
                return Err(PlannerError::Invalid { attempts, fault });
            }
            if fitting.tools.len() < tools.len() {
                // Perhaps the right tool was not among those that were shown.
                let whole = Shortlist::whole(tools);
                let told = request.messages.split_off(first);
                request.messages = prompt::messages(intent, &whole, node_count);
                request.messages.extend(told);
                request.response_schema = Some(prompt::reply_schema(&whole.tools));
            }
            request.messages.push(Message::new(Role::Assistant, content));
            request.messages.push(Message::new(Role::User, prompt::correction(&fault)));
            attempt += 1;
        }
    }

    /// The plan in a reply, or what is wrong with it.
    fn read(
        &self,
        content: &str,
        intent: &IntentBlock,
        tools: &Registry,
        node_count: u32,
    ) -> Result<ExecutionPlan, String> {
        let mut reply = reply::object(content).map_err(|error| error.to_string())?;
        let rationale = reply.remove("plan_rationale").unwrap_or_default();
        let raw = rewrite_placeholders(reply.remove("steps").unwrap_or(Value::Null));
        let steps = validate(&raw, tools, intent.intent_type).map_err(|fault| fault.to_string())?;
        fits_here(&steps, intent, node_count).map_err(|fault| fault.to_string())?;
        if !self.backend.is_offline() && self.config.checks_words {
            self.is_borne_out(&steps, intent, tools, node_count).map_err(|fault| fault.to_string())?;
        }
        Ok(plan(intent, steps, rationale.as_str().unwrap_or_default().to_owned()))
    }

    /// Whether the words bear out a model's plan: its changes, and every value in it.
    fn is_borne_out(
        &self,
        steps: &[PlanStep],
        intent: &IntentBlock,
        tools: &Registry,
        node_count: u32,
    ) -> Result<(), PlanFault> {
        let evidence = Evidence::of_intent(intent, node_count, self.config.own_node);
        evidence.check_tools(steps, &|step| tools.effect_of(&step.tool, &step.args))?;
        evidence.check_literals(steps, intent)?;
        Ok(())
    }

    async fn reply(
        &self,
        request: &LlmRequest,
        attempt: u32,
        observer: &dyn Observer,
        usage: &mut TokenUsage,
    ) -> Result<String, PlannerError> {
        let stage = Stage::Planner;
        observer.observe(&RunEvent::LlmCall { stage, backend: self.backend.name().to_owned(), attempt });
        match self.backend.step(request).await {
            Ok(response) => {
                usage.add(response.usage);
                let preview = response.content.chars().take(300).collect();
                observer.observe(&RunEvent::LlmResponse { stage, preview });
                for warning in response.warnings {
                    observer.observe(&RunEvent::LlmWarning { stage, warning });
                }
                Ok(response.content)
            }
            Err(error) => {
                observer.observe(&RunEvent::LlmError { stage, error: error.to_string() });
                Err(PlannerError::Llm(error))
            }
        }
    }
}

impl fmt::Debug for Planner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Planner")
            .field("backend", &self.backend.name())
            .field("config", &self.config)
            .finish()
    }
}

fn fits_here(steps: &[PlanStep], intent: &IntentBlock, node_count: u32) -> Result<(), PlanFault> {
    check_nodes(steps, node_count)?;
    check_context(steps, &intent.context)
}

/// The offline plan for the words of an intent, where the offline grammar understands them.
fn offline_plan(intent: &IntentBlock, node_count: u32, own_node: u32) -> Option<Dispatch> {
    let read = offline::translate(&intent.raw_prompt, &[], node_count, own_node);
    let planned = offline::plan(&read, node_count).ok()?;
    let (steps, rationale) = (planned.steps, planned.plan_rationale);
    (!steps.is_empty()).then(|| Dispatch { target: "offline".to_owned(), steps, rationale })
}

/// A row of the table helps only where its tools are registered, take its arguments, and its node exists.
fn is_usable(found: &Dispatch, tools: &Registry, node_count: u32) -> bool {
    let steps = serde_json::to_value(&found.steps).expect("steps have text keys only");
    validate(&steps, tools, IntentType::Freeform).is_ok_and(|steps| check_nodes(&steps, node_count).is_ok())
}

fn from_table(intent: &IntentBlock, found: &Dispatch) -> ExecutionPlan {
    plan(intent, found.steps.clone(), found.rationale.clone())
}

fn plan(intent: &IntentBlock, steps: Vec<PlanStep>, rationale: String) -> ExecutionPlan {
    ExecutionPlan { steps, plan_rationale: rationale, intent: intent.clone() }
}

fn finish(plan: ExecutionPlan, usage: TokenUsage, observer: &dyn Observer) -> Planning {
    observer.observe(&RunEvent::PlanParsed {
        steps: plan.steps.len(),
        rationale: plan.plan_rationale.chars().take(300).collect(),
        tools: plan.steps.iter().map(|step| step.tool.clone()).collect(),
    });
    Planning { plan, usage }
}
