//! `docs/tools.md` is what the tools say of themselves. `UPDATE_DOCS=1` writes it anew.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use ln_agent_core::llm::schema::{Dialect, SchemaError, lower};
use ln_agent_core::tool::{Effect, Registry, ToolSpec};
use ln_agent_mcp::node::{Nodes, NodesConfig};
use ln_agent_mcp::tools;
use ln_agent_mcp::tools::passthrough::blocked_commands;
use serde_json::Value;

/// The eleven families in the order of the documents. `ln_listtransactions` stands in two.
const FAMILIES: [(&str, &str); 11] = [
    ("System and health", "network_health sys_netinfo memory_lookup"),
    (
        "Bitcoin, reading",
        "btc_getblockchaininfo btc_getbalance btc_listtransactions btc_gettransaction btc_getmempoolinfo \
         btc_estimatefee",
    ),
    ("Bitcoin, writing", "btc_wallet_ensure btc_getnewaddress btc_sendtoaddress btc_generatetoaddress"),
    (
        "Node lifecycle",
        "ln_listnodes ln_node_create ln_node_status ln_node_start ln_node_stop ln_node_delete",
    ),
    (
        "Lightning, reading",
        "ln_getinfo ln_listpeers ln_listfunds ln_listchannels ln_newaddr ln_listforwards ln_feerates ln_listpays \
         ln_decodepay ln_waitanyinvoice ln_listoffers ln_listtransactions",
    ),
    ("Lightning, channels and peers", "ln_connect ln_openchannel ln_closechannel ln_setchannel"),
    ("Payments", "ln_invoice ln_pay ln_keysend ln_listinvoices ln_waitinvoice"),
    ("BOLT 12 offers", "ln_offer ln_fetchinvoice"),
    ("On-chain and utility", "ln_withdraw ln_listtransactions ln_signmessage"),
    ("Passthrough", "ln_raw btc_raw"),
    ("HTTP", "http_fetch"),
];

const HEAD: &str = "# The 47 tools

Written by the tools themselves: `UPDATE_DOCS=1 cargo test -p ln-agent-mcp --test it tool_catalogue` writes this page, and
a test fails when it is out of date. `ln-agent tools NAME` shows the same with the whole JSON schema.

- Arguments are checked before any node is asked: unknown, missing, mistyped and out-of-range ones are refused by name.
  `\"1\"` is read as 1 where a number is wanted, and `{\"tool\": …, \"args\": {…}}` is unwrapped.
- Nodes are counted from 1 to the number in `node_count` of the runtime directory.
- An answer is `{\"ok\": true, \"payload\": …}`, or `{\"ok\": false, \"error\": \"one line\", \"payload\": null}`.
- *read* looks only; *write* changes state, but no money leaves your nodes; *spend* can move money. Policy, approval,
  confirmation and retries follow from that word. The effect of `ln_raw`, `btc_raw` and `http_fetch` is that of each single
  call: the word below is the most they can do.
";

fn registry() -> Registry {
    tools::registry(&Nodes::new(NodesConfig::at("/nowhere".as_ref())))
}

fn rows() -> Vec<&'static str> {
    FAMILIES.iter().flat_map(|(_, names)| names.split_whitespace()).collect()
}

#[test]
fn there_are_47_tools_in_48_rows_of_eleven_families() {
    let mut counts = BTreeMap::<&str, usize>::new();
    for name in rows() {
        *counts.entry(name).or_default() += 1;
    }

    assert_eq!((rows().len(), counts.len()), (48, 47));
    let twice: Vec<_> = counts.iter().filter(|(_, count)| **count > 1).collect();
    assert_eq!(twice, [(&"ln_listtransactions", &2)]);
    let registered: BTreeSet<String> = registry().specs().map(|spec| spec.name.clone()).collect();
    assert_eq!(registered, counts.keys().map(|name| (*name).to_owned()).collect());
}

#[test]
fn the_effects_are_those_of_the_mission() {
    let changing: BTreeSet<String> =
        registry().specs().filter(|spec| spec.effect.changes_state()).map(|spec| spec.name.clone()).collect();

    let expected = "btc_wallet_ensure btc_getnewaddress btc_sendtoaddress btc_generatetoaddress ln_node_create \
                    ln_node_start ln_node_stop ln_node_delete ln_connect ln_openchannel ln_closechannel ln_setchannel \
                    ln_invoice ln_pay ln_keysend ln_offer ln_fetchinvoice ln_withdraw ln_raw btc_raw http_fetch";
    let expected: BTreeSet<String> = expected.split_whitespace().map(str::to_owned).collect();
    assert_eq!(changing, expected);
    // A GET looks only, and counts as that.
    let get = serde_json::json!({ "url": "http://127.0.0.1/" });
    assert_eq!(registry().effect_of("http_fetch", get.as_object().unwrap()), Effect::Read);
}

