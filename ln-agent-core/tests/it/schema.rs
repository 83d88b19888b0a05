//! One schema in every dialect, and answers on their way back.

use ln_agent_core::llm::schema::{Dialect, SchemaError, lower, raise};
use proptest::prelude::*;
use serde_json::{Value, json};

/// What our stages and tools write, in one schema.
fn source() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "PayArgs",
        "type": "object",
        "properties": {
            "node": { "type": "integer", "format": "uint32", "minimum": 1, "description": "Paying node." },
            "label": { "type": ["string", "null"], "maxLength": 64, "default": null },
            "amount": { "anyOf": [{ "type": "integer", "minimum": 1 }, { "type": "string", "const": "any" }] },
            "mode": { "enum": ["fast", "cheap"], "default": "fast" },
            "peer": { "$ref": "#/$defs/Peer", "description": "To whom" },
            "tags": { "type": "array", "items": { "type": "string", "pattern": "^(?!x)" }, "maxItems": 3 },
            "until": { "type": "string", "format": "date-time" },
        },
        "required": ["node", "amount", "peer"],
        "additionalProperties": false,
        "$defs": {
            "Peer": { "title": "Peer", "oneOf": [
                { "type": "object", "properties": { "kind": { "const": "id" } }, "required": ["kind"] },
                { "allOf": [{ "$ref": "#/$defs/Host" }] },
            ] },
            "Host": { "type": "object", "properties": { "host": { "type": "string", "format": "hostname" } } },
        },
    })
}

#[test]
fn openai_strict_requires_every_member_and_closes_every_object() {
    same(
        Dialect::OpenAiStrict,
        source(),
        json!({
            "type": "object",
            "properties": {
                "node": { "type": "integer", "description": "Paying node.", "minimum": 1 },
                "label": { "type": ["string", "null"], "description": "At most 64 characters." },
                "amount": { "anyOf": [{ "type": "integer", "minimum": 1 }, { "type": "string", "const": "any" }] },
                "mode": { "type": ["string", "null"], "enum": ["fast", "cheap", null] },
                "peer": { "description": "To whom", "anyOf": [
                    {
                        "type": "object",
                        "properties": { "kind": { "type": "string", "const": "id" } },
                        "required": ["kind"],
                        "additionalProperties": false,
                    },
                    {
                        "type": "object",
                        "properties": { "host": { "type": ["string", "null"], "format": "hostname" } },
                        "required": ["host"],
                        "additionalProperties": false,
                    },
                ] },
                "tags": {
                    "type": ["array", "null"],
                    "maxItems": 3,
                    "items": { "type": "string", "description": "Matches the regular expression `^(?!x)`." },
                },
                "until": { "type": ["string", "null"], "format": "date-time" },
            },
            "required": ["node", "label", "amount", "mode", "peer", "tags", "until"],
            "additionalProperties": false,
        }),
    );
}

#[test]
fn openai_loose_leaves_optional_what_is_optional() {
    same(
        Dialect::OpenAiLoose,
        source(),
        json!({
            "type": "object",
            "properties": {
                "node": { "type": "integer", "description": "Paying node.", "minimum": 1 },
                "label": { "type": ["string", "null"], "description": "At most 64 characters." },
                "amount": { "anyOf": [{ "type": "integer", "minimum": 1 }, { "type": "string", "const": "any" }] },
                "mode": { "type": "string", "enum": ["fast", "cheap"] },
                "peer": { "description": "To whom", "anyOf": [
                    { "type": "object", "properties": { "kind": { "type": "string", "const": "id" } }, "required": ["kind"] },
                    { "type": "object", "properties": { "host": { "type": "string", "format": "hostname" } } },
                ] },
                "tags": {
                    "type": "array",
                    "maxItems": 3,
                    "items": { "type": "string", "description": "Matches the regular expression `^(?!x)`." },
                },
                "until": { "type": "string", "format": "date-time" },
            },
            "required": ["node", "amount", "peer"],
            "additionalProperties": false,
        }),
    );
}

