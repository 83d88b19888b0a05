//! Whether the literals of a plan stand in the request.

use serde_json::Value;

use super::Evidence;
use super::amount::{self, Amount};
use super::key::Key;
use super::lexicon::changes;
use super::stands::{Place, whole};
use crate::types::{Condition, IntentBlock, PlanStep, StepId};

/// A literal of a plan that stands nowhere.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("step {step}, argument `{argument}`: {value} stands nowhere in the request{hint}")]
#[non_exhaustive]
pub struct Ungrounded {
    /// The step.
    pub step: StepId,
    /// The argument, or `when` and `for_each.where` for a condition.
    pub argument: String,
    /// What it holds, as JSON.
    pub value: String,
    /// What stands there instead, in brackets; empty when nothing does.
    hint: String,
}

impl Evidence {
    /// Checks that every literal argument and every literal of a condition stands in the prompt, in what earlier
    /// exchanges left behind, in the intent's context, or on the list of what needs no saying. Money must be exact in
    /// the unit of its argument.
    ///
    /// # Errors
    ///
    /// The first literal that stands nowhere. Its text can be handed back to a model.
    pub fn check_literals(&self, steps: &[PlanStep], intent: &IntentBlock) -> Result<(), Ungrounded> {
        let mut evidence = self.clone();
        evidence.context.extend(intent.context.clone());
        let confirms = steps.iter().any(|step| {
            matches!(
                step.tool.as_str(),
                "ln_openchannel" | "ln_closechannel" | "btc_sendtoaddress" | "ln_withdraw"
            )
        });
        for step in steps {
            evidence.check_step(step, confirms)?;
            let each =
                step.for_each.iter().flat_map(|each| &each.filter).map(|test| ("for_each.where", test));
            for (argument, test) in step.when.iter().map(|test| ("when", test)).chain(each) {
                if !evidence.condition_stands(test) {
                    return Err(evidence.fault(step, argument, &test.right));
                }
            }
        }
        Ok(())
    }

    fn check_step(&self, step: &PlanStep, confirms: bool) -> Result<(), Ungrounded> {
        let place = Place {
            reads: !changes(&step.tool),
            confirms,
            channel: step.tool == "ln_openchannel",
            composes: step.tool != "ln_signmessage",
        };
        for (name, value) in &step.args {
            let stands = match name.as_str() {
                // The number of a new node follows from how many there are.
                "node" if step.tool == "ln_node_create" && self.said.nodes.is_empty() => {
                    whole(value) == Some(u64::from(self.node_count) + 1) || self.stands(name, value, place)
                }
                // Which commands may be passed on is not a matter of literals.
                "command" => value.is_string(),
                "amount" if step.tool.starts_with("btc_") => self.money_stands(name, value, 11, place),
                _ => self.stands(name, value, place),
            };
            if !stands {
                return Err(self.fault(step, name, value));
            }
        }
        Ok(())
    }

    fn condition_stands(&self, test: &Condition) -> bool {
        let path = test.left.as_str().unwrap_or_default();
        let last = path.rsplit('.').next().unwrap_or_default();
        self.value_of_test_stands(last, &test.right)
            && (test.left.is_string() || self.anything_stands(&test.left))
    }

    /// Whether a condition on what this is called may compare with this value.
    pub(super) fn value_of_test_stands(&self, of: &str, value: &Value) -> bool {
        let small = matches!(whole(value), Some(0 | 1));
        match Key::of(of) {
            Key::Money(places) if value.is_number() => {
                small || self.money_stands(of, value, places, Place::default())
            }
            Key::Text => self.stands(of, value, Place::default()),
            _ if of == "our_share_percent" => whole(value).is_some_and(|percent| {
                let rest = 100_u64.checked_sub(percent);
                self.number_stands(percent, &[]) || rest.is_some_and(|rest| self.number_stands(rest, &[]))
            }),
            _ => small || self.anything_stands(value) || value.is_number() && self.is_bitcoins(value),
        }
    }

    /// A balance in bitcoins, as bitcoind gives it.
    fn is_bitcoins(&self, value: &Value) -> bool {
        amount::read(value, 11).is_some_and(|msat| self.said.amounts.iter().any(|amount| amount.msat == msat))
    }

    fn fault(&self, step: &PlanStep, argument: &str, value: &Value) -> Ungrounded {
        let near: Vec<&Amount> =
            self.said.amounts.iter().filter(|amount| amount.is_typed_as(value)).collect();
        let near = if near.is_empty() { self.said.amounts.iter().take(3).collect() } else { near };
        let hint = match Key::of(argument) {
            Key::Money(_) if !near.is_empty() => {
                let texts: Vec<String> = near.iter().map(ToString::to_string).collect();
                format!(" ({})", texts.join("; "))
            }
            Key::Node if !self.said.nodes.is_empty() => {
                let nodes: Vec<String> = self.said.nodes.iter().map(ToString::to_string).collect();
                format!(" (nodes: {})", nodes.join(", "))
            }
            _ => String::new(),
        };
        Ungrounded { step: step.step_id, argument: argument.to_owned(), value: value.to_string(), hint }
    }
}
