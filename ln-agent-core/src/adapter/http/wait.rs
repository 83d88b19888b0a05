//! How long a server asks to wait.

use std::time::{Duration, SystemTime};

use reqwest::header::HeaderMap;
use serde_json::Value;

/// The wait that headers or body ask for: `retry-after-ms`, then `retry-after` in seconds or as a date, then
/// Gemini's `RetryInfo`.
#[expect(clippy::float_arithmetic, reason = "milliseconds of a header, which may be fractions; no money")]
pub(super) fn asked(headers: &HeaderMap, body: &Value, now: SystemTime) -> Option<Duration> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    text("retry-after-ms")
        .and_then(|text| text.parse::<f64>().ok())
        .and_then(|millis| seconds(millis / 1_000.0))
        .or_else(|| text("retry-after").and_then(|text| after(text, now)))
        .or_else(|| in_body(body))
}

/// Seconds, whole or not, or a date. A date that has passed asks for no wait.
fn after(text: &str, now: SystemTime) -> Option<Duration> {
    if let Ok(secs) = text.parse::<f64>() {
        return seconds(secs);
    }
    let date = httpdate::parse_http_date(text).ok()?;
    Some(date.duration_since(now).unwrap_or_default())
}

/// `{"error": {"details": [{"@type": "…RetryInfo", "retryDelay": "34.5s"}]}}`.
fn in_body(body: &Value) -> Option<Duration> {
    let details = body.pointer("/error/details").or_else(|| body.pointer("/0/error/details"))?.as_array()?;
    let delay = details.iter().find_map(|detail| detail.get("retryDelay")?.as_str())?;
    seconds(delay.strip_suffix('s')?.parse().ok()?)
}

fn seconds(secs: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(secs).ok()
}

#[cfg(test)]
mod tests {
    use reqwest::header::{HeaderName, HeaderValue};
    use serde_json::json;

    use super::*;

    #[test]
    fn every_form_of_a_wait_is_read() {
        let now = httpdate::parse_http_date("Tue, 01 Dec 2026 12:00:00 GMT").unwrap();
        let read = |pairs: &[(&'static str, &str)], body: Value| {
            let headers = pairs
                .iter()
                .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_str(value).unwrap()));
            asked(&headers.collect(), &body, now).map(|wait| wait.as_millis())
        };
        let gemini = json!({"error": {"details": [{"@type": "x.RetryInfo", "retryDelay": "34.5s"}]}});
        assert_eq!(read(&[("retry-after", "7")], json!(null)), Some(7_000));
        assert_eq!(read(&[("retry-after", "0.5")], json!(null)), Some(500));
        assert_eq!(read(&[("retry-after-ms", "1250"), ("retry-after", "7")], json!(null)), Some(1_250));
        assert_eq!(read(&[("retry-after", "Tue, 01 Dec 2026 12:00:30 GMT")], json!(null)), Some(30_000));
        assert_eq!(read(&[("retry-after", "Tue, 01 Dec 2026 11:00:00 GMT")], json!(null)), Some(0));
        assert_eq!(read(&[], gemini.clone()), Some(34_500));
        assert_eq!(read(&[], json!([gemini])), Some(34_500));
        for nonsense in ["soon", "-1", "NaN", "inf", ""] {
            assert_eq!(read(&[("retry-after", nonsense)], json!(null)), None, "{nonsense}");
        }
    }
}
