//! Bad days that lie with the user, the network or the model's form, for every adapter.

use std::process::Command;

use ln_agent_core::adapter::RemoteConfig;
use ln_agent_core::llm::{LlmError, LlmErrorKind, LlmResponse};
use ln_agent_core::tool::{Effect, ToolSpec, normalize};
use rcgen::{CertifiedKey, generate_simple_self_signed};
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;

use super::contract::{Dialect, KEY, Said, exchange, request, text, tool_request};
use super::server::{Answer, End, Server};

fn whole<D: Dialect>(said: &'static str) -> Answer {
    Answer::json(200, &D::whole(&text(&[said])))
}

fn told(error: &LlmError) -> String {
    format!("{error} {error:?}")
}

/// One question to this address.
async fn asked<D: Dialect>(base: &str) -> Result<LlmResponse, LlmError> {
    let config = RemoteConfig::new(base, "model-x").with_key(KEY);
    D::backend(&config).unwrap().step(&request()).await
}

/// The failure of one question to this address.
async fn failure<D: Dialect>(base: &str) -> (LlmErrorKind, bool, String) {
    let error = asked::<D>(base).await.unwrap_err();
    assert!(!told(&error).contains(KEY), "{}", told(&error));
    assert_eq!(error.provider, D::NAME);
    (error.kind, error.is_retryable(), error.to_string())
}

pub(super) async fn a_key_that_cannot_be_sent_is_refused_before_anything_is_sent<D: Dialect>() {
    let server = Server::answering([]).await;
    for key in [
        "__REPLACE_WITH_REAL_KEY__",
        "your_api_key",
        "ChangeMe",
        "two words",
        "schlüssel",
        "line\nbreak",
        "nul\0byte",
        "tab\there",
    ] {
        let error =
            D::backend(&RemoteConfig::new(&server.base, "model-x").with_key(key)).err().expect("no backend");
        assert_eq!((error.kind, error.is_retryable()), (LlmErrorKind::Auth, false), "{key}");
        assert!(!told(&error).contains(key), "{error}");
        assert!(error.to_string().contains("_API_KEY"), "{error}");
    }
    assert_eq!(server.requests().len(), 0);
}

pub(super) async fn a_missing_key_is_named_or_not_needed<D: Dialect>() {
    for key in [None, Some(""), Some("  \n")] {
        let server = Server::answering([whole::<D>("yes")]).await;
        let mut config = RemoteConfig::new(&server.base, "model-x");
        if let Some(key) = key {
            config = config.with_key(key);
        }
        match D::backend(&config) {
            Err(error) => assert_eq!(error.kind, LlmErrorKind::Auth, "{error}"),
            Ok(backend) => {
                assert_eq!(backend.step(&request()).await.unwrap().content, "yes");
                let sent = &server.requests()[0];
                for name in ["authorization", "x-api-key", "x-goog-api-key"] {
                    assert_eq!(sent.header(name), None);
                }
            }
        }
    }
}

pub(super) async fn blanks_around_a_key_are_not_sent<D: Dialect>() {
    let seen = exchange::<D>([whole::<D>("yes")], &request(), false, |config| {
        *config = config.clone().with_key(format!(" {KEY}\r\n"));
    })
    .await;
    let carried = seen.sent[0].headers.iter().filter(|(_, value)| value.contains(KEY)).count();
    D::check_sent(&seen.sent[0], &request(), false);
    assert_eq!((seen.result.unwrap().content.as_str(), carried), ("yes", 1));
}

pub(super) async fn nobody_at_the_address_is_a_lost_connection<D: Dialect>() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);

    let (kind, retryable, told) = failure::<D>(&base).await;

    assert_eq!((kind, retryable), (LlmErrorKind::Network, true));
    assert!(told.contains("cannot connect"), "{told}");
}

