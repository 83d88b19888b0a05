//! Which changes the user's own words ask for.

use std::collections::BTreeSet;

use super::Evidence;
use super::data;
use super::lexicon::{SPENDS, beside, changes, passes_on, tools};
use super::permit::Permit;
use crate::offline::grammar::{Scene, Understood, deeds, leaves_a_command, split, understand};
use crate::offline::text::{self, Kind, Token};
use crate::offline::translate::is_doubted;
use crate::offline::{followup, plan, recipes, translate};
use crate::tool::Effect;
use crate::types::{Exchange, IntentBlock, IntentType, Object, PlanStep};

/// A change that nobody asked for.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("`{tool}` changes something, and {reason}")]
#[non_exhaustive]
pub struct Unlicensed {
    /// The tool that was to be called.
    pub tool: String,
    /// Why it may not be, as a clause.
    pub reason: String,
}

/// Why changes are allowed, and which.
#[derive(Clone, Debug)]
pub(super) enum Basis {
    /// Nothing changes, for this reason.
    Nothing(&'static str),
    /// The prompt was understood as a whole.
    Reading(Permit, BTreeSet<String>),
    /// Verbs were found.
    Words(BTreeSet<String>),
}

impl Basis {
    /// `heard` is the deterministic reading of the whole prompt.
    pub(super) fn of(
        prompt: &str,
        before: &[Exchange],
        heard: &IntentBlock,
        node_count: u32,
        own: u32,
    ) -> Self {
        let spoken = data::spoken(prompt, &text::read(prompt));
        let cut;
        let heard = if spoken.len() == prompt.len() {
            heard
        } else {
            // Behind a text that cannot be told from commands nothing counts as one.
            cut = translate(spoken, before, node_count, own);
            &cut
        };
        match heard.intent_type {
            IntentType::Informational => return Self::Nothing("the request asks for an explanation"),
            IntentType::Noop => return Self::Nothing("the request asks for nothing to be done"),
            _ => {}
        }
        let asked = asked(spoken, before, node_count, own);
        if heard.clarifications_needed.is_empty()
            && let Ok(plan) = plan(heard, node_count)
        {
            return Self::Reading(Permit::new(&plan.steps, pays_nodes(heard)), asked.forbidden);
        }
        Self::of_words(spoken, before, node_count, own).with(&asked)
    }

    /// What the verbs alone allow.
    pub(super) fn of_words(spoken: &str, before: &[Exchange], node_count: u32, own: u32) -> Self {
        if is_doubted(spoken, before, node_count, own) {
            return Self::Nothing("the request does not plainly command anything");
        }
        let Asked { commanded, forbidden, .. } = asked(spoken, before, node_count, own);
        Self::Words(commanded.difference(&forbidden).cloned().collect())
    }

    /// The same with what single clauses were understood to ask.
    fn with(mut self, asked: &Asked) -> Self {
        if let Self::Words(tools) = &mut self {
            tools.extend(asked.understood.difference(&asked.forbidden).cloned());
        }
        self
    }

    /// What a settled intent asks for.
    pub(super) fn of_settled(intent: &IntentBlock, node_count: u32) -> Self {
        if intent.intent_type.is_idle() {
            return Self::Nothing("the request asks for nothing to be done");
        }
        match plan(intent, node_count) {
            Ok(plan) => Self::Reading(Permit::new(&plan.steps, pays_nodes(intent)), BTreeSet::new()),
            Err(_) => Self::Nothing("the earlier request is not at hand"),
        }
    }

    /// Why this call is not allowed.
    fn refusal(&self, tool: &str, args: &Object) -> Option<String> {
        match self {
            Self::Nothing(reason) => Some((*reason).to_owned()),
            Self::Reading(_, forbidden) if forbidden.contains(tool) && !self.asks(tool) => {
                Some("the request forbids it".to_owned())
            }
            Self::Reading(permit, _) => permit.refusal(tool, args),
            Self::Words(tools) => {
                (!tools.contains(tool)).then(|| "no word of the request asks for it".to_owned())
            }
        }
    }