#[test]
fn anthropic_gets_its_bounds_in_words() {
    same(
        Dialect::Anthropic,
        source(),
        json!({
            "type": "object",
            "properties": {
                "node": { "type": "integer", "description": "Paying node. At least 1." },
                "label": { "type": ["string", "null"], "description": "At most 64 characters." },
                "amount": { "anyOf": [
                    { "type": "integer", "description": "At least 1." },
                    { "type": "string", "const": "any" },
                ] },
                "mode": { "type": "string", "enum": ["fast", "cheap"] },
                "peer": { "description": "To whom", "anyOf": [
                    {
                        "type": "object",
                        "properties": { "kind": { "type": "string", "const": "id" } },
                        "required": ["kind"],
                        "additionalProperties": false,
                    },
                    {
                        "type": "object",
                        "properties": { "host": { "type": "string", "format": "hostname" } },
                        "additionalProperties": false,
                    },
                ] },
                "tags": {
                    "type": "array",
                    "description": "At most 3 items.",
                    "items": { "type": "string", "description": "Matches the regular expression `^(?!x)`." },
                },
                "until": { "type": "string", "format": "date-time" },
            },
            "required": ["node", "amount", "peer"],
            "additionalProperties": false,
        }),
    );
}

#[test]
fn gemini_gets_enumerations_of_one_and_an_order() {
    same(
        Dialect::Gemini,
        source(),
        json!({
            "type": "object",
            "properties": {
                "node": { "type": "integer", "description": "Paying node.", "minimum": 1 },
                "label": { "type": ["string", "null"], "description": "At most 64 characters." },
                "amount": { "anyOf": [{ "type": "integer", "minimum": 1 }, { "type": "string", "enum": ["any"] }] },
                "mode": { "type": "string", "enum": ["fast", "cheap"] },
                "peer": { "description": "To whom", "anyOf": [
                    {
                        "type": "object",
                        "properties": { "kind": { "type": "string", "enum": ["id"] } },
                        "required": ["kind"],
                        "propertyOrdering": ["kind"],
                    },
                    {
                        "type": "object",
                        "properties": { "host": { "type": "string", "description": "In the format `hostname`." } },
                        "propertyOrdering": ["host"],
                    },
                ] },
                "tags": {
                    "type": "array",
                    "maxItems": 3,
                    "items": { "type": "string", "description": "Matches the regular expression `^(?!x)`." },
                },
                "until": { "type": "string", "format": "date-time" },
            },
            "required": ["node", "amount", "peer"],
            "propertyOrdering": ["node", "label", "amount", "mode", "peer", "tags", "until"],
        }),
    );
}

#[test]
fn ollama_gets_a_plain_schema_for_its_grammar() {
    same(
        Dialect::Ollama,
        source(),
        json!({
            "type": "object",
            "properties": {
                "node": { "type": "integer", "description": "Paying node. At least 1." },
                "label": { "type": ["string", "null"], "description": "At most 64 characters." },
                "amount": { "anyOf": [
                    { "type": "integer", "description": "At least 1." },
                    { "type": "string", "const": "any" },
                ] },
                "mode": { "type": "string", "enum": ["fast", "cheap"] },
                "peer": { "description": "To whom", "anyOf": [
                    { "type": "object", "properties": { "kind": { "type": "string", "const": "id" } }, "required": ["kind"] },
                    {
                        "type": "object",
                        "properties": { "host": { "type": "string", "description": "In the format `hostname`." } },
                    },
                ] },
                "tags": {
                    "type": "array",
                    "maxItems": 3,
                    "items": { "type": "string", "description": "Matches the regular expression `^(?!x)`." },
                },
                "until": { "type": "string", "format": "date-time" },
            },
            "required": ["node", "amount", "peer"],
            "additionalProperties": false,
        }),
    );
}

