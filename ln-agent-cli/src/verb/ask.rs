//! `ln-agent ask`: one sentence to its answer.

use std::io::Read;

use ln_agent_core::agent::{AgentError, Question};
use ln_agent_core::observe::Observer;
use ln_agent_core::pipeline::Ask;
use ln_agent_core::types::{PipelineResult, with_causes};

use super::interrupt::{Underway, or_ctrl_c};
use super::network::ensure_playground;
use crate::command::{AskArgs, Common, RunOptions};
use crate::exit::{Exit, Fault};
use crate::render::{self, JsonLines, Progress};
use crate::session::{Keyboard, Place, Toolbox, Wishes, agent};

/// Runs the sentence and prints its answer.
pub(crate) async fn ask(common: &Common, args: AskArgs) -> Result<Exit, Fault> {
    let prompt = prompt_of(args.prompt)?;
    // Before a network is started for it.
    Ask::new(&prompt).check().map_err(|error| Fault::usage(error.to_string()))?;
    let mut place = place_of(common, &args.run)?;
    ensure_playground(&mut place)?;
    let toolbox = Toolbox::open(&place)?;
    let agent =
        agent(&place, &toolbox, wishes_of(&args.run), &Keyboard::new())?.record_in(args.run.record.clone());
    let observer: Box<dyn Observer> =
        if args.stream_json { Box::new(JsonLines) } else { Box::new(Progress::on_terminal()) };
    let watch = Underway::new(observer.as_ref(), &toolbox.registry);
    let session = &args.run.session;
    let question = Question { prompt: &prompt, session, plan_only: args.plan_only, observer: &watch };
    let result = match or_ctrl_c(agent.ask(question)).await {
        Ok(Some(result)) => result.map_err(|error| fault_of(&error)),
        Ok(None) => Err(watch.interrupted()),
        Err(fault) => Err(fault),
    };
    let exit = result.map(|result| {
        if args.json || args.stream_json {
            render::json(&result);
        } else {
            print(&result, args.plan_only, &toolbox);
        }
        Exit::of(&result)
    });
    toolbox.close().await;
    exit
}

/// The configuration with the options of a run.
pub(super) fn place_of(common: &Common, run: &RunOptions) -> Result<Place, Fault> {
    let flags = [("MAX_SPEND", run.max_spend.clone()), ("EXECUTOR_MAX_WORKERS", run.max_workers.clone())];
    Place::find(common, &flags)
}

pub(super) fn wishes_of(run: &RunOptions) -> Wishes {
    if run.yes { Wishes::Yes } else { Wishes::Ask }
}

/// The answer; for a plan that was only wanted, the plan.
pub(super) fn print(result: &PipelineResult, plan_only: bool, toolbox: &Toolbox) {
    if let (true, Some(plan)) = (plan_only, &result.plan) {
        render::out(&render::plan(plan, result.certificate.as_ref(), &toolbox.registry));
    }
    render::out(&render::result(result));
}

/// What an agent's error means for the process.
pub(super) fn fault_of(error: &AgentError) -> Fault {
    let message = with_causes(error);
    match error {
        AgentError::Ask(_)
        | AgentError::Session(_)
        | AgentError::Runtime(..)
        | AgentError::RecordDirectory(..) => Fault::usage(message),
        _ => Fault::failed(message),
    }
}

/// The sentence itself, or what standard input says.
fn prompt_of(argument: String) -> Result<String, Fault> {
    if argument != "-" {
        return Ok(argument);
    }
    let mut bytes = Vec::new();
    let read = std::io::stdin().lock().take(MAX_INPUT_BYTES + 1).read_to_end(&mut bytes);
    let read =
        read.map_err(|error| Fault::usage(format!("cannot read the prompt from standard input: {error}")))?;
    if read as u64 > MAX_INPUT_BYTES {
        return Err(Fault::usage(format!(
            "the prompt has more than {MAX_INPUT_BYTES} bytes: at most {} are read",
            Ask::MAX_PROMPT_BYTES
        )));
    }
    String::from_utf8(bytes)
        .map_err(|error| Fault::usage(format!("the prompt is no UTF-8 text: {}", error.utf8_error())))
}

/// More than this need not be read to be refused.
const MAX_INPUT_BYTES: u64 = 1024 * 1024;
