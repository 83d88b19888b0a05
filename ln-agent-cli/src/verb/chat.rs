//! `ln-agent chat`: one sentence a line, with follow-ups.

use std::io::{self, BufRead, IsTerminal, Write};

use ln_agent_core::agent::Question;

use super::ask::{fault_of, interrupted, place_of, print, wishes_of};
use super::network::ensure_playground;
use crate::command::{ChatArgs, Common};
use crate::exit::{Exit, Fault};
use crate::render::{self, Progress};
use crate::session::{Toolbox, agent};

/// Reads sentences until the end of input, or `exit`.
pub(crate) async fn chat(common: &Common, args: ChatArgs) -> Result<Exit, Fault> {
    let mut place = place_of(common, &args.run)?;
    ensure_playground(&mut place)?;
    let toolbox = Toolbox::open(&place)?;
    let agent = agent(&place, &toolbox, wishes_of(&args.run))?;
    let progress = Progress::on_terminal();
    let mut exit = Exit::Reached;
    while let Some(prompt) = next_line().await? {
        let prompt = prompt.trim();
        match prompt {
            "" => continue,
            "exit" | "quit" => break,
            _ => {}
        }
        let question = Question { prompt, session: &args.run.session, plan_only: false, observer: &progress };
        tokio::select! {
            result = agent.ask(question) => match result {
                Ok(result) => {
                    print(&result, false, &toolbox);
                    exit = Exit::of(&result);
                }
                Err(error) => {
                    let fault = fault_of(&error);
                    render::fault(&fault);
                    exit = fault.exit;
                }
            },
            signal = tokio::signal::ctrl_c() => render::fault(&interrupted(signal)),
        }
    }
    toolbox.close().await;
    Ok(exit)
}

/// The next line; `None` at the end of input. The prompt sign is for terminals.
async fn next_line() -> Result<Option<String>, Fault> {
    let read = tokio::task::spawn_blocking(|| {
        if io::stdin().is_terminal() {
            let mut stderr = io::stderr().lock();
            stderr.write_all("› ".as_bytes())?;
            stderr.flush()?;
        }
        let mut line = String::new();
        let read = io::stdin().lock().read_line(&mut line)?;
        Ok::<_, io::Error>((read > 0).then_some(line))
    });
    match read.await {
        Ok(Ok(line)) => Ok(line),
        Ok(Err(error)) => Err(Fault::usage(format!("cannot read standard input: {error}"))),
        Err(error) => Err(Fault::failed(format!("cannot read standard input: {error}"))),
    }
}
