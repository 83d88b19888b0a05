use std::str::FromStr;

use bitcoin::{Address, Network};
use serde_json::{Map, Value};

use crate::playground::chain::{Res, RpcErr};

/// What JSON type a parameter takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    Number,
    Bool,
    List,
    Object,
    /// Checked where it is used: a number or a string, a number or a bool.
    Any,
}

/// One parameter of a method. `name` may hold an older name behind a bar: `verbosity|verbose`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Param {
    name: &'static str,
    kind: Kind,
    required: bool,
}

pub(super) const fn required(name: &'static str, kind: Kind) -> Param {
    Param { name, kind, required: true }
}

pub(super) const fn optional(name: &'static str, kind: Kind) -> Param {
    Param { name, kind, required: false }
}

impl Param {
    fn answers_to(&self, name: &str) -> bool {
        self.name.split('|').any(|own| own == name)
    }

    fn shown(&self) -> &'static str {
        self.name.split('|').next().unwrap_or(self.name)
    }

    fn usage(&self) -> String {
        match self.kind {
            Kind::Text => format!("\"{}\"", self.shown()),
            Kind::List => format!("[{},...]", self.shown()),
            Kind::Object => format!("{{{}}}", self.shown()),
            Kind::Number | Kind::Bool | Kind::Any => self.shown().to_owned(),
        }
    }
}

/// A method's name and parameters on one line, as bitcoind's help has it.
pub(super) fn usage(method: &str, params: &[Param]) -> String {
    let of = |required: bool| params.iter().filter(move |param| param.required == required).map(Param::usage);
    let optional: Vec<String> = of(false).collect();
    let mut words: Vec<String> = std::iter::once(method.to_owned()).chain(of(true)).collect();
    if !optional.is_empty() {
        words.push(format!("( {} )", optional.join(" ")));
    }
    words.join(" ")
}

/// The arguments of a call in the order of the method's parameters; what was left out is null.
#[derive(Clone, Debug)]
pub(super) struct Args {
    values: Vec<Value>,
}

impl Args {
    /// Orders, counts and type-checks what was sent, by position or by name.
    pub(super) fn new(method: &str, params: &[Param], sent: Value) -> Res<Self> {
        let values = match sent {
            Value::Null => Vec::new(),
            Value::Array(values) => values,
            Value::Object(named) => positions(params, named)?,
            _ => return Err(RpcErr::new(-32600, "Params must be an array or object")),
        };
        let missing =
            |(at, param): (usize, &Param)| param.required && values.get(at).is_none_or(Value::is_null);
        if values.len() > params.len() || params.iter().enumerate().any(missing) {
            return Err(RpcErr::new(-1, format!("{}\n", usage(method, params))));
        }
        check_types(params, &values)?;
        Ok(Self { values })
    }

    pub(super) fn value(&self, at: usize) -> Option<&Value> {
        self.values.get(at).filter(|value| !value.is_null())
    }

    pub(super) fn text(&self, at: usize) -> Option<&str> {
        self.value(at)?.as_str()
    }

    /// A text that [`Args::new`] made sure is there.
    pub(super) fn required_text(&self, at: usize) -> &str {
        self.text(at).unwrap_or_default()
    }

    pub(super) fn flag(&self, at: usize) -> Option<bool> {
        self.value(at)?.as_bool()
    }

    /// A whole number, as bitcoind's 32- or 64-bit fields take it.
    pub(super) fn integer(&self, at: usize) -> Res<Option<i64>> {
        let Some(value) = self.value(at) else { return Ok(None) };
        value.as_i64().map(Some).ok_or_else(|| RpcErr::new(-1, "JSON integer out of range"))
    }

    /// A verbosity: a number, or a bool that means 0 or 1.
    pub(super) fn verbosity(&self, at: usize, default: i64) -> Res<i64> {
        match self.value(at) {
            Some(Value::Bool(flag)) => Ok(i64::from(*flag)),
            Some(Value::Number(_)) | None => Ok(self.integer(at)?.unwrap_or(default)),
            Some(other) => Err(RpcErr::new(
                -3,
                format!("JSON value of type {} is not of expected type number", kind_of(other)),
            )),
        }
    }

    /// A 32-byte hash in hexadecimal; `name` is what an error calls it.
    pub(super) fn hash<T: FromStr>(&self, at: usize, name: &str) -> Res<T> {
        parse_hash(self.required_text(at), name)
    }
}

pub(super) fn parse_hash<T: FromStr>(text: &str, name: &str) -> Res<T> {
    if text.len() != 64 {
        return Err(RpcErr::new(
            -8,
            format!("{name} must be of length 64 (not {}, for '{text}')", text.len()),
        ));
    }
    text.parse().map_err(|_| RpcErr::new(-8, format!("{name} must be hexadecimal string (not '{text}')")))
}

/// An address of this network.
pub(super) fn parse_address(text: &str) -> Option<Address> {
    Address::from_str(text).ok()?.require_network(Network::Regtest).ok()
}

fn positions(params: &[Param], mut named: Map<String, Value>) -> Res<Vec<Value>> {
    let mut values = match named.remove("args") {
        None => Vec::new(),
        Some(Value::Array(values)) => values,
        Some(_) => return Err(RpcErr::new(-8, "Parameter args must be an array")),
    };
    let by_position = values.len();
    values.resize(params.len().max(by_position), Value::Null);
    for (name, value) in named {
        let at = params.iter().position(|param| param.answers_to(&name));
        let at = at.ok_or_else(|| RpcErr::new(-8, format!("Unknown named parameter {name}")))?;
        if at < by_position || !values[at].is_null() {
            let message = format!("Parameter {name} specified twice both as positional and named argument");
            return Err(RpcErr::new(-8, message));
        }
        values[at] = value;
    }
    Ok(values)
}

fn check_types(params: &[Param], values: &[Value]) -> Res<()> {
    let mut wrong = Vec::new();
    for (position, (param, value)) in (1..).zip(params.iter().zip(values)) {
        let expected = match (param.kind, value) {
            (_, Value::Null)
            | (Kind::Any, _)
            | (Kind::Text, Value::String(_))
            | (Kind::Number, Value::Number(_))
            | (Kind::Bool, Value::Bool(_))
            | (Kind::List, Value::Array(_))
            | (Kind::Object, Value::Object(_)) => continue,
            (Kind::Text, _) => "string",
            (Kind::Number, _) => "number",
            (Kind::Bool, _) => "bool",
            (Kind::List, _) => "array",
            (Kind::Object, _) => "object",
        };
        let (name, kind) = (param.shown(), kind_of(value));
        wrong.push(format!(
            "    \"Position {position} ({name})\": \"JSON value of type {kind} is not of expected type {expected}\""
        ));
    }
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(RpcErr::new(-3, format!("Wrong type passed:\n{{\n{}\n}}", wrong.join(",\n"))))
    }
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}
