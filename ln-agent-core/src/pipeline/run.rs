//! Prompt → intent → plan → results → answer.

use crate::approve::{Approval, ApprovalRequest};
use crate::observe::Observer;
use crate::policy::{certificate, gate, limits};
use crate::stage::planner::{PlannerError, Planning};
use crate::stage::summarizer::{self, SummaryInput};
use crate::stage::translator::{Translation, TranslatorError, TranslatorInput};
use crate::tool::Effect;
use crate::types::{
    Certificate, ExecutionPlan, Failure, GuardReport, IntentBlock, IntentType, PipelineResult, RunEvent,
    Stage, with_causes,
};
use crate::verify;

use super::builder::Network;
use super::outcome::{Draft, Stop, Watch};
use super::{Ask, AskError, Pipeline};

impl Pipeline {
    /// Runs a prompt to its answer. Dropping the future cancels the run: no further call is made.
    ///
    /// A refused or failed run is a result, too.
    ///
    /// # Errors
    ///
    /// [`AskError`] when the prompt is no sentence, so that no run took place.
    pub async fn run(&self, ask: Ask<'_>) -> Result<PipelineResult, AskError> {
        ask.check()?;
        let mut draft = self.begin(ask);
        let outcome = self.run_stages(ask, &mut draft).await;
        Ok(self.finish(draft, outcome).await)
    }

    /// Runs a prompt up to its plan, and executes nothing.
    ///
    /// # Errors
    ///
    /// As [`run`](Self::run).
    pub async fn plan_only(&self, ask: Ask<'_>) -> Result<PipelineResult, AskError> {
        ask.check()?;
        let mut draft = self.begin(ask);
        let outcome = match self.make_plan(ask, &mut draft).await {
            Ok(plan) => {
                self.price(&plan, &mut draft);
                Err(Stop::planned())
            }
            Err(stop) => Err(stop),
        };
        Ok(self.finish(draft, outcome).await)
    }

    /// Executes a plan that exists already. The policy and the approver see it as they see every plan.
    ///
    /// Of `ask` only its number and its observer count.
    pub async fn run_plan(&self, plan: ExecutionPlan, ask: Ask<'_>) -> PipelineResult {
        let mut draft = self.begin(Ask { prompt: &plan.intent.raw_prompt, ..ask });
        draft.result.intent = Some(plan.intent.clone());
        draft.result.plan = Some(plan.clone());
        let outcome = self.carry_out(&plan, &mut draft).await;
        self.finish(draft, outcome).await
    }

    async fn run_stages(&self, ask: Ask<'_>, draft: &mut Draft<'_>) -> Result<(), Stop> {
        let plan = self.make_plan(ask, draft).await?;
        self.carry_out(&plan, draft).await
    }

    async fn make_plan(&self, ask: Ask<'_>, draft: &mut Draft<'_>) -> Result<ExecutionPlan, Stop> {
        let intent = self.translate(ask, draft).await?;
        needs_no_answer(&intent)?;
        gate::check(&intent, &self.allowed_hosts)
            .map_err(|refusal| Stop::refused(Failure::Gate, Stage::Translator, refusal.to_string()))?;
        self.make_steps(&intent, draft).await
    }

    async fn translate(&self, ask: Ask<'_>, draft: &mut Draft<'_>) -> Result<IntentBlock, Stop> {
        let start = self.clock.monotonic_millis();
        let input = TranslatorInput {
            prompt: ask.prompt,
            history: ask.history,
            node_count: (self.node_count)(),
            own_node: self.own_node.get(),
        };
        let translated = self.translator.translate(input, &draft.watch).await;
        draft.result.timings_ms.translator = self.clock.monotonic_millis() - start;
        let Translation { intent, usage } = translated.map_err(|error| {
            let kind = match &error {
                TranslatorError::Llm(_) => Failure::Unreachable,
                _ => Failure::Malformed,
            };
            Stop::failed(kind, Stage::Translator, with_causes(&error))
        })?;
        draft.result.usage.translator = usage;
        draft.result.intent = Some(intent.clone());
        Ok(intent)
    }

