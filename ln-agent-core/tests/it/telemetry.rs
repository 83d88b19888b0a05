//! What an exporter is handed: names, kinds, attributes, nesting, and nothing that is nobody's business.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use ln_agent_core::clock::ManualClock;
use ln_agent_core::llm::{
    LlmBackend, LlmError, LlmErrorKind, LlmRequest, LlmResponse, LlmTask, Message, Role, ScriptedBackend,
    ToolDefinition,
};
use ln_agent_core::pipeline::{Ask, Pipeline};
use ln_agent_core::stage::planner::PlannerConfig;
use ln_agent_core::telemetry::{Spans, Traced, layer, names};
use ln_agent_core::tool::{Effect, ToolErrorKind, ToolSpec};
use ln_agent_core::types::TokenUsage;
use opentelemetry::trace::{SpanKind, Status};
use opentelemetry::{Array, KeyValue, StringValue, Value as Attribute, global};
use opentelemetry_sdk::metrics::data::{AggregatedMetrics, MetricData};
use opentelemetry_sdk::metrics::{InMemoryMetricExporter, SdkMeterProvider};
use opentelemetry_sdk::trace::{InMemorySpanExporter, SdkTracerProvider, SpanData};
use serde_json::{Value, json};
use tracing_subscriber::layer::SubscriberExt as _;

use crate::actors::{Cast, Reply};

const INVOICE: &str = "lnbcrt10u1p3unwfusp5t9r3yymhpfqculx78u027lxspgxcr2n2987mx2j55nnfs95nxnzq";
const KEY: &str = "sk-proj-abcDEF0123456789";

/// An exporter for the spans of this thread.
struct Exporter {
    spans: InMemorySpanExporter,
    _installed: tracing::subscriber::DefaultGuard,
}

impl Exporter {
    fn install() -> Self {
        let spans = InMemorySpanExporter::default();
        let provider = SdkTracerProvider::builder().with_simple_exporter(spans.clone()).build();
        let subscriber = tracing_subscriber::registry().with(layer(&provider));
        Self { spans, _installed: tracing::subscriber::set_default(subscriber) }
    }

    fn finished(&self) -> Vec<SpanData> {
        self.spans.get_finished_spans().unwrap()
    }

    /// Name, kind, status, parent and attributes of every span, in the order they began.
    fn seen(&self) -> Value {
        let mut spans = self.finished();
        spans.sort_by_key(|span| span.start_time);
        let parent = |span: &SpanData| {
            let parent = spans.iter().find(|other| other.span_context.span_id() == span.parent_span_id);
            parent.map(|parent| parent.name.clone())
        };
        let kind = |kind: &SpanKind| format!("{kind:?}").to_lowercase();
        let rows = spans.iter().map(|span| {
            assert!(span.events.is_empty() && span.dropped_attributes_count == 0);
            json!({
                "name": span.name,
                "kind": kind(&span.span_kind),
                "failed": matches!(span.status, Status::Error { .. }),
                "parent": parent(span),
                "attributes": attributes(span.attributes.iter()),
            })
        });
        rows.collect()
    }

    /// Everything that was exported, as one text.
    fn text(&self) -> String {
        format!("{:?}", self.finished())
    }
}

fn attributes<'a>(attributes: impl Iterator<Item = &'a KeyValue>) -> BTreeMap<String, Value> {
    let mut seen = BTreeMap::new();
    for KeyValue { key, value, .. } in attributes {
        let value = match value {
            Attribute::Bool(value) => json!(value),
            Attribute::I64(value) => json!(value),
            Attribute::F64(value) => json!(value),
            Attribute::String(value) => json!(value.as_str()),
            Attribute::Array(Array::String(values)) => {
                values.iter().map(StringValue::as_str).collect::<Value>()
            }
            other => unreachable!("{other:?} is not used"),
        };
        assert_eq!(seen.insert(key.to_string(), value), None, "`{key}` is there twice");
    }
    seen
}

fn request() -> LlmRequest {
    LlmRequest {
        task: LlmTask::Translate { prompt: String::new(), history: Vec::new(), node_count: 1, own_node: 1 },
        messages: vec![
            Message::new(Role::System, "Be brief."),
            Message::new(Role::User, format!("Pay {INVOICE} with Authorization: Bearer {KEY}")),
        ],
        tools: vec![ToolDefinition {
            name: "ln_pay".into(),
            description: "Pays.".into(),
            parameters: json!({ "type": "object" }),
        }],
        response_schema: Some(json!({ "type": "object" })),
        max_output_tokens: 800,
        temperature: 0.2,
    }
}

