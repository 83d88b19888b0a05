//! `http_fetch`.

use std::collections::BTreeMap;

use ln_agent_core::tool::{Effect, ToolError, TypedTool};
use ln_agent_core::types::Object;
use reqwest::{Method, Url};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::exchange::{Answer, Request, exchange};
use super::headers;
use crate::node::Nodes;

/// Asks a web server.
#[derive(Debug)]
pub(super) struct HttpFetch {
    pub(super) nodes: Nodes,
}

/// Arguments of `http_fetch`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct HttpFetchArgs {
    /// An http or https URL whose host is on the allow-list, without a user name or password in it.
    url: String,
    /// GET, HEAD, POST, PUT, PATCH or DELETE. Default: GET.
    #[serde(default = "get")]
    method: String,
    /// Request headers: names and texts. Default: none.
    #[serde(default)]
    headers: Object,
    /// Request body. Default: none.
    body: Option<String>,
}

/// Payload of `http_fetch`.
#[derive(Debug, JsonSchema, Serialize)]
pub(super) struct Fetched {
    /// The HTTP status; 402 asks for a payment and is no error.
    status: u16,
    /// Response headers, names in lower case; the same header twice is joined by a comma.
    headers: BTreeMap<String, String>,
    /// The body as text, at most 1 MiB.
    body: String,
    /// The body as JSON, if it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    json: Option<Value>,
    /// The body was longer and is cut.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
}

#[async_trait::async_trait]
impl TypedTool for HttpFetch {
    const NAME: &'static str = "http_fetch";
    const TITLE: &'static str = "HTTP request";
    const DESCRIPTION: &'static str = "Asks a web server on the allow-list; gives status, headers, body and, where \
        the body is JSON, json. Any status is an answer; 402 asks for a payment.";
    const EFFECT: Effect = Effect::Write;
    const OPEN_WORLD: bool = true;
    const REPEATABLE: bool = true;
    const CLASSIFY: Option<fn(&Object) -> Effect> = Some(classify);
    type Args = HttpFetchArgs;
    type Output = Fetched;

    async fn call(&self, args: HttpFetchArgs) -> Result<Fetched, ToolError> {
        let method = method(&args.method)?;
        let effect = effect_of(&args.method);
        let request = Request {
            method,
            url: url(&args.url)?,
            headers: headers::checked(&args.headers)?,
            body: args.body,
        };
        let config = self.nodes.config();
        exchange(request, &config.http_allow_hosts, config.call_timeout, effect).await.map(Fetched::from)
    }
}

impl From<Answer> for Fetched {
    fn from(answer: Answer) -> Self {
        let mut headers = BTreeMap::<String, String>::new();
        for (name, value) in &answer.headers {
            let value = String::from_utf8_lossy(value.as_bytes());
            headers
                .entry(name.to_string())
                .and_modify(|known| {
                    known.push_str(", ");
                    known.push_str(&value);
                })
                .or_insert_with(|| value.clone().into_owned());
        }
        let json = if answer.truncated { None } else { serde_json::from_slice(&answer.body).ok() };
        let body = String::from_utf8_lossy(&answer.body).into_owned();
        Self { status: answer.status, headers, body, json, truncated: answer.truncated }
    }
}

fn get() -> String {
    "GET".to_owned()
}

/// Asking changes nothing; anything else may.
fn classify(args: &Object) -> Effect {
    match args.get("method") {
        None => Effect::Read,
        Some(method) => effect_of(method.as_str().unwrap_or_default()),
    }
}

fn effect_of(method: &str) -> Effect {
    match method.trim().to_ascii_uppercase().as_str() {
        "GET" | "HEAD" => Effect::Read,
        _ => Effect::Write,
    }
}

fn method(text: &str) -> Result<Method, ToolError> {
    match text.trim().to_ascii_uppercase().as_str() {
        "GET" => Ok(Method::GET),
        "HEAD" => Ok(Method::HEAD),
        "POST" => Ok(Method::POST),
        "PUT" => Ok(Method::PUT),
        "PATCH" => Ok(Method::PATCH),
        "DELETE" => Ok(Method::DELETE),
        _ => {
            Err(ToolError::invalid_argument("method", &json!(text), "GET, HEAD, POST, PUT, PATCH or DELETE"))
        }
    }
}

fn url(text: &str) -> Result<Url, ToolError> {
    let url: Url = text.trim().parse().map_err(|_| {
        ToolError::invalid_argument(
            "url",
            &json!(text),
            "an http or https URL, as in http://127.0.0.1:8402/path",
        )
    })?;
    if !url.username().is_empty() || url.password().is_some() {
        let hidden = json!("***");
        return Err(ToolError::invalid_argument(
            "url",
            &hidden,
            "a URL without a user name or password in it",
        ));
    }
    if !matches!(url.scheme(), "http" | "https") {
        return Err(ToolError::invalid_argument("url", &json!(text), "an http or https URL"));
    }
    Ok(url)
}

#[cfg(test)]
mod tests {
    use ln_agent_core::tool::{ToolErrorKind, typed};
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    use super::*;
    use crate::node::NodesConfig;

