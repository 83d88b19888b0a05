//! Ollama.

use ln_agent_core::adapter::RemoteConfig;
use ln_agent_core::adapter::ollama::OllamaBackend;
use ln_agent_core::llm::{LlmBackend, LlmError, LlmErrorKind, LlmRequest, LlmResponse};
use serde_json::{Value, json};

use super::bad_input::bad_input;
use super::contract::{Dialect, KEY, Said, USAGE, contract, request, schema_request, text, tool_request};
use super::server::{Answer, End, Request, Server};

struct Ollama;

contract!(Ollama);
bad_input!(Ollama, OllamaBackend);

fn line(value: &Value) -> Vec<u8> {
    format!("{value}\n").into_bytes()
}

fn delta(message: &Value) -> Vec<u8> {
    line(&json!({
        "model": "model-x:latest", "created_at": "2026-11-01T10:00:00.1Z", "message": message, "done": false,
    }))
}

/// The last line, or a whole reply.
fn last(message: &Value, said: &Said) -> Value {
    json!({
        "model": "model-x:latest", "created_at": "2026-11-01T10:00:00.1Z", "message": message,
        "done": true, "done_reason": if said.cut_off { "length" } else { "stop" },
        "total_duration": 900_000_000, "load_duration": 1_000_000,
        "prompt_eval_count": USAGE.0, "prompt_eval_duration": 200_000_000,
        "eval_count": USAGE.1, "eval_duration": 300_000_000,
    })
}

fn calls(said: &Said) -> Value {
    let written = |(name, args): &(&str, Value)| json!({"function": {"name": name, "arguments": args}});
    said.calls.iter().map(written).collect()
}

impl Dialect for Ollama {
    const NAME: &'static str = "ollama";
    const STREAM_TYPE: &'static str = "application/x-ndjson";
    // Its errors have no codes.
    const QUOTA: (u16, &'static str) = (402, "");

    fn backend(config: &RemoteConfig) -> Result<Box<dyn LlmBackend>, LlmError> {
        Ok(Box::new(OllamaBackend::new(config)?))
    }

    fn whole(said: &Said) -> Value {
        let mut message = json!({"role": "assistant", "content": said.text.concat()});
        if !said.calls.is_empty() {
            message["tool_calls"] = calls(said);
        }
        last(&message, said)
    }

    fn streamed(said: &Said) -> Vec<u8> {
        let mut bytes = Self::begun(&said.text);
        if !said.calls.is_empty() {
            bytes.extend(delta(&json!({"role": "assistant", "content": "", "tool_calls": calls(said)})));
        }
        bytes.extend(line(&last(&json!({"role": "assistant", "content": ""}), said)));
        bytes
    }

    fn begun(text: &[&str]) -> Vec<u8> {
        let mut bytes = delta(&json!({"role": "assistant", "content": ""}));
        bytes.extend(text.iter().flat_map(|text| delta(&json!({"role": "assistant", "content": text}))));
        bytes
    }

    fn overloaded_frame() -> Vec<u8> {
        line(&json!({"error": "server busy, please try again.  maximum pending requests exceeded"}))
    }

    /// Ollama itself never declines; a gateway before it may.
    fn declined() -> Answer {
        Answer::json(
            400,
            &json!({"error": {"code": "content_filter", "message": "I cannot help with that."}}),
        )
    }

    fn error(_status: u16, _code: &str, message: &str) -> Value {
        json!({ "error": message })
    }

    fn check_sent(sent: &Request, asked: &LlmRequest, streamed: bool) {
        assert_eq!(sent.path, "/api/chat");
        assert_eq!(sent.header("authorization"), Some(format!("Bearer {KEY}").as_str()));
        // With one it would answer 403.
        assert_eq!(sent.header("origin"), None);
        let mut expected = json!({
            "model": "model-x",
            "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Grüße 👋"}],
            "stream": streamed, "keep_alive": "10m", "truncate": false, "shift": false,
            "options": {"temperature": 0.5, "seed": 7, "num_ctx": 16_384, "num_predict": 512},
        });
        if let [tool] = asked.tools.as_slice() {
            expected["tools"] = json!([{"type": "function", "function": {
                "name": tool.name, "description": tool.description, "parameters": tool.parameters}}]);
            expected["options"]["temperature"] = json!(0.0);
        }
        if let Some(schema) = &asked.response_schema {
            expected["format"] = schema.clone();
            expected["think"] = json!(false);
        }
        assert_eq!(sent.body, expected);
    }
}