pub(super) async fn what_speaks_no_http_is_no_model_server<D: Dialect>() {
    for (greeting, expected) in [
        (&b"SSH-2.0-OpenSSH_9.9\r\n"[..], (LlmErrorKind::Endpoint, false)),
        (b"220 mail.example ESMTP\r\n", (LlmErrorKind::Endpoint, false)),
        (b"\x15\x03\x03\x00\x02\x02\x46\xff\xfe\xfd", (LlmErrorKind::Endpoint, false)),
        // Hanging up without a word says nothing about what is there.
        (b"", (LlmErrorKind::Network, true)),
    ] {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let task = tokio::spawn(async move {
            let (mut socket, _) = listener.accept().await.unwrap();
            socket.write_all(greeting).await.unwrap();
            socket.shutdown().await.unwrap();
        });
        let (kind, retryable, told) = failure::<D>(&base).await;
        assert_eq!((kind, retryable), expected, "{told}");
        task.await.unwrap();
    }
}

pub(super) async fn a_certificate_that_nobody_signed_is_not_trusted<D: Dialect>() {
    let CertifiedKey { cert, signing_key } =
        generate_simple_self_signed(["localhost".to_owned(), "127.0.0.1".to_owned()]).unwrap();
    let key = PrivateKeyDer::try_from(signing_key.serialize_der()).unwrap();
    let config = ServerConfig::builder_with_provider(ring::default_provider().into())
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![cert.der().clone()], key)
        .unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = tokio::spawn(async move {
        let (socket, _) = listener.accept().await.unwrap();
        TlsAcceptor::from(std::sync::Arc::new(config)).accept(socket).await.is_ok()
    });

    let (kind, retryable, told) = failure::<D>(&format!("https://127.0.0.1:{port}")).await;

    assert_eq!((kind, retryable), (LlmErrorKind::Endpoint, false), "{told}");
    assert!(told.contains("certificate") && told.contains("_BASE_URL"), "{told}");
    assert!(!server.await.unwrap(), "the handshake must fail, so that nothing is sent");
}

/// The variables belong to a whole process, so this test runs once more in a process of its own.
pub(super) async fn a_loopback_server_is_asked_directly_whatever_the_proxy_variables_say<D: Dialect>(
    test: &'static str,
) {
    const CHILD: &str = "LN_AGENT_TEST_BEHIND_PROXY";
    if std::env::var_os(CHILD).is_some() {
        let server = Server::answering([whole::<D>("direct")]).await;
        assert_eq!(asked::<D>(&server.base).await.unwrap().content, "direct");
        // The variables do count: another host is asked through the proxy.
        assert_eq!(asked::<D>("http://model.invalid").await.unwrap().content, "through the proxy");
        return;
    }
    let proxy = Server::answering([whole::<D>("through the proxy")]).await;
    let (_, name) = test.split_once("::").unwrap();
    let mut child = Command::new(std::env::current_exe().unwrap());
    child
        .args(["--exact", name, "--nocapture"])
        .env(CHILD, "1")
        .env_remove("NO_PROXY")
        .env_remove("no_proxy");
    for variable in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"] {
        child.env(variable, &proxy.base).env(variable.to_lowercase(), &proxy.base);
    }
    let output = tokio::task::spawn_blocking(move || child.output()).await.unwrap().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
    assert_eq!(proxy.requests().len(), 1);
}

pub(super) async fn a_base_url_reaches_the_same_path_in_every_usual_form<D: Dialect>() {
    let expected = path::<D>("").await;
    let version = format!("/{}", expected.split('/').nth(1).unwrap());
    for form in ["/".to_owned(), "//".to_owned(), version.clone(), format!("{version}/")] {
        assert_eq!(path::<D>(&form).await, expected, "{form}");
    }
    // Behind a path of a gateway.
    assert_eq!(path::<D>(&format!("/gateway{version}")).await, format!("/gateway{expected}"));
}

/// The path that is asked when this follows the host in the base URL.
async fn path<D: Dialect>(after_host: &str) -> String {
    let server = Server::answering([whole::<D>("yes")]).await;
    assert_eq!(asked::<D>(&format!("{}{after_host}", server.base)).await.unwrap().content, "yes");
    server.requests()[0].path.clone()
}

