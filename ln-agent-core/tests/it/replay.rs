//! A run from its record: the same byte for byte, or the difference is shown.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use ln_agent_core::agent::{Agent, AgentError, Question, Runs, RuntimeDir};
use ln_agent_core::approve::{ApproveAll, ApproveHash, Approver, DenyAll};
use ln_agent_core::clock::{Clock, ManualClock, SystemClock};
use ln_agent_core::llm::{LlmBackend, LlmError, LlmErrorKind, LlmRequest, LlmResponse, ScriptedBackend};
use ln_agent_core::observe::{Collector, Discard};
use ln_agent_core::pipeline::{Ask, Network, Pipeline, PipelineBuilder, Replayed, replay};
use ln_agent_core::replay::{Cassette, CassetteError, Mode, Player, Recorder};
use ln_agent_core::stage::executor::ExecutorConfig;
use ln_agent_core::stage::planner::PlannerConfig;
use ln_agent_core::tool::{Effect, Registry, ToolErrorKind, ToolSpec};
use ln_agent_core::types::{Exchange, TokenUsage};
use ln_agent_core::{ExecutionPlan, Outcome, PipelineResult, RunEvent};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::actors::{Cast, Reply};

const LOOK: &str = r#"{"goal": "look around", "context": {"node": 1}}"#;
const LOOK_PLAN: &str =
    r#"{"plan_rationale": "look", "steps": [{"step_id": 1, "tool": "look", "args": {"node": 1}}]}"#;
const CHANGE_PLAN: &str = r#"{"steps": [{"step_id": 1, "tool": "look", "args": {"node": 1}},
    {"step_id": 2, "tool": "change", "args": {"n": "$step1.result.payload.seen"}, "depends_on": [1]}]}"#;

fn cast() -> Cast {
    let mut mixed = ToolSpec::new("mixed", "Does what its argument says.", Effect::Spend);
    mixed.input_schema = json!({ "type": "object", "properties": { "n": { "type": "integer" } } });
    mixed.classify = Some(|args| if args.get("n") == Some(&json!(0)) { Effect::Read } else { Effect::Spend });
    Cast::default()
        .tool("look", Effect::Read, |before, _| Reply::Answer(json!({ "seen": before + 3 })))
        .tool("change", Effect::Write, |_, args| Reply::Answer(json!({ "was": args.get("n") })))
        .tool("nothing", Effect::Read, |_, _| Reply::Answer(Value::Null))
        .tool("broken", Effect::Read, |_, _| Reply::Code(-32_602))
        .tool("flaky", Effect::Read, |before, _| match before {
            0 => Reply::Fail(ToolErrorKind::Unreachable, "away"),
            _ => Reply::Answer(json!({ "seen": true })),
        })
        .tool("stuck", Effect::Read, |_, _| Reply::Hang)
        .tool("lost", Effect::Spend, |_, _| Reply::Fail(ToolErrorKind::Unknown, "no answer came"))
        .tool("late", Effect::Read, |before, args| {
            // The later it is asked, the sooner it answers.
            let n = args.get("n").and_then(Value::as_u64).unwrap_or_default() + before as u64;
            Reply::After(Duration::from_millis(40 - 4 * n.min(9)), json!({ "n": n }))
        })
        .spec(mixed, |_, _| Reply::Answer(json!({})))
        .tool("pay", Effect::Spend, |_, _| {
            Reply::Answer(
                json!({ "payment_preimage": "00112233445566778899aabbccddeeff", "status": "complete" }),
            )
        })
}

/// A run that was recorded, with its file.
struct Take {
    result: PipelineResult,
    path: PathBuf,
    tools: Registry,
    tokens: Vec<String>,
    _directory: TempDir,
}

