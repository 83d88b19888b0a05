//! Plans that somebody broke: none may pass. And sound plans: all must.

use ln_agent_core::offline::dispatch;
use ln_agent_core::stage::planner::{check_context, check_nodes, validate};
use ln_agent_core::tool::Registry;
use ln_agent_core::types::Object;
use ln_agent_core::{IntentBlock, IntentType};
use serde_json::{Value, json};

use crate::toolbox;

#[test]
fn every_sound_plan_is_accepted() {
    let tools = toolbox::registry();
    let plans = sound_plans();
    assert!(plans.len() >= 80, "{}", plans.len());
    for plan in plans {
        assert_eq!(judge(&plan, &tools), Ok(()), "{plan}");
    }
}

#[test]
fn every_broken_plan_is_refused() {
    let tools = toolbox::registry();
    let mut broken = 0;
    let mut passed = Vec::new();
    for plan in sound_plans() {
        for (fault, mutant) in mutants(&plan, &tools) {
            broken += 1;
            if judge(&mutant, &tools).is_ok() {
                passed.push(format!("{fault}: {mutant}"));
            }
        }
    }
    assert!(broken >= 1_000, "{broken}");
    assert_eq!(passed, Vec::<String>::new(), "of {broken}");
}

fn judge(plan: &Value, tools: &Registry) -> Result<(), String> {
    let steps = validate(plan, tools, IntentType::Freeform).map_err(|fault| fault.to_string())?;
    check_nodes(&steps, 2).map_err(|fault| fault.to_string())?;
    check_context(&steps, &context()).map_err(|fault| fault.to_string())
}

fn context() -> Object {
    json!({ "node": 1, "bolt11": "lnbcrt1x", "amount_msat": 5 }).as_object().unwrap().clone()
}

fn sound_plans() -> Vec<Value> {
    let mut plans: Vec<Value> = serde_json::from_str(include_str!("data/valid_plans.json")).unwrap();
    let reads = "network_health block_height node_info channel_count peer_list fund_list payment_list invoice_list \
                 wallet_balance fee_estimate mempool_info ln_fee_rates ln_address btc_tx_list ln_tx_list offer_list \
                 recall";
    let actions = "start_node stop_node restart_node mine_blocks sign_message";
    for (key, tags) in [("read_target", reads), ("action_target", actions)] {
        for tag in tags.split_whitespace() {
            let mut context =
                json!({ "node": 2, "blocks": 3, "message": "hi", "wallet": "w", "conf_target": 6 });
            context[key] = tag.into();
            let context = context.as_object().unwrap().clone();
            let found = dispatch(&IntentBlock { context, ..IntentBlock::default() }).expect(tag);
            plans.push(serde_json::to_value(found.steps).unwrap());
        }
    }
    plans
}

/// The plan with every single fault we know how to make, each with its name.
fn mutants(plan: &Value, tools: &Registry) -> Vec<(String, Value)> {
    let mut out: Vec<(String, Value)> =
        [json!([]), json!(null), json!({}), json!("steps"), json!(vec![plan[0].clone(); 201])]
            .into_iter()
            .map(|steps| ("list".to_owned(), steps))
            .collect();
    for at in 0..plan.as_array().unwrap().len() {
        let mut with = |fault: &str, change: &dyn Fn(&mut Value)| {
            let mut mutant = plan.clone();
            change(&mut mutant[at]);
            out.push((fault.to_owned(), mutant));
        };
        members(&mut with);
        dependencies(plan, at, &mut with);
        flow(at, &mut with);
        arguments(&plan[at], tools, &mut with);
    }
    out
}

type With<'a> = dyn FnMut(&str, &dyn Fn(&mut Value)) + 'a;

fn members(with: &mut With<'_>) {
    let bad: [(&str, Vec<Value>); 7] = [
        ("step_id", vec![json!(0), json!(-1), json!("1"), json!(1.5), json!(true), json!(null), json!(1e20)]),
        (
            "tool",
            vec![json!("ln_teleport"), json!(""), json!(7), json!(null), json!("LN_PAY"), json!(["ln_pay"])],
        ),
        ("args", vec![json!([]), json!("x"), json!(1), json!(null)]),
        ("on_error", vec![json!("ignore"), json!("Abort"), json!(1), json!(["retry"])]),
        ("max_retries", vec![json!(-1), json!(6), json!("2"), json!(0.5), json!(true)]),
        ("expected_outcome", vec![json!(1), json!([])]),
        ("comment", vec![json!("an unknown member")]),
    ];
    for (member, values) in bad {
        for value in values {
            with(member, &|step| step[member] = value.clone());
        }
    }
    for member in ["step_id", "tool"] {
        with(member, &|step| drop(step.as_object_mut().unwrap().remove(member)));
    }
    for other in [json!("ln_getinfo"), json!(1), json!(null), json!([])] {
        with("no object", &|step| *step = other.clone());
    }
}

fn dependencies(plan: &Value, at: usize, with: &mut With<'_>) {
    let own = plan[at]["step_id"].clone();
    for on in [json!([999]), json!([own]), json!(1), json!("1"), json!(["1"]), json!([0]), json!([-1])] {
        with("depends_on", &|step| step["depends_on"] = on.clone());
    }
    let steps = plan.as_array().unwrap();
    if steps.len() > 1 {
        let other = &steps[(at + 1) % steps.len()]["step_id"];
        with("twice", &|step| step["depends_on"] = json!([other, other]));
        with("same id", &|step| step["step_id"] = other.clone());
    }
    for later in steps.iter().skip(at + 1) {
        let waits = later["depends_on"].as_array().is_some_and(|on| on.contains(&own))
            || later.to_string().contains(&format!("$step{own}."));
        if waits {
            with("cycle", &|step| step["depends_on"] = json!([later["step_id"]]));
        }
    }
}

