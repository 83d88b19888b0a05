//! What one step can cost at worst, and who receives it.

use std::borrow::Cow;

use serde_json::Value;

use super::bolt11::invoice_amount;
use crate::types::{ExecutionPlan, Msat, Placeholder, PlaceholderRoot, PlanStep, Sat};

/// The worst a spending step can do.
pub(super) struct Price {
    /// Amount and fee cap, over all repetitions. `None` when only the run will tell.
    pub(super) most: Option<Msat>,
    /// Who receives it.
    pub(super) destination: String,
    /// What they receive, over all repetitions.
    pub(super) amount: Option<Msat>,
}

/// The price of a step of effect Spend. An amount is known if it is literal, stands in the context or in the invoice,
/// or was asked for by the step of this plan that makes the invoice. Everything that is moved counts, also between
/// the user's own nodes. Miners' fees do not: no tool caps them.
pub(super) fn price(step: &PlanStep, plan: &ExecutionPlan) -> Price {
    let read = Reader { step, plan };
    let amount = match step.tool.as_str() {
        "ln_pay" => read.arg("bolt11").and_then(|invoice| read.invoice(&invoice)),
        "ln_keysend" => read.msat("amount_msat"),
        "ln_withdraw" => read.sat("amount_sat"),
        "btc_sendtoaddress" => read.arg("amount_btc").and_then(|amount| btc(&amount)),
        // The tool raises smaller channels to its minimum. The money leaves the on-chain wallet, so it counts.
        "ln_openchannel" => read.sat("amount_sat").map(|amount| amount.max(SMALLEST_CHANNEL)),
        _ => None,
    };
    let fee = match step.tool.as_str() {
        "ln_pay" if step.args.contains_key("maxfee") => read.msat("maxfee"),
        "ln_pay" | "ln_keysend" => amount.map(default_fee),
        _ => Some(Msat(0)),
    };
    let times = |amount: Msat| {
        let rounds = step.for_each.as_ref().map_or(1, |for_each| u64::from(for_each.max));
        amount.0.checked_mul(rounds).map(Msat)
    };
    Price {
        most: amount.zip(fee).and_then(|(amount, fee)| amount.checked_add(fee)).and_then(times),
        destination: read.destination(),
        amount: amount.and_then(times),
    }
}

/// 100,000 sat.
const SMALLEST_CHANNEL: Msat = Msat(100_000_000);

/// What Core Lightning pays in routing fees when no cap is given: 1 %, but at least 5,000 msat.
fn default_fee(amount: Msat) -> Msat {
    Msat(amount.0.div_ceil(100).max(5_000))
}

struct Reader<'a> {
    step: &'a PlanStep,
    plan: &'a ExecutionPlan,
}

impl<'a> Reader<'a> {
    /// The argument, `$context` placeholders resolved.
    fn arg(&self, name: &str) -> Option<Cow<'a, Value>> {
        let value = self.step.args.get(name)?;
        match placeholder(value).filter(|found| found.root == PlaceholderRoot::Context) {
            Some(found) => {
                let context = Value::Object(self.plan.intent.context.clone());
                Some(Cow::Owned(found.path.lookup(&context)?.into_owned()))
            }
            None => Some(Cow::Borrowed(value)),
        }
    }

    fn msat(&self, name: &str) -> Option<Msat> {
        let value = self.arg(name)?;
        whole(&value).map(Msat).or_else(|| serde_json::from_value(value.into_owned()).ok())
    }

    fn sat(&self, name: &str) -> Option<Msat> {
        let value = self.arg(name)?;
        whole(&value).map(Sat).or_else(|| serde_json::from_value(value.into_owned()).ok())?.to_msat()
    }

    /// The amount of an invoice: its own, or what the step that makes it was told.
    fn invoice(&self, invoice: &Value) -> Option<Msat> {
        let Some(found) = placeholder(invoice) else { return invoice_amount(invoice.as_str()?) };
        let maker = self.maker(&found)?;
        match (maker.step.tool.as_str(), found.path.parts().last()?) {
            ("ln_invoice", "bolt11") => maker.msat("amount_msat"),
            // A BOLT 12 invoice must be for the amount that was requested, which is the offer's unless stated.
            ("ln_fetchinvoice", "invoice") => maker.msat("amount_msat").or_else(|| {
                let offer = placeholder(maker.step.args.get("offer")?)?;
                let offer = self.maker(&offer).filter(|offer| offer.step.tool == "ln_offer")?;
                offer.msat("amount_msat")
            }),
            _ => None,
        }
    }

    /// The step a placeholder reads, if it runs once.
    fn maker(&self, found: &Placeholder) -> Option<Self> {
        let PlaceholderRoot::Step(id) = found.root else { return None };
        let step = self.plan.steps.iter().find(|step| step.step_id == id && step.for_each.is_none())?;
        Some(Self { step, plan: self.plan })
    }

    /// Address, invoice, node id or their placeholder; a tool that can pay anybody is named with its command.
    fn destination(&self) -> String {
        let named = ["bolt11", "destination", "address", "peer_id", "url"];
        let found = named.iter().find_map(|name| self.arg(name)).and_then(|v| v.as_str().map(str::to_owned));
        found.unwrap_or_else(|| match self.arg("command").as_deref().and_then(Value::as_str) {
            Some(command) => format!("anyone, by {} {command}", self.step.tool),
            None => format!("anyone, by {}", self.step.tool),
        })
    }
}

fn placeholder(value: &Value) -> Option<Placeholder> {
    Placeholder::parse(value.as_str()?).ok().flatten()
}

fn whole(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_str()?.trim().parse().ok())
}

/// A decimal of bitcoins, by its text and never as a float.
fn btc(amount: &Value) -> Option<Msat> {
    let text = match amount {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        _ => return None,
    };
    format!("{}btc", text.trim()).parse().ok()
}
