//! Asking at the terminal.

use ln_agent_core::approve::{Approval, ApprovalRequest, Approver};
use ln_agent_core::tool::Registry;

use super::Keyboard;
use crate::render;

/// Shows the plan and asks for a yes, where a person sits at the terminal.
pub(super) struct AtTerminal {
    pub(super) tools: Registry,
    pub(super) keyboard: Keyboard,
}

#[async_trait::async_trait]
impl Approver for AtTerminal {
    async fn approve(&self, request: ApprovalRequest<'_>) -> Approval {
        if !Keyboard::is_a_persons() {
            return Approval::Pending;
        }
        let shown = render::plan(request.plan, Some(request.certificate), &self.tools);
        render::ask(&format!("{shown}{}. Run it? [y/N] ", request.reason));
        match self.keyboard.line().await {
            Ok(Some(answer)) if matches!(answer.trim(), "y" | "Y" | "yes") => Approval::Approved,
            Ok(_) => Approval::Denied("you said no".to_owned()),
            Err(error) => Approval::Denied(format!("no answer could be read: {error}")),
        }
    }
}