/// Single forms: a member's schema, and what becomes of it.
#[test]
fn single_forms_are_rewritten_as_the_dialect_needs() {
    use Dialect::{Anthropic, Gemini, Ollama, OpenAiLoose, OpenAiStrict};
    let cases = [
        // Fixed values.
        (
            Gemini,
            json!({ "enum": ["a", null] }),
            json!({ "anyOf": [{ "type": "string", "enum": ["a"] }, { "type": "null" }] }),
        ),
        (Gemini, json!({ "const": true }), json!({ "type": "boolean", "description": "Always true." })),
        (Gemini, json!({ "const": null }), json!({ "type": "null" })),
        (
            Anthropic,
            json!({ "enum": [{ "a": 1 }, 2], "type": "integer" }),
            json!({ "type": "integer", "description": "One of {\"a\":1}, 2." }),
        ),
        (Ollama, json!({ "enum": [1, "a"] }), json!({ "type": ["integer", "string"], "enum": [1, "a"] })),
        // Bounds.
        (
            Anthropic,
            json!({ "type": "array", "items": { "type": "null" }, "minItems": 2, "uniqueItems": true }),
            json!({ "type": "array", "description": "At least 2 items, no item twice.", "items": { "type": "null" } }),
        ),
        (
            Anthropic,
            json!({ "type": "array", "items": { "type": "null" }, "minItems": 1 }),
            json!({ "type": "array", "minItems": 1, "items": { "type": "null" } }),
        ),
        (
            Gemini,
            json!({ "type": "number", "exclusiveMinimum": 0, "multipleOf": 5, "description": "How much" }),
            json!({ "type": "number", "description": "How much. More than 0, a multiple of 5." }),
        ),
        (
            OpenAiStrict,
            json!({ "type": "string", "minLength": 1, "pattern": "^[a-z]+$", "format": "uri", "not": { "const": "x" } }),
            json!({ "type": "string",
                "description": "At least 1 character, in the format `uri`, never of the form {\"const\":\"x\"}.",
                "pattern": "^[a-z]+$" }),
        ),
        // Lists with places.
        (
            OpenAiStrict,
            json!({ "type": "array", "prefixItems": [{ "type": "string" }, { "type": "integer" }] }),
            json!({ "type": "array", "description": "The items are, in this order: string, integer.",
                "items": { "anyOf": [{ "type": "string" }, { "type": "integer" }] } }),
        ),
        (
            Gemini,
            json!({ "type": "array", "prefixItems": [{ "const": 1 }], "items": false }),
            json!({ "type": "array", "prefixItems": [{ "type": "integer", "enum": [1] }] }),
        ),
        // Choices.
        (OpenAiStrict, json!({ "anyOf": [{ "type": "string" }] }), json!({ "type": "string" })),
        (
            OpenAiStrict,
            json!({ "type": "integer", "oneOf": [{ "minimum": 5 }, { "maximum": 2 }] }),
            json!({ "anyOf": [{ "type": "integer", "minimum": 5 }, { "type": "integer", "maximum": 2 }] }),
        ),
        (
            Ollama,
            json!({ "anyOf": [{ "anyOf": [{ "type": "string" }, { "type": "null" }] }, { "type": "null" }] }),
            json!({ "anyOf": [{ "type": "string" }, { "type": "null" }] }),
        ),
        // Both must hold.
        (
            OpenAiLoose,
            json!({ "allOf": [{ "type": "number", "minimum": 1 }, { "type": "integer", "minimum": 3, "maximum": 9 }] }),
            json!({ "type": "integer", "minimum": 3, "maximum": 9 }),
        ),
        // Maps and anything.
        (
            OpenAiLoose,
            json!({ "type": "object", "additionalProperties": { "const": 1 } }),
            json!({ "type": "object", "additionalProperties": { "type": "integer", "const": 1 } }),
        ),
        (Gemini, json!(true), json!({})),
        (
            Anthropic,
            json!({ "type": "object", "additionalProperties": false }),
            json!({ "type": "object", "properties": {}, "additionalProperties": false }),
        ),
    ];
    for (dialect, member, expected) in cases {
        let lowered = lower(&with_member(member), dialect).unwrap();
        assert_eq!(lowered["properties"]["m"].to_string(), expected.to_string(), "{dialect:?}");
    }
}