    fn asks(&self, tool: &str) -> bool {
        matches!(self, Self::Reading(permit, _) if permit.tools().any(|known| known == tool))
    }
}

/// Tools that the clauses of a prompt ask for.
#[derive(Default)]
struct Asked {
    /// By verbs that command them.
    commanded: BTreeSet<String>,
    /// By verbs under a negation.
    forbidden: BTreeSet<String>,
    /// By the recipes of clauses that the grammar understands, though not the whole prompt.
    understood: BTreeSet<String>,
}

fn asked(prompt: &str, before: &[Exchange], node_count: u32, own: u32) -> Asked {
    let mut scene = Scene::new(node_count, own, followup::artefacts(before));
    let mut asked = Asked::default();
    let tokens = text::read(prompt);
    for unit in split(&tokens).into_iter().filter(|unit| leaves_a_command(unit, &tokens)) {
        if let Understood::Clauses(clauses) = understand(&unit, &mut scene) {
            scene.clauses.extend(clauses);
        }
        let said = deeds(&unit, &scene);
        let says = |any: &[&str]| {
            let thing = |token: &Token| match token.kind {
                Kind::Address(_) => any.contains(&"address"),
                Kind::Offer(_) => any.contains(&"offer"),
                _ => token.word().is_some_and(|word| any.contains(&word)),
            };
            unit.tokens.iter().any(thing)
        };
        for tool in said.commanded.into_iter().flat_map(|verb| tools(verb, &says)) {
            asked.commanded.extend(beside(tool).iter().chain([&tool]).map(|tool| (*tool).to_owned()));
        }
        let negated = said.forbidden.into_iter().flat_map(|verb| tools(verb, &says));
        asked.forbidden.extend(negated.map(str::to_owned));
    }
    // A clause may refer to those before it, so they are planned together.
    let steps = recipes::steps(&scene.clauses).unwrap_or_default();
    asked.understood = steps.into_iter().map(|step| step.tool).filter(|tool| changes(tool)).collect();
    asked
}

/// Whether it pays stated amounts to nodes, without speaking of an invoice.
fn pays_nodes(intent: &IntentBlock) -> bool {
    let pays = |clause: &serde_json::Value| {
        clause.get("task").is_some_and(|task| task == "pay")
            && clause.pointer("/args/to_node").is_some()
            && clause.pointer("/args/amount_msat").is_some()
    };
    let clauses = intent.context.get("clauses").and_then(serde_json::Value::as_array);
    clauses.is_some_and(|clauses| clauses.iter().any(pays))
        && !text::read(&intent.raw_prompt).iter().any(|token| token.is("invoice") || token.is("invoices"))
}

impl Evidence {
    /// Whether the user's own words allow this call. Reads always are; a change only where it was asked for.
    #[must_use]
    pub fn allows(&self, tool: &str, effect: Effect, args: &Object) -> bool {
        self.refusal(tool, effect, args).is_none()
    }

    /// Checks every step of a plan, and the plan as a whole: no more payments than were asked for, and under the
    /// conditions that were said.
    ///
    /// # Errors
    ///
    /// The first step that goes beyond what was asked.
    pub fn check_tools(
        &self,
        steps: &[PlanStep],
        effect_of: &dyn Fn(&PlanStep) -> Effect,
    ) -> Result<(), Unlicensed> {
        let mut changing = Vec::new();
        for step in steps {
            let effect = effect_of(step);
            if let Some(reason) = self.refusal(&step.tool, effect, &step.args) {
                return Err(Unlicensed { tool: step.tool.clone(), reason });
            }
            if effect.changes_state() {
                changing.push(step);
            }
        }
        match &self.basis {
            Basis::Reading(permit, _) => match permit.overrun(&changing) {
                Some((step, reason)) => Err(Unlicensed { tool: step.tool.clone(), reason }),
                None => Ok(()),
            },
            Basis::Words(_) => self.check_count(&changing),
            Basis::Nothing(_) => Ok(()),
        }
    }

    /// Where only verbs are known: one payment for each amount or invoice said, more where a plural is.
    fn check_count(&self, steps: &[&PlanStep]) -> Result<(), Unlicensed> {
        let plural = self.said.every_node
            || self.said.nodes.len() > 2
            || self.says(&["every", "both", "invoices", "channels", "payments", "them", "nodes"]);
        let most = (self.said.amounts.len() + self.said.things.len()).max(1);
        let spends = |step: &&&PlanStep| SPENDS.contains(&step.tool.as_str());
        let too_many = |(at, step): &(usize, &&PlanStep)| *at >= most || step.for_each.is_some();
        match steps.iter().filter(spends).enumerate().find(too_many).filter(|_| !plural) {
            Some((_, step)) => {
                let reason = "the request does not ask for it that often".to_owned();
                Err(Unlicensed { tool: step.tool.clone(), reason })
            }
            None => Ok(()),
        }
    }

    fn refusal(&self, tool: &str, effect: Effect, args: &Object) -> Option<String> {
        if !effect.changes_state() {
            return None;
        }
        if let (false, Basis::Nothing(reason)) = (passes_on(tool), &self.basis) {
            return Some((*reason).to_owned());
        }
        if passes_on(tool) {
            return self.passing_refusal(tool, args);
        }
        self.basis.refusal(tool, args)
    }

    /// A command that is passed on must be named, together with the way it is to take.
    fn passing_refusal(&self, tool: &str, args: &Object) -> Option<String> {
        let command = args.get("command").and_then(serde_json::Value::as_str).unwrap_or_default();
        let named = |word: &str| self.said.words.contains(&word.to_lowercase());
        let way = ["raw", "rpc", "cli", "command"].iter().any(|word| named(word)) || self.contains(tool);
        let forbids = self.says(&["not", "never", "no", "avoid", "without"]);
        let plain = !matches!(self.basis, Basis::Nothing(_));
        (!(plain && way && !forbids && !command.is_empty() && named(command)))
            .then(|| "a command is passed on only where the request names it".to_owned())
    }
}
