//! Small models write placeholders the way templates and shells do; what is clearly meant is written our way.

use std::sync::LazyLock;

use regex_lite::{Captures, Regex};
use serde_json::Value;

/// The value with every clear template, shell or tag placeholder rewritten: `{{ step_1.x }}`, `{{ steps[0].x }}`,
/// `${step1.x}`, `<step1.x>` and `$step_1.x` all become `$step1.x`. What is not recognised stays, and is refused
/// later.
///
/// # Examples
///
/// ```
/// # use ln_agent_core::stage::planner::rewrite_placeholders;
/// # use serde_json::json;
/// let steps = json!([{ "args": { "bolt11": "{{ steps[0].result.payload.bolt11 }}" } }]);
/// assert_eq!(rewrite_placeholders(steps)[0]["args"]["bolt11"], "$step1.result.payload.bolt11");
/// ```
#[must_use]
pub fn rewrite_placeholders(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(rewritten(&text).unwrap_or(text)),
        Value::Array(list) => list.into_iter().map(rewrite_placeholders).collect(),
        Value::Object(object) => {
            Value::Object(object.into_iter().map(|(key, value)| (key, rewrite_placeholders(value))).collect())
        }
        other => other,
    }
}

fn rewritten(text: &str) -> Option<String> {
    static WRAPPED: LazyLock<Regex> = LazyLock::new(|| {
        let inner = r"\s*\$?([A-Za-z][^{}<>|\s]*)\s*";
        let wrapped = format!(r"^\s*(?:\{{\{{{inner}\}}\}}|\$\{{{inner}\}}|<{inner}>)\s*$");
        Regex::new(&wrapped).expect("the pattern is a constant and valid")
    });
    let body = match WRAPPED.captures(text) {
        Some(found) => (1..=3).find_map(|group| found.get(group)).map(|group| group.as_str().to_owned())?,
        None => text.strip_prefix('$')?.to_owned(),
    };
    let (name, path) = root(&body)?;
    let rewritten = format!("${name}{path}");
    (rewritten != text).then_some(rewritten)
}

/// `step1`, `step_1`, `step-1`, `step[1]`, `steps[0]`, `context` or `item`, and the path behind it.
fn root(body: &str) -> Option<(String, &str)> {
    static STEP: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^(?i:step)(?:[_-]?(\d{1,4})|\[(\d{1,4})\]|s\[(\d{1,4})\])([.\[].*)$")
            .expect("the pattern is a constant and valid")
    });
    let number = |found: &Captures<'_>, group: usize| found.get(group)?.as_str().parse::<u32>().ok();
    if let Some(found) = STEP.captures(body) {
        // `steps[0]` is the list of steps, counted from 0; every other form names the step.
        let step =
            number(&found, 1).or_else(|| number(&found, 2)).or_else(|| number(&found, 3).map(|n| n + 1))?;
        return Some((format!("step{step}"), found.get(4)?.as_str()));
    }
    ["context", "item"].into_iter().find_map(|name| {
        let path = body.strip_prefix(name)?;
        path.starts_with(['.', '[']).then(|| (name.to_owned(), path))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn clear_variants_become_placeholders_and_the_rest_stays() {
        let cases = [
            ("{{ step_1.result.payload.id }}", "$step1.result.payload.id"),
            ("{{steps[0].result.payload.id}}", "$step1.result.payload.id"),
            ("{{ $step2.payload }}", "$step2.payload"),
            ("${step1.result.payload}", "$step1.result.payload"),
            ("${context.node}", "$context.node"),
            ("<step3.result.payload.bolt11>", "$step3.result.payload.bolt11"),
            ("$step_4.result.payload[0].id", "$step4.result.payload[0].id"),
            ("$step[4].result.payload", "$step4.result.payload"),
            ("{{ item.peer_id }}", "$item.peer_id"),
            ("$step1.result.payload", "$step1.result.payload"),
            ("{{ step1.x | int }}", "{{ step1.x | int }}"),
            ("{{ step1 }}", "{{ step1 }}"),
            ("{{ invoice.bolt11 }}", "{{ invoice.bolt11 }}"),
            ("$1", "$1"),
            ("pay {{ step1.x }} now", "pay {{ step1.x }} now"),
            ("<b>bold</b>", "<b>bold</b>"),
        ];
        for (text, expected) in cases {
            assert_eq!(rewrite_placeholders(json!([text])), json!([expected]), "{text}");
        }
    }
}
