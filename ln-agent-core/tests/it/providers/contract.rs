//! What every adapter must do, whatever its provider's form.

use std::sync::Mutex;
use std::time::Duration;

use ln_agent_core::adapter::RemoteConfig;
use ln_agent_core::llm::{
    LlmBackend, LlmError, LlmErrorKind, LlmRequest, LlmResponse, LlmTask, Message, Role, ToolDefinition,
};
use ln_agent_core::types::IntentBlock;
use serde_json::{Value, json};

use super::server::{Answer, End, Request, Server};

/// How a provider writes what the contract says.
pub(super) trait Dialect {
    /// Its name in errors.
    const NAME: &'static str;
    /// Media type of its streams.
    const STREAM_TYPE: &'static str;

    /// The adapter.
    fn backend(config: &RemoteConfig) -> Result<Box<dyn LlmBackend>, LlmError>;

    /// A whole reply.
    fn whole(said: &Said) -> Value;

    /// The bytes of a stream, with everything that says that it is whole.
    fn streamed(said: &Said) -> Vec<u8>;

    /// The bytes of a stream up to and including the pieces of this text, and nothing after.
    fn begun(text: &[&str]) -> Vec<u8>;

    /// A frame that says that the provider is overloaded.
    fn overloaded_frame() -> Vec<u8>;

    /// A reply or refusal that says that the model declines.
    fn declined() -> Answer;

    /// The body of an error.
    fn error(status: u16, code: &str, message: &str) -> Value;

