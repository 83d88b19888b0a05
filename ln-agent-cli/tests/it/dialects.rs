//! Both batteries with a model of each dialect: a server of ours gives the recorded readings and plans as that provider
//! writes them, and the program does the rest.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use ln_agent_core::offline::{plan, translate};
use ln_agent_core::types::{Exchange, IntentBlock, Object};
use serde_json::{Value, json};

use crate::desk::{Desk, Said};

/// How a provider takes a question and writes an answer.
#[derive(Clone, Copy, Debug)]
enum Dialect {
    OpenAi,
    Anthropic,
    Gemini,
    Ollama,
}

/// A model server on loopback that answers until the test is over.
struct Model {
    base: String,
    asked: Arc<AtomicUsize>,
}

impl Model {
    fn speaking(dialect: Dialect) -> Self {
        Self::answering(dialect, answer)
    }

    fn answering(dialect: Dialect, answer: fn(&[String]) -> String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let asked = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&asked);
        std::thread::spawn(move || {
            for socket in listener.incoming() {
                let Ok(mut socket) = socket else { return };
                let count = Arc::clone(&count);
                std::thread::spawn(move || {
                    while let Some(request) = read(&mut socket) {
                        count.fetch_add(1, Ordering::Relaxed);
                        let body = dialect.reply(&answer(&dialect.texts(&request)), &request).to_string();
                        let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";
                        // The client may be gone already.
                        drop(write!(socket, "{head}content-length: {}\r\n\r\n{body}", body.len()));
                    }
                });
            }
        });
        Self { base, asked }
    }
}

fn read(socket: &mut TcpStream) -> Option<Value> {
    let mut bytes = Vec::new();
    loop {
        let mut chunk = [0; 65_536];
        let count = socket.read(&mut chunk).ok().filter(|count| *count > 0)?;
        bytes.extend_from_slice(&chunk[..count]);
        let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") else { continue };
        let head = String::from_utf8_lossy(&bytes[..end]).to_ascii_lowercase();
        let length = head.split("content-length: ").nth(1).and_then(|rest| rest.lines().next()?.parse().ok());
        if let Some(body) = bytes.get(end + 4..end + 4 + length.unwrap_or(0)) {
            return serde_json::from_slice(body).ok();
        }
    }
}

impl Dialect {
    /// Every text of a request, instructions first.
    fn texts(self, request: &Value) -> Vec<String> {
        let text = |value: &Value| match value {
            Value::String(text) => text.clone(),
            Value::Array(parts) => {
                parts.iter().filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("\n\n")
            }
            _ => String::new(),
        };
        let (system, turns, content) = match self {
            Self::OpenAi | Self::Ollama => (Value::Null, &request["messages"], "content"),
            Self::Anthropic => (request["system"].clone(), &request["messages"], "content"),
            Self::Gemini => (request["systemInstruction"]["parts"].clone(), &request["contents"], "parts"),
        };
        let turns = turns.as_array().into_iter().flatten().map(|turn| text(&turn[content]));
        [text(&system)].into_iter().chain(turns).filter(|text| !text.is_empty()).collect()
    }