#[test]
fn an_optional_member_of_a_strict_schema_may_be_null() {
    let cases = [
        (json!({ "type": "string" }), json!({ "type": ["string", "null"] })),
        (json!({ "type": ["string", "integer"] }), json!({ "type": ["string", "integer", "null"] })),
        (json!({ "type": "null" }), json!({ "type": "null" })),
        (
            json!({ "const": 1, "description": "One." }),
            json!({ "description": "One.", "anyOf": [{ "type": "integer", "const": 1 }, { "type": "null" }] }),
        ),
        (
            json!({ "anyOf": [{ "type": "string" }, { "type": "integer" }] }),
            json!({ "anyOf": [{ "type": "string" }, { "type": "integer" }, { "type": "null" }] }),
        ),
        (
            json!({ "anyOf": [{ "type": "string" }, { "type": ["integer", "null"] }] }),
            json!({ "anyOf": [{ "type": "string" }, { "type": ["integer", "null"] }] }),
        ),
    ];
    for (member, expected) in cases {
        let schema = json!({ "type": "object", "properties": { "m": member } });
        let lowered = lower(&schema, Dialect::OpenAiStrict).unwrap();
        assert_eq!(lowered["properties"]["m"].to_string(), expected.to_string());
    }
}

#[test]
fn what_has_no_strict_form_is_refused_by_place_and_shown_loosely() {
    let plan = json!({ "type": "object", "properties": { "steps": { "type": "array", "items": {
        "type": "object", "properties": { "args": { "type": "object" } }, "required": ["args"],
    } } } });
    let cases = [
        (plan, "steps[].args may hold anything, which cannot be strict"),
        (with_member(json!({})), "m may hold anything, which cannot be strict"),
        (with_member(json!({ "type": "array" })), "m[] may hold anything, which cannot be strict"),
        (
            with_member(json!({ "anyOf": [{ "type": "string" }, { "type": "object" }] })),
            "m.anyOf[1] may hold anything, which cannot be strict",
        ),
        (
            with_member(json!({ "type": "object", "additionalProperties": { "type": "string" } })),
            "m may hold anything, which cannot be strict",
        ),
        (
            with_member(json!({ "type": "object", "properties": {}, "additionalProperties": true })),
            "m may hold anything, which cannot be strict",
        ),
    ];
    for (schema, expected) in cases {
        for dialect in [Dialect::OpenAiStrict, Dialect::Anthropic] {
            assert_eq!(lower(&schema, dialect).unwrap_err().to_string(), expected);
        }
        assert!(lower(&schema, Dialect::OpenAiLoose).is_ok(), "{schema}");
    }
}

#[test]
fn a_schema_without_end_or_sense_is_refused_in_every_dialect() {
    let tree = json!({ "type": "object", "properties": { "next": { "$ref": "#" } } });
    let mut defs = json!({ "d0": { "type": "string" } });
    for level in 1..30 {
        let twice = json!({ "$ref": format!("#/$defs/d{}", level - 1) });
        defs[format!("d{level}")] = json!({ "type": "object", "properties": { "a": twice, "b": twice } });
    }
    let bomb = json!({ "$ref": "#/$defs/d29", "$defs": defs });
    let mut deep = json!({ "type": "string" });
    for _ in 0..100 {
        deep = json!({ "type": "array", "items": deep });
    }
    let both = json!({ "allOf": [{ "type": "string" }, { "type": "integer" }] });
    let cases = [
        (tree, "next refers to `#`, in which it stands"),
        (with_member(json!({ "$ref": "#/$defs/x" })), "m refers to `#/$defs/x`, which is not in the schema"),
        (
            with_member(json!({ "$ref": "https://x/y" })),
            "m refers to `https://x/y`, which is not in the schema",
        ),
        (bomb, "the schema has more than 20000 parts"),
        (with_member(both), "m has two different `type` that cannot both hold"),
        (with_member(json!(false)), "`false` at m has a value that no schema gives it"),
        (with_member(json!({ "anyOf": 1 })), "`anyOf` at m has a value that no schema gives it"),
    ];
    for dialect in Dialect::ALL {
        for (schema, expected) in &cases {
            let error = lower(schema, dialect).unwrap_err().to_string();
            assert_eq!(&error, expected, "{dialect:?}");
        }
        let error = lower(&with_member(deep.clone()), dialect).unwrap_err().to_string();
        assert!(error.ends_with("is nested deeper than 64 levels"), "{error}");
    }
}

