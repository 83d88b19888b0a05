use std::num::NonZeroU64;
use std::time::Duration;

use lightning::offers::offer::Quantity;
use serde_json::{Value, json};

use super::call::{Answer, Call, Outcome, list, object};
use super::error::RpcError;
use super::methods::Method;
use super::params::AnyOr;
use crate::playground::node::OfferRow;
use crate::playground::world::hex;

pub(super) const METHODS: &[Method] = &[
    Method {
        name: "offer",
        params: &[
            "amount",
            "description?",
            "issuer?",
            "label?",
            "quantity_max?",
            "absolute_expiry?",
            "recurrence?",
            "recurrence_base?",
            "recurrence_paywindow?",
            "recurrence_limit?",
            "single_use?",
        ],
        writes: true,
        run: offer,
    },
    Method { name: "listoffers", params: &["offer_id?", "active_only?"], writes: false, run: listoffers },
    Method { name: "disableoffer", params: &["offer_id"], writes: true, run: |call| switch(call, false) },
    Method { name: "enableoffer", params: &["offer_id"], writes: true, run: |call| switch(call, true) },
];

fn offer(call: &mut Call<'_>) -> Outcome {
    for name in ["recurrence", "recurrence_base", "recurrence_paywindow", "recurrence_limit"] {
        if call.params.get(name).is_some() {
            return Err(RpcError::usage(format!("{name}: the playground does not support recurring offers")));
        }
    }
    let amount = amount(call)?;
    let description = call.params.text("description")?;
    if description.is_none() && amount != AnyOr::Any {
        let given = json!({"amount": call.params.required("amount")?});
        let why = "description is required for the user to know what it was they paid for";
        return Err(RpcError::invalid("description", why, &given));
    }
    let expiry = call.params.number("absolute_expiry")?;
    let single_use = call.params.flag("single_use")?.unwrap_or(false);
    let failed = |error| RpcError::new(-1, format!("the offer cannot be made: {error:?}"));
    let mut builder = call.live().manager.create_offer_builder().map_err(failed)?;
    builder = builder.description(description.clone().unwrap_or_default());
    if let AnyOr::Amount(amount) = amount {
        builder = builder.amount_msats(amount);
    }
    if let Some(issuer) = call.params.text("issuer")? {
        builder = builder.issuer(issuer);
    }
    if let Some(most) = call.params.number("quantity_max")? {
        builder =
            builder.supported_quantity(NonZeroU64::new(most).map_or(Quantity::Unbounded, Quantity::Bounded));
    }
    if let Some(end) = expiry {
        builder = builder.absolute_expiry(Duration::from_secs(end));
    }
    let offer = builder.build().map_err(failed)?;
    let row = OfferRow {
        offer_id: hex(&offer.id().0),
        bolt12: offer.to_string(),
        label: call.params.text("label")?,
        description,
        active: true,
        single_use,
        used: false,
        absolute_expiry: expiry,
    };
    let mut view = view(&row);
    view.shift_remove("description");
    view.insert("created".to_owned(), json!(true));
    call.node_mut().book.offers.push(row);
    Ok(Answer::Done(Value::Object(view)))
}

fn amount(call: &Call<'_>) -> Result<AnyOr, RpcError> {
    let given = call.params.required("amount")?;
    if let Some(text) = given.as_str() {
        let suffix: String = text.chars().skip_while(|char| char.is_ascii_digit() || *char == '.').collect();
        let known = ["", "msat", "sat", "btc"].contains(&suffix.as_str()) || text == "any";
        if !known && suffix.len() == 3 && suffix.chars().all(|char| char.is_ascii_uppercase()) {
            return Err(RpcError::new(-32601, "Unknown command 'currencyconvert'"));
        }
        if !known {
            return Err(RpcError::usage(format!("Unknown currency suffix {suffix}")));
        }
    }
    call.params.msat_or_any("amount")
}

fn view(row: &OfferRow) -> serde_json::Map<String, Value> {
    object([
        ("offer_id", Some(json!(row.offer_id))),
        ("active", Some(json!(row.active))),
        ("single_use", Some(json!(row.single_use))),
        ("bolt12", Some(json!(row.bolt12))),
        ("used", Some(json!(row.used))),
        ("label", row.label.as_ref().map(|label| json!(label))),
        ("description", row.description.as_ref().map(|text| json!(text))),
    ])
}

fn listoffers(call: &mut Call<'_>) -> Outcome {
    let id = call.params.hash("offer_id")?;
    let active = call.params.flag("active_only")?.unwrap_or(false);
    let rows = call
        .node()
        .book
        .offers
        .iter()
        .map(|(_, row)| row)
        .filter(|row| id.as_ref().is_none_or(|id| row.offer_id == *id) && (!active || row.active));
    list("offers", rows.map(|row| Value::Object(view(row))).collect())
}

fn switch(call: &mut Call<'_>, on: bool) -> Outcome {
    let id = call.params.hash("offer_id")?.unwrap_or_default();
    let found = call.node().book.offers.find(|row| row.offer_id == id).map(|(at, row)| (at, row.clone()));
    let (at, row) = found.ok_or_else(|| RpcError::new(-1, "Unknown offer"))?;
    if row.active == on {
        return Err(RpcError::new(1001, if on { "offer already active" } else { "offer is not active" }));
    }
    if on && row.single_use && row.used {
        return Err(RpcError::new(1001, "offer is single use and was used"));
    }
    let changed = OfferRow { active: on, ..row };
    let answer = view(&changed);
    if let Some(row) = call.node_mut().book.offers.edit(at) {
        *row = changed;
    }
    call.world.close_offers(call.me);
    Ok(Answer::Done(Value::Object(answer)))
}
