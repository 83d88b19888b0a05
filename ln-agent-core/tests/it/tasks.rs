//! What a model's reading becomes: right ones pass, wrong ones are corrected, asked about or refused.

use ln_agent_core::offline::{Agreement, TaskFault, adopt, agreement, translate};
use ln_agent_core::types::{Exchange, IntentBlock, IntentType, Object};
use serde::Deserialize;
use serde_json::{Value, json};

/// A model's intent about a prompt.
fn reading(prompt: &str, tasks: Value) -> IntentBlock {
    IntentBlock {
        goal: "as read".into(),
        context: json!({ "tasks": tasks }).as_object().unwrap().clone(),
        raw_prompt: prompt.into(),
        ..IntentBlock::default()
    }
}

fn adopted(prompt: &str, tasks: Value) -> IntentBlock {
    adopt(reading(prompt, tasks), &[], 3, 1).unwrap().intent
}

#[derive(Deserialize)]
struct Corpus {
    case: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    #[serde(default)]
    prompt: String,
    #[serde(default)]
    prompts: Vec<String>,
    nodes: Option<u32>,
    #[serde(default)]
    history: Vec<Exchange>,
}

/// The tasks that a model without fault would give for an intent of the offline translator.
fn perfect(intent: &IntentBlock) -> Value {
    let clauses = match intent.context.get("clauses") {
        Some(Value::Array(clauses)) => clauses.clone(),
        _ => {
            let tag = ["read_target", "action_target"].iter().find_map(|tag| intent.context.get(*tag));
            vec![json!({ "task": tag.unwrap(), "args": intent.context })]
        }
    };
    clauses
        .iter()
        .map(|clause| {
            let mut task = Object::new();
            task.insert("task".into(), clause["task"].clone());
            for (name, value) in clause["args"].as_object().into_iter().flatten() {
                let (name, value) = match name.as_str() {
                    "amount_msat" if value != "any" => ("amount", json!(format!("{value} msat"))),
                    "amount_msat" => ("amount", value.clone()),
                    "amount_sat" => ("amount", json!(format!("{value} sat"))),
                    "amount_btc" => ("amount", json!(format!("{} btc", value.as_str().unwrap()))),
                    "conf_target" => ("blocks", value.clone()),
                    "destination" => ("address", value.clone()),
                    "string" => ("bolt11", value.clone()),
                    name => (name, value.clone()),
                };
                task.insert(name.into(), value);
            }
            for (from, to) in [("when", "if"), ("where", "where"), ("every", "every")] {
                if let Some(value) = clause.get(from) {
                    task.insert(to.into(), value.clone());
                }
            }
            Value::Object(task)
        })
        .collect()
}

/// A model without fault is held up by at most so many sentences of a hundred that the offline grammar understands,
/// and of none of them is anything else made.
#[test]
fn a_reading_without_fault_is_adopted() {
    let corpora =
        [include_str!("../fixtures/offline.toml"), include_str!("../fixtures/offline_heldout.toml")];
    let (mut same, mut held) = (0, Vec::new());
    for corpus in corpora {
        let corpus: Corpus = toml::from_str(corpus).unwrap();
        for case in corpus.case {
            let nodes = case.nodes.unwrap_or(3);
            for prompt in case.prompts.iter().chain([&case.prompt]).filter(|prompt| !prompt.is_empty()) {
                let offline = translate(prompt, &case.history, nodes, 1);
                let idle = matches!(offline.intent_type, IntentType::Informational | IntentType::Noop);
                if idle || !offline.clarifications_needed.is_empty() {
                    continue;
                }
                let model = reading(prompt, perfect(&offline));
                match adopt(model, &case.history, nodes, 1) {
                    Ok(adopted) if !adopted.intent.clarifications_needed.is_empty() => {
                        held.push(format!("{prompt}\n    asks {:?}", adopted.intent.clarifications_needed));
                    }
                    Ok(adopted) => match agreement(&adopted.intent, &case.history, nodes, 1) {
                        Agreement::Same => same += 1,
                        other => held.push(format!(
                            "{prompt}\n    made {}\n    not  {}\n    {}",
                            Value::Object(adopted.intent.context),
                            Value::Object(offline.context),
                            if matches!(other, Agreement::OtherChange(_)) { "CHANGE" } else { "READ" },
                        )),
                    },
                    Err(fault) => held.push(format!("{prompt}\n    {fault}")),
                }
            }
        }
    }
    assert!(held.len() * 100 < same * 5, "{} of {}:\n{}", held.len(), same + held.len(), held.join("\n"));
}
