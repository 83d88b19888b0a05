use serde_json::{Value, json};

use super::call::{Answer, Call, Outcome};
use super::error::RpcError;
use super::methods::Method;

pub(super) const METHODS: &[Method] = &[Method { name: "getlog", params: &["level?"], writes: false, run }];

/// What the node did since it started: like lightningd's, this log is kept in memory only.
fn run(call: &mut Call<'_>) -> Outcome {
    let level = call.params.text("level")?.unwrap_or_else(|| "info".to_owned());
    let shows_info = match level.as_str() {
        "io" | "trace" | "debug" | "info" => true,
        "unusual" | "broken" => false,
        other => {
            let why = "should be 'io', 'debug', 'info', or 'unusual'";
            return Err(RpcError::invalid("level", why, &json!(other)));
        }
    };
    let journal = &call.node().journal;
    let started = journal.started();
    let lines: Vec<Value> = journal
        .lines()
        .filter(|_| shows_info)
        .map(|line| {
            json!({
                "type": "INFO",
                "time": format!("{}.000000000", line.at.saturating_sub(started)),
                "source": "lightningd",
                "log": line.text,
            })
        })
        .collect();
    Ok(Answer::Done(json!({
        "created_at": format!("{started}.000000000"),
        "bytes_used": journal.bytes(),
        "bytes_max": 16_777_216,
        "log": lines,
    })))
}