struct Scene {
    model: Arc<dyn LlmBackend>,
    clock: Arc<dyn Clock>,
    approver: Arc<dyn Approver>,
    network: Network,
    mode: Mode,
    history: Vec<Exchange>,
    prompt: String,
    plan: Option<Value>,
    settings: fn(PipelineBuilder) -> PipelineBuilder,
}

impl Scene {
    fn of<const N: usize>(replies: [&str; N]) -> Self {
        Self::with(ScriptedBackend::replying(replies))
    }

    fn with(model: impl LlmBackend + 'static) -> Self {
        Self {
            model: Arc::new(model),
            clock: Arc::new(ManualClock::at_unix_secs(1_700_000_000)),
            approver: Arc::new(DenyAll),
            network: Network::Playground,
            mode: Mode::Run,
            history: Vec::new(),
            prompt: "look around".to_owned(),
            plan: None,
            settings: |builder| builder,
        }
    }

    /// A plan that is executed as it is.
    fn planned(plan: Value) -> Self {
        Self { mode: Mode::Plan, plan: Some(plan), ..Self::of(["It is done."]) }
    }

    async fn record(self) -> Take {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("run.jsonl");
        let (tools, _) = cast().finish();
        let seen = Arc::new(Collector::default());
        let builder = Pipeline::builder(self.model, tools.clone())
            .planner(own_tools())
            .clock(self.clock)
            .approver(self.approver)
            .network(self.network)
            .observer(seen.clone());
        let pipeline = (self.settings)(builder).build().unwrap();
        let plan: Option<ExecutionPlan> = self.plan.map(|plan| serde_json::from_value(plan).unwrap());
        let ask = Ask { history: &self.history, request_id: 7, ..Ask::new(&self.prompt) };
        let recorder = Recorder::begin(&path, pipeline.header(self.mode, ask, plan.as_ref())).unwrap();
        let recorded = pipeline.recorded(&recorder);
        let result = match self.mode {
            Mode::Run => recorded.run(ask).await.unwrap(),
            Mode::PlanOnly => recorded.plan_only(ask).await.unwrap(),
            Mode::Plan => recorded.run_plan(plan.unwrap(), ask).await,
        };
        recorder.end(&result).unwrap();
        Take { result, path, tools, tokens: tokens(&seen), _directory: directory }
    }
}

impl Take {
    fn text(&self) -> String {
        std::fs::read_to_string(&self.path).unwrap()
    }

    async fn replay(&self) -> Replayed {
        replay(Cassette::read(&self.path).unwrap(), &self.tools).await.unwrap()
    }

    /// Replays the record with a part of its text exchanged.
    async fn tampered(&self, old: &str, new: &str) -> Replayed {
        let text = self.text();
        assert!(text.contains(old), "{old} is not in {text}");
        replay(Cassette::parse(&text.replacen(old, new, 1)).unwrap(), &self.tools).await.unwrap()
    }

    /// Replays it and wants the same.
    async fn assert_identical(&self) {
        let replayed = self.replay().await;
        assert_eq!(shown(&replayed), Vec::<String>::new());
        assert_eq!(replayed.difference_from(&self.result), "");
        assert_eq!(
            serde_json::to_string(&replayed.result).unwrap(),
            serde_json::to_string(&self.result).unwrap()
        );
    }
}

fn shown(replayed: &Replayed) -> Vec<String> {
    replayed.mismatches.iter().map(ToString::to_string).collect()
}

fn tokens(seen: &Collector) -> Vec<String> {
    let events = seen.events();
    events
        .iter()
        .filter_map(|event| match event {
            RunEvent::Token { text } => Some(text.clone()),
            _ => None,
        })
        .collect()
}

/// Hands its last answer over in pieces.
struct Streaming(ScriptedBackend, &'static [&'static str]);

#[async_trait::async_trait]
impl LlmBackend for Streaming {
    fn name(&self) -> &str {
        "streaming"
    }

    async fn step(&self, request: &LlmRequest) -> Result<LlmResponse, LlmError> {
        self.0.step(request).await
    }