    /// A server that gives these answers, one a connection; its address, and what it was asked at last.
    async fn server(answers: Vec<String>) -> (String, tokio::task::JoinHandle<Vec<String>>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let asked = tokio::spawn(async move {
            let mut asked = Vec::new();
            for answer in answers {
                let (mut stream, _) = listener.accept().await.unwrap();
                let mut bytes = vec![0; 4096];
                let read = stream.read(&mut bytes).await.unwrap();
                asked.push(String::from_utf8_lossy(&bytes[..read]).into_owned());
                stream.write_all(answer.as_bytes()).await.unwrap();
            }
            asked
        });
        (address, asked)
    }

    fn answer(status: &str, headers: &str, body: &str) -> String {
        format!(
            "HTTP/1.1 {status}\r\n{headers}Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        )
    }

    async fn fetch(args: Value) -> Result<Value, ToolError> {
        let nodes = Nodes::new(NodesConfig::at("/nowhere".as_ref()));
        typed(HttpFetch { nodes }).call(args.as_object().unwrap().clone()).await
    }

    #[tokio::test]
    async fn a_402_is_an_answer_with_its_headers_and_json() {
        let head = "WWW-Authenticate: L402 macaroon=\"m\", invoice=\"lnbcrt1\"\r\n";
        let (address, _) = server(vec![answer("402 Payment Required", head, "{\"price\":1}")]).await;

        let payload = fetch(json!({ "url": format!("http://{address}/paid") })).await.unwrap();

        assert_eq!(payload["status"], 402);
        assert_eq!(payload["headers"]["www-authenticate"], "L402 macaroon=\"m\", invoice=\"lnbcrt1\"");
        assert_eq!(payload["json"], json!({ "price": 1 }));
    }

    #[tokio::test]
    async fn a_redirect_off_the_allow_list_is_refused() {
        let (address, _) =
            server(vec![answer("302 Found", "Location: http://169.254.169.254/latest\r\n", "")]).await;

        let error = fetch(json!({ "url": format!("http://{address}/") })).await.unwrap_err();

        assert_eq!(error.kind, ToolErrorKind::Refused);
        assert!(error.message.contains("169.254.169.254:80 is not on the allow-list"), "{}", error.message);
    }

    #[tokio::test]
    async fn a_redirect_to_another_origin_does_not_carry_the_headers() {
        let (second, asked_second) = server(vec![answer("200 OK", "", "there")]).await;
        let location = format!("Location: http://{second}/x\r\n");
        let (first, asked_first) = server(vec![answer("307 Temporary Redirect", &location, "")]).await;

        let args =
            json!({ "url": format!("http://{first}/"), "headers": { "Authorization": "Bearer s3cret" } });
        let payload = fetch(args).await.unwrap();

        assert_eq!(payload["body"], "there");
        assert!(asked_first.await.unwrap()[0].contains("s3cret"));
        assert!(!asked_second.await.unwrap()[0].contains("s3cret"));
    }

    #[tokio::test]
    async fn a_body_above_the_limit_is_cut_and_says_so() {
        let (address, _server) = server(vec![answer("200 OK", "", &"x".repeat(1024 * 1024 + 1))]).await;

        let payload = fetch(json!({ "url": format!("http://{address}/") })).await.unwrap();

        assert_eq!(payload["truncated"], true);
        assert_eq!(payload["body"].as_str().unwrap().len(), 1024 * 1024);
    }

    #[tokio::test]
    async fn arguments_are_refused_by_name_and_secrets_are_not_repeated() {
        let cases = [
            (json!({ "url": "ftp://127.0.0.1/" }), "`url`"),
            (json!({ "url": "http://u:s3cret@127.0.0.1/" }), "`url`"),
            (json!({ "url": "not a url" }), "`url`"),
            (json!({ "url": "http://127.0.0.1/", "method": "BREW" }), "`method`"),
            (json!({ "url": "http://127.0.0.1/", "headers": { "X": "s3cret\n" } }), "`headers`"),
            (json!({ "url": "http://127.0.0.1/", "headers": { "Host": "s3cret" } }), "`headers`"),
            (json!({ "url": "http://example.com/" }), "not on the allow-list"),
        ];
        for (args, named) in cases {
            let error = fetch(args).await.unwrap_err();
            assert!(error.message.contains(named), "{}", error.message);
            assert!(!error.message.contains("s3cret"), "{}", error.message);
        }
    }

    #[test]
    fn only_get_and_head_are_reads() {
        let nodes = Nodes::new(NodesConfig::at("/nowhere".as_ref()));
        let tool = typed(HttpFetch { nodes });
        for (args, effect) in [
            (json!({}), Effect::Read),
            (json!({ "method": "head" }), Effect::Read),
            (json!({ "method": "POST" }), Effect::Write),
            (json!({ "method": 7 }), Effect::Write),
        ] {
            assert_eq!(tool.spec().effect_of(args.as_object().unwrap()), effect, "{args}");
        }
    }
}