    async fn make_steps(&self, intent: &IntentBlock, draft: &mut Draft<'_>) -> Result<ExecutionPlan, Stop> {
        let start = self.clock.monotonic_millis();
        let planned = self.planner.plan(intent, &self.tools, (self.node_count)(), &draft.watch).await;
        draft.result.timings_ms.planner = self.clock.monotonic_millis() - start;
        let Planning { plan, usage } = planned.map_err(|error| {
            let kind = match &error {
                PlannerError::Llm(_) => Failure::Unreachable,
                PlannerError::Unasked(why) => {
                    return Stop::question(&[format!(
                        "Should I really do that? {why}. Please say it plainly."
                    )]);
                }
                _ => Failure::Malformed,
            };
            Stop::failed(kind, Stage::Planner, with_causes(&error))
        })?;
        draft.result.usage.planner = usage;
        draft.result.plan = Some(plan.clone());
        Ok(plan)
    }

    /// Prices, approves, executes and verifies a plan.
    async fn carry_out(&self, plan: &ExecutionPlan, draft: &mut Draft<'_>) -> Result<(), Stop> {
        if plan.steps.is_empty() {
            return Ok(());
        }
        let certificate = self.price(plan, draft);
        self.permit(plan, &certificate, &draft.watch).await?;
        let start = self.clock.monotonic_millis();
        let execution = self.executor.execute(plan, (self.node_count)(), &draft.watch).await;
        draft.result.step_results = execution.results;
        draft.result.verification = execution.verification;
        if execution.error.is_none() {
            let seen = verify::confirm_intent(&self.tools, &plan.intent, &draft.result.step_results).await;
            for verification in &seen {
                draft.watch.observe(&RunEvent::GoalVerify {
                    step_id: None,
                    ok: verification.ok,
                    detail: verification.detail.clone(),
                });
            }
            draft.result.verification.extend(seen);
        }
        draft.result.timings_ms.executor = self.clock.monotonic_millis() - start;
        match execution.error {
            Some(error) => Err(Stop::executor(&draft.result, error, execution.unreachable)),
            None => Ok(()),
        }
    }

    fn price(&self, plan: &ExecutionPlan, draft: &mut Draft<'_>) -> Certificate {
        let certificate = certificate::certify(plan, &self.tools);
        draft.result.certificate = Some(certificate.clone());
        certificate
    }

    /// The effect ceiling, the spending cap and, on a real network, a person.
    async fn permit(
        &self,
        plan: &ExecutionPlan,
        certificate: &Certificate,
        watch: &Watch<'_>,
    ) -> Result<(), Stop> {
        let refuse = |message: String| Stop::refused(Failure::Policy, Stage::Executor, message);
        let effects = plan.steps.iter().map(|step| (step, self.tools.effect_of(&step.tool, &step.args)));
        let heaviest = effects.max_by_key(|(_, effect)| *effect);
        let Some((step, effect)) = heaviest else { return Ok(()) };
        if effect > self.ceiling {
            return Err(refuse(format!(
                "step {} calls {}, which may {}; this agent may at most {}",
                step.step_id,
                step.tool,
                effect.name(),
                self.ceiling.name()
            )));
        }
        if effect == Effect::Spend {
            limits::check_spend(certificate, self.max_spend)
                .map_err(|refusal| refuse(refusal.to_string()))?;
        }
        if effect == Effect::Read || self.network == Network::Playground {
            return Ok(());
        }
        self.ask_for_approval(plan, certificate, watch).await
    }

