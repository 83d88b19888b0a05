use serde_json::{Map, Value, json};

use super::call::{Answer, Call, Outcome};
use super::error::RpcError;
use super::getinfo::port;
use super::methods::Method;
use crate::playground::world::alias;

pub(super) const METHODS: &[Method] =
    &[Method { name: "listconfigs", params: &["config?"], writes: false, run }];

/// The options that mean something here; lightningd has many more.
fn run(call: &mut Call<'_>) -> Outcome {
    let value = |text: String| json!({"value_str": text, "source": "default"});
    let number = |number: u64| json!({"value_int": number, "source": "default"});
    let mut configs = Map::new();
    configs.insert("lightning-dir".to_owned(), value(format!("lightning/node-{}", call.me)));
    configs.insert("network".to_owned(), value("regtest".to_owned()));
    configs.insert("rpc-file".to_owned(), value("lightning-rpc".to_owned()));
    configs.insert("alias".to_owned(), value(alias(call.me)));
    configs.insert("rgb".to_owned(), value("010101".to_owned()));
    let address = json!({"values_str": [format!("127.0.0.1:{}", port(call.me))], "sources": ["default"]});
    configs.insert("addr".to_owned(), address);
    configs.insert("fee-base".to_owned(), number(1));
    configs.insert("fee-per-satoshi".to_owned(), number(10));
    configs.insert("funding-confirms".to_owned(), number(1));
    if let Some(name) = call.params.text("config")? {
        let one = configs.remove(&name);
        let one = one.ok_or_else(|| RpcError::invalid("config", "Unknown config option", &json!(name)))?;
        configs = Map::from_iter([(name, one)]);
    }
    Ok(Answer::Done(json!({ "configs": Value::Object(configs) })))
}
