use serde_json::{Value, json};

use super::call::{Answer, Call, Outcome, list};
use super::error::RpcError;
use super::methods::{Method, all};

pub(super) const METHODS: &[Method] = &[Method { name: "help", params: &["command?"], writes: false, run }];

fn run(call: &mut Call<'_>) -> Outcome {
    let Some(name) = call.params.text("command")? else {
        return list("help", all().map(describe).collect());
    };
    match all().find(|method| method.name == name) {
        Some(method) => Ok(Answer::Done(json!({"help": [describe(method)], "format-hint": "simple"}))),
        None => Err(RpcError::new(-32601, format!("Unknown command {name}"))),
    }
}

fn describe(method: &Method) -> Value {
    let mut usage = method.name.to_owned();
    for name in method.params {
        match name.strip_suffix('?') {
            Some(optional) => usage.push_str(&format!(" [{optional}]")),
            None => usage.push_str(&format!(" {name}")),
        }
    }
    json!({ "command": usage })
}
