//! The safety gate between translator and planner: no commands, paths or addresses of the web in an intent.
//!
//! Nothing in this crate hands text to a shell; the gate is there so that nothing behind a tool ever has to be
//! trusted not to. It reads the context only (names and values, nested ones too): a goal is prose for the user,
//! where a semicolon is no attack. A refusal ends the run; it is never given back to the model to be laundered.

use serde_json::Value;
use url::{Host, Url};

use crate::types::{IntentBlock, Object};

/// Why an intent may not be planned.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("the safety gate refused context field `{field}`: {reason}")]
pub struct GateRefusal {
    /// Path of the field in the context, such as `label` or `clauses[0].url`.
    pub field: String,
    /// What is wrong with it.
    pub reason: GateReason,
}

/// What is wrong with a field.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GateReason {
    /// It holds a character that a shell would act on, or a line break or NUL.
    #[error("{0:?} is not allowed; write the text without it")]
    Metacharacter(&'static str),
    /// It walks up a directory tree, or into a home directory.
    #[error("it is a path that leaves its directory")]
    Traversal,
    /// It names a directory of the system.
    #[error("it is a path into `{0}`")]
    SystemPath(&'static str),
    /// It holds the name of a command.
    #[error("it holds the command `{0}`")]
    Command(&'static str),
    /// It holds an address of the web, or another one with a scheme.
    #[error("it holds a raw URL; only the field `url` may, and only on an allowed host")]
    RawUrl,
    /// The field `url` holds no address that may be fetched.
    #[error("{0}")]
    Url(String),
}

/// Refuses an intent whose context could do more than describe.
///
/// A field named `url` may hold an `http` or `https` address whose host is one of `allowed_hosts` (`host` or
/// `host:port`). No hosts: this machine only (`localhost`, 127.0.0.0/8, `::1`).
///
/// # Errors
///
/// [`GateRefusal`] with the first field that is not harmless.
///
/// # Examples
///
/// ```
/// # use ln_agent_core::{IntentBlock, policy::gate};
/// let mut intent = IntentBlock::default();
/// intent.context.insert("description".into(), "coffee, 2 cups (thanks!)".into());
/// assert_eq!(gate::check(&intent, &[]), Ok(()));
///
/// intent.context.insert("label".into(), "a; rm -rf ~".into());
/// assert_eq!(
///     gate::check(&intent, &[]).unwrap_err().to_string(),
///     "the safety gate refused context field `label`: \";\" is not allowed; write the text without it",
/// );
/// ```
pub fn check(intent: &IntentBlock, allowed_hosts: &[String]) -> Result<(), GateRefusal> {
    check_object("", &intent.context, allowed_hosts)
}

fn check_object(path: &str, object: &Object, allowed_hosts: &[String]) -> Result<(), GateRefusal> {
    object.iter().try_for_each(|(name, value)| {
        let field = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        check_text(&field, name)?;
        match value {
            Value::String(url) if name == "url" => check_url(&field, url, allowed_hosts),
            _ => check_value(&field, value, allowed_hosts),
        }
    })
}

fn check_value(field: &str, value: &Value, allowed_hosts: &[String]) -> Result<(), GateRefusal> {
    match value {
        Value::String(text) => check_text(field, text),
        Value::Array(list) => list
            .iter()
            .enumerate()
            .try_for_each(|(index, value)| check_value(&format!("{field}[{index}]"), value, allowed_hosts)),
        Value::Object(object) => check_object(field, object, allowed_hosts),
        Value::Null | Value::Bool(_) | Value::Number(_) => Ok(()),
    }
}

fn check_text(field: &str, text: &str) -> Result<(), GateRefusal> {
    let text = plain(text);
    let fault = metacharacter(&text)
        .or_else(|| names_url(&text).then_some(GateReason::RawUrl))
        .or_else(|| leaves_directory(&text).then_some(GateReason::Traversal))
        .or_else(|| system_path(&text))
        .or_else(|| COMMANDS.into_iter().find(|name| has_word(&text, name)).map(GateReason::Command));
    refuse_if(field, fault)
}

fn check_url(field: &str, text: &str, allowed_hosts: &[String]) -> Result<(), GateRefusal> {
    let lower = plain(text);
    let fault = metacharacter(&lower)
        .or_else(|| leaves_directory(&lower).then_some(GateReason::Traversal))
        .or_else(|| forbidden_url(text, allowed_hosts).map(GateReason::Url));
    refuse_if(field, fault)
}

fn refuse_if(field: &str, fault: Option<GateReason>) -> Result<(), GateRefusal> {
    fault.map_or(Ok(()), |reason| Err(GateRefusal { field: field.escape_debug().to_string(), reason }))
}

/// Lower case, one kind of slash, and no disguise by percent signs.
fn plain(text: &str) -> String {
    let mut text = text.to_lowercase();
    for (code, meaning) in [("%25", "%"), ("%2e", "."), ("%2f", "/"), ("%5c", "/"), ("%3a", ":"), ("\\", "/")]
    {
        text = text.replace(code, meaning);
    }
    text
}

fn metacharacter(text: &str) -> Option<GateReason> {
    METACHARACTERS.into_iter().find(|mark| text.contains(mark)).map(GateReason::Metacharacter)
}

/// Whether `..` is a part of a path, or `~/` begins one.
fn leaves_directory(text: &str) -> bool {
    let is_up = |word: Option<&str>| word == Some("..");
    let parts = || text.split('/');
    // A part of a path ends at a blank: in `see ../x` it is the last word before the slash.
    let up_before = parts().rev().skip(1).any(|part| is_up(part.rsplit(char::is_whitespace).next()));
    let up_after = parts().skip(1).any(|part| is_up(part.split(char::is_whitespace).next()));
    text.trim() == ".." || text.contains("~/") || up_before || up_after
}

fn system_path(text: &str) -> Option<GateReason> {
    let starts_path =
        |at: usize| !text[..at].ends_with(|c: char| c.is_alphanumeric() || matches!(c, '/' | '.'));
    let found = SYSTEM_PATHS.into_iter().find(|path| {
        text.match_indices(path).any(|(at, _)| {
            starts_path(at) && !text[at + path.len()..].starts_with(|c: char| c.is_alphanumeric())
        })
    });
    found.map(GateReason::SystemPath)
}

fn has_word(text: &str, word: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|found| found == word)
}

/// Whether an address with a scheme is in the text: `scheme://…`, `//host`, or one of those that need no slashes.
fn names_url(text: &str) -> bool {
    let words = || text.split(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '(' | ')' | ',' | '='));
    words().any(|word| {
        let host_follows = |rest: &str| rest.starts_with(|c: char| c.is_alphanumeric() || c == '[');
        let bare = SCHEMES_WITHOUT_SLASHES
            .into_iter()
            .any(|scheme| word.strip_prefix(scheme).is_some_and(|rest| !rest.is_empty()));
        word.contains("://") || word.strip_prefix("//").is_some_and(host_follows) || bare
    })
}