    async fn stream(
        &self,
        _request: &LlmRequest,
        on_text: &(dyn for<'t> Fn(&'t str) + Send + Sync),
    ) -> Result<LlmResponse, LlmError> {
        self.1.iter().for_each(|piece| on_text(piece));
        let usage = TokenUsage { calls: 1, prompt_tokens: 11, output_tokens: 5, cached_tokens: 2 };
        Ok(LlmResponse { usage, ..LlmResponse::text(self.1.concat()) })
    }
}

#[tokio::test]
async fn runs_of_every_outcome_are_the_same_again() {
    let step = |id: u32, tool: &str| json!({ "step_id": id, "tool": tool });
    let retrying = json!({ "step_id": 1, "tool": "flaky", "on_error": "retry", "max_retries": 2 });
    let scenes = [
        (Outcome::Ok, Scene::of([LOOK, LOOK_PLAN, "It saw 3."])),
        (Outcome::Ok, Scene::of([LOOK, CHANGE_PLAN, "It saw 3."])),
        (Outcome::Ok, Scene { mode: Mode::PlanOnly, ..Scene::of([LOOK, LOOK_PLAN]) }),
        (Outcome::Ok, Scene::of(["no intent", LOOK, "no plan", LOOK_PLAN, "It saw 3."])),
        (Outcome::Ok, Scene::planned(json!({ "steps": [step(1, "nothing")] }))),
        (Outcome::Ok, Scene::planned(json!({ "steps": [retrying] }))),
        (Outcome::Failed, Scene::planned(json!({ "steps": [step(1, "broken")] }))),
        (Outcome::Partial, Scene::planned(json!({ "steps": [step(1, "look"), step(2, "broken")] }))),
        (Outcome::Unknown, Scene::planned(json!({ "steps": [step(1, "lost")] }))),
        (Outcome::Failed, Scene::of(["no", "intent", "here"])),
        (Outcome::Failed, Scene::of([])),
        (
            Outcome::Failed,
            Scene::with(ScriptedBackend::scripted([Err(LlmError::new(
                LlmErrorKind::RateLimited,
                "openai",
                "slow down",
            )
            .with_status(429)
            .with_retry_after(Duration::from_secs(3)))])),
        ),
        (
            Outcome::Refused,
            Scene::of([
                r#"{"goal": "pay", "intent_type": "pay_invoice", "clarifications_needed": ["Which invoice?"]}"#,
            ]),
        ),
        (
            Outcome::Refused,
            Scene {
                settings: |builder| builder.ceiling(Effect::Read),
                ..Scene::planned(json!({ "steps": [step(1, "change")] }))
            },
        ),
    ];
    for (outcome, scene) in scenes {
        let take = scene.record().await;
        assert_eq!(take.result.outcome, outcome, "{:?}", take.result.error);
        take.assert_identical().await;
    }
}

#[tokio::test]
async fn approvals_are_part_of_the_record() {
    let approvers: [(Outcome, Arc<dyn Approver>); 3] = [
        (Outcome::Ok, Arc::new(ApproveAll)),
        (Outcome::Refused, Arc::new(DenyAll)),
        (Outcome::Refused, Arc::new(ApproveHash("0".repeat(64)))),
    ];
    for (outcome, approver) in approvers {
        let plan = json!({ "steps": [{ "step_id": 1, "tool": "change" }] });
        let take = Scene { approver, network: Network::Real, ..Scene::planned(plan) }.record().await;
        assert_eq!(take.result.outcome, outcome, "{:?}", take.result.error);
        take.assert_identical().await;
    }
}

