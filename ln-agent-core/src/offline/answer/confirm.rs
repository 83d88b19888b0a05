//! What read-only calls saw afterwards: the final state only.

use std::collections::BTreeSet;

use serde_json::Value;

use super::reading::plain;
use super::scene::Scene;
use super::words::{self, listed};
use crate::types::{StepId, Verification, VerificationStatus};

/// Where what was told is confirmed, what still waits, and above all what is not so.
pub(super) fn sentences(scene: &Scene, told: &[StepId], checks: &[Verification]) -> Vec<String> {
    let counts = |check: &&Verification| check.step_id.is_none_or(|id| told.contains(&id));
    let mut text: Vec<String> = checks
        .iter()
        .filter(|check| check.status == VerificationStatus::Contradicted)
        .map(|check| {
            words::sentence(&format!(
                "the tool succeeded but the goal is not confirmed{}: {}",
                place(check).map(|place| format!(" on {place}")).unwrap_or_default(),
                check.detail
            ))
        })
        .collect();
    let seen: Vec<&Verification> = checks
        .iter()
        .filter(counts)
        .filter(|check| check.status == VerificationStatus::Confirmed)
        .filter(|_| text.is_empty() && !scene.troubled)
        .collect();
    text.extend(waits(&seen));
    let places: BTreeSet<String> = seen.iter().filter_map(|check| place(check)).collect();
    if !places.is_empty() {
        text.push(format!("Confirmed on {}.", listed(&places.into_iter().collect::<Vec<_>>())));
    } else if !seen.is_empty() {
        text.push("Confirmed.".to_owned());
    }
    // Where nothing else confirms a step, that it could not be looked at is worth saying.
    let unseen = checks.iter().filter(counts).filter(|check| {
        check.status == VerificationStatus::Unavailable && check.step_id.is_some() && !scene.troubled
    });
    text.extend(unseen.map(|check| {
        let place = place(check).map(|place| format!(" on {place}")).unwrap_or_default();
        words::sentence(&format!("this could not be checked{place}: {}", check.detail))
    }));
    text
}

fn place(check: &Verification) -> Option<String> {
    if let Some(node) = check.args.get("node") {
        return Some(format!("node {}", plain(node)));
    }
    check.tool.starts_with("btc_").then(|| "bitcoind".to_owned())
}

/// What the last look at each thing says about blocks that it still waits for.
fn waits(seen: &[&Verification]) -> Option<String> {
    let last = |tool: &str| seen.iter().rev().find(|check| check.tool == tool);
    let state = last("ln_listchannels").and_then(|check| check.observed.get("state"));
    if state.and_then(Value::as_str).is_some_and(|state| state.ends_with("AWAITING_LOCKIN")) {
        return Some("The channel can be used once its funding has enough confirmations.".to_owned());
    }
    let waits = |check: &&&Verification| {
        let observed = &check.observed;
        observed.get("confirmations").is_some_and(|number| number == 0)
            || observed.get("blockheight").is_some_and(Value::is_null)
    };
    let sent = last("btc_gettransaction").or_else(|| last("ln_listtransactions"));
    sent.filter(waits).map(|_| "The transaction waits for a block.".to_owned())
}