fn flow(at: usize, with: &mut With<'_>) {
    let known = "$context.node";
    let conditions = [
        json!({ "left": known, "op": "~", "right": 1 }),
        json!({ "left": known, "op": "delta", "right": 1 }),
        json!({ "left": known, "op": "<", "right": "many" }),
        json!({ "left": "many", "op": "<", "right": known }),
        json!({ "left": known, "op": "<" }),
        json!({ "left": known, "op": "len", "right": -1 }),
        json!({ "left": known, "op": "matches", "right": "(" }),
        json!({ "left": known, "op": "exists", "right": 1 }),
        json!({ "left": 1, "op": "exists" }),
        json!({ "left": 1, "op": "==", "right": 1 }),
        json!({ "op": "==", "right": known }),
        json!({ "left": "$item.state", "op": "==", "right": 1 }),
        json!({ "left": "$1", "op": "==", "right": 1 }),
        json!({ "left": "{{ step1.x }}", "op": "==", "right": known }),
        json!({ "left": format!("$step{}.result.payload", at + 1), "op": "exists" }),
        json!({ "left": "$context.missing", "op": "exists" }),
        json!({ "left": known, "op": "==", "right": 1, "else": 2 }),
        json!("$context.node == 1"),
    ];
    for condition in &conditions {
        with("when", &|step| step["when"] = json!([condition]));
        if !condition.to_string().contains("$item") {
            with("where", &|step| step["for_each"] = json!({ "in": known, "where": [condition], "max": 2 }));
        }
    }
    with("when", &|step| step["when"] = json!({ "left": known, "op": "==", "right": 1 }));
    for repetition in [
        json!({ "in": known, "max": 0 }),
        json!({ "in": known, "max": -1 }),
        json!({ "in": known, "max": 1_001 }),
        json!({ "in": known }),
        json!({ "max": 3 }),
        json!({ "in": "channels", "max": 3 }),
        json!({ "in": ["a"], "max": 3 }),
        json!({ "in": "$item.channels", "max": 3 }),
        json!({ "in": "$context.node.#", "max": 3 }),
        json!({ "in": "$step99.result.payload", "max": 3 }),
        json!({ "in": known, "max": 3, "until": 4 }),
        json!([known]),
    ] {
        with("for_each", &|step| step["for_each"] = repetition.clone());
    }
}

fn arguments(step: &Value, tools: &Registry, with: &mut With<'_>) {
    let spec = tools.spec(step["tool"].as_str().unwrap()).unwrap();
    with("unknown argument", &|step| step["args"]["surprise"] = json!(1));
    with("wrapped", &|step| step["args"] = json!({ "tool": step["tool"], "args": step["args"] }));
    for name in spec.required() {
        with("missing argument", &|step| drop(step["args"].as_object_mut().unwrap().remove(name)));
        with("null argument", &|step| step["args"][name] = json!(null));
    }
    let own = step["step_id"].as_u64().unwrap();
    for (name, schema) in spec.arguments().filter(|(name, _)| step["args"].get(name).is_some()) {
        for text in foreign(own) {
            with("foreign", &|step| step["args"][name] = json!(text));
            with("nested", &|step| step["args"][name] = json!([{ "deep": [text] }]));
        }
        if step.get("for_each").is_none() {
            with("stray item", &|step| step["args"][name] = json!("$item.id"));
        }
        let wrong = match schema["type"].as_str() {
            Some("integer") => vec![json!("many"), json!(1.5), json!([1]), json!({}), json!(true), json!(-1)],
            Some("string") if schema.get("pattern").is_some() => {
                vec![json!("no invoice"), json!(""), json!(7)]
            }
            Some("string") => vec![json!(7), json!(true), json!(["x"]), json!({})],
            Some("object") => vec![json!(7), json!("x"), json!([])],
            _ if schema.get("enum").is_some() => vec![json!("other"), json!(1)],
            _ => vec![json!("other"), json!(1.5)],
        };
        for value in wrong {
            with("wrong type", &|step| step["args"][name] = value.clone());
        }
        if name.ends_with("node") {
            for number in [json!(0), json!(99), json!("0"), json!("7")] {
                with("no such node", &|step| step["args"][name] = number.clone());
            }
        }
        if name == "peer_id" && (spec.name == "ln_connect" || spec.name == "ln_openchannel") {
            for peer in ["2", "node2", "02ab", &"ab".repeat(33)] {
                with("no peer", &|step| step["args"][name] = json!(peer));
            }
        }
    }
}

fn foreign(own: u64) -> Vec<String> {
    let next = own + 1;
    let mut texts: Vec<String> = [
        "$1",
        "$",
        "$$",
        "$step",
        "$step0.result.payload",
        "$step01.result.payload",
        "$stepN.result.payload",
        "$step99.result.payload",
        "{{ invoice }}",
        "{{ step1.x | upper }}",
        "{% if x %}",
        "${HOME}",
        "<step1>",
        "<step_1.result>",
        "$context",
        "$context.missing",
        "$item",
        "$result.payload",
        "$STEP1.result.payload",
        "pay $step1.result.payload.bolt11",
        "$5 for a coffee",
    ]
    .map(str::to_owned)
    .into();
    if own > 1 {
        texts.extend(["$step1", "$step1.", "$step1.bolt11", "$step1.result.payload + 1"].map(str::to_owned));
    }
    texts.extend([format!("$step{own}.result.payload"), format!("$step{next}.result.payload")]);
    // In a for_each step `$item` is right; that case has its own mutation.
    texts.retain(|text| text != "$item");
    texts
}