/// Why this address may not be fetched.
fn forbidden_url(text: &str, allowed_hosts: &[String]) -> Option<String> {
    let url = match Url::parse(text) {
        Ok(url) => url,
        Err(error) => return Some(format!("it is no URL: {error}")),
    };
    let Some(host) = url.host() else { return Some("it is a URL without a host".into()) };
    if !matches!(url.scheme(), "http" | "https") {
        return Some(format!("its scheme is `{}`; only http and https are allowed", url.scheme()));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Some("it holds a user name or password".into());
    }
    if is_allowed(&url, &host, allowed_hosts) {
        None
    } else {
        Some(format!("its host `{host}` is not allowed"))
    }
}

fn is_allowed(url: &Url, host: &Host<&str>, allowed_hosts: &[String]) -> bool {
    if allowed_hosts.is_empty() {
        return match host {
            Host::Domain(name) => *name == "localhost",
            Host::Ipv4(address) => address.is_loopback(),
            Host::Ipv6(address) => address.is_loopback(),
        };
    }
    let name = host.to_string();
    let with_port = url.port_or_known_default().map(|port| format!("{name}:{port}"));
    allowed_hosts.iter().map(|allowed| allowed.trim().to_lowercase()).any(|allowed| {
        allowed == name || Some(&allowed) == with_port.as_ref() || format!("[{allowed}]") == name
    })
}

const METACHARACTERS: [&str; 12] = [";", "&", "|", "`", "$(", "${", "<", ">", "\n", "\r", "\0", "\u{2028}"];
const COMMANDS: [&str; 6] = ["sudo", "ssh", "scp", "chmod", "chown", "rm"];
const SYSTEM_PATHS: [&str; 12] =
    ["/etc", "/root", "/proc", "/sys", "/dev", "/home", "/var", "/usr", "/bin", "/sbin", "/boot", "/tmp"];