#[tokio::test]
async fn times_come_from_the_record() {
    let scene =
        Scene { clock: Arc::new(SystemClock::default()), ..Scene::of([LOOK, LOOK_PLAN, "It saw 3."]) };
    let take = scene.record().await;
    let started =
        take.text().split("\"of\":\"unix_ms\",\"value\":").nth(1).unwrap()[..13].parse::<u64>().unwrap();
    assert_eq!(take.result.ts, started / 1_000);
    take.assert_identical().await;

    let slow = take.tampered("\"unix_ms\",\"value\":1", "\"unix_ms\",\"value\":2").await;

    assert!(
        slow.difference_from(&take.result).starts_with("-   \"run_id\""),
        "{}",
        slow.difference_from(&take.result)
    );
}

#[tokio::test]
async fn history_is_shown_again() {
    let exchange = Exchange { prompt: "before".into(), answer: "done".into(), ..Exchange::default() };
    let take = Scene { history: vec![exchange], ..Scene::of([LOOK, LOOK_PLAN, "It saw 3."]) }.record().await;

    take.assert_identical().await;
    let forgotten = take.tampered("\"prompt\":\"before\"", "\"prompt\":\"never\"").await;

    assert!(shown(&forgotten)[0].contains("-         \"prompt\": \"before\""), "{:?}", shown(&forgotten));
}

#[tokio::test]
async fn a_streamed_answer_comes_in_the_same_pieces() {
    let scene = Scene::with(Streaming(ScriptedBackend::replying([LOOK, LOOK_PLAN]), &["It ", "saw ", "3."]));
    let take = scene.record().await;
    assert_eq!(take.result.usage.summarizer.cached_tokens, 2);
    take.assert_identical().await;

    let player = Player::new(Cassette::read(&take.path).unwrap());
    let seen = Arc::new(Collector::default());
    let backends =
        [ln_agent_core::Stage::Translator, ln_agent_core::Stage::Planner, ln_agent_core::Stage::Summarizer]
            .map(|stage| player.backend(stage));
    let [translator, planner, summarizer] = backends;
    let pipeline = Pipeline::builder(translator, player.tools(&Registry::default()))
        .planner(own_tools())
        .planner_backend(planner)
        .summarizer_backend(summarizer)
        .clock(player.clock())
        .node_count(player.node_count())
        .network(Network::Playground)
        .observer(seen.clone())
        .build()
        .unwrap();
    pipeline.run(Ask { request_id: 7, ..Ask::new("look around") }).await.unwrap();

    assert_eq!(player.mismatches(), []);
    assert_eq!(tokens(&seen), ["It ", "saw ", "3."]);
    assert_eq!(take.tokens, ["It ", "saw ", "3."]);
}

#[tokio::test(start_paused = true)]
async fn reads_side_by_side_get_their_own_answers() {
    let steps: Vec<Value> =
        (0..8).map(|n| json!({ "step_id": n + 1, "tool": "late", "args": { "n": n / 2 } })).collect();
    let take = Scene::planned(json!({ "steps": steps })).record().await;

    let mut order: Vec<u64> = Vec::new();
    for line in take.text().lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        order.extend((line["kind"] == "tool").then(|| line["seq"].as_u64().unwrap()));
    }
    assert!(!order.is_sorted(), "the answers came in the order of the questions: {order:?}");
    take.assert_identical().await;
}

#[tokio::test(start_paused = true)]
async fn a_deadline_that_passed_passes_again_without_waiting() {
    let plan = json!({ "steps": [{ "step_id": 1, "tool": "stuck" }, { "step_id": 2, "tool": "look", "depends_on": [1] }] });
    let take = Scene::planned(plan).record().await;
    assert!(take.result.error.as_ref().unwrap().contains("within 30 s"), "{:?}", take.result.error);

    let before = tokio::time::Instant::now();
    take.assert_identical().await;

    assert!(before.elapsed() < Duration::from_secs(1));
}

#[tokio::test(start_paused = true)]
async fn reads_that_were_given_up_may_be_left_over() {
    let plan = json!({ "steps": [{ "step_id": 1, "tool": "broken" }, { "step_id": 2, "tool": "stuck" }] });
    let take = Scene::planned(plan).record().await;

    take.assert_identical().await;
}

