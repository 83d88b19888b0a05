//! Sentences about nodes that come and go.

use serde_json::Value;

use super::reading::{Reading, plain, text};
use super::said::Said;
use super::words::count;

pub(super) fn said(tool: &str, read: Reading<'_>) -> Option<Said> {
    let node = read.node();
    let flag = |name: &str| read.payload.get(name).and_then(Value::as_bool);
    match tool {
        "ln_listnodes" => nodes(read),
        "ln_node_create" => Some(match flag("created") {
            Some(false) => Said::fact(format!("{node} exists already")),
            _ => Said::act(format!("{node} was created; it is not started")),
        }),
        "ln_node_status" => {
            let reason =
                read.get("reason").filter(|reason| flag("running") == Some(false) && !reason.is_empty());
            let reason = reason.map(|reason| format!(" ({reason})")).unwrap_or_default();
            let state = if flag("running")? { "running" } else { "not running" };
            Some(Said::fact(format!("{node} is {state}{reason}")))
        }
        "ln_node_start" => {
            let restarted = read.arg("node").is_some_and(|node| read.scene.restarted(&node));
            Some(match flag("started") {
                Some(false) => Said::fact(format!("{node} was already running")),
                _ if restarted => Said::act(format!("{node} was restarted")),
                _ => Said::act(format!("{node} was started")),
            })
        }
        "ln_node_stop" => Some(match flag("stopped") {
            Some(false) => Said::fact(format!("{node} was not running")),
            _ => Said::act(format!("{node} was stopped")),
        }),
        "ln_node_delete" => Some(match flag("deleted") {
            Some(false) => Said::fact(format!("{node} does not exist, so nothing was deleted")),
            _ => Said::act(format!("{node} was deleted")),
        }),
        _ => None,
    }
}

fn nodes(read: Reading<'_>) -> Option<Said> {
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
    let verb = if list.len() == 1 { "is" } else { "are" };
    Some(Said::fact(format!("there {verb} {}", count(list.len(), "configured node"))).with(lines))
}
