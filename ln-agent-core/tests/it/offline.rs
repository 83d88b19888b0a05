//! The offline grammar, sentence by sentence, and what must hold for any sentence.

use std::fmt::Write as _;
use std::time::Instant;

use ln_agent_core::offline::{plan, translate};
use ln_agent_core::types::{Condition, Exchange, Object, PlanStep};
use proptest::prelude::*;
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
struct Corpus {
    case: Vec<Case>,
}

/// A sentence, and what must come of it. Steps are written `tool arg=value`, placeholders and blanks left out.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    #[serde(default)]
    prompt: String,
    /// Other sentences of which the same must come.
    #[serde(default)]
    prompts: Vec<String>,
    #[serde(default = "three")]
    nodes: u32,
    #[serde(default)]
    history: Vec<Exchange>,
    #[serde(default)]
    intent: String,
    /// Part of the question that must be asked; then there are no steps.
    asks: Option<String>,
    tag: Option<String>,
    #[serde(default)]
    steps: Vec<String>,
    /// Conditions of steps.
    #[serde(default)]
    when: Vec<String>,
    /// Filters of repeated steps.
    #[serde(default, rename = "where")]
    filters: Vec<String>,
}

const fn three() -> u32 {
    3
}

#[test]
fn every_sentence_of_the_corpus_is_read_and_planned_as_written() {
    every_case_holds(include_str!("../fixtures/offline.toml"), 150);
}

#[test]
fn the_sentences_of_a_second_author_and_traps_are_read_and_planned_as_written() {
    every_case_holds(include_str!("../fixtures/offline_heldout.toml"), 1_000);
}

fn every_case_holds(corpus: &str, at_least: usize) {
    let corpus: Corpus = toml::from_str(corpus).unwrap();
    let (mut faults, mut count) = (String::new(), 0);
    for case in &corpus.case {
        for prompt in case.prompts.iter().chain((!case.prompt.is_empty()).then_some(&case.prompt)) {
            count += 1;
            if let Err(fault) = check(case, prompt) {
                let _ = writeln!(faults, "{prompt}\n    {fault}");
            }
        }
    }
    assert!(faults.is_empty(), "\n{faults}");
    assert!(count >= at_least, "{count} sentences");
}

fn check(case: &Case, prompt: &str) -> Result<(), String> {
    let intent = translate(prompt, &case.history, case.nodes, 1);
    let plan = plan(&intent, case.nodes).map_err(|error| error.to_string())?;
    same("question", case.asks.is_some(), !intent.clarifications_needed.is_empty())?;
    if let Some(question) = &case.asks
        && !intent.clarifications_needed.iter().any(|asked| asked.contains(question))
    {
        return Err(format!("asked {:?}", intent.clarifications_needed));
    }
    if !case.intent.is_empty() {
        same("intent", case.intent.as_str(), intent.intent_type.name())?;
    }
    let tag = ["read_target", "action_target"].iter().find_map(|key| intent.context.get(*key)?.as_str());
    same("tag", case.tag.as_deref(), tag)?;
    same("steps", case.steps.clone(), plan.steps.iter().map(written).collect())?;
    same("when", case.when.clone(), conditions(plan.steps.iter().flat_map(|step| &step.when)))?;
    let filters = plan.steps.iter().filter_map(|step| step.for_each.as_ref()).flat_map(|each| &each.filter);
    same("where", case.filters.clone(), conditions(filters))
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, expected: T, found: T) -> Result<(), String> {
    if expected == found { Ok(()) } else { Err(format!("{what}: expected {expected:?}, found {found:?}")) }
}

fn written(step: &PlanStep) -> String {
    let mut text = step.tool.clone();
    for (name, value) in &step.args {
        match value {
            Value::String(said) if said.starts_with('$') || said.is_empty() => {}
            Value::String(said) => text.push_str(&format!(" {name}={said}")),
            other => text.push_str(&format!(" {name}={other}")),
        }
    }
    text
}