/// A word that only begins with one of these is one: `data:text/html,…`, but not `data: 5`.
const SCHEMES_WITHOUT_SLASHES: [&str; 4] = ["data:", "file:", "javascript:", "mailto:"];

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn refusal(context: Value, hosts: &[&str]) -> Option<String> {
        let Value::Object(context) = context else { panic!("a context is an object") };
        let hosts = hosts.iter().map(ToString::to_string).collect::<Vec<_>>();
        check(&IntentBlock { context, ..IntentBlock::default() }, &hosts)
            .err()
            .map(|refusal| format!("{}: {}", refusal.field, refusal.reason))
    }

    #[test]
    fn ordinary_contexts_pass() {
        let invoice = format!("lnbcrt100n1p{}", "qw508d6qejxtdg4y5r3zarvary0c5xw7k".repeat(6));
        for text in [
            "coffee, 2 cups (thanks!)",
            "node 1's channel isn't balanced, is it? 100% of $5 + 7 * 2 = #9",
            "wait.. what about node 2...",
            "and/or",
            "farm form arm storm",
            "the sshd of a scpi is a pseudo thing",
            "data: 5 files, file: none",
            "€5 — 東京 😀",
            "02ab@127.0.0.1:9735",
            "lightning:lnbcrt1",
            "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080",
            "lno1qgsqvgnwgcg35z6ee2h3yczraddm72xrfua9uve2rlrm9deu7xyfzrc",
            &invoice,
            &"ab".repeat(33),
            "^[0-9]{2}$",
        ] {
            assert_eq!(refusal(json!({ "description": text }), &[]), None, "{text}");
        }
        let clauses =
            json!({ "clauses": [{ "goal": "close", "when": [{ "op": "lt", "right": 5 }], "node": null }] });
        assert_eq!(refusal(clauses, &[]), None);
    }

    #[test]
    fn metacharacters_are_named() {
        for mark in METACHARACTERS {
            let found = refusal(json!({ "message": format!("a{mark}b") }), &[]);
            assert_eq!(found, Some(format!("message: {mark:?} is not allowed; write the text without it")));
        }
    }

    #[test]
    fn paths_are_refused() {
        for text in ["../x", "a/../b", "see ..\\x", "a/..", "..", "~/.ssh", "%2e%2e%2fx", "%252e./x"] {
            let found = refusal(json!({ "wallet": text }), &[]);
            assert_eq!(found.as_deref(), Some("wallet: it is a path that leaves its directory"), "{text}");
        }
        let found = refusal(json!({ "wallet": "read /ETC/passwd" }), &[]);
        assert_eq!(found.as_deref(), Some("wallet: it is a path into `/etc`"));
    }

    #[test]
    fn commands_are_refused_as_whole_words_of_any_case() {
        for name in COMMANDS {
            let found = refusal(json!({ "label": format!("please {}\tit", name.to_uppercase()) }), &[]);
            assert_eq!(found, Some(format!("label: it holds the command `{name}`")));
        }
    }

    #[test]
    fn raw_urls_of_any_scheme_are_refused_outside_of_their_field() {
        for text in [
            "http://127.0.0.1",
            "see HTTPS://a.b",
            "ftp://a",
            "file:/x",
            "data:text/html,x",
            "(//evil.com)",
            "x=a://b",
        ] {
            let found = refusal(json!({ "message": text }), &[]);
            let expected =
                "message: it holds a raw URL; only the field `url` may, and only on an allowed host";
            assert_eq!(found.as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn nested_values_and_names_are_read() {
        let nested = json!({ "clauses": [{ "args": { "label": "x|y" } }] });
        let expected = "clauses[0].args.label: \"|\" is not allowed; write the text without it";
        assert_eq!(refusal(nested, &[]).as_deref(), Some(expected));
        let expected = "sudo it: it holds the command `sudo`";
        assert_eq!(refusal(json!({ "sudo it": 1 }), &[]).as_deref(), Some(expected));
    }

    #[test]
    fn a_url_is_allowed_by_its_host() {
        let of = |url: &str, hosts: &[&str]| refusal(json!({ "url": url }), hosts);
        for url in ["http://127.0.0.1:8080/a?b=c", "http://localhost", "https://[::1]/x", "http://127.9.9.9"]
        {
            assert_eq!(of(url, &[]), None, "{url}");
        }
        assert_eq!(of("https://API.example.com/x", &["api.example.com"]), None);
        assert_eq!(of("http://a.b:81", &["a.b:81"]), None);
        assert_eq!(of("http://[fd00::1]/", &["fd00::1"]), None);
        let refused = |url, why: &str| assert_eq!(of(url, &[]), Some(format!("url: {why}")), "{url}");
        refused("http://evil.com", "its host `evil.com` is not allowed");
        refused("http://localhost.evil.com", "its host `localhost.evil.com` is not allowed");
        refused("http://127.0.0.1@evil.com/", "it holds a user name or password");
        refused("ftp://127.0.0.1/x", "its scheme is `ftp`; only http and https are allowed");
        refused("file:///etc/passwd", "it is a URL without a host");
        refused("127.0.0.1/x", "it is no URL: relative URL without a base");
        refused("http://127.0.0.1/../x", "it is a path that leaves its directory");
        refused("http://127.0.0.1/?a&b", "\"&\" is not allowed; write the text without it");
        let expected = Some("url: its host `127.0.0.1` is not allowed".to_owned());
        assert_eq!(of("http://127.0.0.1", &["a.b"]), expected, "a list replaces the default");
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic_and_words_of_letters_pass(text in any::<String>(), words in "[a-z]{7,12}( [a-z]{7,12}){0,5}") {
            let _ = refusal(json!({ "a": text, "url": text }), &[]);
            prop_assert_eq!(refusal(json!({ "description": words }), &[]), None);
        }
    }
}
