//! `ln-agent runs list`, `show` and `replay`.

use ln_agent_core::agent::{Runs, RunsError};
use ln_agent_core::types::{Outcome, PipelineResult, with_causes};

use super::replay::replay;
use crate::command::{Common, RunsVerb};
use crate::exit::{Exit, Fault};
use crate::render;
use crate::session::{Place, Toolbox};

/// Lists runs, or shows or replays one.
pub(crate) async fn runs(common: &Common, verb: &RunsVerb) -> Result<Exit, Fault> {
    let place = Place::find(common, &[])?;
    let runs = Runs::of(&place.runtime);
    match verb {
        RunsVerb::List { last, json } => list(&runs, *last, *json),
        RunsVerb::Show { id, json } => {
            let run = runs.find(id).map_err(|error| fault(&error))?;
            if *json {
                render::json(&run);
            } else {
                show(&run, &place)?;
            }
            Ok(Exit::Reached)
        }
        RunsVerb::Replay { id, json } => {
            let run = runs.find(id).map_err(|error| fault(&error))?;
            replay(&run, &place, *json).await
        }
    }
}

fn list(runs: &Runs, last: usize, json: bool) -> Result<Exit, Fault> {
    let newest = runs.newest(last).map_err(|error| fault(&error))?;
    if json {
        newest.iter().for_each(render::json);
    } else if newest.is_empty() {
        render::line("There are no runs yet.");
    } else {
        let rows: Vec<Vec<String>> = newest
            .iter()
            .map(|run| vec![run.run_id.to_string(), name(run.outcome).to_owned(), shortened(&run.prompt)])
            .collect();
        render::out(&render::listing(&["run", "outcome", "prompt"], &rows));
    }
    Ok(Exit::Reached)
}

fn show(run: &PipelineResult, place: &Place) -> Result<(), Fault> {
    let prompt = run.intent.as_ref().map(|intent| intent.raw_prompt.as_str()).unwrap_or_default();
    render::line(&format!("{}  {}\n› {prompt}\n", run.run_id, name(run.outcome)));
    if let Some(plan) = &run.plan {
        let toolbox = Toolbox::open(place)?;
        render::line(&render::plan(plan, run.certificate.as_ref(), &toolbox.registry));
    }
    run.step_results.iter().for_each(|step| render::out(&render::run_line(step)));
    for seen in &run.verification {
        render::line(&format!("  {} {}", if seen.ok { "confirmed:" } else { "not confirmed:" }, seen.detail));
    }
    render::out(&format!("\n{}", render::result(run)));
    Ok(())
}

fn fault(error: &RunsError) -> Fault {
    match error {
        RunsError::Read(..) => Fault::failed(with_causes(error)),
        _ => Fault::usage(with_causes(error)),
    }
}

const fn name(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Ok => "ok",
        Outcome::Partial => "partial",
        Outcome::Failed => "failed",
        Outcome::Refused => "refused",
        Outcome::Unknown => "unknown",
    }
}

fn shortened(text: &str) -> String {
    let line = text.replace(['\n', '\r', '\t'], " ");
    if line.chars().count() <= 72 { line } else { line.chars().take(71).chain(['…']).collect() }
}
