//! Nodes: start, stop, restart, create, delete, reach, sign.

use serde_json::json;

use super::builder::{Builder, also, args, need, payload};
use crate::offline::OfflineError;
use crate::offline::wish::{Clause, Task};
use crate::types::Object;

pub(super) fn change(plan: &mut Builder, clause: &Clause) -> Result<(), OfflineError> {
    let node = need(clause, "node")?.clone();
    let whose = || args([("node", node.clone())]);
    match clause.task {
        Task::StartNode => {
            plan.add("ln_node_status", whose());
            // Starting is right whether or not the status could be read.
            plan.tolerate();
            plan.add("ln_node_start", whose());
        }
        Task::StopNode => drop(plan.add("ln_node_stop", whose())),
        Task::RestartNode => {
            plan.add("ln_node_stop", whose());
            plan.add("ln_node_start", whose());
        }
        Task::CreateNode => drop(plan.add("ln_node_create", whose())),
        Task::DeleteNode => drop(plan.add("ln_node_delete", also(whose(), clause, &["force"]))),
        Task::SignMessage => drop(plan.add("ln_signmessage", also(whose(), clause, &["message"]))),
        _ => {
            let network = plan.add("sys_netinfo", Object::new());
            plan.add("ln_node_stop", whose());
            let mut start = whose();
            start.insert("bind_host".to_owned(), json!("0.0.0.0"));
            start.insert("announce_host".to_owned(), json!(payload(network, "default_outbound_ip")));
            plan.add("ln_node_start", start);
            plan.add("ln_getinfo", whose());
        }
    }
    Ok(())
}