    /// The code that says that the quota is used up, and the status with which it comes.
    const QUOTA: (u16, &'static str);

    /// Whether an answer without any content is a fault that another sample may mend.
    const EMPTY_IS_A_FAULT: bool = false;

    /// Checks what was sent for [`request`], [`tool_request`] or [`schema_request`].
    fn check_sent(sent: &Request, asked: &LlmRequest, streamed: bool);
}

/// What the model says.
#[derive(Clone, Debug, Default)]
pub(super) struct Said {
    /// In pieces, for streams.
    pub(super) text: Vec<&'static str>,
    /// Name and arguments.
    pub(super) calls: Vec<(&'static str, Value)>,
    /// It was cut off at its limit.
    pub(super) cut_off: bool,
}

/// Key of every adapter under test.
pub(super) const KEY: &str = "test-key-of-no-known-shape";
/// Prompt and answer tokens that every dialect reports.
pub(super) const USAGE: (u64, u64) = (41, 12);

pub(super) fn text(pieces: &[&'static str]) -> Said {
    Said { text: pieces.to_vec(), ..Said::default() }
}

pub(super) fn request() -> LlmRequest {
    LlmRequest {
        task: LlmTask::Plan { intent: IntentBlock::default(), node_count: 2 },
        messages: vec![Message::new(Role::System, "Be brief."), Message::new(Role::User, "Grüße 👋")],
        tools: Vec::new(),
        response_schema: None,
        max_output_tokens: 512,
        temperature: 0.5,
    }
}

pub(super) fn tool_request() -> LlmRequest {
    let tool = ToolDefinition {
        name: "ln_getinfo".into(),
        description: "Node info".into(),
        parameters: json!({"type": "object", "properties": {"node": {"type": "integer"}}, "required": ["node"]}),
    };
    LlmRequest { tools: vec![tool], ..request() }
}

pub(super) fn schema_request() -> LlmRequest {
    let schema = json!({
        "type": "object",
        "properties": {"goal": {"type": "string"}, "count": {"type": "integer"}},
        "required": ["goal"],
        "additionalProperties": false,
    });
    LlmRequest { response_schema: Some(schema), ..request() }
}

/// One exchange with a server that gives this answer.
pub(super) struct Exchange {
    pub(super) result: Result<LlmResponse, LlmError>,
    /// Pieces of text as they were handed over.
    pub(super) pieces: Vec<String>,
    pub(super) sent: Vec<Request>,
}

pub(super) async fn exchange<D: Dialect>(
    answers: impl IntoIterator<Item = Answer>,
    asked: &LlmRequest,
    streamed: bool,
    configure: impl FnOnce(&mut RemoteConfig),
) -> Exchange {
    let server = Server::answering(answers).await;
    let mut config = RemoteConfig::new(&server.base, "model-x").with_key(KEY);
    config.idle_timeout = Duration::from_secs(20);
    configure(&mut config);
    let backend = D::backend(&config).unwrap();
    let pieces = Mutex::new(Vec::new());
    let on_text = |piece: &str| pieces.lock().unwrap().push(piece.to_owned());
    let result = if streamed { backend.stream(asked, &on_text).await } else { backend.step(asked).await };
    if let Err(error) = &result {
        let shown = format!("{error} {error:?}");
        assert!(!shown.contains(KEY), "{shown}");
        assert_eq!(error.provider, D::NAME);
    }
    Exchange { result, pieces: pieces.into_inner().unwrap(), sent: server.requests() }
}

async fn step<D: Dialect>(answer: Answer) -> Exchange {
    exchange::<D>([answer], &request(), false, |_| ()).await
}

async fn stream<D: Dialect>(bytes: impl Into<Vec<u8>>, end: End) -> Exchange {
    let answer = Answer::new(200, D::STREAM_TYPE, bytes).ending(end);
    exchange::<D>([answer], &request(), true, |_| ()).await
}

fn kind(exchange: &Exchange) -> (LlmErrorKind, bool) {
    let error = exchange.result.as_ref().unwrap_err();
    (error.kind, error.is_retryable())
}

pub(super) async fn an_answer_comes_with_its_tokens<D: Dialect>() {
    let seen = step::<D>(Answer::json(200, &D::whole(&text(&["Hello ", "wörld"])))).await;

    let response = seen.result.unwrap();
    assert_eq!(response.content, "Hello wörld");
    assert_eq!(
        (response.usage.calls, response.usage.prompt_tokens, response.usage.output_tokens),
        (1, USAGE.0, USAGE.1)
    );
    assert!(!response.truncated && response.tool_calls.is_empty());
    assert_eq!(seen.sent.len(), 1);
    D::check_sent(&seen.sent[0], &request(), false);
}

pub(super) async fn a_stream_is_handed_over_piece_by_piece<D: Dialect>() {
    let seen = stream::<D>(D::streamed(&text(&["Hel", "lo ", "wörld 👋"])), End::Whole).await;

    let response = seen.result.unwrap();
    assert_eq!(seen.pieces, ["Hel", "lo ", "wörld 👋"]);
    assert_eq!(response.content, "Hello wörld 👋");
    assert_eq!((response.usage.prompt_tokens, response.usage.output_tokens), USAGE);
    assert!(!response.truncated);
    D::check_sent(&seen.sent[0], &request(), true);
}

pub(super) async fn a_stream_may_be_cut_inside_a_character<D: Dialect>() {
    let answer = Answer::new(200, D::STREAM_TYPE, D::streamed(&text(&["é€😀", "ß"]))).cut(7);
    let seen = exchange::<D>([answer], &request(), true, |_| ()).await;

    assert_eq!(seen.result.unwrap().content, "é€😀ß");
    assert_eq!(seen.pieces, ["é€😀", "ß"]);
}

pub(super) async fn fences_thoughts_and_prose_are_left_to_the_stages<D: Dialect>() {
    for said in
        ["```json\n{\"a\":1}\n```", "<think>{\"b\":2}</think>{\"a\":1}", "Here it is: {\"a\":1} Done."]
    {
        let seen = step::<D>(Answer::json(200, &D::whole(&text(&[said])))).await;
        let content = seen.result.unwrap().content;
        assert_eq!(content, said);
        assert_eq!(ln_agent_core::llm::reply::object(&content).unwrap()["a"], 1);
    }
}

pub(super) async fn an_answer_at_its_limit_is_marked<D: Dialect>() {
    let said = Said { cut_off: true, ..text(&["half of"]) };
    let whole = step::<D>(Answer::json(200, &D::whole(&said))).await.result.unwrap();
    let streamed = stream::<D>(D::streamed(&said), End::Whole).await.result.unwrap();
    for response in [whole, streamed] {
        assert_eq!((response.content.as_str(), response.truncated), ("half of", true));
    }
}

pub(super) async fn a_refusal_is_an_error<D: Dialect>() {
    assert_eq!(kind(&step::<D>(D::declined()).await), (LlmErrorKind::Refused, false));
}

pub(super) async fn an_empty_answer_is_empty<D: Dialect>() {
    let seen = step::<D>(Answer::json(200, &D::whole(&text(&[])))).await;
    if D::EMPTY_IS_A_FAULT {
        assert_eq!(kind(&seen), (LlmErrorKind::Malformed, true));
    } else {
        assert_eq!(seen.result.unwrap().content, "");
    }
}

pub(super) async fn a_tool_call_comes_with_its_arguments<D: Dialect>() {
    let said = Said { calls: vec![("ln_getinfo", json!({"node": 1, "note": "é\"{"}))], ..Said::default() };
    let whole = Answer::json(200, &D::whole(&said));
    let streamed = Answer::new(200, D::STREAM_TYPE, D::streamed(&said)).cut(5);
    for (answer, stream) in [(whole, false), (streamed, true)] {
        let seen = exchange::<D>([answer], &tool_request(), stream, |_| ()).await;
        let calls = seen.result.unwrap().tool_calls;
        let calls: Vec<(&str, Value)> =
            calls.iter().map(|call| (call.name.as_str(), json!(call.args))).collect();
        assert_eq!(calls, [("ln_getinfo", json!({"node": 1, "note": "é\"{"}))], "stream: {stream}");
        D::check_sent(&seen.sent[0], &tool_request(), stream);
    }
}

pub(super) async fn a_tool_call_in_words_is_one_if_its_name_is_known<D: Dialect>() {
    let known = "<tool_call>\n{\"name\": \"ln_getinfo\", \"arguments\": {\"node\": 1}}\n</tool_call>";
    let unknown = "<tool_call>{\"name\": \"rm\", \"arguments\": {}}</tool_call>";
    for (said, expected) in [(known, 1), (unknown, 0)] {
        let answer = Answer::json(200, &D::whole(&text(&[said])));
        let seen = exchange::<D>([answer], &tool_request(), false, |_| ()).await;
        assert_eq!(seen.result.unwrap().tool_calls.len(), expected, "{said}");
    }
    // Nothing was offered, so nothing is called.
    let seen = step::<D>(Answer::json(200, &D::whole(&text(&[known])))).await;
    assert!(seen.result.unwrap().tool_calls.is_empty());
}

pub(super) async fn a_schema_is_sent_in_the_providers_own_mode<D: Dialect>() {
    let answer = Answer::json(200, &D::whole(&text(&["{\"goal\":\"g\"}"])));
    let seen = exchange::<D>([answer], &schema_request(), false, |_| ()).await;

    assert_eq!(seen.result.unwrap().content, "{\"goal\":\"g\"}");
    D::check_sent(&seen.sent[0], &schema_request(), false);
}

pub(super) async fn every_status_has_its_kind<D: Dialect>() {
    use LlmErrorKind as Kind;
    let cases = [
        (400, "some_code", Kind::BadRequest, false),
        (401, "some_code", Kind::Auth, false),
        (403, "some_code", Kind::Auth, false),
        (404, "some_code", Kind::NotFound, false),
        (408, "some_code", Kind::Timeout, true),
        (409, "some_code", Kind::Server, true),
        (413, "some_code", Kind::TooLarge, false),
        (422, "some_code", Kind::BadRequest, false),
        (429, "some_code", Kind::RateLimited, true),
        (500, "some_code", Kind::Server, true),
        (502, "some_code", Kind::Server, true),
        (503, "some_code", Kind::Overloaded, true),
        (529, "some_code", Kind::Overloaded, true),
        (D::QUOTA.0, D::QUOTA.1, Kind::Quota, false),
    ];
    for (status, code, expected, retryable) in cases {
        let message = format!("no luck with {KEY}");
        let answer = Answer::json(status, &D::error(status, code, &message)).header("x-request-id", "req-7");
        for streamed in [false, true] {
            let seen = exchange::<D>([answer.clone()], &request(), streamed, |_| ()).await;
            assert_eq!(kind(&seen), (expected, retryable), "{status}");
            let error = seen.result.unwrap_err();
            assert_eq!((error.status, error.request_id.as_deref()), (Some(status), Some("req-7")));
            assert!(error.message.contains("no luck with [redacted]"), "{error}");
        }
    }
}

pub(super) async fn the_wait_that_is_asked_for_is_told<D: Dialect>() {
    let date = |ahead: u64| httpdate(std::time::SystemTime::now() + Duration::from_secs(ahead));
    let waits = [
        ("retry-after", "7".to_owned(), 7_000..=7_000),
        ("retry-after", "0.5".to_owned(), 500..=500),
        ("retry-after-ms", "1250".to_owned(), 1_250..=1_250),
        ("retry-after", date(30), 27_000..=30_000),
    ];
    for (name, value, expected) in waits {
        let answer = Answer::json(429, &D::error(429, "some_code", "slow down")).header(name, &value);
        let error = step::<D>(answer).await.result.unwrap_err();
        let waited = error.retry_after.unwrap().as_millis();
        assert!(expected.contains(&waited), "{name}: {value} gave {waited}");
    }
}

pub(super) async fn overload_in_the_middle_of_a_stream_can_be_retried<D: Dialect>() {
    for begun in [vec![], vec!["half "]] {
        let bytes = [D::begun(&begun), D::overloaded_frame()].concat();
        let seen = stream::<D>(bytes, End::Whole).await;
        assert_eq!(kind(&seen), (LlmErrorKind::Overloaded, true));
        assert_eq!(seen.pieces, begun);
    }
}

pub(super) async fn a_connection_that_breaks_off_is_told<D: Dialect>() {
    let half = D::whole(&text(&["Hello"])).to_string();
    let answer = Answer::new(200, "application/json", half).ending(End::BrokenOff);
    assert_eq!(kind(&step::<D>(answer).await), (LlmErrorKind::Network, true));

    // Nothing was shown: it can be asked again.
    assert_eq!(kind(&stream::<D>(D::begun(&[]), End::BrokenOff).await), (LlmErrorKind::Network, true));
    // Something was shown: it is an answer that is not whole.
    let seen = stream::<D>(D::begun(&["half "]), End::BrokenOff).await;
    let response = seen.result.unwrap();
    assert_eq!((response.content.as_str(), response.truncated), ("half ", true));
    assert_eq!(response.warnings.len(), 1, "{:?}", response.warnings);
}

pub(super) async fn a_stream_that_ends_without_its_mark_is_not_whole<D: Dialect>() {
    let seen = stream::<D>(D::begun(&["half "]), End::Whole).await;
    assert!(seen.result.unwrap().truncated);
    assert_eq!(kind(&stream::<D>(D::begun(&[]), End::Whole).await), (LlmErrorKind::Network, true));
}

pub(super) async fn silence_ends_the_wait<D: Dialect>() {
    let impatient = |config: &mut RemoteConfig| config.idle_timeout = Duration::from_millis(60);
    let whole = D::whole(&text(&["Hello"])).to_string();
    let answer = Answer::new(200, "application/json", whole).ending(End::Silence);
    let seen = exchange::<D>([answer], &request(), false, impatient).await;
    assert_eq!(kind(&seen), (LlmErrorKind::Timeout, true));

    let answer = Answer::new(200, D::STREAM_TYPE, D::begun(&["half "])).ending(End::Silence);
    let seen = exchange::<D>([answer], &request(), true, impatient).await;
    assert!(seen.result.unwrap().truncated);
}

pub(super) async fn a_reply_of_ten_megabytes_is_not_read<D: Dialect>() {
    let long: &'static str = "x".repeat(10_000_000).leak();
    let seen = step::<D>(Answer::json(200, &D::whole(&text(&[long])))).await;
    assert_eq!(kind(&seen), (LlmErrorKind::TooLarge, false));

    let seen = stream::<D>(D::begun(&[long]), End::Whole).await;
    assert_eq!(kind(&seen), (LlmErrorKind::TooLarge, false));
}

pub(super) async fn a_page_of_html_is_no_model<D: Dialect>() {
    let page = "<html><body>Sign in</body></html>";
    let seen = step::<D>(Answer::new(200, "text/html; charset=utf-8", page)).await;
    assert_eq!(kind(&seen), (LlmErrorKind::Endpoint, false));
    let error = seen.result.unwrap_err().to_string();
    assert!(error.contains("text/html") && error.contains("Sign in"), "{error}");

    let seen = step::<D>(Answer::new(502, "text/html", page)).await;
    assert_eq!(kind(&seen), (LlmErrorKind::Server, true));
}

pub(super) async fn json_that_is_no_answer_is_named<D: Dialect>() {
    for body in ["{}", "[]", "\"ok\"", "{\"choices\":5,\"content\":7,\"candidates\":true,\"message\":1}"] {
        let seen = step::<D>(Answer::new(200, "application/json", body)).await;
        assert_eq!(kind(&seen), (LlmErrorKind::Malformed, false), "{body}");
    }
    let seen = step::<D>(Answer::new(200, "application/json", "{\"half\":")).await;
    assert_eq!(kind(&seen), (LlmErrorKind::Malformed, false));
}

pub(super) async fn a_redirect_is_not_followed<D: Dialect>() {
    let answer = Answer::new(302, "text/plain", "").header("location", "http://127.0.0.1:9/");
    assert_eq!(kind(&step::<D>(answer).await), (LlmErrorKind::Endpoint, false));
}

pub(super) async fn nobody_there_and_no_http_are_told_apart<D: Dialect>() {
    let config = RemoteConfig::new("http://127.0.0.1:9", "model-x").with_key(KEY);
    let error = D::backend(&config).unwrap().step(&request()).await.unwrap_err();
    assert_eq!((error.kind, error.is_retryable()), (LlmErrorKind::Network, true), "{error}");

    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let task = tokio::spawn(async move {
        let (mut socket, _) = listener.accept().await.unwrap();
        tokio::io::AsyncWriteExt::write_all(&mut socket, b"SSH-2.0-OpenSSH_9\r\n").await.unwrap();
        std::future::pending::<()>().await;
    });
    let config = RemoteConfig::new(&base, "model-x").with_key(KEY);
    let error = D::backend(&config).unwrap().step(&request()).await.unwrap_err();
    assert_eq!((error.kind, error.is_retryable()), (LlmErrorKind::Endpoint, false), "{error}");
    task.abort();

    // Speaks plain HTTP where TLS is expected.
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("https://{}", listener.local_addr().unwrap());
    let task = tokio::spawn(async move {
        let (mut socket, _) = listener.accept().await.unwrap();
        tokio::io::AsyncWriteExt::write_all(&mut socket, b"HTTP/1.1 400 Bad Request\r\n\r\n").await.unwrap();
        std::future::pending::<()>().await;
    });
    let config = RemoteConfig::new(&base, "model-x").with_key(KEY);
    let error = D::backend(&config).unwrap().step(&request()).await.unwrap_err();
    assert_eq!((error.kind, error.is_retryable()), (LlmErrorKind::Endpoint, false), "{error}");
    task.abort();
}

fn httpdate(time: std::time::SystemTime) -> String {
    let time = time::OffsetDateTime::from(time);
    let format = time::macros::format_description!(
        "[weekday repr:short], [day] [month repr:short] [year] [hour]:[minute]:[second] GMT"
    );
    time.format(&format).unwrap()
}

/// One test for each promise, for one dialect.
macro_rules! contract {
    ($dialect:ty) => {
        $crate::providers::contract::contract! { $dialect:
            an_answer_comes_with_its_tokens,
            a_stream_is_handed_over_piece_by_piece,
            a_stream_may_be_cut_inside_a_character,
            fences_thoughts_and_prose_are_left_to_the_stages,
            an_answer_at_its_limit_is_marked,
            a_refusal_is_an_error,
            an_empty_answer_is_empty,
            a_tool_call_comes_with_its_arguments,
            a_tool_call_in_words_is_one_if_its_name_is_known,
            a_schema_is_sent_in_the_providers_own_mode,
            every_status_has_its_kind,
            the_wait_that_is_asked_for_is_told,
            overload_in_the_middle_of_a_stream_can_be_retried,
            a_connection_that_breaks_off_is_told,
            a_stream_that_ends_without_its_mark_is_not_whole,
            silence_ends_the_wait,
            a_reply_of_ten_megabytes_is_not_read,
            a_page_of_html_is_no_model,
            json_that_is_no_answer_is_named,
            a_redirect_is_not_followed,
            nobody_there_and_no_http_are_told_apart,
        }
    };
    ($dialect:ty: $($promise:ident,)*) => {
        $(
            #[tokio::test]
            async fn $promise() {
                $crate::providers::contract::$promise::<$dialect>().await;
            }
        )*
    };
}
pub(crate) use contract;