fn response() -> LlmResponse {
    LlmResponse {
        content: format!("the key is {KEY}"),
        usage: TokenUsage { calls: 1, prompt_tokens: 120, output_tokens: 7, cached_tokens: 100 },
        finish_reason: Some("stop".into()),
        model: Some("gpt-x-2026".into()),
        request_id: Some("resp_1".into()),
        ..LlmResponse::default()
    }
}

fn traced(outcome: Result<LlmResponse, LlmError>, model: &str) -> Traced {
    Traced::new(Arc::new(ScriptedBackend::scripted([outcome])), model)
}

fn chat_attributes() -> Value {
    json!({
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "scripted",
        "gen_ai.request.model": "gpt-x",
        "gen_ai.request.max_tokens": 800,
        "gen_ai.request.temperature": 0.2,
        "gen_ai.request.stream": false,
        "gen_ai.output.type": "json",
        "gen_ai.response.id": "resp_1",
        "gen_ai.response.model": "gpt-x-2026",
        "gen_ai.response.finish_reasons": ["stop"],
        "gen_ai.usage.input_tokens": 120,
        "gen_ai.usage.output_tokens": 7,
        "gen_ai.usage.cache_read.input_tokens": 100,
    })
}

#[tokio::test]
async fn a_model_call_is_a_client_span_without_content() {
    let exporter = Exporter::install();
    let model = traced(Ok(response()), "gpt-x").with_server("api.example", 443).with_conversation("s1");

    model.step(&request()).await.unwrap();

    let mut attributes = chat_attributes();
    attributes["server.address"] = json!("api.example");
    attributes["server.port"] = json!(443);
    attributes["gen_ai.conversation.id"] = json!("s1");
    let span = json!({
        "name": "chat gpt-x", "kind": "client", "failed": false, "parent": null, "attributes": attributes,
    });
    assert_eq!(exporter.seen(), json!([span]));
    assert!(!exporter.text().contains("Be brief"));
}

#[tokio::test]
async fn a_failed_call_says_what_kind_of_failure_and_no_more() {
    let exporter = Exporter::install();
    let timeout = LlmError::new(LlmErrorKind::Timeout, "openai", "nothing for 120 s");
    let busy = LlmError::new(LlmErrorKind::RateLimited, "openai", "org-secret is busy").with_status(429);
    for error in [timeout, busy] {
        traced(Err(error.clone()), "gpt-x").step(&request()).await.unwrap_err();
    }

    let seen = exporter.seen();
    let kinds: Vec<_> = seen
        .as_array()
        .unwrap()
        .iter()
        .map(|span| (&span["failed"], &span["attributes"]["error.type"]))
        .collect();
    assert_eq!(kinds, [(&json!(true), &json!("timeout")), (&json!(true), &json!("429"))]);
    assert!(!exporter.text().contains("org-secret"));
}

/// Answers in two pieces, the first after 250 ms, the second after 500 ms.
struct Slow(Arc<ManualClock>);

#[async_trait::async_trait]
impl LlmBackend for Slow {
    fn name(&self) -> &str {
        "claude"
    }

    async fn step(&self, _request: &LlmRequest) -> Result<LlmResponse, LlmError> {
        Ok(response())
    }

    async fn stream(
        &self,
        _request: &LlmRequest,
        on_text: &(dyn for<'t> Fn(&'t str) + Send + Sync),
    ) -> Result<LlmResponse, LlmError> {
        for piece in ["a", "b"] {
            self.0.advance(Duration::from_millis(250));
            on_text(piece);
        }
        Ok(response())
    }
}

#[tokio::test]
async fn a_stream_says_when_its_first_piece_came() {
    let exporter = Exporter::install();
    let clock = Arc::new(ManualClock::at_unix_secs(0));
    let model = Traced::new(Arc::new(Slow(clock.clone())), "gpt-x").with_clock(clock);
    let pieces = std::sync::Mutex::new(Vec::new());

    model.stream(&request(), &|piece| pieces.lock().unwrap().push(piece.to_owned())).await.unwrap();

    assert_eq!(pieces.into_inner().unwrap(), ["a", "b"]);
    let mut attributes = chat_attributes();
    attributes["gen_ai.provider.name"] = json!("anthropic");
    attributes["gen_ai.request.stream"] = json!(true);
    attributes["gen_ai.response.time_to_first_chunk"] = json!(0.25);
    assert_eq!(exporter.seen()[0]["attributes"], attributes);
}