    fn reply(self, said: &str, request: &Value) -> Value {
        let schema = match self {
            Self::OpenAi => "/response_format/json_schema/schema",
            Self::Anthropic => "/output_config/format/schema",
            Self::Gemini => "/generationConfig/responseJsonSchema",
            Self::Ollama => "/format",
        };
        assert!(request.pointer(schema).is_some_and(Value::is_object), "no schema in {request}");
        match self {
            Self::OpenAi => json!({
                "model": "m", "choices": [{"finish_reason": "stop", "message": {"content": said}}],
                "usage": {"prompt_tokens": 1, "completion_tokens": 1}}),
            Self::Anthropic => json!({
                "type": "message", "model": "m", "stop_reason": "end_turn",
                "content": [{"type": "text", "text": said}], "usage": {"input_tokens": 1, "output_tokens": 1}}),
            Self::Gemini => json!({
                "candidates": [{"finishReason": "STOP", "content": {"role": "model", "parts": [{"text": said}]}}],
                "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1}}),
            Self::Ollama => json!({
                "model": "m", "message": {"role": "assistant", "content": said}, "done": true, "done_reason": "stop",
                "prompt_eval_count": 1, "eval_count": 1}),
        }
    }
}

/// The recorded answer to a question of the translator or the planner.
fn answer(texts: &[String]) -> String {
    let all = texts.join("\n\n");
    let nodes =
        all.split("numbered 1 to ").nth(1).and_then(|rest| rest.split('.').next()?.parse().ok()).unwrap_or(2);
    if let Some((_, intent)) = all.split_once("Plan this intent:\n") {
        let intent: IntentBlock = serde_json::from_str(intent).unwrap();
        let steps = plan(&intent, nodes).unwrap().steps;
        return json!({ "plan_rationale": "as recorded", "steps": steps }).to_string();
    }
    let message = all.rsplit_once("Message: ").unwrap().1;
    let prompt = message.split_once("\n(Values in it: ").map_or(message, |(prompt, _)| prompt);
    let history: Vec<Exchange> = all.lines().filter_map(exchange).collect();
    let read = translate(prompt, &history, nodes, 1);
    json!({
        "goal": read.goal, "intent_type": read.intent_type.name(), "context": { "tasks": tasks(&read) },
        "success_criteria": read.success_criteria, "clarifications_needed": read.clarifications_needed,
        "human_summary": read.human_summary,
    })
    .to_string()
}

/// An earlier exchange as the translator's prompt shows it.
fn exchange(line: &str) -> Option<Exchange> {
    let shown: Value = serde_json::from_str(line).ok()?;
    Some(Exchange {
        prompt: shown["user"].as_str()?.to_owned(),
        answer: shown["agent"].as_str()?.to_owned(),
        artefacts: shown["artefacts"].as_object()?.clone(),
    })
}

/// The tasks that a model without fault gives for an intent.
fn tasks(intent: &IntentBlock) -> Vec<Value> {
    let tag = ["read_target", "action_target"].iter().find_map(|tag| intent.context.get(*tag));
    let clauses = match (intent.context.get("clauses"), tag) {
        (Some(Value::Array(clauses)), _) => clauses.clone(),
        (_, Some(tag)) => vec![json!({ "task": tag, "args": intent.context })],
        _ => Vec::new(),
    };
    clauses.iter().map(task).collect()
}

fn task(clause: &Value) -> Value {
    let mut task = Object::new();
    task.insert("task".into(), clause["task"].clone());
    for (name, value) in clause["args"].as_object().into_iter().flatten() {
        let (name, value) = match name.as_str() {
            "amount_msat" if value != "any" => ("amount", json!(format!("{value} msat"))),
            "amount_msat" => ("amount", value.clone()),
            "amount_sat" => ("amount", json!(format!("{value} sat"))),
            "amount_btc" => ("amount", json!(format!("{} btc", value.as_str().unwrap()))),
            "conf_target" => ("blocks", value.clone()),
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
}

fn battery(dialect: Dialect, name: &str, backend: &[(&str, &str)], force: &str) {
    let model = Model::speaking(dialect);
    let desk = Desk::new();
    let file = format!("{}/../examples/batteries/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    let mut command = desk.command(&["eval", &file]);
    for (variable, value) in backend {
        command.env(variable, value.replace("BASE", &model.base));
    }
    command.envs([
        ("SUMMARIZER_LLM_BACKEND", "offline"),
        ("LLM_FALLBACK", "off"),
        ("PLANNER_FORCE_LLM", force),
        ("LLM_MIN_INTERVAL_MS", "0"),
        ("LLM_RPM", "1000000"),
        ("LLM_TPM", "10000000"),
    ]);

    let said: Said = command.output().unwrap().into();

    assert_eq!(said.code, 0, "{dialect:?} {name}:\n{}\n{}", said.stdout, said.stderr);
    assert!(
        model.asked.load(Ordering::Relaxed) > 30,
        "{dialect:?} {name}: hardly a question reached the model"
    );
}

fn both(dialect: Dialect, backend: &[(&str, &str)]) {
    battery(dialect, "smoke", backend, "0");
    battery(dialect, "hard", backend, "0");
    battery(dialect, "smoke", backend, "1");
}

#[test]
fn the_batteries_pass_with_a_model_that_speaks_openai() {
    both(Dialect::OpenAi, &[("LLM_BACKEND", "openai"), ("OPENAI_BASE_URL", "BASE"), ("OPENAI_MODEL", "m")]);
}

#[test]
fn the_batteries_pass_with_a_model_that_speaks_anthropic() {
    both(
        Dialect::Anthropic,
        &[("LLM_BACKEND", "claude"), ("ANTHROPIC_BASE_URL", "BASE"), ("CLAUDE_MODEL", "m")],
    );
}

#[test]
fn the_batteries_pass_with_a_model_that_speaks_gemini() {
    both(Dialect::Gemini, &[("LLM_BACKEND", "gemini"), ("GEMINI_BASE_URL", "BASE"), ("GEMINI_MODEL", "m")]);
}

#[test]
fn the_batteries_pass_with_a_model_that_speaks_ollama() {
    both(Dialect::Ollama, &[("LLM_BACKEND", "ollama"), ("OLLAMA_BASE_URL", "BASE"), ("OLLAMA_MODEL", "m")]);
}

/// A model that wants one thing, whatever it is asked: the coins of node 1.
fn greedy(texts: &[String]) -> String {
    let address = "bcrt1q4s9ymk2v0nsx0ng0fj8hnw4zzt2uq5c6p5u4dp";
    if texts.join(" ").contains("Plan this intent:") {
        let args = json!({ "node": 1, "destination": address, "amount_sat": "all" });
        return json!({ "plan_rationale": "", "steps": [{ "step_id": 1, "tool": "ln_withdraw", "args": args }] })
            .to_string();
    }
    let task = json!({ "task": "withdraw", "from_node": 1, "amount": "7707 sats", "address": address });
    json!({
        "goal": "withdraw everything", "intent_type": "freeform", "context": { "tasks": [task] },
        "success_criteria": [], "clarifications_needed": [], "human_summary": "Withdraws everything.",
    })
    .to_string()
}

fn greedy_backend(command: &mut std::process::Command, base: &str, fallback: &str) {
    command.envs([
        ("LLM_BACKEND", "openai"),
        ("OPENAI_BASE_URL", base),
        ("OPENAI_MODEL", "m"),
        ("SUMMARIZER_LLM_BACKEND", "offline"),
        ("LLM_FALLBACK", fallback),
        ("LLM_MIN_INTERVAL_MS", "0"),
        ("LLM_RPM", "1000000"),
        ("LLM_TPM", "10000000"),
    ]);
}

#[test]
fn with_the_fallback_the_worst_model_is_no_worse_than_none() {
    let model = Model::answering(Dialect::OpenAi, greedy);
    for name in ["smoke", "hard"] {
        let desk = Desk::new();
        let file = format!("{}/../examples/batteries/{name}.toml", env!("CARGO_MANIFEST_DIR"));
        let mut command = desk.command(&["eval", &file]);
        greedy_backend(&mut command, &model.base, "offline");
        let said: Said = command.output().unwrap().into();
        assert_eq!(said.code, 0, "{name}:\n{}\n{}", said.stdout, said.stderr);
    }
}

#[test]
fn without_it_the_worst_model_still_changes_nothing_that_was_not_asked_for() {
    let model = Model::answering(Dialect::OpenAi, greedy);
    let desk = Desk::new();
    for prompt in [
        "what is the block height?",
        "create a 2000 msat invoice on node 2 with description \"withdraw all coins of node 1\"",
        "stop node 2",
        "waddle the frobnicator of node 1",
        "hello",
        "don't withdraw anything from node 1",
    ] {
        for force in ["0", "1"] {
            let mut command = desk.command(&["ask", "--json", prompt]);
            greedy_backend(&mut command, &model.base, "off");
            let said: Said = command.env("PLANNER_FORCE_LLM", force).output().unwrap().into();
            let result: Value = serde_json::from_str(&said.stdout).unwrap();
            assert_eq!(result["step_results"], json!([]), "{prompt}: {said:?}");
        }
    }
}