    async fn ask_for_approval(
        &self,
        plan: &ExecutionPlan,
        certificate: &Certificate,
        watch: &Watch<'_>,
    ) -> Result<(), Stop> {
        let hash = certificate.hash.clone();
        watch.observe(&RunEvent::ApprovalRequested { hash: hash.clone() });
        let reason = "the plan changes something on a network with real money";
        let answer = self.approver.approve(ApprovalRequest { plan, certificate, reason }).await;
        let approved = answer == Approval::Approved;
        watch.observe(&RunEvent::ApprovalAnswered { hash: hash.clone(), approved });
        match answer {
            Approval::Approved => Ok(()),
            Approval::Denied(why) => Err(Stop::refused(Failure::Denied, Stage::Executor, why)),
            Approval::Pending => Err(Stop::refused(
                Failure::AwaitingApproval,
                Stage::Executor,
                format!(
                    "the plan awaits approval: save it with `--plan-only --json` and run it with `--approve {hash}`, \
                     or ask again with `--yes`"
                ),
            )),
        }
    }

    async fn finish(&self, mut draft: Draft<'_>, outcome: Result<(), Stop>) -> PipelineResult {
        let verdict = {
            let plan = draft.result.plan.clone().unwrap_or_default();
            let intent = draft.result.intent.clone().unwrap_or_default();
            let results = &draft.result.step_results;
            summarizer::verdict(&intent, &plan, results, &draft.result.verification, &self.tools)
        };
        draft.conclude(outcome, verdict);
        if let Some(stage) = draft.result.stage_failed {
            let error = draft.result.error.clone().unwrap_or_default();
            draft.watch.observe(&RunEvent::StageFailed { stage, error });
        }
        let start = self.clock.monotonic_millis();
        if draft.result.content.is_empty() {
            self.answer(&mut draft).await;
        }
        let end = self.clock.monotonic_millis();
        draft.result.timings_ms.summarizer = end - start;
        draft.result.timings_ms.total = end - draft.started_millis;
        draft.result.human_summary.clone_from(&draft.result.content);
        draft.result.guards = self.guards();
        draft.result.warnings = draft.watch.warnings();
        draft.watch.observe(&RunEvent::StageTiming { timings_ms: draft.result.timings_ms });
        draft.result
    }

    /// The guards of the three backends, each once.
    fn guards(&self) -> Vec<GuardReport> {
        let all = [self.translator.guard(), self.planner.guard(), self.summarizer.guard()];
        let mut guards: Vec<GuardReport> = Vec::new();
        for guard in all.into_iter().flatten() {
            if !guards.iter().any(|known| (&known.provider, &known.model) == (&guard.provider, &guard.model))
            {
                guards.push(guard);
            }
        }
        guards
    }

    async fn answer(&self, draft: &mut Draft<'_>) {
        let result = &draft.result;
        let plan = result.plan.clone().unwrap_or_default();
        let intent = result.intent.clone().unwrap_or_default();
        let input = SummaryInput {
            intent: &intent,
            plan: &plan,
            results: &result.step_results,
            verification: &result.verification,
            verdict: &result.verdict,
        };
        let summary = self.summarizer.summarize(input, &draft.watch).await;
        draft.result.content = summary.text;
        draft.result.usage.summarizer = summary.usage;
    }

    fn begin<'a>(&'a self, ask: Ask<'a>) -> Draft<'a> {
        let watch = Watch::new(self.observer.as_ref(), ask.observer);
        watch.observe(&RunEvent::PromptStart {
            request_id: ask.request_id,
            build: super::outcome::BUILD.to_owned(),
            user_text: ask.prompt.to_owned(),
        });
        Draft::new(ask.request_id, self.clock.unix_millis(), self.clock.monotonic_millis(), watch)
    }
}

/// Questions about something that would change anything stop the run; a read goes on.
fn needs_no_answer(intent: &IntentBlock) -> Result<(), Stop> {
    let reads = intent.intent_type == IntentType::Recall || intent.context.contains_key("read_target");
    let explains = intent.intent_type.is_idle();
    if intent.clarifications_needed.is_empty() || reads || explains {
        return Ok(());
    }
    Err(Stop::question(&intent.clarifications_needed))
}
