//! No key in anything that others read, whatever its shape and whatever fails.

use ln_agent_core::adapter::RemoteConfig;
use ln_agent_core::llm::{LlmBackend, LlmError, redact};
use serde_json::{Value, json};

use super::contract::{Dialect, Said, exchange, request, text, tool_request};
use super::server::{Answer, End};

/// A key of every shape that is known, and two of none.
const KEYS: [&str; 16] = [
    "sk-proj-abcDEF0123456789",
    "sk-ant-api03-abcDEF0123456789_-",
    "sk-or-v1-0123456789abcdef",
    "rk-abcdefgh01234567",
    "gsk_0123456789abcdefABCDEF",
    "AIzaSyA-0123456789abcdef_ghij",
    "ya29.a0Example_0123456789",
    "hf_abcdefghijklmnop",
    "xai-abcdefgh01234567",
    "xoxb-1234567890-abcdefghij",
    "xapp-1-A0123456-abcdefghij",
    "123456789:AAabcdefghijklmnopqrstuvwxyz0123456",
    "AKIAIOSFODNN7EXAMPLE",
    "eyJhbGciOiJI.eyJzdWIiOiIx.abc_DEF",
    "0f1e2d3c4b5a69788796a5b4c3d2e1f0",
    "no+known/shape==",
];

/// Every key as the configured one, and every one of a known shape as somebody else's.
fn cases() -> impl Iterator<Item = (&'static str, &'static str)> {
    let own = KEYS.into_iter().map(|key| (key, key));
    let others = KEYS.into_iter().filter(|key| !redact(key).contains(key)).map(|key| ("an-own-key", key));
    own.chain(others)
}

/// The error with everything that it shows.
fn check(error: &LlmError, key: &str) {
    let told = format!("{error} {error:?} {error:#?}");
    // The start of a key is as good as half of it.
    let start: String = key.chars().take(8).collect();
    assert!(!told.contains(&start), "{told}");
}

async fn fails<D: Dialect>(own: &str, secret: &str, answer: Answer, streamed: bool) {
    let seen = exchange::<D>([answer], &tool_request(), streamed, |config| {
        *config = config.clone().with_key(own);
    })
    .await;
    check(&seen.result.unwrap_err(), secret);
}

#[test]
fn every_known_shape_is_among_the_keys() {
    let known = KEYS.iter().filter(|key| !redact(key).contains(**key)).count();
    assert_eq!(known, KEYS.len() - 2);
}

pub(super) async fn no_key_is_in_the_error_of_a_refusal<D: Dialect>() {
    for (own, key) in cases() {
        for status in [302, 400, 401, 404, 429, 500] {
            let said = format!("Incorrect API key provided: {key}. You sent `Authorization: Bearer {key}`");
            let json =
                Answer::json(status, &D::error(status, "some_code", &said)).header("x-request-id", key);
            let coded = Answer::json(status, &D::error(status, key, "no luck"));
            // Cut at any place, the key shows no start of itself either.
            let page = format!("<html>{} your key {key} is not welcome</html>", "x".repeat(268));
            let page = Answer::new(status, "text/html", page);
            let detail = Answer::json(status, &json!({"detail": [{"input": key}]}));
            for answer in [json, coded, page, detail] {
                fails::<D>(own, key, answer, status == 400).await;
            }
        }
    }
}

pub(super) async fn no_key_is_in_the_error_of_an_answer_that_cannot_be_read<D: Dialect>() {
    for (own, key) in cases() {
        for (media, body) in [
            ("application/json", format!("{{\"key\": \"{key}\"")),
            ("application/json", format!("{{\"you\": \"{key}\"}}")),
            ("text/html", format!("<a href=\"/login?key={key}\">Sign in</a>")),
            ("text/plain", format!("x-api-key: {key}")),
            ("text/plain", format!("{}{key}", " x".repeat(147))),
        ] {
            fails::<D>(own, key, Answer::new(200, media, body), false).await;
        }
    }
}

pub(super) async fn no_key_is_in_the_error_of_a_stream<D: Dialect>() {
    for (own, key) in cases() {
        let frame = String::from_utf8(D::overloaded_frame()).unwrap();
        // The frame's own words give way to the key.
        let echoed = frame.replace("busy", &format!("busy {key}"));
        assert!(echoed.contains(key), "{frame}");
        let answer = Answer::new(200, D::STREAM_TYPE, [D::begun(&["half"]), echoed.into_bytes()].concat());
        fails::<D>(own, key, answer, true).await;

        let silent = Answer::new(200, D::STREAM_TYPE, D::begun(&[])).header("x-request-id", key);
        fails::<D>(own, key, silent.ending(End::BrokenOff), true).await;

        let said: &'static str = format!("{{\"node\": {key}").leak();
        let call = Said { calls: vec![("ln_getinfo", Value::from(said))], ..text(&[]) };
        for streamed in [false, true] {
            let (media, bytes) = match streamed {
                true => (D::STREAM_TYPE, D::streamed(&call)),
                false => ("application/json", D::whole(&call).to_string().into_bytes()),
            };
            fails::<D>(own, key, Answer::new(200, media, bytes), streamed).await;
        }
    }
}

pub(super) async fn no_key_is_in_the_error_of_a_connection<D: Dialect>() {
    let server = super::server::Server::answering([]).await;
    for key in KEYS {
        for base in [server.base.replace("http:", "https:"), "http://127.0.0.1:9".to_owned()] {
            let config = RemoteConfig::new(base, "model-x").with_key(key);
            check(&D::backend(&config).unwrap().step(&request()).await.unwrap_err(), key);
        }
        // A key in the wrong place.
        for base in [format!("http://{key}@127.0.0.1:9"), format!("http://127.0.0.1:9/?key={key}")] {
            if let Err(error) = D::backend(&RemoteConfig::new(base, "model-x").with_key(key)) {
                check(&error, key);
            }
        }
    }
}

/// `shown` is the debug form of the backend of this configuration.
pub(super) fn no_key_is_in_the_debug_form(shown: impl Fn(&RemoteConfig) -> String) {
    for key in KEYS {
        let config = RemoteConfig::new("http://127.0.0.1:9", "model-x").with_key(key);
        let told = format!("{config:?} {config:#?} {}", shown(&config));
        assert!(told.contains("model-x") && told.contains("127.0.0.1"), "{told}");
        assert!(!told.contains(&key[..8]), "{told}");
    }
}