#[tokio::test]
async fn content_is_opt_in_and_without_secrets() {
    let exporter = Exporter::install();

    traced(Ok(response()), "gpt-x").with_content(true).step(&request()).await.unwrap();

    let attributes = &exporter.seen()[0]["attributes"];
    let read = |name: &str| serde_json::from_str::<Value>(attributes[name].as_str().unwrap()).unwrap();
    assert_eq!(read(names::SYSTEM_INSTRUCTIONS), json!([{ "type": "text", "content": "Be brief." }]));
    let said = "Pay [invoice] with Authorization: Bearer [redacted]";
    let input = json!([{ "role": "user", "parts": [{ "type": "text", "content": said }] }]);
    assert_eq!(read(names::INPUT_MESSAGES), input);
    let answer = [json!({ "type": "text", "content": "the key is [redacted]" })];
    let output = json!([{ "role": "assistant", "parts": answer, "finish_reason": "stop" }]);
    assert_eq!(read(names::OUTPUT_MESSAGES), output);
    assert_eq!(read(names::TOOL_DEFINITIONS)[0]["name"], "ln_pay");
    assert!(!exporter.text().contains(KEY) && !exporter.text().contains(INVOICE));
}

const INTENT: &str = r#"{"goal": "look", "context": {"node": 1}}"#;
const PLAN: &str = r#"{"plan_rationale": "look", "steps": [
    {"step_id": 1, "tool": "look", "args": {"amount_sat": 5}},
    {"step_id": 2, "tool": "broken", "args": {"key": "sk-proj-abcDEF0123456789"}, "on_error": "retry", "max_retries": 1}]}"#;

/// One run of three model calls, a tool that answers and one that fails twice.
async fn run(content: bool) -> Exporter {
    let exporter = Exporter::install();
    let preimage = "00112233445566778899aabbccddeeff";
    let spec = |name: &str, argument: &str, kind: &str| {
        let mut spec = ToolSpec::new(name, name, Effect::Read);
        spec.input_schema = json!({ "type": "object", "properties": { argument: { "type": kind } } });
        spec
    };
    let (tools, _record) = Cast::default()
        .spec(spec("look", "amount_sat", "integer"), move |_, _| {
            Reply::Answer(json!({ "payment_preimage": preimage, "bolt11": INVOICE }))
        })
        .spec(spec("broken", "key", "string"), |_, _| Reply::Fail(ToolErrorKind::Failed, "it broke"))
        .finish();
    let model = Traced::new(Arc::new(ScriptedBackend::replying([INTENT, PLAN, "It broke."])), "gpt-x");
    let clock = Arc::new(ManualClock::at_unix_secs(1_700_000_000));
    let pipeline =
        Pipeline::builder(Arc::new(model), tools).planner(own_tools()).clock(clock).build().unwrap();
    let spans = Spans::new("ln-agent").with_conversation("s1").with_content(content);

    let prompt = format!("look with {KEY}");
    let ask = Ask { observer: Some(&spans), ..Ask::new(&prompt) };
    spans.around(pipeline.run(ask)).await.unwrap();

    assert!(!exporter.text().contains(preimage) && !exporter.text().contains(INVOICE));
    assert!(!exporter.text().contains(KEY));
    exporter
}

#[tokio::test]
async fn a_run_is_a_tree_of_model_calls_and_tool_calls() {
    let exporter = run(false).await;

    let seen = exporter.seen();
    let tree: Vec<[&str; 3]> = seen
        .as_array()
        .unwrap()
        .iter()
        .map(|span| ["name", "kind", "parent"].map(|member| span[member].as_str().unwrap_or_default()))
        .collect();
    let run = "invoke_agent ln-agent";
    let expected = [
        [run, "internal", ""],
        ["chat gpt-x", "client", run],
        ["chat gpt-x", "client", run],
        ["execute_tool look", "internal", run],
        ["execute_tool broken", "internal", run],
        ["execute_tool broken", "internal", run],
        ["chat gpt-x", "client", run],
    ];
    assert_eq!(tree, expected);
    assert_eq!(seen[0]["failed"], true);
    let attributes = json!({
        "error.type": "executor_failed",
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": "ln-agent",
        "gen_ai.agent.version": env!("CARGO_PKG_VERSION"),
        "gen_ai.conversation.id": "s1",
        "gen_ai.usage.input_tokens": 0,
        "gen_ai.usage.output_tokens": 0,
        "app.ln.request_id": 1,
        "app.ln.run_id": "20231114-221320-0001",
        "app.ln.outcome": "partial",
        "app.ln.worst_case_spend_msat": 0,
    });
    assert_eq!(seen[0]["attributes"], attributes);
    let look = json!({
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "look",
        "gen_ai.tool.type": "function",
        "gen_ai.tool.call.id": "step1",
        "app.ln.attempt": 1,
        "app.ln.amount_msat": 5_000,
    });
    assert_eq!((&seen[3]["attributes"], &seen[3]["failed"]), (&look, &json!(false)));
    let broken = json!({
        "error.type": "tool_error",
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "broken",
        "gen_ai.tool.type": "function",
        "gen_ai.tool.call.id": "step2",
        "app.ln.attempt": 2,
    });
    assert_eq!((&seen[5]["attributes"], &seen[5]["failed"]), (&broken, &json!(true)));
}

