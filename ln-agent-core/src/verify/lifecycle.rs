//! Nodes: started, stopped, created, deleted.

use serde_json::{Value, json};

use super::look::{Finding, Look, Seen, argument, list, pick, text};
use crate::types::Object;

pub(super) const STARTED: &[Look] =
    &[Look { tool: "ln_node_status", args: of_node, before: false, absent: &[], judge: started }];
pub(super) const STOPPED: &[Look] =
    &[Look { tool: "ln_node_status", args: of_node, before: false, absent: &[], judge: stopped }];
pub(super) const CREATED: &[Look] =
    &[Look { tool: "ln_listnodes", args: nothing, before: false, absent: &[], judge: created }];
pub(super) const DELETED: &[Look] =
    &[Look { tool: "ln_listnodes", args: nothing, before: false, absent: &[], judge: deleted }];

fn of_node(args: &Object, _payload: &Value) -> Option<Object> {
    pick(args, &[("node", "node")])
}

#[expect(clippy::unnecessary_wraps, reason = "one of the table's functions")]
fn nothing(_args: &Object, _payload: &Value) -> Option<Object> {
    Some(Object::new())
}

fn started(seen: &Seen<'_>) -> Finding {
    running(seen, true)
}

fn stopped(seen: &Seen<'_>) -> Finding {
    running(seen, false)
}

fn running(seen: &Seen<'_>, wanted: bool) -> Finding {
    let node = argument(seen.done.args, "node");
    let Some(running) = seen.now.get("running").and_then(Value::as_bool) else {
        return Finding::Undecided(format!("node {node} does not say whether it runs"));
    };
    let detail = format!("node {node} {}", if running { "is running" } else { "is not running" });
    let observed = json!({ "node": seen.done.args.get("node"), "running": running });
    if running == wanted {
        Finding::confirmed(detail, observed)
    } else {
        Finding::contradicted(detail, observed)
    }
}

fn created(seen: &Seen<'_>) -> Finding {
    present(seen, true)
}

fn deleted(seen: &Seen<'_>) -> Finding {
    present(seen, false)
}

fn present(seen: &Seen<'_>, wanted: bool) -> Finding {
    if !seen.now.get("nodes").is_some_and(Value::is_array) {
        return Finding::Undecided("the nodes are not listed".to_owned());
    }
    let node = argument(seen.done.args, "node");
    let name = format!("node-{node}");
    let number = seen.done.args.get("node");
    let is_it = |entry: &&Value| {
        (number.is_some() && entry.get("node") == number) || text(entry, "name") == Some(name.as_str())
    };
    let entry = list(seen.now, "nodes").iter().find(is_it);
    let detail = format!("node {node} {}", if entry.is_some() { "exists" } else { "does not exist" });
    let observed = entry.cloned().unwrap_or(Value::Null);
    if entry.is_some() == wanted {
        Finding::confirmed(detail, observed)
    } else {
        Finding::contradicted(detail, observed)
    }
}