#[test]
fn openai_counts_levels_members_and_values() {
    let mut deep = json!({ "type": "string" });
    for _ in 0..10 {
        deep = with_member(deep);
    }
    let members: serde_json::Map<String, Value> =
        (0..5_001).map(|n| (format!("m{n}"), json!({ "type": "string" }))).collect();
    let values: Vec<u32> = (0..1_001).collect();
    assert!(lower(&deep, Dialect::OpenAiStrict).is_ok());
    let error = |schema| lower(&schema, Dialect::OpenAiStrict).unwrap_err();

    let path = "(root)".to_owned();
    assert_eq!(error(with_member(deep)), SchemaError::TooDeep { path, limit: 10 });
    let wide = json!({ "type": "object", "properties": members });
    assert_eq!(error(wide), SchemaError::TooLarge { what: "properties", limit: 5_000 });
    let long = with_member(json!({ "enum": values }));
    assert_eq!(error(long), SchemaError::TooLarge { what: "fixed values", limit: 1_000 });
    let what = "characters in names and fixed values";
    let text = with_member(json!({ "const": "x".repeat(120_000) }));
    assert_eq!(error(text), SchemaError::TooLarge { what, limit: 120_000 });
}

#[test]
fn the_outermost_schema_is_an_object_where_that_is_needed() {
    for schema in [
        json!({ "type": "string" }),
        json!({ "anyOf": [with_member(json!({ "const": 1 })), { "type": "null" }] }),
    ] {
        for dialect in [Dialect::OpenAiStrict, Dialect::OpenAiLoose, Dialect::Anthropic] {
            assert_eq!(lower(&schema, dialect), Err(SchemaError::RootNotObject));
        }
        assert!(lower(&schema, Dialect::Ollama).is_ok());
    }
}

#[test]
fn an_answer_loses_the_nulls_that_only_strictness_wanted() {
    let source = json!({
        "type": "object",
        "properties": {
            "label": { "type": "string" },
            "note": { "type": ["string", "null"] },
            "must": { "type": "string" },
            "any": true,
            "peer": { "$ref": "#/$defs/Peer" },
            "steps": { "type": "array", "items": { "allOf": [{ "$ref": "#/$defs/Step" }] } },
        },
        "required": ["must"],
        "$defs": {
            "Step": { "type": "object", "properties": { "id": { "type": "integer" }, "retries": { "type": "integer" } } },
            "Peer": { "oneOf": [
                { "type": "object", "properties": { "kind": { "const": "id" }, "id": { "type": "string" } }, "required": ["kind"], "additionalProperties": false },
                { "type": "object", "properties": { "kind": { "const": "host" }, "port": { "type": "integer" } }, "required": ["kind"], "additionalProperties": false },
                { "type": "object", "properties": { "kind": { "const": "raw" }, "port": { "type": ["integer", "null"] } }, "required": ["kind"], "additionalProperties": false },
            ] },
        },
    });
    let cases = [
        (
            json!({ "label": null, "note": null, "must": null, "any": null, "more": null }),
            json!({ "note": null, "must": null, "any": null, "more": null }),
        ),
        (
            json!({ "steps": [{ "id": 1, "retries": null }, { "id": null, "retries": 2 }] }),
            json!({ "steps": [{ "id": 1 }, { "retries": 2 }] }),
        ),
        (json!({ "peer": { "kind": "host", "port": null } }), json!({ "peer": { "kind": "host" } })),
        (
            json!({ "peer": { "kind": "raw", "port": null } }),
            json!({ "peer": { "kind": "raw", "port": null } }),
        ),
        (json!({ "peer": null, "steps": null, "label": "x" }), json!({ "label": "x" })),
        (json!([1, null]), json!([1, null])),
    ];
    for (answer, expected) in cases {
        assert_eq!(raise(answer, &source).to_string(), expected.to_string());
    }
    // A type that holds itself only through itself has no form; nothing hangs.
    let empty = json!({ "$ref": "#" });
    assert_eq!(raise(json!({ "a": null }), &empty), json!({ "a": null }));
}

