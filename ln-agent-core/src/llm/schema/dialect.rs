//! What each dialect takes, as data.

use serde_json::Value;

use crate::types::Object;

/// What a provider understands of JSON Schema.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Dialect {
    /// OpenAI with `strict: true`: every object closed, every member required.
    OpenAiStrict,
    /// OpenAI and compatible servers without `strict`: shown to the model, not enforced. Free-form maps are allowed.
    OpenAiLoose,
    /// Anthropic's structured outputs and strict tools: every object closed, members may be optional, no bounds.
    Anthropic,
    /// Gemini's `responseJsonSchema` and `parametersJsonSchema`.
    Gemini,
    /// Ollama's `format` and tools: a grammar, which knows structure but few bounds.
    Ollama,
}

/// The rules of a dialect.
pub(super) struct Rules {
    /// Constraints that it knows, beyond structure.
    constraints: &'static [&'static str],
    /// Formats of strings that it knows.
    formats: &'static [&'static str],
    /// Every object lists its members and refuses others.
    pub(super) closed: bool,
    /// Members are never optional, but may be null.
    pub(super) all_required: bool,
    /// The outermost schema is an object.
    pub(super) object_root: bool,
    /// `const` and every JSON value in `enum`; otherwise `enum` with text and numbers only.
    pub(super) constants: bool,
    /// Lists with a type for each place.
    pub(super) tuples: bool,
    /// Members are written in the order of `propertyOrdering`, and `additionalProperties: false` is left out.
    pub(super) ordering: bool,
    /// `minItems` may only be 0 or 1.
    small_min_items: bool,
    /// Most levels and most members, where they are bounded.
    pub(super) limits: Option<Limits>,
}

/// What OpenAI counts.
pub(super) struct Limits {
    pub(super) levels: usize,
    pub(super) properties: usize,
    pub(super) enum_values: usize,
    pub(super) characters: usize,
}

impl Dialect {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::OpenAiStrict, Self::OpenAiLoose, Self::Anthropic, Self::Gemini, Self::Ollama];

    pub(super) const fn rules(self) -> &'static Rules {
        match self {
            Self::OpenAiStrict => &OPENAI_STRICT,
            Self::OpenAiLoose => &OPENAI_LOOSE,
            Self::Anthropic => &ANTHROPIC,
            Self::Gemini => &GEMINI,
            Self::Ollama => &OLLAMA,
        }
    }
}

impl Rules {
    /// Whether this constraint is kept as it is.
    pub(super) fn keeps(&self, keyword: &str, value: &Value) -> bool {
        if !self.constraints.contains(&keyword) {
            return false;
        }
        match keyword {
            "format" => value.as_str().is_some_and(|format| self.formats.contains(&format)),
            "minItems" if self.small_min_items => value.as_u64().is_some_and(|least| least <= 1),
            // Grammars are made of patterns without groups that look around and without back references.
            "pattern" => value.as_str().is_some_and(is_simple),
            _ => true,
        }
    }
}

fn is_simple(pattern: &str) -> bool {
    let refers_back = pattern.as_bytes().windows(2).any(|pair| pair[0] == b'\\' && pair[1].is_ascii_digit());
    !pattern.contains("(?") && !refers_back
}

/// Whether a keyword constrains nothing.
pub(super) fn is_annotation(keyword: &str) -> bool {
    matches!(keyword, "description" | "title" | "default" | "examples" | "example" | "deprecated")
        || matches!(keyword, "readOnly" | "writeOnly" | "definitions" | "propertyOrdering")
        || keyword.starts_with('$')
}

/// The types that a schema names, or that its keywords speak of. Empty: it may be anything.
pub(super) fn types(schema: &Object) -> Vec<String> {
    match schema.get("type") {
        Some(Value::String(one)) => return vec![one.clone()],
        Some(Value::Array(several)) => {
            return several.iter().filter_map(Value::as_str).map(str::to_owned).collect();
        }
        _ => {}
    }
    let values: Vec<&Value> = match (schema.get("const"), schema.get("enum")) {
        (Some(value), _) => vec![value],
        (None, Some(Value::Array(values))) => values.iter().collect(),
        _ => {
            let implied = IMPLIED.iter().find(|(keyword, _)| schema.contains_key(*keyword));
            return implied.map(|(_, kind)| (*kind).to_owned()).into_iter().collect();
        }
    };
    let mut kinds = Vec::new();
    for value in values {
        let kind = type_of(value).to_owned();
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    kinds
}

pub(super) fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Keywords that are about values of one type only.
const IMPLIED: &[(&str, &str)] = &[
    ("properties", "object"),
    ("required", "object"),
    ("additionalProperties", "object"),
    ("patternProperties", "object"),
    ("items", "array"),
    ("prefixItems", "array"),
    ("pattern", "string"),
    ("minLength", "string"),
    ("maxLength", "string"),
];

const OPENAI_CONSTRAINTS: &[&str] = &[
    "pattern",
    "format",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minItems",
    "maxItems",
];

const OPENAI_FORMATS: &[&str] =
    &["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"];

const OPENAI_STRICT: Rules = Rules {
    constraints: OPENAI_CONSTRAINTS,
    formats: OPENAI_FORMATS,
    closed: true,
    all_required: true,
    object_root: true,
    constants: true,
    tuples: false,
    ordering: false,
    small_min_items: false,
    limits: Some(Limits { levels: 10, properties: 5_000, enum_values: 1_000, characters: 120_000 }),
};

const OPENAI_LOOSE: Rules = Rules { closed: false, all_required: false, limits: None, ..OPENAI_STRICT };

const ANTHROPIC: Rules = Rules {
    constraints: &["pattern", "format", "minItems"],
    formats: &["date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"],
    all_required: false,
    small_min_items: true,
    limits: None,
    ..OPENAI_STRICT
};

const GEMINI: Rules = Rules {
    constraints: &["format", "minItems", "maxItems", "minimum", "maximum"],
    formats: &["date-time", "time", "date"],
    closed: false,
    all_required: false,
    object_root: false,
    constants: false,
    tuples: true,
    ordering: true,
    limits: None,
    ..OPENAI_STRICT
};

/// Tools lose their bounds on the way into the model's template, so bounds are words here, too.
const OLLAMA: Rules = Rules {
    constraints: &["format", "minItems", "maxItems"],
    formats: &["date-time", "time", "date", "uuid"],
    constants: true,
    ordering: false,
    ..GEMINI
};