/// What these answers come to, and what was sent for them.
async fn ask(
    answers: impl IntoIterator<Item = Answer>,
    asked: &LlmRequest,
    configure: impl FnOnce(&mut RemoteConfig),
) -> (Result<LlmResponse, LlmError>, Vec<Request>) {
    let server = Server::answering(answers).await;
    let mut config = RemoteConfig::new(&server.base, "model-x");
    configure(&mut config);
    let answer = OllamaBackend::new(&config).unwrap().step(asked).await;
    (answer, server.requests())
}

fn whole() -> Answer {
    Answer::json(200, &Ollama::whole(&text(&["{\"goal\":\"g\"}"])))
}

fn refusal(status: u16, message: &str) -> Answer {
    Answer::json(status, &json!({ "error": message }))
}

#[tokio::test]
async fn a_local_server_is_asked_without_a_key() {
    let (answer, sent) = ask([whole()], &request(), |_| ()).await;

    assert_eq!(answer.unwrap().warnings, Vec::<String>::new());
    assert_eq!(sent[0].header("authorization"), None);
}

#[tokio::test]
async fn a_host_and_port_without_a_scheme_reach_the_server() {
    let server = Server::answering([whole()]).await;
    let host = server.base.strip_prefix("http://").unwrap();

    let backend = OllamaBackend::new(&RemoteConfig::new(host, "model-x")).unwrap();

    assert_eq!(backend.step(&request()).await.unwrap().content, "{\"goal\":\"g\"}");
    assert_eq!(server.requests()[0].path, "/api/chat");
}

#[tokio::test]
async fn a_model_that_is_not_there_can_be_pulled() {
    let (answer, _) = ask([refusal(404, "model 'model-x' not found")], &request(), |_| ()).await;
    assert_eq!(
        answer.unwrap_err().to_string(),
        "ollama: not found (404): model 'model-x' not found; get it with `ollama pull model-x`; check OLLAMA_MODEL \
         and OLLAMA_BASE_URL"
    );

    // Another server on that port.
    let (answer, _) = ask([Answer::new(404, "text/plain", "404 page not found")], &request(), |_| ()).await;
    let error = answer.unwrap_err();
    assert_eq!((error.kind, error.message.as_str()), (LlmErrorKind::NotFound, "404 page not found"));
}

#[tokio::test]
async fn a_prompt_that_is_too_long_is_an_error_and_not_cut() {
    let (answer, sent) =
        ask([refusal(400, "the input length exceeds the context length")], &request(), |config| {
            config.context_tokens = 4_096
        })
        .await;

    let error = answer.unwrap_err();
    assert_eq!((error.kind, error.is_retryable()), (LlmErrorKind::TooLarge, false), "{error}");
    assert_eq!(
        (&sent[0].body["truncate"], &sent[0].body["options"]["num_ctx"]),
        (&json!(false), &json!(4_096))
    );
}

#[tokio::test]
async fn a_prompt_that_fills_the_context_is_told() {
    // 41 tokens of prompt came; 512 are for the answer.
    for (context_tokens, warned) in [(553, true), (554, false), (512, true)] {
        let (answer, _) = ask([whole()], &request(), |config| config.context_tokens = context_tokens).await;
        let expected = format!(
            "the prompt fills the context: 41 of {context_tokens} tokens, 512 of them for the answer; its start may \
             be cut off"
        );
        let expected = if warned { vec![expected] } else { Vec::new() };
        assert_eq!(answer.unwrap().warnings, expected);
    }
}

#[tokio::test]
async fn a_prompt_whose_tokens_are_not_counted_warns_of_nothing() {
    let mut reply = Ollama::whole(&text(&["yes"]));
    reply.as_object_mut().unwrap().shift_remove("prompt_eval_count");
    let (answer, _) = ask([Answer::json(200, &reply)], &request(), |config| config.context_tokens = 64).await;
    assert_eq!(answer.unwrap().warnings, Vec::<String>::new());
}

#[tokio::test]
async fn a_server_that_refuses_the_switch_for_thoughts_is_asked_without_it() {
    let server =
        Server::answering([refusal(400, "\"model-x\" does not support thinking"), whole(), whole()]).await;
    let backend = OllamaBackend::new(&RemoteConfig::new(&server.base, "model-x")).unwrap();

    let first = backend.step(&schema_request()).await.unwrap();
    let second = backend.step(&schema_request()).await.unwrap();

    assert_eq!(first.warnings, ["thoughts are not switched off: this server refuses that"]);
    assert_eq!(second.warnings, Vec::<String>::new());
    let thinks: Vec<Option<Value>> =
        server.requests().iter().map(|sent| sent.body.get("think").cloned()).collect();
    assert_eq!(thinks, [Some(json!(false)), None, None]);
    assert!(server.requests().iter().all(|sent| sent.body["format"].is_object()));
}