pub(super) async fn a_model_that_does_not_exist_is_named<D: Dialect>() {
    let body = D::error(404, "model_not_found", "The model `model-x` does not exist");
    for streamed in [false, true] {
        let seen = exchange::<D>([Answer::json(404, &body)], &request(), streamed, |_| ()).await;
        let error = seen.result.unwrap_err();
        assert_eq!((error.kind, error.is_retryable(), seen.sent.len()), (LlmErrorKind::NotFound, false, 1));
        let told = error.to_string();
        assert!(told.contains("The model `model-x` does not exist") && told.contains("_MODEL"), "{told}");
    }
    let error = D::backend(&RemoteConfig::new("", " ").with_key(KEY)).err().expect("no model is named");
    assert_eq!(error.kind, LlmErrorKind::NotFound);
}

pub(super) async fn every_script_comes_through_as_it_was_sent<D: Dialect>() {
    let pieces = [
        "从节点1向节点2支付",
        "، افتح قناة\u{200f} ",
        "שלום\u{2067}a\u{2069}",
        "👩‍👩‍👧‍👦🇧🇷",
        "e\u{301} é\u{feff}",
        "\u{2028}\t\r\n\\\"",
    ];
    let answer = Answer::json(200, &D::whole(&text(&pieces))).cut(3);
    let seen = exchange::<D>([answer], &request(), false, |_| ()).await;
    assert_eq!(seen.result.unwrap().content, pieces.concat());

    let answer = Answer::new(200, D::STREAM_TYPE, D::streamed(&text(&pieces))).cut(3);
    let seen = exchange::<D>([answer], &request(), true, |_| ()).await;
    assert_eq!(seen.result.unwrap().content, pieces.concat());
    assert_eq!(seen.pieces, pieces);
}

pub(super) async fn a_reply_with_any_member_of_another_type_is_read_or_named<D: Dialect>() {
    let said = Said { calls: vec![("ln_getinfo", json!({"node": 1}))], ..text(&["hello"]) };
    let reply = D::whole(&said);
    let mut answers = Vec::new();
    for pointer in pointers(&reply, "") {
        for odd in [json!(null), json!(-7), json!("odd"), json!([]), json!({})] {
            let mut reply = reply.clone();
            *reply.pointer_mut(&pointer).unwrap() = odd;
            answers.push((pointer.clone(), reply));
        }
    }
    let server = Server::answering(answers.iter().map(|(_, reply)| Answer::json(200, reply))).await;
    let backend = D::backend(&RemoteConfig::new(&server.base, "model-x").with_key(KEY)).unwrap();
    let mut named = 0;
    for (pointer, reply) in &answers {
        match backend.step(&tool_request()).await {
            Ok(answer) => {
                assert!(["hello", "odd", ""].contains(&answer.content.as_str()), "{pointer} {reply}")
            }
            Err(error) => {
                named += 1;
                let known = [LlmErrorKind::Malformed, LlmErrorKind::Refused];
                assert!(known.contains(&error.kind), "{pointer} {reply}: {error}");
            }
        }
    }
    assert!(named > 0 && named < answers.len(), "{named} of {}", answers.len());
}

/// The addresses of every value in this one, itself first.
fn pointers(value: &Value, at: &str) -> Vec<String> {
    let inner: Vec<(String, &Value)> = match value {
        Value::Object(members) => {
            members.iter().map(|(name, value)| (format!("{at}/{name}"), value)).collect()
        }
        Value::Array(items) => {
            items.iter().enumerate().map(|(n, value)| (format!("{at}/{n}"), value)).collect()
        }
        _ => Vec::new(),
    };
    let below = inner.iter().flat_map(|(at, value)| pointers(value, at));
    std::iter::once(at.to_owned()).chain(below).collect()
}