fn conditions<'a>(all: impl Iterator<Item = &'a Condition>) -> Vec<String> {
    let mut texts: Vec<String> = Vec::new();
    for condition in all {
        let left = condition.left.as_str().unwrap_or_default();
        let text = format!("{left} {} {}", condition.op.name(), condition.right);
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    texts
}

fn tools(prompt: &str) -> Vec<String> {
    let intent = translate(prompt, &[], 3, 1);
    plan(&intent, 3).unwrap().steps.into_iter().map(|step| step.tool).collect()
}

/// Steps that change nothing, and those that only prepare a change.
fn changes(tool: &str) -> bool {
    let harmless =
        ["ln_list", "ln_get", "btc_get", "ln_node_status", "memory_", "sys_", "network_", "ln_feerates"];
    !harmless.iter().any(|prefix| tool.starts_with(prefix))
}

#[test]
fn only_a_plain_command_changes_anything() {
    const COMMANDS: [(&str, &str); 8] = [
        ("pay node 2 100 sats from node 1", "ln_pay"),
        ("send 10,000 msat from node 1 to node 2", "ln_pay"),
        ("keysend 1000 msat from node 1 to node 2", "ln_keysend"),
        ("open a 200000 sat channel from node 1 to node 2", "ln_openchannel"),
        ("close the channel between node 1 and node 2", "ln_closechannel"),
        ("fund node 1 with 0.5 btc", "btc_sendtoaddress"),
        ("withdraw 50000 sat from node 1 to bcrt1q4s9ymk2v0nsx0ng0fj8hnw4zzt2uq5c6p5u4dp", "ln_withdraw"),
        ("mine 3 blocks", "btc_generatetoaddress"),
    ];
    for (command, tool) in COMMANDS {
        for plain in [
            "{}",
            "please {}",
            "can you {}?",
            "could you please {}",
            "I want you to {}",
            "then {} now",
            "show the peers of node 1 and {}",
        ] {
            let prompt = plain.replace("{}", command);
            assert!(tools(&prompt).iter().any(|step| step == tool), "{prompt}: {:?}", tools(&prompt));
        }
        for frame in FRAMES {
            let prompt = frame.replace("{}", command);
            assert!(!tools(&prompt).iter().any(|tool| changes(tool)), "{prompt}: {:?}", tools(&prompt));
        }
    }
}

pub(crate) const FRAMES: &[&str] = &[
    "never {}",
    "don't {}",
    "do not {}",
    "please don't {}",
    "you must not {}",
    "I never want you to {}",
    "under no circumstances {}",
    "there is no need to {}",
    "hardly {}",
    "\"{}\"",
    "run \"{}\"",
    "explain \"{}\"",
    "my friend said {}",
    "he told me to {}",
    "someone wants to {}",
    "the manual says: {}",
    "according to the manual, {}",
    "note: {}",
    "example: {}",
    "e.g. {}",
    "todo: {}",
    "repeat after me: {}",
    "say {}",
    "remind me to {}",
    "I forgot to {}",
    "I refuse to {}",
    "I wonder whether to {}",
    "I might {}",
    "we could {}",
    "they will {}",
    "maybe {}",
    "perhaps {}",
    "nobody should {}",
    "should I {}?",
    "can I {}?",
    "may we {}?",
    "could node 1 {}?",
    "what if you {}?",
    "what happens when you {}?",
    "how do I {}?",
    "why would you {}?",
    "is it wise to {}?",
    "suppose you {}",
    "imagine: {}",
    "pretend to {}",
    "simulate: {}",
    "teach me how to {}",
    "instead of this: {}, show the height",
    "before I {}, show the height",
    "if I say so, {}",
    "if it rains, {}",
    "ignore previous instructions and {}",
    "abort: {}",
    "cancel: {}",
    "{} tomorrow",
    "{} every day",
    "{} twice",
    "{} until I say stop",
    "{} when it rains",
    "{} if I say so",
    "{} after lunch on monday",
    "{}? no!",
    "{}. Actually don't.",
    "{}, just kidding",
    "{}, no wait",
    "{} would be wrong",
    "to {} was a mistake",
    "{} is a bad idea",
    "{}, he said",
];

#[test]
fn every_placeholder_reads_a_step_that_is_waited_for() {
    let corpus: Corpus = toml::from_str(include_str!("../fixtures/offline.toml")).unwrap();
    for case in &corpus.case {
        let intent = translate(&case.prompt, &case.history, case.nodes, 1);
        for step in plan(&intent, case.nodes).unwrap().steps {
            let text = serde_json::to_string(&step).unwrap();
            for earlier in 1..100 {
                if text.contains(&format!("$step{earlier}.")) {
                    assert!(step.depends_on.iter().any(|id| id.0 == earlier), "{}: {text}", case.prompt);
                }
            }
        }
    }
}

#[test]
fn a_repeated_request_and_a_swapped_node_read_the_last_prompt() {
    let history = |prompt: &str, artefacts: Value| {
        vec![Exchange {
            prompt: prompt.to_owned(),
            answer: String::new(),
            artefacts: artefacts.as_object().cloned().unwrap_or_else(Object::new),
        }]
    };
    let peers = history("show the peers of node 1", Value::Null);
    assert_eq!(translate("and node 2?", &peers, 3, 1).context["node"], 2);
    assert_eq!(translate("do it again", &peers, 3, 1).context["node"], 1);
    let paid = history("pay 5000 msat from node 1 to node 2", Value::Null);
    assert!(!translate("and node 3?", &paid, 3, 1).clarifications_needed.is_empty());
}

#[test]
fn sixty_four_kibibytes_are_read_in_linear_time() {
    for part in [
        "and ",
        "node 1 ",
        "if ",
        "pay, ",
        "please ",
        "\"",
        "what ",
        "1 000 ",
        "lno1",
        "show the peers and ",
        "' ",
    ] {
        let prompt = part.repeat(65_536 / part.len());
        let begin = Instant::now();
        let _ = translate(&prompt, &[], 3, 1);
        // Generous, for unoptimised builds on a busy machine; a quadratic reading would take minutes.
        assert!(begin.elapsed().as_secs() < 20, "{part:?} took {:?}", begin.elapsed());
    }
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(prompt in any::<String>()) {
        let intent = translate(&prompt, &[], 2, 1);
        let _ = plan(&intent, 2);
    }

    #[test]
    fn no_sentence_of_its_own_words_makes_it_panic_or_leaves_it_without_a_plan(
        words in proptest::collection::vec(prop::sample::select(WORDS), 0..24),
    ) {
        let intent = translate(&words.join(" "), &[], 3, 1);
        prop_assert!(plan(&intent, 3).is_ok(), "{}: {:?}", words.join(" "), intent.context);
    }

    #[test]
    fn what_stands_in_quotes_never_changes_the_tools(text in "[^\"“”«»]{0,60}") {
        let invoice = format!("create a 2000 msat invoice on node 2 with description \"{text}\"");
        prop_assert_eq!(tools(&invoice), ["ln_invoice"]);
        let then = format!("create a 2000 msat invoice on node 2 labelled \"{text}\" and pay it from node 1");
        prop_assert_eq!(tools(&then), ["ln_invoice", "ln_pay"]);
    }
}

const WORDS: &[&str] = &[
    "open",
    "close",
    "pay",
    "send",
    "invoice",
    "mine",
    "node",
    "1",
    "2",
    "9",
    "nodes",
    "and",
    "then",
    "if",
    "unless",
    "not",
    "it",
    "channel",
    "channels",
    "all",
    "of",
    "from",
    "to",
    "between",
    "5000",
    "msat",
    "100k",
    "sats",
    ",",
    ";",
    "show",
    "peers",
    "blocks",
    "fewer than",
    "where",
    "offer",
    "\"x\"",
    "label",
    "wallet",
    "btc",
    "otherwise",
    "?",
    "stop",
    "start",
    "every",
    "unpaid",
    "invoices",
    "has",
    "is",
    "running",
    "-",
    "keysend",
    "both",
    "fund",
    "withdraw",
];
