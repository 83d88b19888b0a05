//! A model's reply, read as an intent: forgiving about what has a safe default, strict about the rest.

use serde_json::Value;

use super::error::ParseFault;
use crate::llm::reply;
use crate::types::{IntentBlock, IntentType, NodeIndex, Object};

/// Context fields that name a node of this network.
const NODE_FIELDS: [&str; 3] = ["node", "from_node", "to_node"];

/// The intent in this reply to this prompt.
pub(super) fn intent(reply: &str, prompt: &str, node_count: u32) -> Result<IntentBlock, ParseFault> {
    let mut object = reply::object(reply)?;
    let goal = text(object.get("goal")).ok_or(ParseFault::NoGoal)?;
    let mut context = match object.remove("context") {
        Some(Value::Object(context)) => context,
        _ => Object::new(),
    };
    // A null says that nothing was stated; so does a missing member, which the later stages know.
    context.retain(|_, value| !value.is_null());
    let mut clarifications_needed = texts(object.get("clarifications_needed"));
    clarifications_needed.extend(settle_nodes(&mut context, node_count)?);
    Ok(IntentBlock {
        human_summary: text(object.get("human_summary")).unwrap_or_else(|| goal.clone()),
        intent_type: kind(object.get("intent_type")),
        context,
        success_criteria: texts(object.get("success_criteria")),
        clarifications_needed,
        raw_prompt: prompt.to_owned(),
        goal,
    })
}

/// Brings node fields into their declared form and drops those beyond the network, with a question for each: what
/// was meant for a node that is not there must not reach another one.
fn settle_nodes(context: &mut Object, node_count: u32) -> Result<Vec<String>, ParseFault> {
    let mut questions = Vec::new();
    for field in NODE_FIELDS {
        let Some(value) = context.get_mut(field) else { continue };
        let number = match &*value {
            Value::Number(number) => number.as_u64(),
            Value::String(text) => {
                let digits = text.trim().trim_start_matches("node").trim_start_matches(['-', ' ']);
                digits.parse::<u64>().ok()
            }
            _ => None,
        };
        let Some(number) = number else {
            return Err(ParseFault::NotANode { field, found: value.to_string() });
        };
        let known = u32::try_from(number).ok().filter(|number| *number <= node_count);
        if let Some(node) = known.and_then(|number| NodeIndex::new(number).ok()) {
            *value = node.get().into();
        } else {
            context.shift_remove(field);
            questions
                .push(format!("There is no node {number}: which of the nodes 1 to {node_count} is meant?"));
        }
    }
    Ok(questions)
}

/// An unknown kind is freeform.
fn kind(value: Option<&Value>) -> IntentType {
    let name = text(value).unwrap_or_default().to_lowercase().replace(['-', ' '], "_");
    IntentType::ALL.into_iter().find(|kind| kind.name() == name).unwrap_or_default()
}

fn text(value: Option<&Value>) -> Option<String> {
    let text = value?.as_str()?.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// The texts of a list. A single text is a list of one: a question must not get lost over its brackets.
fn texts(value: Option<&Value>) -> Vec<String> {
    match value {
        Some(Value::Array(list)) => list.iter().filter_map(|item| text(Some(item))).collect(),
        single => text(single).into_iter().collect(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(reply: &Value) -> Result<IntentBlock, ParseFault> {
        intent(&reply.to_string(), "as typed", 2)
    }

    #[test]
    fn a_whole_reply_is_read_whole() {
        let reply = json!({
            "goal": "pay", "intent_type": "pay_invoice", "context": {"from_node": 1, "amount_msat": 5000},
            "success_criteria": ["paid"], "clarifications_needed": [], "human_summary": "Pays.",
            "raw_prompt": "made up",
        });
        let expected = json!({
            "goal": "pay", "intent_type": "pay_invoice", "context": {"from_node": 1, "amount_msat": 5000},
            "success_criteria": ["paid"], "clarifications_needed": [], "human_summary": "Pays.",
            "raw_prompt": "as typed",
        });
        assert_eq!(serde_json::to_value(read(&reply).unwrap()).unwrap(), expected);
    }

    #[test]
    fn what_is_missing_or_of_another_type_takes_its_default() {
        let reply = json!({
            "goal": " read ", "intent_type": "Teleport", "context": ["x"], "success_criteria": 5,
            "clarifications_needed": "Which node?",
        });
        let expected = IntentBlock {
            goal: "read".into(),
            human_summary: "read".into(),
            clarifications_needed: vec!["Which node?".into()],
            raw_prompt: "as typed".into(),
            ..IntentBlock::default()
        };
        assert_eq!(read(&reply), Ok(expected));
        assert_eq!(
            read(&json!({"goal": "g", "intent_type": "Open-Channel"})).unwrap().intent_type,
            IntentType::OpenChannel
        );
    }

    #[test]
    fn nodes_are_numbers_of_this_network() {
        let reply = json!({"goal": "g", "context": {"node": "node-2", "from_node": "1", "to_node": 7, "label": null}});
        let intent = read(&reply).unwrap();
        assert_eq!(Value::Object(intent.context), json!({"node": 2, "from_node": 1}));
        assert_eq!(intent.clarifications_needed, ["There is no node 7: which of the nodes 1 to 2 is meant?"]);
        let error = read(&json!({"goal": "g", "context": {"to_node": "02ab"}})).unwrap_err();
        assert_eq!(
            error.to_string(),
            "`context.to_node` is \"02ab\": a node is one number from 1; leave the field out for several nodes, and put other names in other fields",
        );
    }

    #[test]
    fn a_reply_without_object_or_goal_is_an_error() {
        assert_eq!(read(&json!({"goal": "  "})), Err(ParseFault::NoGoal));
        assert_eq!(read(&json!({"goal": 5})), Err(ParseFault::NoGoal));
        assert!(matches!(read(&json!(["goal"])), Err(ParseFault::Reply(_))));
    }
}
