//! What a node's own books say of a payment, and what follows from it.

use ln_agent_core::tool::{ToolError, ToolErrorKind};
use ln_agent_core::types::Object;
use serde_json::Value;

use crate::tools::msat;

/// What the node knows of a payment.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Record {
    /// Nothing.
    Absent,
    /// Every attempt failed.
    Failed,
    /// An attempt is under way.
    Pending,
    /// It was paid: the row of `listpays`.
    Complete(Object),
}

impl Record {
    /// The furthest of the rows of a `listpays` answer that pass.
    pub(super) fn of(listed: Object, pass: impl Fn(&Object) -> bool) -> Self {
        let mut found = Self::Absent;
        for row in rows(listed).filter(|row| pass(row)) {
            match row.get("status").and_then(Value::as_str) {
                Some("complete") => return Self::Complete(row),
                Some("failed") => {
                    if found == Self::Absent {
                        found = Self::Failed;
                    }
                }
                // A state we do not know is not an end either.
                _ => found = Self::Pending,
            }
        }
        found
    }
}

/// The rows of a `listpays` answer.
pub(super) fn rows(mut listed: Object) -> impl Iterator<Item = Object> {
    let rows = listed.get_mut("pays").map_or(Value::Null, Value::take);
    let rows = if let Value::Array(rows) = rows { rows } else { Vec::new() };
    rows.into_iter().filter_map(|row| if let Value::Object(row) = row { Some(row) } else { None })
}

/// The payload of a payment that is done: the node's fields, `payment_preimage`, `status`, `fee_msat` and
/// `already_paid`.
pub(super) fn receipt(mut fields: Object, already_paid: bool) -> Object {
    if let (None, Some(preimage)) = (fields.get("payment_preimage"), fields.get("preimage").cloned()) {
        fields.insert("payment_preimage".to_owned(), preimage);
    }
    let amount = |key: &str| fields.get(key).and_then(msat::read);
    if let (Some(sent), Some(received)) = (amount("amount_sent_msat"), amount("amount_msat")) {
        fields.insert("fee_msat".to_owned(), sent.0.saturating_sub(received.0).into());
    }
    fields.entry("status").or_insert_with(|| "complete".into());
    fields.insert("already_paid".to_owned(), already_paid.into());
    fields
}

/// An answer that claims success without proof proves nothing.
pub(super) fn no_preimage() -> ToolError {
    ToolError::new(ToolErrorKind::Unknown, "the node answered without a preimage")
}

/// The error of a payment whose end is not known; it is neither failed nor to be repeated.
pub(super) fn in_flight(what: &str, cause: Option<&ToolError>) -> ToolError {
    let because = cause.map_or_else(String::new, |error| format!(" ({})", error.message));
    ToolError {
        kind: ToolErrorKind::Unknown,
        message: format!(
            "{what} is still in flight{because}: it may yet succeed, so do not pay it another way; look with \
             ln_listpays"
        ),
        code: cause.and_then(|error| error.code),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::testing::recorded;

    fn record(answer: Value) -> Record {
        let Value::Object(listed) = answer else { panic!("an object") };
        Record::of(listed, |_| true)
    }

    #[test]
    fn the_furthest_attempt_decides() {
        assert_eq!(record(recorded("011-listpays-empty").answer()), Record::Absent);
        assert_eq!(record(recorded("208-listpays-failed").answer()), Record::Failed);
        assert_eq!(record(recorded("426-listpays-pending").answer()), Record::Pending);
        let row = json!({ "status": "complete" });
        let pays = json!({ "pays": [{ "status": "failed" }, { "status": "pending" }, row] });
        assert_eq!(record(pays), Record::Complete(row.as_object().unwrap().clone()));
        assert_eq!(
            record(json!({ "pays": [{ "status": "pending" }, { "status": "failed" }] })),
            Record::Pending
        );
        assert_eq!(record(json!({ "pays": [{ "status": "what" }] })), Record::Pending);
    }

    #[test]
    fn a_row_of_the_books_becomes_a_receipt() {
        let row = json!({ "preimage": "11", "status": "complete", "amount_msat": 1_000, "amount_sent_msat": "1021msat" });

        let receipt = receipt(row.as_object().unwrap().clone(), true);

        assert_eq!(
            Value::from(receipt),
            json!({
                "preimage": "11", "status": "complete", "amount_msat": 1_000, "amount_sent_msat": "1021msat",
                "payment_preimage": "11", "fee_msat": 21, "already_paid": true,
            })
        );
    }
}
