//! Ctrl-C, and what it left behind.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use ln_agent_core::observe::Observer;
use ln_agent_core::tool::Registry;
use ln_agent_core::types::{RunEvent, StepId};

use crate::exit::{Exit, Fault};
use crate::render;

/// Passes events on and notes which calls that change something have no answer yet.
pub(super) struct Underway<'a> {
    observer: &'a dyn Observer,
    tools: &'a Registry,
    calls: Mutex<BTreeMap<StepId, String>>,
}

impl<'a> Underway<'a> {
    pub(super) fn new(observer: &'a dyn Observer, tools: &'a Registry) -> Self {
        Self { observer, tools, calls: Mutex::default() }
    }

    /// What an interrupted run means: nothing, or a call that may have been done.
    pub(super) fn interrupted(&self) -> Fault {
        let calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        match calls.first_key_value() {
            None => nothing_under_way(),
            Some((step_id, tool)) => may_have_been_done(&format!("step {step_id}, {tool},")),
        }
    }
}

/// Interrupted where nothing could have been changed.
pub(super) fn nothing_under_way() -> Fault {
    Fault::failed("interrupted: no call that changes anything was under way")
}

/// Interrupted during a call that changes something.
pub(super) fn may_have_been_done(call: &str) -> Fault {
    Fault {
        exit: Exit::Unknown,
        message: format!(
            "interrupted while {call} was under way: it may have been done, look before repeating it"
        ),
    }
}

impl Observer for Underway<'_> {
    fn observe(&self, event: &RunEvent) {
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            RunEvent::ToolCall { step_id, tool, args, .. }
                if self.tools.effect_of(tool, args).changes_state() =>
            {
                calls.insert(*step_id, tool.clone());
            }
            RunEvent::ToolResult { step_id, .. } => {
                calls.remove(step_id);
            }
            _ => {}
        }
        drop(calls);
        self.observer.observe(event);
    }
}

/// What comes of the work; `None` when Ctrl-C came first, and the work was dropped.
pub(super) async fn or_ctrl_c<T>(work: impl Future<Output = T>) -> Result<Option<T>, Fault> {
    tokio::select! {
        biased;
        signal = tokio::signal::ctrl_c() => match signal {
            Ok(()) => {
                render::fresh_line();
                Ok(None)
            }
            Err(error) => Err(Fault::failed(format!("cannot wait for Ctrl-C: {error}"))),
        },
        done = work => Ok(Some(done)),
    }
}

#[cfg(test)]
mod tests {
    use ln_agent_core::observe::Discard;
    use ln_agent_mcp::node::{Nodes, NodesConfig};
    use serde_json::Map;

    use super::*;

    fn event(tool: &str) -> RunEvent {
        RunEvent::ToolCall { step_id: StepId(1), tool: tool.to_owned(), args: Map::new(), attempt: 1 }
    }

    #[test]
    fn only_a_change_without_an_answer_leaves_the_outcome_unknown() {
        let nodes = Nodes::new(NodesConfig::at(std::path::Path::new("/nowhere")));
        let tools = Registry::new(ln_agent_mcp::tools::all(&nodes)).unwrap();
        let watch = Underway::new(&Discard, &tools);

        watch.observe(&event("ln_getinfo"));
        let reading = watch.interrupted().exit;
        watch.observe(&event("ln_pay"));
        let paying = watch.interrupted();
        watch.observe(&RunEvent::ToolResult { step_id: StepId(1), ok: true, summary: String::new() });
        let paid = watch.interrupted().exit;

        assert_eq!((reading, paying.exit, paid), (Exit::NotReached, Exit::Unknown, Exit::NotReached));
        assert!(paying.message.contains("step 1, ln_pay"), "{}", paying.message);
    }
}