#[tokio::test]
async fn effects_that_depend_on_arguments_come_from_the_known_tools() {
    let plan = json!({ "steps": [{ "step_id": 1, "tool": "mixed", "args": { "n": 0 } }] });
    let take = Scene { network: Network::Real, ..Scene::planned(plan) }.record().await;
    assert_eq!(take.result.outcome, Outcome::Ok);

    take.assert_identical().await;
    let unknown = replay(Cassette::read(&take.path).unwrap(), &Registry::default()).await.unwrap();

    assert_eq!(shown(&unknown)[0], "an approval is asked that was not recorded");
}

#[tokio::test]
async fn what_changed_is_shown() {
    let take = Scene::of([LOOK, CHANGE_PLAN, "It saw 3."]).record().await;

    let prompt = take.tampered("You are the translator", "You are the interpreter").await;
    let plan = take.tampered("\\\"n\\\": \\\"$step1.result.payload.seen\\\"", "\\\"n\\\": 9").await;
    let answer = take.tampered("\"response\":{\"seen\":3}", "\"response\":{\"seen\":4}").await;

    for (replayed, expected) in [
        (&plan, "tool change: called with other arguments than recorded\n-   \"n\": 3\n+   \"n\": 9\n"),
        (&answer, "tool change: called with other arguments than recorded\n-   \"n\": 3\n+   \"n\": 4\n"),
    ] {
        assert!(shown(replayed)[0].ends_with(expected), "{:?}", shown(replayed));
        assert!(!replayed.difference_from(&take.result).is_empty());
    }
    let prompt = &shown(&prompt)[0];
    assert!(prompt.contains("the translator's model: asked otherwise than recorded\n- "), "{prompt}");
    assert!(prompt.contains("interpreter") && prompt.len() < 1_000, "{prompt}");
}

#[tokio::test]
async fn a_difference_that_a_stage_swallows_is_told_all_the_same() {
    // The summarizer answers by itself where its model fails.
    let take = Scene::of([LOOK, LOOK_PLAN, "It saw 3."]).record().await;
    let summary =
        take.text().lines().find(|line| line.contains("\"summarizer\",\"backend\"")).unwrap().to_owned();
    let other = summary.replacen("\"max_output_tokens\":512", "\"max_output_tokens\":511", 1);

    let replayed = take.tampered(&summary, &other).await;

    assert_eq!(replayed.result.outcome, Outcome::Ok);
    assert!(
        shown(&replayed)[0].contains("-   \"max_output_tokens\": 511,\n+   \"max_output_tokens\": 512,\n")
    );
}

#[tokio::test]
async fn what_is_asked_more_or_less_often_is_told() {
    let take = Scene::of([LOOK, CHANGE_PLAN, "It saw 3."]).record().await;
    let call =
        take.text().lines().find(|line| line.contains("\"tool\":\"look\",\"args\"")).unwrap().to_owned();

    let less = take.tampered(&format!("{call}\n"), "").await;
    let more = take.tampered(&call, &format!("{call}\n{call}")).await;

    assert_eq!(shown(&less)[0], "tool look is called once more than recorded, with {\"node\":1}");
    assert_eq!(shown(&more).len(), 1);
    assert!(shown(&more)[0].ends_with("tool look: recorded, not asked now"));
}

#[tokio::test]
async fn a_record_that_is_cut_off_is_played_as_far_as_it_goes() {
    let take = Scene::of([LOOK, LOOK_PLAN, "It saw 3."]).record().await;
    let text = take.text();

    for end in [text.len() - 5, text.len() * 2 / 3, text.find("\"kind\":\"reading\"").unwrap()] {
        let cassette = Cassette::parse(&text[..end]).unwrap();
        assert!(!cassette.is_complete());
        let replayed = replay(cassette, &take.tools).await.unwrap();
        let last = shown(&replayed).pop().unwrap();
        assert!(last.starts_with("the record is cut off"), "{last}");
    }
    assert!(Cassette::parse(&text).unwrap().is_complete());
}

