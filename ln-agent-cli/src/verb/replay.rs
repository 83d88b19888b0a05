//! `ln-agent runs replay ID`: a run again from its record, compared byte for byte.

use std::io;

use ln_agent_core::pipeline::{Replayed, replay as play};
use ln_agent_core::replay::{Cassette, CassetteError};
use ln_agent_core::tool::Registry;
use ln_agent_core::types::{PipelineResult, with_causes};
use serde_json::json;

use crate::exit::{Exit, Fault};
use crate::render;
use crate::session::{Place, Toolbox};

/// Plays the cassette of a run: no node, no model and no person is asked, and nothing is recorded.
pub(super) async fn replay(run: &PipelineResult, place: &Place, json: bool) -> Result<Exit, Fault> {
    let cassette = cassette_of(run, place)?;
    let replayed = play(cassette, &known_tools(place)?).await.map_err(|error| {
        Fault::usage(format!("the record of run {} cannot be played: {}", run.run_id, with_causes(&error)))
    })?;
    let difference = replayed.difference_from(run);
    let identical = difference.is_empty() && replayed.mismatches.is_empty();
    if json {
        let mismatches: Vec<String> = replayed.mismatches.iter().map(ToString::to_string).collect();
        render::json(&json!({
            "run_id": run.run_id, "identical": identical, "mismatches": mismatches, "difference": difference,
        }));
    } else {
        render::out(&told(run, &replayed, &difference));
    }
    Ok(if identical { Exit::Reached } else { Exit::NotReached })
}

fn cassette_of(run: &PipelineResult, place: &Place) -> Result<Cassette, Fault> {
    let path = place.runtime.cassette(run);
    Cassette::read(&path).map_err(|error| match &error {
        CassetteError::Read(_, source) if source.kind() == io::ErrorKind::NotFound => Fault::usage(format!(
            "run {} has no record: {} is missing; runs are recorded while RECORD_RUNS is on",
            run.run_id,
            path.display()
        )),
        _ => Fault::usage(format!("{}: {}", path.display(), with_causes(&error))),
    })
}

/// The tools of this place, for the effects that depend on arguments; nothing is connected.
fn known_tools(place: &Place) -> Result<Registry, Fault> {
    let nodes = Toolbox::nodes(place)?;
    Registry::new(ln_agent_mcp::tools::all(&nodes)).map_err(|error| Fault::failed(error.to_string()))
}

fn told(run: &PipelineResult, replayed: &Replayed, difference: &str) -> String {
    if difference.is_empty() && replayed.mismatches.is_empty() {
        return format!("{}: identical\n", run.run_id);
    }
    let mut text = format!("{}: different\n", run.run_id);
    for mismatch in &replayed.mismatches {
        text.push_str(&format!("\n{}\n", mismatch.to_string().trim_end()));
    }
    if !difference.is_empty() {
        text.push_str(&format!("\nthe result (- as recorded, + as it is now)\n{difference}"));
    }
    text
}
