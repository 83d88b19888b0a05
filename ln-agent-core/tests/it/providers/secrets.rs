//! No key in anything that others read, whatever its shape and whatever fails.

use ln_agent_core::adapter::RemoteConfig;
use ln_agent_core::llm::{LlmError, redact};
use serde_json::{Value, json};

use super::contract::{Dialect, Said, request, text, tool_request};
use super::server::{Answer, End, Server};

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

/// A backend's own key, and the secrets that come back to it: its own, and those of a known shape that are
/// somebody else's.
fn cases() -> impl Iterator<Item = (&'static str, Vec<&'static str>)> {
    let own = KEYS.into_iter().map(|key| (key, vec![key]));
    let others = KEYS.into_iter().filter(|key| !redact(key).contains(key)).collect();
    own.chain([("an-own-key", others)])
}

/// The error with everything that it shows.
fn check(error: &LlmError, key: &str) {
    let told = format!("{error} {error:?} {error:#?}");
    // The start of a key is as good as half of it.
    let start: String = key.chars().take(8).collect();
    assert!(!told.contains(&start), "{told}");
}

/// Every one of these answers, for every secret, fails without showing it.
async fn fails<D: Dialect>(streamed: bool, answers: impl Fn(&'static str) -> Vec<Answer>) {
    for (own, secrets) in cases() {
        let script: Vec<(&str, Answer)> =
            secrets.iter().flat_map(|key| answers(key).into_iter().map(|answer| (*key, answer))).collect();
        let server = Server::answering(script.iter().map(|(_, answer)| answer.clone())).await;
        let backend = D::backend(&RemoteConfig::new(&server.base, "model-x").with_key(own)).unwrap();
        for (key, answer) in &script {
            let asked = tool_request();
            let seen =
                if streamed { backend.stream(&asked, &|_| ()).await } else { backend.step(&asked).await };
            check(&seen.expect_err(&format!("{answer:?}")), key);
        }
        assert_eq!(server.requests().len(), script.len(), "an answer was left over or asked for twice");
    }
}

#[test]
fn every_known_shape_is_among_the_keys() {
    let known = KEYS.iter().filter(|key| !redact(key).contains(**key)).count();
    assert_eq!(known, KEYS.len() - 2);
}

pub(super) async fn no_key_is_in_the_error_of_a_refusal<D: Dialect>() {
    fails::<D>(false, |key| {
        let said = format!("Incorrect API key provided: {key}. You sent `Authorization: Bearer {key}`");
        let of_status = |status| {
            let told =
                Answer::json(status, &D::error(status, "some_code", &said)).header("x-request-id", key);
            let coded = Answer::json(status, &D::error(status, key, "no luck"));
            // What is shown of the page ends inside the key.
            let page = format!("<html>{} your key {key} is not welcome</html>", "x".repeat(268));
            let page = Answer::new(status, "text/html", page);
            [told, coded, page, Answer::json(status, &json!({"detail": [{"input": key}]}))]
        };
        [302, 400, 401, 429].into_iter().flat_map(of_status).collect()
    })
    .await;
}

pub(super) async fn no_key_is_in_the_error_of_an_answer_that_cannot_be_read<D: Dialect>() {
    fails::<D>(false, |key| {
        let bodies = [
            ("application/json", format!("{{\"key\": \"{key}\"")),
            ("application/json", format!("{{\"you\": \"{key}\"}}")),
            ("text/html", format!("<a href=\"/login?key={key}\">Sign in</a>")),
            ("text/plain", format!("x-api-key: {key}")),
            // What is shown ends inside the key.
            ("text/plain", format!("{} {key}", "x ".repeat(142).trim_end())),
        ];
        let mut answers: Vec<Answer> =
            bodies.into_iter().map(|(media, body)| Answer::new(200, media, body)).collect();
        answers.push(Answer::json(200, &D::whole(&broken_call(key))));
        answers
    })
    .await;
}

pub(super) async fn no_key_is_in_the_error_of_a_stream<D: Dialect>() {
    fails::<D>(true, |key| {
        let frame = String::from_utf8(D::overloaded_frame()).unwrap();
        // The frame's own words give way to the key.
        let echoed = frame.replace("busy", &format!("busy {key}"));
        assert!(echoed.contains(key), "{frame}");
        let echoed = [D::begun(&["half"]), echoed.into_bytes()].concat();
        vec![
            Answer::new(200, D::STREAM_TYPE, echoed),
            Answer::new(200, D::STREAM_TYPE, D::begun(&[]))
                .header("x-request-id", key)
                .ending(End::BrokenOff),
            Answer::new(200, D::STREAM_TYPE, D::streamed(&broken_call(key))),
        ]
    })
    .await;
}

/// A call whose arguments are half a text.
fn broken_call(key: &str) -> Said {
    let arguments: &'static str = format!("{{\"node\": {key}").leak();
    Said { calls: vec![("ln_getinfo", Value::from(arguments))], ..text(&[]) }
}

pub(super) async fn no_key_is_in_the_error_of_a_connection<D: Dialect>() {
    let server = Server::answering([]).await;
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