#[tokio::test]
async fn arguments_and_results_are_opt_in_and_without_secrets() {
    let exporter = run(true).await;

    let seen = exporter.seen();
    let of = |span: usize, name: &str| seen[span]["attributes"][name].as_str().unwrap().to_owned();
    assert!(of(0, names::INPUT_MESSAGES).contains("look with [redacted]"));
    assert!(of(0, names::OUTPUT_MESSAGES).contains("It broke."));
    assert_eq!(of(4, names::TOOL_CALL_ARGUMENTS), r#"{"key":"[redacted]"}"#);
    let result = r#"{"payment_preimage":"[redacted]","bolt11":"[invoice]"}"#;
    assert_eq!(of(3, names::TOOL_CALL_RESULT), result);
    assert_eq!(of(5, names::TOOL_CALL_RESULT), "it broke");
}

/// The global meter is one for the whole process, so this is the only test that installs one.
#[tokio::test]
async fn tokens_and_durations_are_counted_in_the_buckets_of_the_convention() {
    let exporter = InMemoryMetricExporter::default();
    let provider = SdkMeterProvider::builder().with_periodic_exporter(exporter.clone()).build();
    global::set_meter_provider(provider.clone());
    let clock = Arc::new(ManualClock::at_unix_secs(0));

    let slow = Traced::new(Arc::new(Slow(clock.clone())), "metered").with_clock(clock);
    slow.stream(&request(), &|_| ()).await.unwrap();
    let lost = LlmError::new(LlmErrorKind::Network, "x", "gone");
    traced(Err(lost), "metered").step(&request()).await.unwrap_err();

    provider.force_flush().unwrap();
    let mut seen = BTreeMap::new();
    for resource in exporter.get_finished_metrics().unwrap() {
        for metric in resource.scope_metrics().flat_map(|scope| scope.metrics()) {
            match metric.data() {
                AggregatedMetrics::U64(MetricData::Histogram(histogram)) => {
                    for point in histogram.data_points() {
                        assert_eq!(point.bounds().collect::<Vec<_>>(), names::TOKEN_BUCKETS);
                        note(&mut seen, metric.name(), metric.unit(), json!(point.sum()), point.attributes());
                    }
                }
                AggregatedMetrics::F64(MetricData::Histogram(histogram)) => {
                    for point in histogram.data_points() {
                        assert_eq!(point.bounds().collect::<Vec<_>>(), names::DURATION_BUCKETS);
                        let fast = point.sum() < 0.1;
                        let sum = if fast { json!("fast") } else { json!(point.sum()) };
                        note(&mut seen, metric.name(), metric.unit(), sum, point.attributes());
                    }
                }
                other => unreachable!("{other:?} is no histogram"),
            }
        }
    }
    let answered = r#"anthropic gpt-x-2026 "#;
    let expected = [
        (format!("gen_ai.client.operation.duration s {answered}"), json!(0.5)),
        ("gen_ai.client.operation.duration s scripted  network".to_owned(), json!("fast")),
        (format!("gen_ai.client.token.usage {{token}} {answered} input"), json!(120)),
        (format!("gen_ai.client.token.usage {{token}} {answered} output"), json!(7)),
    ];
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), expected);
}

/// Provider, answering model, failure and side of the points of this test's model.
fn note<'a>(
    seen: &mut BTreeMap<String, Value>,
    name: &str,
    unit: &str,
    sum: Value,
    of: impl Iterator<Item = &'a KeyValue>,
) {
    let of = attributes(of);
    if of[names::REQUEST_MODEL] != "metered" {
        return;
    }
    let mut key = format!("{name} {unit}");
    for name in [names::PROVIDER_NAME, names::RESPONSE_MODEL, names::ERROR_TYPE, names::TOKEN_TYPE] {
        let value = of.get(name).and_then(Value::as_str);
        if name != names::TOKEN_TYPE || value.is_some() {
            key.push_str(&format!(" {}", value.unwrap_or_default()));
        }
    }
    assert_eq!(of[names::OPERATION_NAME], "chat");
    assert_eq!(seen.insert(key, sum), None);
}

/// The tools here are none that the words of a prompt could ask for.
fn own_tools() -> PlannerConfig {
    PlannerConfig { checks_words: false, ..PlannerConfig::default() }
}
