//! Taking secrets out of texts that others will read.

use std::sync::OnceLock;

use regex_lite::Regex;

/// What stands where a secret stood.
const MASK: &str = "[redacted]";

/// A secret that is known by its shape.
type Shape = (&'static str, &'static str, &'static [&'static str]);

/// Secrets that are known by their shape: the pattern, what stays of the match, and texts in lower case of which every
/// match holds one. Looking for those first is what keeps long texts cheap.
const SHAPES: &[Shape] = &[
    // `Authorization: Bearer …`, `Authorization: LSAT macaroon:preimage`, with and without quotes.
    (
        r#"(?i)(\b(?:proxy-)?authorization["']?\s*[:=]\s*["']?(?:bearer|basic|token|lsat|l402|payment)?\s*)[^\s"',;}]+"#,
        "${1}",
        &["authorization"],
    ),
    (r"(?i)(\b(?:bearer|lsat|l402)\s+)[A-Za-z0-9._~+/=:-]{8,}", "${1}", &["bearer", "lsat", "l402"]),
    // Header and member names that hold nothing but secrets.
    (
        r#"(?i)(\b(?:x-api-key|x-goog-api-key|api-key|apikey|api_key|rune|macaroon|preimage|payment_preimage|client_secret|access_token|refresh_token|bot_token|password|passwd)["']?\s*[:=]\s*["']?)[^\s"',;&}]+"#,
        "${1}",
        &[
            "api-key",
            "apikey",
            "api_key",
            "rune",
            "macaroon",
            "preimage",
            "client_secret",
            "access_token",
            "refresh_token",
            "bot_token",
            "password",
            "passwd",
        ],
    ),
    // Queries of URLs.
    (
        r"(?i)([?&](?:key|api_key|apikey|token|access_token|sig|signature)=)[^&\s\x22']+",
        "${1}",
        &["key=", "token=", "sig=", "signature="],
    ),
    // User and password in URLs.
    (r"(?i)(\b[a-z][a-z0-9+.-]*://)[^/\s:@]+:[^/\s@]+@", "${1}", &["://"]),
    // Provider keys: OpenAI, Anthropic, OpenRouter, Groq, Google, Hugging Face, xAI, Slack, Telegram, AWS.
    (r"\b(?:sk|rk|pk)-[A-Za-z0-9_-]{8,}", "", &["sk-", "rk-", "pk-"]),
    (r"\bgsk_[A-Za-z0-9]{8,}", "", &["gsk_"]),
    (r"\bhf_[A-Za-z0-9]{8,}", "", &["hf_"]),
    (r"\bxai-[A-Za-z0-9]{8,}", "", &["xai-"]),
    (r"\bAIza[A-Za-z0-9_-]{10,}", "", &["aiza"]),
    (r"\bya29\.[A-Za-z0-9_-]{10,}", "", &["ya29."]),
    (r"\bxox[abeoprs]-[A-Za-z0-9-]{8,}", "", &["xox"]),
    (r"\bxapp-[A-Za-z0-9-]{8,}", "", &["xapp-"]),
    (
        r"\b(?:bot)?[0-9]{6,12}:[A-Za-z0-9_-]{30,}",
        "",
        &["0:", "1:", "2:", "3:", "4:", "5:", "6:", "7:", "8:", "9:"],
    ),
    (r"\bAKIA[A-Z0-9]{12,}", "", &["akia"]),
    (r"\beyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]*", "", &["eyj"]),
];

/// The text with every secret of a known shape replaced by `[redacted]`: provider keys, bearer tokens, values of
/// `Authorization` and key headers, keys in URL queries, passwords in URLs, macaroons, preimages and runes.
///
/// # Examples
///
/// ```
/// use ln_agent_core::llm::redact;
///
/// assert_eq!(redact("GET /v1?key=AIzaSyExample0123 failed"), "GET /v1?key=[redacted] failed");
/// assert_eq!(redact("nothing to hide"), "nothing to hide");
/// ```
#[must_use]
pub fn redact(text: &str) -> String {
    static PATTERNS: OnceLock<Vec<(Regex, String)>> = OnceLock::new();
    let patterns = PATTERNS.get_or_init(|| SHAPES.iter().map(compiled).collect());
    // What is masked takes texts away and adds none that a shape needs.
    let lower = text.to_ascii_lowercase();
    let mut text = text.to_owned();
    for ((pattern, replacement), (_, _, hints)) in patterns.iter().zip(SHAPES) {
        if hints.iter().any(|hint| lower.contains(hint)) && pattern.is_match(&text) {
            text = pattern.replace_all(&text, replacement.as_str()).into_owned();
        }
    }
    text
}

/// The pattern of a shape, and what takes the place of a match.
fn compiled((pattern, kept, _): &Shape) -> (Regex, String) {
    (Regex::new(pattern).expect("the patterns are fixed and valid"), format!("{kept}{MASK}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_known_shape_of_a_key_is_taken_out() {
        let secrets = [
            ("sk-proj-abcDEF0123456789", "{}"),
            ("sk-ant-api03-abcDEF0123456789_-", "{}"),
            ("sk-or-v1-0123456789abcdef", "{}"),
            ("gsk_0123456789abcdefABCDEF", "{}"),
            ("AIzaSyA-0123456789abcdef_ghij", "{}"),
            ("hf_abcdefghijklmnop", "{}"),
            ("xai-abcdefgh01234567", "{}"),
            ("xoxb-1234567890-abcdefghij", "{}"),
            ("123456789:AAabcdefghijklmnopqrstuvwxyz0123456", "{}"),
            ("AKIAIOSFODNN7EXAMPLE", "{}"),
            ("eyJhbGciOiJI.eyJzdWIiOiIx.abc_DEF", "{}"),
            ("verysecret01", "Authorization: Bearer {}"),
            ("verysecret01", "{{\"authorization\": \"Bearer {}\"}}"),
            ("verysecret01", "x-api-key: {}"),
            ("verysecret01", "{{\"x-goog-api-key\":\"{}\"}}"),
            ("verysecret01", "https://host/v1/models?alt=sse&key={}&x=1"),
            ("user:verysecret01", "https://{}@host/v1"),
            ("00112233445566778899", "{{\"payment_preimage\":\"{}\"}}"),
            ("AgEDbG5k0123", "macaroon=\"{}\""),
        ];
        for (secret, place) in secrets {
            let text = place.replace("{}", secret).replace("{{", "{").replace("}}", "}");
            let seen = redact(&format!("before {text} after"));
            assert!(!seen.contains(secret), "{seen}");
            assert!(seen.contains(MASK) && seen.starts_with("before ") && seen.ends_with(" after"), "{seen}");
        }
    }

    #[test]
    fn what_is_no_secret_stays() {
        for text in [
            "open a channel from node 1 to node 2",
            "lnbcrt10u1p3unwfusp5t9r3yymhpfqculx78u027lxspgxcr2n2987mx2j55nnfs95nxnzq",
            "{\"payment_hash\":\"00112233\",\"tokens\":5}",
            "risk-free, task-based",
        ] {
            assert_eq!(redact(text), text);
        }
    }
}
