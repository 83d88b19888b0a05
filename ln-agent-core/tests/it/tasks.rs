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

#[test]
fn an_amount_is_the_users_whatever_a_model_makes_of_it() {
    let cases = [
        ("invoice 25,000 sat on node 2", "25000 msat", 25_000_000),
        ("invoice 25,000 sat on node 2", "25,000 sat", 25_000_000),
        ("invoice 25,000 sat on node 2", "7,707 sats", 25_000_000),
        ("node 2 invoices 0.05m sats", "0.05m sats", 50_000_000),
        ("invoice 0.00001 BTC on node 2", "1000 sat", 1_000_000),
    ];
    for (prompt, copied, msat) in cases {
        let intent = adopted(prompt, json!([{"task": "create_invoice", "node": 2, "amount": copied}]));
        assert_eq!(intent.context["amount_msat"], msat, "{prompt} {copied}");
        assert!(intent.clarifications_needed.is_empty());
    }
}

#[test]
fn what_is_missing_is_asked_and_never_filled_with_an_example() {
    let cases = [
        (
            "pay node 2 5000 from node 1",
            json!({"task": "pay", "from_node": 1, "to_node": 2, "amount": "5000 sat"}),
            "5000 of what",
        ),
        (
            "open a channel from node 1 to node 3",
            json!({"task": "open_channel", "from_node": 1, "to_node": 3, "amount": "707070 sat"}),
            "How much",
        ),
        (
            "create an invoice for -5000 msat on node 2",
            json!({"task": "create_invoice", "node": 2, "amount": "5000 msat"}),
            "above zero",
        ),
        ("pay that invoice from node 1", json!({"task": "pay", "from_node": 1}), "Which invoice"),
        ("stop a node", json!({"task": "stop_node", "node": 87}), "Which node"),
        ("mine some blocks", json!({"task": "mine_blocks", "blocks": 17}), "How many blocks"),
        ("stop node 9", json!({"task": "stop_node", "node": 9}), "There is no node 9"),
        (
            "sign something with node 1",
            json!({"task": "sign_message", "node": 1, "message": "two mugs"}),
            "Which text",
        ),
    ];
    for (prompt, task, question) in cases {
        let intent = adopted(prompt, json!([task]));
        assert!(
            intent.clarifications_needed[0].contains(question),
            "{prompt}: {:?}",
            intent.clarifications_needed
        );
        assert!(!intent.context.contains_key("clauses") && !intent.context.contains_key("action_target"));
    }
}

#[test]
fn a_condition_is_neither_lost_nor_made_up() {
    let invoice = json!({"task": "create_invoice", "node": 1, "amount": "1000 msat"});
    let prompt = "if node 1 has fewer than five channels, create a 1000 msat invoice on node 1";
    assert_eq!(adopt(reading(prompt, json!([invoice])), &[], 3, 1).unwrap_err(), TaskFault::NoCondition);
    let mut conditional = invoice.clone();
    conditional["if"] = json!([{"of": "channel_count", "node": 1, "op": "lt", "value": 5}]);
    let plain = "create a 1000 msat invoice on node 1";
    assert!(adopt(reading(plain, json!([conditional])), &[], 3, 1).is_err());
    let clauses = &adopted(prompt, json!([conditional])).context["clauses"];
    assert_eq!(clauses[0]["when"], json!([{"of": "channel_count", "node": 1, "op": "lt", "value": 5}]));
    conditional["if"][0]["value"] = json!(70);
    assert!(matches!(adopt(reading(prompt, json!([conditional])), &[], 3, 1), Err(TaskFault::Test(_))));
}

#[test]
fn what_is_no_task_goes_back_to_the_model() {
    for (tasks, part) in [
        (json!([{"task": "teleport"}]), "there is no task `teleport`"),
        (json!(["open_channel"]), "must be a list of objects"),
        (json!({"task": "open_channel"}), "must be a list of objects"),
        (json!([{"node": 1}]), "must be a list of objects"),
    ] {
        let error = adopt(reading("open a channel", tasks), &[], 3, 1).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn a_question_what_would_be_is_never_done() {
    let pay = json!([{"task": "pay", "from_node": 1, "to_node": 2, "amount": "10 sat"}]);
    let intent = adopted("what would happen if I paid 10 sat from node 1 to node 2?", pay);
    assert_eq!((intent.intent_type, intent.context.len()), (IntentType::Informational, 0));
}

#[test]
fn readings_that_differ_about_a_change_are_told_apart_from_those_that_differ_about_a_read() {
    let judge = |prompt: &str, tasks: Value| agreement(&adopted(prompt, tasks), &[], 3, 1);
    let node = |task: &str| json!([{"task": task, "node": 2}]);
    assert_eq!(judge("stop node 2", node("stop_node")), Agreement::Same);
    assert!(matches!(judge("stop node 2", node("start_node")), Agreement::OtherChange(_)));
    assert!(matches!(judge("show the peers of node 2", node("channel_count")), Agreement::OtherRead(_)));
    assert!(matches!(judge("show the peers of node 2", node("stop_node")), Agreement::OtherChange(_)));
    assert_eq!(judge("waddle the frobnicator on node 2", node("peer_list")), Agreement::Unread);
}
