//! Sentences about nodes that come and go.

use serde_json::Value;

use super::reading::{Reading, plain, text};
use super::words::{count, some_of};

pub(super) fn sentence(tool: &str, read: Reading<'_>) -> Option<String> {
    let node = read.node();
    let flag = |name: &str| read.payload.get(name).and_then(Value::as_bool);
    match tool {
        "ln_listnodes" => nodes(read),
        "ln_node_create" => Some(match flag("created") {
            Some(false) => format!("{node} exists already"),
            _ => format!("{node} was created; it is not started"),
        }),
        "ln_node_status" => {
            let reason =
                read.get("reason").filter(|reason| flag("running") == Some(false) && !reason.is_empty());
            let reason = reason.map(|reason| format!(" ({reason})")).unwrap_or_default();
            Some(format!("{node} is {}{reason}", if flag("running")? { "running" } else { "not running" }))
        }
        "ln_node_start" => {
            let port = read.payload.get("port").map(|port| format!(", port {port}")).unwrap_or_default();
            Some(match flag("started") {
                Some(false) => format!("{node} was already running{port}"),
                _ => format!("{node} was started{port}"),
            })
        }
        "ln_node_stop" => Some(match flag("stopped") {
            Some(false) => format!("{node} was not running"),
            _ => format!("{node} was stopped"),
        }),
        "ln_node_delete" => Some(match flag("deleted") {
            Some(false) => format!("{node} does not exist, so nothing was deleted"),
            _ => format!("{node} was deleted"),
        }),
        _ => None,
    }
}

fn nodes(read: Reading<'_>) -> Option<String> {
    let list = read.list("nodes")?;
    let lines: Vec<String> = list
        .iter()
        .filter_map(|node| {
            let name =
                text(node, "name").or_else(|| node.get("node").map(|n| format!("node {}", plain(n))))?;
            let state = if node.get("running")?.as_bool()? { "running" } else { "stopped" };
            Some(format!("{name} is {state}"))
        })
        .collect();
    Some(format!("there are {}: {}", count(list.len(), "configured node"), some_of(&lines)))
}