#[tokio::test]
async fn a_file_that_is_no_cassette_is_told() {
    let take = Scene::of([LOOK, LOOK_PLAN, "It saw 3."]).record().await;
    let text = take.text();
    let foreign = text.replacen("\"format\":1", "\"format\":2", 1);
    let damaged = text.replacen("\"kind\":\"tool\"", "\"kind\":\"fool\"", 1);
    let number = 1 + text.lines().position(|line| line.contains("\"kind\":\"tool\"")).unwrap();

    assert!(matches!(Cassette::parse(&foreign), Err(CassetteError::Format { found: 2 })));
    assert!(matches!(Cassette::parse(&damaged), Err(CassetteError::Line { number: n, .. }) if n == number));
    assert!(matches!(Cassette::parse("{\"ts\": 1}\n"), Err(CassetteError::NoHeader)));
    assert!(matches!(Cassette::parse(""), Err(CassetteError::NoHeader)));
    assert!(matches!(Cassette::read(Path::new("/nowhere.jsonl")), Err(CassetteError::Read(..))));
}

#[tokio::test]
async fn no_secret_reaches_the_file_and_the_run_is_the_same_without_it() {
    let secrets = [
        "sk-proj-abcDEF0123456789",
        "sk-ant-api03-abcDEF0123456789_-",
        "gsk_0123456789abcdefABCDEF",
        "AIzaSyA-0123456789abcdef_ghij",
        "hf_abcdefghijklmnop",
        "xai-abcdefgh01234567",
        "xoxb-1234567890-abcdefghij",
        "xapp-1234567890-abcdefghij",
        "ya29.abcdefghijklmn",
        "123456789:AAabcdefghijklmnopqrstuvwxyz0123456",
        "AKIAIOSFODNN7EXAMPLE",
        "eyJhbGciOiJI.eyJzdWIiOiIx.abc_DEF",
    ];
    let named = [
        "Authorization: Bearer verysecret01",
        "x-api-key: verysecret01",
        "https://user:verysecret01@host/",
        "https://host/?key=verysecret01",
    ];
    let prompt = format!("look around with {} and {}", secrets.join(" "), named.join(" "));
    let plan = r#"{"steps": [{"step_id": 1, "tool": "pay", "args": {}}]}"#;
    let said = "The proof is 00112233445566778899aabbccddeeff.";
    let scene = Scene::with(Streaming(
        ScriptedBackend::replying([LOOK, plan]),
        &["The proof is 00112233445566", "778899aabbccddeeff."],
    ));

    let take = Scene { prompt, ..scene }.record().await;

    assert!(take.result.content.contains(said), "{}", take.result.content);
    let text = take.text();
    for secret in secrets.iter().copied().chain(["verysecret01", "00112233445566778899aabbccddeeff"]) {
        assert!(!text.contains(secret), "{secret}");
    }
    let replayed = take.replay().await;
    assert_eq!(shown(&replayed), Vec::<String>::new());
    assert_eq!(replayed.difference_from(&take.result), "");
}

fn agent(runtime: &RuntimeDir, replies: &[&str]) -> Agent {
    let (tools, _) = cast().finish();
    let clock = Arc::new(ManualClock::at_unix_secs(1_700_000_000));
    let pipeline = Pipeline::builder(Arc::new(ScriptedBackend::replying(replies.iter().copied())), tools)
        .planner(own_tools())
        .network(Network::Playground)
        .executor(ExecutorConfig { max_workers: 3, ..ExecutorConfig::default() })
        .clock(clock.clone())
        .build()
        .unwrap();
    Agent::new(Arc::new(pipeline), runtime.clone(), clock, 4)
}