#[test]
fn whatever_may_take_longer_than_an_ordinary_call_says_so() {
    let config = NodesConfig::at("/nowhere".as_ref());
    let registry = registry();
    let budget = |name: &str| registry.spec(name).unwrap().budget.unwrap_or_default();

    for name in ["ln_waitinvoice", "ln_waitanyinvoice"] {
        assert!(budget(name) >= config.call_timeout * 2, "{name}: {:?}", budget(name));
    }
    for name in [
        "ln_node_start",
        "ln_node_stop",
        "ln_getinfo",
        "ln_closechannel",
        "ln_pay",
        "network_health",
        "btc_generatetoaddress",
    ] {
        assert!(budget(name) >= config.call_timeout, "{name}: {:?}", budget(name));
    }
    assert_eq!(budget("btc_getbalance"), std::time::Duration::ZERO);
}

#[test]
fn every_input_schema_has_a_form_in_every_dialect_or_says_why_not() {
    let mut free_forms = BTreeSet::new();
    for dialect in Dialect::ALL {
        let is_strict = matches!(dialect, Dialect::OpenAiStrict | Dialect::Anthropic);
        for spec in registry().specs() {
            let names: Vec<&str> = spec.arguments().map(|(name, _)| name).collect();
            match lower(&spec.input_schema, dialect) {
                Ok(lowered) => {
                    let lowered: Vec<&String> = lowered["properties"].as_object().unwrap().keys().collect();
                    assert_eq!(lowered, names, "{} in {dialect:?}", spec.name);
                }
                Err(SchemaError::FreeForm { path }) if is_strict => {
                    free_forms.insert(format!("{}: {path}", spec.name));
                }
                Err(error) => panic!("{} in {dialect:?}: {error}", spec.name),
            }
        }
    }
    // What a node is passed on, and headers, have names that nobody lists.
    let expected =
        ["btc_raw: args.anyOf[0].anyOf[0][]", "http_fetch: headers", "ln_raw: args.anyOf[0].anyOf[0][]"];
    assert_eq!(free_forms.into_iter().collect::<Vec<_>>(), expected);
}

#[test]
fn the_page_about_the_tools_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/tools.md");
    let page = page(&registry());
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(written == page, "docs/tools.md is out of date: run this test with UPDATE_DOCS=1");
}

fn page(registry: &Registry) -> String {
    let mut page = HEAD.to_owned();
    let mut seen = BTreeSet::new();
    for (family, names) in FAMILIES {
        writeln!(page, "\n## {family}").unwrap();
        for name in names.split_whitespace() {
            let spec = registry.spec(name).unwrap();
            if seen.insert(name) {
                section(&mut page, spec);
            } else {
                writeln!(page, "\n### `{name}` (again)\n\nThe same tool as above.").unwrap();
            }
        }
    }
    page
}

fn section(page: &mut String, spec: &ToolSpec) {
    writeln!(page, "\n### `{}`\n\n*{}*. {}", spec.name, spec.effect.name(), spec.description).unwrap();
    let required: BTreeSet<&str> = spec.required().collect();
    if spec.arguments().next().is_none() {
        page.push_str("\nNo arguments.\n");
    } else {
        page.push_str("\n| argument | form | meaning |\n|---|---|---|\n");
    }
    for (name, schema) in spec.arguments() {
        let mark = if required.contains(name) { "" } else { "?" };
        let text = schema["description"].as_str().unwrap_or_default().replace('|', "\\|");
        writeln!(page, "| `{name}`{mark} | {} | {text} |", form(schema)).unwrap();
    }
    if let Some(blocked) = blocked_commands(&spec.name) {
        let names: Vec<String> = blocked.iter().map(|name| format!("`{name}`")).collect();
        writeln!(page, "\nNever passed on (`*`: whatever begins so): {}.", names.join(", ")).unwrap();
    }
}

/// Type and range, in a few words.
fn form(schema: &Value) -> String {
    if let Some(forms) = schema["anyOf"].as_array().or(schema["oneOf"].as_array()) {
        let forms: Vec<String> = forms.iter().filter(|one| one["type"] != "null").map(form).collect();
        return forms.join(" or ");
    }
    if let Some(word) = schema["const"].as_str() {
        return format!("`{word}`");
    }
    if let Some(words) = schema["enum"].as_array() {
        let words: Vec<String> =
            words.iter().filter_map(Value::as_str).map(|word| format!("`{word}`")).collect();
        return words.join(" or ");
    }
    let kind = match &schema["type"] {
        Value::Array(kinds) => kinds.iter().find(|kind| *kind != "null").unwrap_or(&Value::Null),
        kind => kind,
    };
    let range = match (schema["minimum"].as_u64(), schema["maximum"].as_u64()) {
        (Some(least), Some(most)) => format!(" {least} to {most}"),
        (Some(least), None) => format!(" from {least}"),
        _ => String::new(),
    };
    format!("{}{range}", kind.as_str().unwrap_or("anything"))
}