#[tokio::test]
async fn a_schema_that_is_refused_stands_in_the_prompt_and_never_goes_silently() {
    let (answer, sent) =
        ask([refusal(400, "invalid JSON schema in format"), whole()], &schema_request(), |_| ()).await;

    assert_eq!(
        answer.unwrap().warnings,
        [
            "the schema stands in the prompt only: this server does not enforce it",
            "the schema is refused by this server (invalid JSON schema in format)",
        ]
    );
    assert_eq!((sent.len(), sent[1].body.get("format")), (2, None));
    let told = sent[1].body["messages"][2]["content"].as_str().unwrap();
    assert!(told.contains(&schema_request().response_schema.unwrap().to_string()), "{told}");
}

#[tokio::test]
async fn a_model_without_tools_says_so() {
    let said = "registry.ollama.ai/library/model-x does not support tools";
    let (answer, sent) = ask([refusal(400, said)], &tool_request(), |_| ()).await;

    let error = answer.unwrap_err();
    assert_eq!((error.kind, error.message.as_str(), sent.len()), (LlmErrorKind::BadRequest, said, 1));
}

#[tokio::test]
async fn thoughts_without_an_answer_are_an_empty_answer() {
    let message = json!({"role": "assistant", "content": "", "thinking": "They want five sats…"});
    let (answer, _) = ask([Answer::json(200, &last(&message, &text(&[])))], &request(), |_| ()).await;

    let answer = answer.unwrap();
    assert_eq!((answer.content.as_str(), answer.reasoning.as_str()), ("", "They want five sats…"));
}

#[tokio::test]
async fn an_old_server_that_gives_no_reason_is_done_all_the_same() {
    let bytes = [Ollama::begun(&["yes"]), line(&json!({"model": "model-x", "done": true}))].concat();
    let server = Server::answering([Answer::new(200, Ollama::STREAM_TYPE, bytes)]).await;
    let backend = OllamaBackend::new(&RemoteConfig::new(&server.base, "model-x")).unwrap();

    let answer = backend.stream(&request(), &|_| ()).await.unwrap();

    assert_eq!((answer.content.as_str(), answer.truncated, answer.finish_reason), ("yes", false, None));
}

#[tokio::test]
async fn a_runner_that_dies_in_the_middle_is_an_error_of_the_server() {
    let bytes = [
        Ollama::begun(&["half "]),
        line(&json!({"error": "an error was encountered while running the model: CUDA error"})),
    ]
    .concat();
    let answer = Answer::new(200, Ollama::STREAM_TYPE, bytes).ending(End::BrokenOff);
    let server = Server::answering([answer]).await;
    let backend = OllamaBackend::new(&RemoteConfig::new(&server.base, "model-x")).unwrap();

    let error = backend.stream(&request(), &|_| ()).await.unwrap_err();

    assert_eq!((error.kind, error.is_retryable()), (LlmErrorKind::Server, true), "{error}");
}

#[tokio::test]
async fn every_refusal_of_the_server_has_its_kind() {
    use LlmErrorKind as Kind;
    let cases = [
        (400, json!({"error": "\"model-x\" does not support tools"}), Kind::BadRequest, false),
        (
            401,
            json!({"error": "unauthorized", "signin_url": "https://ollama.com/connect"}),
            Kind::Auth,
            false,
        ),
        (403, json!({"error": "ollama cloud is disabled"}), Kind::Auth, false),
        (404, json!({"error": "model 'model-x' not found"}), Kind::NotFound, false),
        (429, json!({"error": "you have reached your hourly usage limit"}), Kind::RateLimited, true),
        (499, json!({"error": "request canceled"}), Kind::Server, true),
        (500, json!({"error": "llama runner process has terminated"}), Kind::Server, true),
        (502, json!({"error": "connect to ollama.com"}), Kind::Server, true),
        (
            503,
            json!({"error": "server busy, please try again.  maximum pending requests exceeded"}),
            Kind::Overloaded,
            true,
        ),
    ];
    for (status, body, kind, retryable) in cases {
        let (answer, _) = ask([Answer::json(status, &body)], &tool_request(), |_| ()).await;
        let error = answer.unwrap_err();
        assert_eq!((error.kind, error.is_retryable()), (kind, retryable), "{status} {error}");
    }
}

#[test]
fn a_model_has_minutes_to_load() {
    assert!(RemoteConfig::new("", "model-x").idle_timeout.as_secs() >= 120);
}