const QUESTION: Question<'_> =
    Question { prompt: "look around", session: "default", plan_only: false, observer: &Discard };

#[tokio::test]
async fn an_agent_keeps_the_record_of_each_run_beside_its_trace() {
    let directory = tempfile::tempdir().unwrap();
    let runtime = RuntimeDir::new(directory.path());
    let agent = agent(&runtime, &[LOOK, LOOK_PLAN, "It saw 3.", LOOK, LOOK_PLAN, "It saw 4.", "It is done."]);

    agent.ask(QUESTION).await.unwrap();
    agent.ask(QUESTION).await.unwrap();
    let plan = serde_json::from_value(json!({ "steps": [{ "step_id": 1, "tool": "look" }] })).unwrap();
    agent.run_plan(plan, &Discard).await.unwrap();

    for number in ["1", "2", "3"] {
        let run = Runs::of(&runtime).find(number).unwrap();
        let path = runtime.cassette(&run);
        assert_eq!(
            path.file_name().unwrap().to_str().unwrap(),
            format!("000{number}_20231114-221320_ok.cassette.jsonl")
        );
        #[cfg(unix)]
        assert_eq!(
            std::os::unix::fs::PermissionsExt::mode(&path.metadata().unwrap().permissions()) & 0o777,
            0o600
        );
        let replayed = replay(Cassette::read(&path).unwrap(), &cast().finish().0).await.unwrap();
        assert_eq!((shown(&replayed), replayed.difference_from(&run)), (Vec::new(), String::new()));
    }
}

#[tokio::test]
async fn a_record_may_be_unwanted_or_wanted_elsewhere() {
    let directory = tempfile::tempdir().unwrap();
    let runtime = RuntimeDir::new(directory.path());
    let elsewhere = directory.path().join("tapes/new");
    let files = |at: &Path| -> usize { std::fs::read_dir(at).unwrap().count() };

    agent(&runtime, &[LOOK, LOOK_PLAN, "It saw 3."]).record_runs(false).ask(QUESTION).await.unwrap();
    assert_eq!(files(&runtime.traces()), 1);
    let other = agent(&runtime, &[LOOK, LOOK_PLAN, "It saw 3."])
        .record_runs(false)
        .record_in(Some(elsewhere.clone()));
    let run = other.ask(QUESTION).await.unwrap();

    assert_eq!((files(&runtime.traces()), files(&elsewhere)), (2, 1));
    let cassette = Cassette::read(&elsewhere.join(format!("{}.jsonl", run.run_id))).unwrap();
    assert_eq!(replay(cassette, &cast().finish().0).await.unwrap().difference_from(&run), "");
}

#[tokio::test]
async fn a_place_that_cannot_hold_records_is_told_before_the_run() {
    let directory = tempfile::tempdir().unwrap();
    let runtime = RuntimeDir::new(directory.path());
    std::fs::write(directory.path().join("file"), "").unwrap();
    let agent = agent(&runtime, &[LOOK]).record_in(Some(directory.path().join("file")));

    let error = agent.ask(QUESTION).await.unwrap_err();

    assert!(matches!(error, AgentError::RecordDirectory(..)), "{error:?}");
    assert!(!runtime.outbox().exists());
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_full_disk_is_told_before_the_run() {
    let (tools, _) = cast().finish();
    let pipeline = Pipeline::builder(Arc::new(ScriptedBackend::replying([LOOK])), tools)
        .planner(own_tools())
        .build()
        .unwrap();
    let header = pipeline.header(Mode::Run, Ask::new("look around"), None);

    let error = Recorder::begin(Path::new("/dev/full"), header).unwrap_err();

    assert_eq!(error.kind(), std::io::ErrorKind::StorageFull);
}

/// The tools here are none that the words of a prompt could ask for.
fn own_tools() -> PlannerConfig {
    PlannerConfig { checks_words: false, ..PlannerConfig::default() }
}
