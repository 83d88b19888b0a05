//! `ln-agent doctor`: what works here, and what to do about what does not.

use ln_agent_core::config::Role;
use ln_agent_core::types::{Circuit, GuardReport};
use serde_json::{Value, json};

use super::network::ensure_playground;
use crate::command::{Common, DoctorArgs};
use crate::exit::{Exit, Fault};
use crate::render;
use crate::session::{Place, Toolbox, backends, model_names};

struct Finding {
    what: &'static str,
    ok: bool,
    detail: String,
}

/// Checks configuration, state directory, network, tools and backend, in that order.
pub(crate) async fn doctor(common: &Common, args: &DoctorArgs) -> Result<Exit, Fault> {
    let mut place = Place::find(common, &[])?;
    let mut findings = vec![
        Finding { what: "configuration", ok: true, detail: configuration(&place) },
        runtime_directory(&place),
        backend(&place),
    ];
    findings.extend(guards(&place));
    let started = ensure_playground(&mut place);
    findings.push(match &started {
        Ok(()) if place.is_playground() => {
            Finding { what: "network", ok: true, detail: "playground".to_owned() }
        }
        Ok(()) => {
            let name = place.config.text("NETWORK").unwrap_or("regtest").to_owned();
            Finding { what: "network", ok: true, detail: name }
        }
        Err(fault) => Finding { what: "network", ok: false, detail: fault.message.clone() },
    });
    findings.extend(nodes(&place).await?);
    show(&findings, args.json);
    let healthy = findings.iter().all(|finding| finding.ok);
    Ok(if healthy { Exit::Reached } else { Exit::Unreachable })
}

fn configuration(place: &Place) -> String {
    let given = place.config.environment().len();
    format!("{given} settings given, the rest are defaults")
}

fn runtime_directory(place: &Place) -> Finding {
    let root = place.runtime.root().display();
    let (ok, detail) = match place.probe() {
        Ok(()) => (true, root.to_string()),
        Err(error) => (false, format!("{root}: {error}")),
    };
    Finding { what: "state directory", ok, detail }
}

/// Whether the configured models could be asked; nothing is sent.
fn backend(place: &Place) -> Finding {
    let backends = backends(place);
    let fault = Role::ALL.iter().find_map(|role| backends.for_role(*role).err());
    let (ok, detail) = match fault {
        None => (true, model_names(place)),
        Some(error) => (false, error.to_string()),
    };
    Finding { what: "backend", ok, detail }
}

/// Providers that calls are held back from, by this process or another.
fn guards(place: &Place) -> Vec<Finding> {
    let reports = backends(place).guards().reports();
    let finding = |report: &GuardReport| {
        let until = report.open_until_ms.map(|ms| format!(" until Unix time {} s", ms.div_ceil(1_000)));
        let state = match report.circuit {
            Circuit::Closed => "calls pass".to_owned(),
            Circuit::Open => format!("paused{}", until.unwrap_or_default()),
            Circuit::HalfOpen => "one call is let through as a probe".to_owned(),
        };
        let failures = match report.consecutive_failures {
            0 => String::new(),
            count => format!(" after {count} failures in a row: {}", report.last_failure),
        };
        let detail = format!("{} {}: {state}{failures}", report.provider, report.model);
        Finding { what: "model guard", ok: report.circuit != Circuit::Open, detail }
    };
    reports.iter().map(finding).collect()
}

/// Asks the tools themselves how the nodes are.
async fn nodes(place: &Place) -> Result<Vec<Finding>, Fault> {
    let toolbox = Toolbox::open(place)?;
    let mut findings =
        vec![Finding { what: "tools", ok: true, detail: format!("{} registered", toolbox.registry.len()) }];
    if let Some(health) = toolbox.registry.get("network_health") {
        findings.push(match health.call(serde_json::Map::new()).await {
            Ok(payload) => {
                let status = payload.get("status").and_then(Value::as_str).unwrap_or("unknown");
                Finding { what: "nodes", ok: status == "ok", detail: health_line(status, &payload) }
            }
            Err(error) => Finding { what: "nodes", ok: false, detail: error.message },
        });
    }
    toolbox.close().await;
    Ok(findings)
}

fn health_line(status: &str, payload: &Value) -> String {
    let number = |key: &str| payload.pointer(&format!("/summary/{key}")).cloned().unwrap_or_default();
    format!("{status}: {} of {} nodes running", number("nodes_running"), number("nodes_total"))
}

fn show(findings: &[Finding], as_json: bool) {
    if as_json {
        let list: Vec<Value> =
            findings.iter().map(|f| json!({ "check": f.what, "ok": f.ok, "detail": f.detail })).collect();
        render::json(&list);
        return;
    }
    let rows: Vec<Vec<String>> = findings
        .iter()
        .map(|f| vec![if f.ok { "✓" } else { "✗" }.to_owned(), f.what.to_owned(), f.detail.clone()])
        .collect();
    render::out(&render::table(&["", "check", "finding"], &rows));
}