pub(super) async fn a_stream_of_other_values_is_no_answer<D: Dialect>() {
    for body in ["data: {\"hello\":1}\n\n", "{\"hello\":1}\n", "data: [1]\n\n[1]\n", "data: 5\n\n5\n", ""] {
        let answer = Answer::new(200, D::STREAM_TYPE, body).ending(End::Whole);
        let seen = exchange::<D>([answer], &request(), true, |_| ()).await;
        let error = seen.result.unwrap_err();
        assert!([LlmErrorKind::Malformed, LlmErrorKind::Network].contains(&error.kind), "{body:?} {error}");
    }
}

pub(super) async fn arguments_come_out_of_every_wrapping<D: Dialect>() {
    let mut spec = ToolSpec::new("ln_getinfo", "Node info", Effect::Read);
    spec.input_schema = tool_request().tools.remove(0).parameters;
    for wrapped in [
        json!({"node": 1}),
        json!({"node": "1"}),
        json!({"node": "node-1"}),
        json!({"args": {"node": "1"}}),
        json!({"arguments": {"node": "1"}}),
        json!({"name": "ln_getinfo", "arguments": {"node": 1}}),
        json!({"tool": "ln_getinfo", "args": {"node": 1}}),
        json!({"args": "{\"node\":\"1\"}"}),
        json!("{\"node\":\"1\"}"),
        json!("{\"arguments\":{\"node\":\"1\"}}"),
    ] {
        let said = Said { calls: vec![("ln_getinfo", wrapped.clone())], ..Said::default() };
        let whole = Answer::json(200, &D::whole(&said));
        let stream = Answer::new(200, D::STREAM_TYPE, D::streamed(&said));
        for (answer, streamed) in [(whole, false), (stream, true)] {
            let seen = exchange::<D>([answer], &tool_request(), streamed, |_| ()).await;
            let call = seen.result.unwrap().tool_calls.remove(0);
            let sent = normalize(&spec, &Value::Object(call.args), 2).unwrap().args;
            assert_eq!(Value::Object(sent), json!({"node": 1}), "{wrapped} stream: {streamed}");
        }
    }
}

/// One test for each promise, for one dialect and its backend.
macro_rules! bad_input {
    ($dialect:ty, $backend:ty) => {
        $crate::providers::bad_input::bad_input! { bad_input $dialect:
            a_key_that_cannot_be_sent_is_refused_before_anything_is_sent,
            a_missing_key_is_named_or_not_needed,
            blanks_around_a_key_are_not_sent,
            nobody_at_the_address_is_a_lost_connection,
            what_speaks_no_http_is_no_model_server,
            a_certificate_that_nobody_signed_is_not_trusted,
            a_base_url_reaches_the_same_path_in_every_usual_form,
            a_model_that_does_not_exist_is_named,
            every_script_comes_through_as_it_was_sent,
            a_reply_with_any_member_of_another_type_is_read_or_named,
            a_stream_of_other_values_is_no_answer,
            arguments_come_out_of_every_wrapping,
        }
        $crate::providers::bad_input::bad_input! { secrets $dialect:
            no_key_is_in_the_error_of_a_refusal,
            no_key_is_in_the_error_of_an_answer_that_cannot_be_read,
            no_key_is_in_the_error_of_a_stream,
            no_key_is_in_the_error_of_a_connection,
        }

        #[tokio::test]
        async fn a_loopback_server_is_asked_directly_whatever_the_proxy_variables_say() {
            let test = concat!(
                module_path!(),
                "::a_loopback_server_is_asked_directly_whatever_the_proxy_variables_say"
            );
            use $crate::providers::bad_input as promises;
            promises::a_loopback_server_is_asked_directly_whatever_the_proxy_variables_say::<$dialect>(test).await;
        }

        #[test]
        fn no_key_is_in_the_debug_form() {
            $crate::providers::secrets::no_key_is_in_the_debug_form(|config| {
                format!("{:?}", <$backend>::new(config))
            });
        }
    };
    ($room:ident $dialect:ty: $($promise:ident,)*) => {
        $(
            #[tokio::test]
            async fn $promise() {
                $crate::providers::$room::$promise::<$dialect>().await;
            }
        )*
    };
}
pub(crate) use bad_input;