/// Schemas as programs write them.
fn schemas() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!({ "type": "string", "minLength": 1, "format": "uuid" })),
        Just(json!({ "type": "integer", "minimum": 0, "maximum": 10, "format": "int64", "default": 3 })),
        Just(json!({ "enum": ["a", null, true] })),
        Just(json!({ "const": "x", "title": "X" })),
        Just(json!({ "type": ["boolean", "null"], "description": "Whether" })),
        Just(json!({ "$ref": "#/$defs/Leaf" })),
        Just(json!({ "type": "array", "prefixItems": [{ "type": "string" }, { "const": 2 }] })),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 1..4).prop_map(|forms| json!({ "oneOf": forms })),
            inner.clone().prop_map(|form| json!({ "allOf": [form], "description": "One" })),
            inner.clone().prop_map(|form| json!({ "type": "array", "items": form, "minItems": 2 })),
            prop::collection::btree_map("[a-d]", (inner, any::<bool>()), 0..4).prop_map(|members| {
                let required: Vec<&String> =
                    members.iter().filter(|(_, (_, required))| *required).map(|(name, _)| name).collect();
                let properties: serde_json::Map<String, Value> =
                    members.iter().map(|(name, (form, _))| (name.clone(), form.clone())).collect();
                json!({ "type": "object", "properties": properties, "required": required })
            }),
        ]
    })
}

proptest! {
    #[test]
    fn a_lowered_schema_is_in_its_dialect_and_lowers_to_itself(member in schemas()) {
        let mut schema = with_member(member);
        schema["$defs"] = json!({ "Leaf": { "type": "number", "exclusiveMaximum": 7, "examples": [1] } });
        for dialect in Dialect::ALL {
            let lowered = match lower(&schema, dialect) {
                Err(SchemaError::TooDeep { limit: 10, .. }) => continue,
                lowered => lowered.unwrap(),
            };
            prop_assert_eq!(foreign(&lowered, dialect), Vec::<String>::new());
            prop_assert_eq!(lower(&lowered, dialect).unwrap().to_string(), lowered.to_string());
        }
    }
}

/// Everything in a lowered schema that its dialect does not take.
fn foreign(schema: &Value, dialect: Dialect) -> Vec<String> {
    let mut known =
        vec!["type", "description", "properties", "required", "items", "enum", "anyOf", "format", "minItems"];
    known.extend_from_slice(match dialect {
        Dialect::OpenAiStrict | Dialect::OpenAiLoose => &[
            "additionalProperties",
            "const",
            "pattern",
            "minimum",
            "maximum",
            "exclusiveMinimum",
            "exclusiveMaximum",
            "multipleOf",
            "maxItems",
        ],
        Dialect::Anthropic => &["additionalProperties", "const", "pattern"],
        Dialect::Gemini => &["propertyOrdering", "prefixItems", "minimum", "maximum", "maxItems"],
        Dialect::Ollama => &["additionalProperties", "const", "prefixItems", "maxItems"],
        other => panic!("{other:?} is new"),
    });
    let Some(object) = schema.as_object() else { return vec![format!("{schema} is no object")] };
    let mut found: Vec<String> =
        object.keys().filter(|keyword| !known.contains(&keyword.as_str())).cloned().collect();
    let is_object = schema["type"] == "object" || schema["type"] == json!(["object", "null"]);
    if is_object
        && matches!(dialect, Dialect::OpenAiStrict | Dialect::Anthropic)
        && schema["additionalProperties"] != false
    {
        found.push("an open object".into());
    }
    let names: Vec<&String> =
        schema["properties"].as_object().into_iter().flat_map(|members| members.keys()).collect();
    if is_object && dialect == Dialect::OpenAiStrict && schema["required"] != json!(names) {
        found.push("an optional member".into());
    }
    if dialect == Dialect::Anthropic && schema["minItems"].as_u64().is_some_and(|least| least > 1) {
        found.push("minItems".into());
    }
    let inner = schema["properties"].as_object().into_iter().flat_map(|members| members.values());
    let lists =
        ["anyOf", "prefixItems"].into_iter().filter_map(|keyword| schema[keyword].as_array()).flatten();
    for schema in inner.chain(lists).chain(schema.get("items")) {
        found.extend(foreign(schema, dialect));
    }
    found
}

fn with_member(member: Value) -> Value {
    json!({ "type": "object", "properties": { "m": member }, "required": ["m"] })
}

/// Compared as text, so that the order of members counts.
fn same(dialect: Dialect, schema: Value, expected: Value) {
    let lowered = lower(&schema, dialect).unwrap();
    assert_eq!(format!("{lowered:#}"), format!("{expected:#}"));
}
