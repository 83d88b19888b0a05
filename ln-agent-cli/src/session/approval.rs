//! Asking at the terminal.

use std::io::{self, BufRead, IsTerminal, Write};

use ln_agent_core::approve::{Approval, ApprovalRequest, Approver};
use ln_agent_core::tool::Registry;

use crate::render;

/// Shows the plan and asks for a yes, where a person sits at the terminal.
pub(super) struct AtTerminal {
    pub(super) tools: Registry,
}

#[async_trait::async_trait]
impl Approver for AtTerminal {
    async fn approve(&self, request: ApprovalRequest<'_>) -> Approval {
        if !(io::stdin().is_terminal() && io::stderr().is_terminal()) {
            return Approval::Pending;
        }
        let shown = render::plan(request.plan, Some(request.certificate), &self.tools);
        let question = format!("{shown}{}. Run it? [y/N] ", request.reason);
        match tokio::task::spawn_blocking(move || ask(&question)).await {
            Ok(Ok(answer)) if matches!(answer.trim(), "y" | "Y" | "yes") => Approval::Approved,
            Ok(Ok(_)) => Approval::Denied("you said no".to_owned()),
            Ok(Err(error)) => Approval::Denied(format!("no answer could be read: {error}")),
            Err(error) => Approval::Denied(format!("no answer could be read: {error}")),
        }
    }
}

fn ask(question: &str) -> io::Result<String> {
    let mut stderr = io::stderr().lock();
    stderr.write_all(question.as_bytes())?;
    stderr.flush()?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    Ok(answer)
}
