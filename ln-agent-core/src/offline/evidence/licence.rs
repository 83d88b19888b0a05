//! Which changes the user's own words ask for.

use std::collections::BTreeSet;

use super::Evidence;
use super::data;
use super::lexicon::{beside, passes_on, tools};
use super::permit::Permit;
use crate::offline::grammar::{Scene, deeds, split};
use crate::offline::text::{self, Kind, Token};
use crate::offline::translate::is_doubted;
use crate::offline::{followup, plan, translate};
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
    Reading(Permit, BTreeSet<&'static str>),
    /// Verbs were found.
    Words(BTreeSet<&'static str>),
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
        let (_, forbidden) = verbs(spoken, before, node_count, own);
        if heard.clarifications_needed.is_empty()
            && let Ok(plan) = plan(heard, node_count)
        {
            return Self::Reading(Permit::new(&plan.steps, pays_nodes(heard)), forbidden);
        }
        Self::of_words(spoken, before, node_count, own)
    }

    /// What the verbs alone allow.
    pub(super) fn of_words(spoken: &str, before: &[Exchange], node_count: u32, own: u32) -> Self {
        if is_doubted(spoken, before, node_count, own) {
            return Self::Nothing("the request does not plainly command anything");
        }
        let (commanded, forbidden) = verbs(spoken, before, node_count, own);
        Self::Words(commanded.difference(&forbidden).copied().collect())
    }

    /// What a settled intent asks for.
    pub(super) fn of_settled(intent: &IntentBlock, node_count: u32) -> Self {
        if matches!(intent.intent_type, IntentType::Informational | IntentType::Noop) {
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

/// Tools that the verbs of a prompt command and forbid.
fn verbs(
    prompt: &str,
    before: &[Exchange],
    node_count: u32,
    own: u32,
) -> (BTreeSet<&'static str>, BTreeSet<&'static str>) {
    let artefacts = followup::artefacts(before);
    let scene = Scene::new(node_count, own, artefacts);
    let (mut commanded, mut forbidden) = (BTreeSet::new(), BTreeSet::new());
    for unit in split(&text::read(prompt)) {
        let mut words: BTreeSet<&str> = unit.tokens.iter().filter_map(Token::word).collect();
        if unit.tokens.iter().any(|token| matches!(token.kind, Kind::Address(_))) {
            words.insert("address");
        }
        if unit.tokens.iter().any(|token| matches!(token.kind, Kind::Offer(_))) {
            words.insert("offer");
        }
        let says = |any: &[&str]| any.iter().any(|word| words.contains(word));
        let deeds = deeds(&unit, &scene);
        for tool in deeds.commanded.into_iter().flat_map(|verb| tools(verb, &says)) {
            commanded.insert(tool);
            commanded.extend(beside(tool));
        }
        forbidden.extend(deeds.forbidden.into_iter().flat_map(|verb| tools(verb, &says)));
    }
    (commanded, forbidden)
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
            _ => Ok(()),
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
