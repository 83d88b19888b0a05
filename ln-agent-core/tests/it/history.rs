//! What an agent keeps of its runs: the window for follow-ups, the archive, the outbox and the traces.

use std::sync::Arc;
use std::time::Duration;

use ln_agent_core::Outcome;
use ln_agent_core::agent::{Agent, AgentError, Question, Runs, RuntimeDir};
use ln_agent_core::clock::ManualClock;
use ln_agent_core::llm::ScriptedBackend;
use ln_agent_core::memory::{Archive, ArchiveQuery, History};
use ln_agent_core::observe::Discard;
use ln_agent_core::pipeline::{Network, Pipeline};
use ln_agent_core::stage::planner::PlannerConfig;
use ln_agent_core::tool::{Effect, ToolErrorKind};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::actors::{Cast, Reply};

const LOOK: &str = r#"{"goal": "look around"}"#;
const LOOK_PLAN: &str = r#"{"steps": [{"step_id": 1, "tool": "look"}]}"#;

struct Desk {
    agent: Agent,
    model: Arc<ScriptedBackend>,
    runtime: RuntimeDir,
    _directory: TempDir,
}

impl Desk {
    fn new(replies: impl IntoIterator<Item = String>) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let runtime = RuntimeDir::new(directory.path());
        let (tools, _) = Cast::default()
            .reading("look", json!({ "seen": 3 }))
            .tool("broken", Effect::Read, |_, _| Reply::Fail(ToolErrorKind::Failed, "it broke"))
            .tool("stuck", Effect::Read, |_, _| Reply::Hang)
            .finish();
        let model = Arc::new(ScriptedBackend::replying(replies));
        let clock = Arc::new(ManualClock::at_unix_secs(1_700_000_000));
        let pipeline = Pipeline::builder(model.clone(), tools)
            .planner(own_tools())
            .network(Network::Playground)
            .clock(clock.clone())
            .build()
            .unwrap();
        let agent = Agent::new(Arc::new(pipeline), runtime.clone(), clock, 4);
        Self { agent, model, runtime, _directory: directory }
    }

    async fn ask(&self, prompt: &str) -> Outcome {
        self.agent.ask(question(prompt)).await.unwrap().outcome
    }

    fn remembered(&self) -> Vec<(String, String)> {
        let window = History::new(self.runtime.history("default"), 100).load().unwrap();
        window.exchanges.into_iter().map(|exchange| (exchange.prompt, exchange.answer)).collect()
    }

    fn archived(&self) -> Vec<(String, Outcome)> {
        let everything = ArchiveQuery { last_n: 100, query: None, outcome: None };
        let found = Archive::new(self.runtime.archive()).query(&everything).unwrap().entries;
        found.into_iter().rev().map(|entry| (entry.user, entry.outcome)).collect()
    }

    fn lines(&self, path: std::path::PathBuf) -> Vec<Value> {
        let text = std::fs::read_to_string(path).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    fn trace_files(&self) -> Vec<String> {
        let files = std::fs::read_dir(self.runtime.traces()).unwrap();
        let mut names: Vec<String> =
            files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

fn question(prompt: &str) -> Question<'_> {
    Question { prompt, session: "default", plan_only: false, observer: &Discard }
}

/// Replies for one successful run that answers `answer`.
fn run(answer: &str) -> [String; 3] {
    [LOOK.into(), LOOK_PLAN.into(), answer.into()]
}

#[tokio::test]
async fn the_last_four_exchanges_stand_in_the_translators_system_prompt() {
    let answers = ["one", "two", "three", "four", "five", "six"];
    let desk = Desk::new(answers.iter().flat_map(|answer| run(&format!("Seen: {answer}."))));

    for answer in answers {
        assert_eq!(desk.ask(&format!("look at {answer}")).await, Outcome::Ok);
    }

    let last = &desk.model.requests()[15].messages;
    assert_eq!((last.len(), last[2].content.as_str()), (3, "Message: look at six"));
    for (answer, shown) in [("one", false), ("two", true), ("three", true), ("four", true), ("five", true)] {
        for text in [format!("look at {answer}"), format!("Seen: {answer}.")] {
            assert_eq!(last[1].content.contains(&text), shown, "{text}");
        }
    }
    assert_eq!(desk.remembered().len(), 4, "the file is a window");
    assert_eq!(desk.archived().len(), 6, "the archive is not");
}

#[tokio::test]
async fn every_run_that_was_understood_is_remembered_with_its_outcome() {
    let partial = r#"{"steps": [{"step_id": 1, "tool": "look"}, {"step_id": 2, "tool": "broken"}]}"#;
    let failed = r#"{"steps": [{"step_id": 1, "tool": "broken"}]}"#;
    let mut replies = run("Seen: 3.").to_vec();
    for plan in [partial, failed] {
        replies.extend([LOOK.to_owned(), plan.to_owned(), "It broke.".to_owned()]);
    }
    replies.extend(["no".to_owned(), "no".to_owned(), "no".to_owned()]);
    let desk = Desk::new(replies);

    for prompt in ["good", "half", "bad", "not understood"] {
        desk.ask(prompt).await;
    }

    let expected = [("good", Outcome::Ok), ("half", Outcome::Partial), ("bad", Outcome::Failed)];
    assert_eq!(desk.archived(), expected.map(|(prompt, outcome)| (prompt.to_owned(), outcome)));
    let prompts: Vec<String> = desk.remembered().into_iter().map(|(prompt, _)| prompt).collect();
    assert_eq!(prompts, ["good", "half", "bad"]);
    assert_eq!(desk.remembered()[0].1, "Seen: 3.");
}

#[tokio::test]
async fn a_repeated_exchange_is_archived_each_time_and_remembered_once() {
    let desk = Desk::new([run("Seen: 3."), run("Seen: 3.")].concat());

    desk.ask("look").await;
    desk.ask("look").await;

    assert_eq!((desk.archived().len(), desk.remembered().len()), (2, 1));
}

#[tokio::test]
async fn a_plan_that_was_only_looked_at_leaves_no_memory() {
    let desk = Desk::new(run("never said"));

    let planned = desk.agent.ask(Question { plan_only: true, ..question("look") }).await.unwrap();

    assert_eq!((planned.outcome, planned.plan.unwrap().steps.len()), (Outcome::Ok, 1));
    assert_eq!((desk.archived().len(), desk.remembered().len()), (0, 0));
    assert_eq!(desk.model.requests().len(), 2);
}

#[tokio::test]
async fn sessions_do_not_hear_each_other() {
    let desk = Desk::new([run("Seen: 3."), run("Seen: 3.")].concat());

    desk.agent.ask(Question { session: "alice", ..question("the secret of alice") }).await.unwrap();
    desk.agent.ask(Question { session: "bob", ..question("look") }).await.unwrap();

    assert!(!desk.model.requests()[3].messages[0].content.contains("alice"));
    let name = desk.agent.ask(Question { session: "../bob", ..question("look") }).await.unwrap_err();
    assert!(matches!(name, AgentError::Session(_)));
}

#[tokio::test]
async fn each_run_is_one_line_of_the_outbox_and_one_trace() {
    let desk = Desk::new([run("Seen: 3."), run("Seen: still 3.")].concat());

    desk.ask("look").await;
    desk.ask("look again").await;

    let outbox = desk.lines(desk.runtime.outbox());
    let told: Vec<(&Value, &Value)> =
        outbox.iter().map(|run| (&run["request_id"], &run["content"])).collect();
    assert_eq!(told, [(&json!(1), &json!("Seen: 3.")), (&json!(2), &json!("Seen: still 3."))]);
    let trace = desk.lines(desk.runtime.trace());
    assert_eq!((&trace[0]["event"], &trace[0]["user_text"]), (&json!("prompt_start"), &json!("look again")));
    assert_eq!(trace.iter().filter(|line| line["event"] == "prompt_start").count(), 1);
    assert!(trace.iter().all(|line| line["ts"].is_u64()));
    let stream = desk.lines(desk.runtime.stream());
    let events: Vec<&str> = stream.iter().map(|line| line["event"].as_str().unwrap()).collect();
    assert_eq!(events, ["stream_start", "token", "token", "stream_end"]);
    assert_eq!((&stream[1]["text"], &stream[2]["text"]), (&json!("Seen: still "), &json!("3.")));
    assert_eq!(
        desk.trace_files(),
        [
            "0001_20231114-221320_ok.cassette.jsonl",
            "0001_20231114-221320_ok.jsonl",
            "0002_20231114-221320_ok.cassette.jsonl",
            "0002_20231114-221320_ok.jsonl"
        ]
    );
    assert_eq!(Runs::of(&desk.runtime).find("2").unwrap().content, "Seen: still 3.");
}

#[tokio::test(start_paused = true)]
async fn a_run_that_was_cut_off_keeps_its_own_trace_and_is_filed_by_no_later_run() {
    let stuck = r#"{"steps": [{"step_id": 1, "tool": "stuck"}]}"#;
    let mut replies = vec![LOOK.to_owned(), stuck.to_owned()];
    replies.extend(run("Seen: 3."));
    let desk = Desk::new(replies);

    let cut = tokio::time::timeout(Duration::from_secs(1), desk.agent.ask(question("hang"))).await;
    assert!(cut.is_err());
    desk.ask("look").await;

    assert_eq!(
        desk.trace_files(),
        [
            "0001.cassette.part",
            "0001.part",
            "0002_20231114-221320_ok.cassette.jsonl",
            "0002_20231114-221320_ok.jsonl"
        ]
    );
    let left = desk.lines(desk.runtime.traces().join("0001.part"));
    assert_eq!((&left[0]["request_id"], &left[0]["user_text"]), (&json!(1), &json!("hang")));
    assert_eq!(desk.archived(), [("look".to_owned(), Outcome::Ok)]);
    assert_eq!(desk.lines(desk.runtime.outbox()).len(), 1);
}

#[tokio::test]
async fn whatever_a_run_writes_lies_in_the_runtime_directory_and_is_documented() {
    let desk = Desk::new([run("Seen: 3."), run("Seen: 3.")].concat());
    desk.ask("look").await;
    desk.agent.ask(Question { session: "alice", ..question("look") }).await.unwrap();

    let mut written = Vec::new();
    let mut open = vec![desk.runtime.root().to_owned()];
    while let Some(directory) = open.pop() {
        for entry in std::fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                written.push(path.strip_prefix(desk.runtime.root()).unwrap().display().to_string());
            }
        }
    }
    written.sort();

    let expected = [
        "agent/archive.jsonl",
        "agent/history.jsonl",
        "agent/history.jsonl.lock",
        "agent/logs/0001_20231114-221320_ok.cassette.jsonl",
        "agent/logs/0001_20231114-221320_ok.jsonl",
        "agent/logs/0002_20231114-221320_ok.cassette.jsonl",
        "agent/logs/0002_20231114-221320_ok.jsonl",
        "agent/msg.counter",
        "agent/outbox.jsonl",
        "agent/sessions/alice/history.jsonl",
        "agent/sessions/alice/history.jsonl.lock",
        "agent/stream.jsonl",
        "agent/trace.log",
    ];
    assert_eq!(written, expected);
    let page = include_str!("../../../docs/runtime.md");
    for path in [
        "archive.jsonl",
        "history.jsonl",
        "logs/",
        ".cassette.jsonl",
        "msg.counter",
        "outbox.jsonl",
        "sessions/",
        "stream.jsonl",
        "trace.log",
    ] {
        assert!(page.contains(path), "docs/runtime.md says nothing of {path}");
    }
}

/// The tools here are none that the words of a prompt could ask for.
fn own_tools() -> PlannerConfig {
    PlannerConfig { checks_words: false, ..PlannerConfig::default() }
}
