use bitcoin::hex::FromHex;
use serde_json::{Value, json};

use super::call::{Answer, Call, Outcome, list, object};
use super::error::RpcError;
use super::methods::Method;
use crate::playground::node::Datum;
use crate::playground::world::hex;

pub(super) const METHODS: &[Method] = &[
    Method {
        name: "datastore",
        params: &["key", "string?", "hex?", "mode?", "generation?"],
        writes: true,
        run: datastore,
    },
    Method { name: "listdatastore", params: &["key?"], writes: false, run: listdatastore },
    Method { name: "deldatastore", params: &["key", "generation?"], writes: true, run: deldatastore },
];

fn datastore(call: &mut Call<'_>) -> Outcome {
    let key = key(call)?.ok_or_else(|| RpcError::usage("missing required parameter: key"))?;
    let data = data(call)?;
    let mode = call.params.text("mode")?.unwrap_or_else(|| "must-create".to_owned());
    let generation = call.params.number("generation")?;
    let found = call.node().book.data.find(|row| row.key == key).map(|(at, row)| (at, row.clone()));
    if let (Some(wanted), Some((_, row))) = (generation, &found)
        && wanted != row.generation
    {
        return Err(RpcError::new(1201, "generation is different"));
    }
    let row = match (mode.as_str(), &found) {
        ("must-create" | "create-or-replace" | "create-or-append", None) => {
            Datum { key, generation: 0, hex: data }
        }
        ("must-create", Some(_)) => return Err(RpcError::new(1202, "Key already exists")),
        ("must-replace" | "must-append", None) => return Err(RpcError::new(1200, "Key does not exist")),
        ("must-replace" | "create-or-replace", Some((_, old))) => {
            Datum { key, generation: old.generation + 1, hex: data }
        }
        ("must-append" | "create-or-append", Some((_, old))) => {
            Datum { key, generation: old.generation + 1, hex: format!("{}{data}", old.hex) }
        }
        (other, _) => return Err(RpcError::invalid("mode", "should be a valid mode", &json!(other))),
    };
    let view = view(&row);
    let book = &mut call.node_mut().book;
    match found.and_then(|(at, _)| book.data.edit(at)) {
        Some(old) => *old = row,
        None => drop(book.data.push(row)),
    }
    Ok(Answer::Done(view))
}

fn listdatastore(call: &mut Call<'_>) -> Outcome {
    let prefix = key(call)?.unwrap_or_default();
    let mut rows: Vec<&Datum> =
        call.node().book.data.iter().map(|(_, row)| row).filter(|row| row.key.starts_with(&prefix)).collect();
    rows.sort_by(|a, b| a.key.cmp(&b.key));
    list("datastore", rows.into_iter().map(view).collect())
}

fn deldatastore(call: &mut Call<'_>) -> Outcome {
    let key = key(call)?.unwrap_or_default();
    let generation = call.params.number("generation")?;
    let found = call.node().book.data.find(|row| row.key == key).map(|(at, row)| (at, row.generation));
    let (at, present) = found.ok_or_else(|| RpcError::new(1200, "Key does not exist"))?;
    if generation.is_some_and(|wanted| wanted != present) {
        return Err(RpcError::new(1201, "generation is different"));
    }
    let removed = call.node_mut().book.data.remove(at);
    Ok(Answer::Done(removed.as_ref().map(view).unwrap_or_default()))
}

/// A key is a list of words, or one word.
fn key(call: &Call<'_>) -> Result<Option<Vec<String>>, RpcError> {
    let Some(given) = call.params.get("key") else { return Ok(None) };
    let word = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let words = match given {
        Value::Array(words) if !words.is_empty() => words.iter().map(word).collect(),
        one => word(one).map(|word| vec![word]),
    };
    words.map(Some).ok_or_else(|| RpcError::invalid("key", "should be string or array of strings", given))
}

fn data(call: &Call<'_>) -> Result<String, RpcError> {
    match (call.params.text("string")?, call.params.text("hex")?) {
        (Some(text), None) => Ok(hex(text.as_bytes())),
        (None, Some(text)) if Vec::<u8>::from_hex(&text).is_ok() => Ok(text.to_lowercase()),
        (None, Some(text)) => Err(RpcError::invalid("hex", "should be a hex string", &json!(text))),
        _ => Err(RpcError::usage("Must have either hex or string")),
    }
}

fn view(row: &Datum) -> Value {
    let text = Vec::<u8>::from_hex(&row.hex).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    Value::Object(object([
        ("key", Some(json!(row.key))),
        ("generation", Some(json!(row.generation))),
        ("hex", Some(json!(row.hex))),
        ("string", text.map(|text| json!(text))),
    ]))
}
