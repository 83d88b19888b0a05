//! One provider's address and the client that speaks to it.

use std::net::IpAddr;
use std::sync::Once;
use std::time::Duration;

use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, redirect};
use serde_json::Value;
use url::{Host, Url};

use super::config::RemoteConfig;
use super::failure::{Secrets, refused};
use super::reply::Reply;
use super::transport;
use crate::llm::{LlmError, LlmErrorKind};

/// One provider's address and the client that speaks to it.
#[derive(Debug)]
pub(super) struct Endpoint {
    provider: &'static str,
    client: Client,
    base: Url,
    headers: HeaderMap,
    idle: Duration,
    limit: usize,
    secrets: Secrets,
}

impl Endpoint {
    /// Checks the address and the key, and connects to nothing.
    pub(super) fn new(
        provider: &'static str,
        config: &RemoteConfig,
        base: &str,
        headers: &[(&'static str, String)],
    ) -> Result<Self, LlmError> {
        let base = address(provider, base)?;
        let secrets = Secrets::of(config);
        let headers = header_map(provider, headers)?;
        let client = client(config, &base)
            .map_err(|error| secrets.clean(transport::error(provider, error, "cannot set up")))?;
        let (idle, limit) = (config.idle_timeout, config.max_reply_bytes);
        Ok(Self { provider, client, base, headers, idle, limit, secrets })
    }

    /// Sends one request. Answers with a status of success come back; every other one is an error.
    pub(super) async fn post(&self, path: &str, body: &Value) -> Result<Reply, LlmError> {
        let url = format!("{}{path}", self.base.as_str().trim_end_matches('/'));
        let request = self.client.post(url).headers(self.headers.clone());
        let bytes = serde_json::to_vec(body).expect("a request has text keys only");
        let sent = request.header(CONTENT_TYPE, "application/json").body(bytes).send();
        let failed = |error| self.secrets.clean(error);
        let response = match tokio::time::timeout(self.idle, sent).await {
            Err(_) => return Err(transport::silent(self.provider, self.idle)),
            Ok(Err(error)) => return Err(failed(transport::error(self.provider, error, "cannot connect"))),
            Ok(Ok(response)) => response,
        };
        let reply = Reply::new(self.provider, response, self.idle, self.limit);
        if reply.status().is_success() { Ok(reply) } else { Err(failed(refused(reply).await)) }
    }

    /// Every request has this header, too.
    pub(super) fn add_header(&mut self, name: &'static str, value: &'static str) {
        self.headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }

    /// The error without anything secret in it.
    pub(super) fn clean(&self, error: LlmError) -> LlmError {
        self.secrets.clean(error)
    }
}

fn address(provider: &'static str, base: &str) -> Result<Url, LlmError> {
    let fault = |why: &str| {
        let message = format!("the base URL {why}: expected something like https://host/v1");
        LlmError::new(LlmErrorKind::Endpoint, provider, message)
    };
    let url = Url::parse(base.trim()).map_err(|error| fault(&format!("cannot be read ({error})")))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(fault(&format!("begins with `{}:`", url.scheme())));
    }
    if url.host().is_none() {
        return Err(fault("has no host"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(fault("holds a user or password"));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(fault("holds a query or fragment"));
    }
    Ok(url)
}

fn header_map(provider: &'static str, headers: &[(&'static str, String)]) -> Result<HeaderMap, LlmError> {
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        let mut value = HeaderValue::from_str(value).map_err(|_| {
            LlmError::new(LlmErrorKind::Auth, provider, format!("the value of `{name}` cannot be sent"))
        })?;
        value.set_sensitive(true);
        map.insert(HeaderName::from_static(name), value);
    }
    Ok(map)
}

/// Redirects are not followed: a key must not travel to another host. Loopback servers are asked directly, whatever
/// the proxy variables say.
fn client(config: &RemoteConfig, base: &Url) -> Result<Client, reqwest::Error> {
    static TLS: Once = Once::new();
    TLS.call_once(|| {
        // Another part of the program may have chosen already; its choice is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
    let mut client = Client::builder()
        .connect_timeout(config.connect_timeout)
        .redirect(redirect::Policy::none())
        .user_agent(concat!("ln-agent/", env!("CARGO_PKG_VERSION")));
    if is_loopback(base) {
        client = client.no_proxy();
    }
    client.build()
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(ip)) => IpAddr::V4(ip).is_loopback(),
        Some(Host::Ipv6(ip)) => IpAddr::V6(ip).is_loopback(),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_that_cannot_be_used_is_named_without_what_is_secret_in_it() {
        let told = |base: &str| address("openai", base).unwrap_err().to_string();
        assert_eq!(
            told("ftp://host"),
            "openai: address not usable: the base URL begins with `ftp:`: expected something like https://host/v1; \
             check OPENAI_BASE_URL"
        );
        for base in
            ["", "host", "http://", "https://user:pw@host/v1", "https://host/v1?key=abc", "http://a b"]
        {
            let told = told(base);
            assert!(!told.contains("pw") && !told.contains("abc"), "{told}");
        }
        assert!(address("openai", " http://127.0.0.1:8091/v1/ ").is_ok());
    }

    #[test]
    fn loopback_needs_no_proxy() {
        for base in ["http://localhost:1", "http://127.0.0.9", "http://[::1]:5"] {
            assert!(is_loopback(&Url::parse(base).unwrap()), "{base}");
        }
        for base in ["https://api.openai.com", "http://10.0.0.1", "http://localhost.example"] {
            assert!(!is_loopback(&Url::parse(base).unwrap()), "{base}");
        }
    }
}
