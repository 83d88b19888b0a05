//! Where the server is, in every form in which `OLLAMA_HOST` may say it.

use std::net::{Ipv4Addr, Ipv6Addr};

use url::{Host, Url};

/// Where Ollama listens by itself.
const LOCAL: &str = "http://127.0.0.1:11434";
/// Ollama's port.
const PORT: u16 = 11_434;
/// What users append: the API's own path, and the one of its OpenAI imitation.
const SUFFIXES: [&str; 3] = ["/api/chat", "/api", "/v1"];

/// The address that `/api/chat` follows. What cannot be read comes back as it is, for the error to name.
pub(super) fn base(given: &str) -> String {
    let given = trimmed(given);
    if given.is_empty() {
        return LOCAL.to_owned();
    }
    let address = if given.contains("://") { given.to_owned() } else { with_scheme(given) };
    let Ok(mut url) = Url::parse(&address) else { return address };
    // An address to listen at is none to connect to.
    let listening = match url.host() {
        Some(Host::Ipv4(ip)) if ip.is_unspecified() => Some(Ipv4Addr::LOCALHOST.into()),
        Some(Host::Ipv6(ip)) if ip.is_unspecified() => Some(Ipv6Addr::LOCALHOST.into()),
        _ => None,
    };
    match listening.map(|ip| url.set_ip_host(ip)) {
        Some(Ok(())) => trimmed(url.as_str()).to_owned(),
        _ => address,
    }
}

/// Whether the model runs on Ollama's own servers, and not on the user's.
pub(super) fn is_cloud(base: &str, model: &str) -> bool {
    let host = Url::parse(base).ok().and_then(|url| url.host_str().map(str::to_owned));
    host.is_some_and(|host| host == "ollama.com" || host.ends_with(".ollama.com"))
        || model.ends_with("-cloud")
        || model.ends_with(":cloud")
}

/// Without slashes at the end and without the path of the API.
fn trimmed(given: &str) -> &str {
    let given = given.trim().trim_end_matches('/');
    let suffix = SUFFIXES.iter().find_map(|suffix| given.strip_suffix(suffix));
    suffix.map_or(given, |rest| rest.trim_end_matches('/'))
}

/// `host`, `host:port` and `:port` are plain HTTP at Ollama's port; its cloud is not.
fn with_scheme(given: &str) -> String {
    let (host, path) = given.split_at(given.find('/').unwrap_or(given.len()));
    if host == "ollama.com" {
        return format!("https://{given}");
    }
    if host.parse::<Ipv6Addr>().is_ok() {
        return format!("http://[{host}]:{PORT}{path}");
    }
    let has_port = host.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
    match host.strip_prefix(':') {
        Some(port) => format!("http://127.0.0.1:{port}{path}"),
        None if has_port => format!("http://{host}{path}"),
        None => format!("http://{host}:{PORT}{path}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_may_be_given_in_every_form_that_ollama_takes() {
        let cases = [
            ("", LOCAL),
            ("  ", LOCAL),
            ("gpu-box", "http://gpu-box:11434"),
            ("gpu-box:8080", "http://gpu-box:8080"),
            (":11434", LOCAL),
            (":8080", "http://127.0.0.1:8080"),
            ("0.0.0.0", LOCAL),
            ("0.0.0.0:11434", LOCAL),
            ("http://0.0.0.0:8080/", "http://127.0.0.1:8080"),
            ("http://0.0.0.0:8080/ollama", "http://127.0.0.1:8080/ollama"),
            ("[::]:11434", "http://[::1]:11434"),
            ("[::1]", "http://[::1]:11434"),
            ("::1", "http://[::1]:11434"),
            ("localhost:11434/v1", "http://localhost:11434"),
            ("http://127.0.0.1:11434/", LOCAL),
            ("http://127.0.0.1:11434/v1", LOCAL),
            ("http://127.0.0.1:11434/v1/", LOCAL),
            ("http://127.0.0.1:11434/api", LOCAL),
            ("http://127.0.0.1:11434/api/chat", LOCAL),
            ("https://proxy.example/ollama/api/", "https://proxy.example/ollama"),
            // With a scheme its own port counts, as for Ollama.
            ("http://gpu-box", "http://gpu-box"),
            ("https://ollama.com/api", "https://ollama.com"),
            ("ollama.com", "https://ollama.com"),
        ];
        for (given, expected) in cases {
            assert_eq!(base(given), expected, "{given}");
        }
    }

    #[test]
    fn models_of_the_cloud_are_known_by_host_or_name() {
        for (base, model) in
            [("https://ollama.com", "gpt-oss:120b"), (LOCAL, "gpt-oss:120b-cloud"), (LOCAL, "glm:cloud")]
        {
            assert!(is_cloud(base, model), "{base} {model}");
        }
        for (base, model) in [(LOCAL, "qwen3:8b"), ("https://notollama.com", "m"), ("", "cloudy")] {
            assert!(!is_cloud(base, model), "{base} {model}");
        }
    }
}
