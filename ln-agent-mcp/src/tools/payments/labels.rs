//! Labels for invoices that nobody named: `ln-agent-1`, `ln-agent-2` and so on, counted on the node itself, so that
//! equal nodes give equal labels whichever process asks, and whenever.

use ln_agent_core::tool::{ToolError, ToolErrorKind};
use serde_json::{Value, json};

use crate::tools::ask::Ask;

/// The label of this number.
pub(super) fn label(number: u64) -> String {
    format!("ln-agent-{number}")
}

/// A number whose label is free, found by doubling and halving: a few questions, however many invoices there are.
///
/// # Errors
///
/// The node's own, and a failure when the node claims to have every label.
pub(super) async fn free_number(ask: Ask<'_>) -> Result<u64, ToolError> {
    let (mut taken, mut free) = (0, 1);
    while is_taken(ask, free).await? {
        (taken, free) = (free, free * 2);
        if free > MOST {
            return Err(ToolError::new(
                ToolErrorKind::Failed,
                "the node has an invoice for every generated label: give argument `label` a text of your own",
            ));
        }
    }
    while free - taken > 1 {
        let middle = taken + (free - taken) / 2;
        if is_taken(ask, middle).await? {
            taken = middle;
        } else {
            free = middle;
        }
    }
    Ok(free)
}

async fn is_taken(ask: Ask<'_>, number: u64) -> Result<bool, ToolError> {
    let listed = ask.read("listinvoices", json!({ "label": label(number) })).await?;
    Ok(listed.get("invoices").and_then(Value::as_array).is_some_and(|invoices| !invoices.is_empty()))
}

/// No node has that many invoices.
const MOST: u64 = 1 << 40;

#[cfg(test)]
mod tests {
    use ln_agent_core::NodeIndex;

    use super::*;
    use crate::testing::{Replay, Turn};

    /// Asks a node that answers with an invoice where `true` stands, and with none where `false` stands.
    async fn ask(taken: &[bool]) -> (Result<u64, ToolError>, Vec<Value>) {
        let invoices = |taken: bool| json!({ "invoices": if taken { json!([{}]) } else { json!([]) } });
        let replay = Replay::node(taken.iter().map(|taken| Turn::result(invoices(*taken))));
        let found = free_number(Ask::new(&replay.nodes(), NodeIndex::FIRST)).await;
        (found, replay.requests().into_iter().map(|(_, params)| params["label"].clone()).collect())
    }

    #[tokio::test]
    async fn the_first_free_label_is_found_in_few_questions() {
        let (none_yet, asked) = ask(&[false]).await;
        assert_eq!((none_yet, asked), (Ok(1), vec![json!("ln-agent-1")]));

        // 1 to 5 are taken.
        let (sixth, asked) = ask(&[true, true, true, false, false, true]).await;
        let labels = [1, 2, 4, 8, 6, 5].map(|number| json!(label(number)));
        assert_eq!((sixth, asked), (Ok(6), labels.to_vec()));
    }

    #[tokio::test]
    async fn a_node_that_has_every_label_is_told() {
        let (found, asked) = ask(&[true; 60]).await;

        assert_eq!((found.unwrap_err().kind, asked.len()), (ToolErrorKind::Failed, 41));
    }
}
