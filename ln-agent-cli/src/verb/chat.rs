//! `ln-agent chat`: one sentence a line, with follow-ups.

use ln_agent_core::agent::{Agent, Question};

use super::ask::{fault_of, place_of, print, wishes_of};
use super::interrupt::{Underway, or_ctrl_c};
use super::network::ensure_playground;
use crate::command::{ChatArgs, Common};
use crate::exit::{Exit, Fault};
use crate::render::{self, Progress};
use crate::session::{Keyboard, Toolbox, agent};

/// Reads sentences until the end of input, `exit`, or Ctrl-C where a sentence is awaited.
pub(crate) async fn chat(common: &Common, args: ChatArgs) -> Result<Exit, Fault> {
    let mut place = place_of(common, &args.run)?;
    ensure_playground(&mut place)?;
    let toolbox = Toolbox::open(&place)?;
    let keyboard = Keyboard::new();
    let agent = agent(&place, &toolbox, wishes_of(&args.run), &keyboard)?.record_in(args.run.record.clone());
    let mut exit = Exit::Reached;
    let ended = loop {
        let line = match next_line(&keyboard).await {
            Ok(Some(line)) => line,
            Ok(None) => break Ok(exit),
            Err(fault) => break Err(fault),
        };
        match line.trim() {
            "" => {}
            "exit" | "quit" => break Ok(exit),
            prompt => {
                exit = answer(&agent, &toolbox, prompt, &args.run.session).await.unwrap_or_else(|fault| {
                    render::fault(&fault);
                    fault.exit
                });
            }
        }
    };
    toolbox.close().await;
    ended
}

/// Runs one sentence. Ctrl-C ends it, not the conversation.
async fn answer(agent: &Agent, toolbox: &Toolbox, prompt: &str, session: &str) -> Result<Exit, Fault> {
    let progress = Progress::on_terminal();
    let watch = Underway::new(&progress, &toolbox.registry);
    let question = Question { prompt, session, plan_only: false, observer: &watch };
    let result = match or_ctrl_c(agent.ask(question)).await? {
        Some(result) => result.map_err(|error| fault_of(&error))?,
        None => return Err(watch.interrupted()),
    };
    print(&result, false, toolbox);
    Ok(Exit::of(&result))
}

/// The next line; `None` at the end of input and after Ctrl-C. The prompt sign is for terminals.
async fn next_line(keyboard: &Keyboard) -> Result<Option<String>, Fault> {
    let at_terminal = Keyboard::is_a_persons();
    if at_terminal {
        render::ask("› ");
    }
    let Some(line) = or_ctrl_c(keyboard.line()).await? else { return Ok(None) };
    let line = line.map_err(|error| Fault::usage(format!("cannot read standard input: {error}")))?;
    if at_terminal && line.is_none() {
        // The shell's prompt shall not stand behind ours.
        render::note("");
    }
    Ok(line)
}
