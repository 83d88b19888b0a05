//! A run that is recorded, and a recorded run again.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::outcome::BUILD;
use super::{Ask, AskError, BuildError, Network, Pipeline};
use crate::replay::{
    BackendInfo, Cassette, FORMAT, Header, Mismatch, Mode, Player, Recorder, difference, scrubbed,
};
use crate::stage::executor::ExecutorConfig;
use crate::stage::planner::PlannerConfig;
use crate::stage::summarizer::SummarizerConfig;
use crate::stage::translator::TranslatorConfig;
use crate::tool::{Effect, Registry};
use crate::types::{ExecutionPlan, Msat, PipelineResult, Stage};

/// A run from its cassette.
#[derive(Clone, Debug)]
pub struct Replayed {
    /// What came of it.
    pub result: PipelineResult,
    /// Where it asked something else than recorded; empty when it did not.
    pub mismatches: Vec<Mismatch>,
}

/// Why a cassette cannot be played.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReplayError {
    /// Its settings are not those of this version.
    #[error("the record's settings are not those of this version")]
    Settings(#[source] serde_json::Error),
    /// Its network is neither `playground` nor `real`.
    #[error("the record names the network `{0}`: expected playground or real")]
    Network(String),
    /// It is the record of a plan, and holds none.
    #[error("the record holds no plan")]
    NoPlan,
    /// No pipeline can be made of it.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// Its prompt is no sentence.
    #[error(transparent)]
    Ask(#[from] AskError),
}

/// The settings that shape artefacts, as they stand in the header.
#[derive(Deserialize, Serialize)]
struct Settings {
    translator: TranslatorConfig,
    planner: PlannerConfig,
    executor: ExecutorConfig,
    summarizer: SummarizerConfig,
    ceiling: Effect,
    max_spend: Option<Msat>,
    allowed_hosts: Vec<String>,
}

impl Pipeline {
    /// The first line of a run's cassette.
    #[must_use]
    pub fn header(&self, mode: Mode, ask: Ask<'_>, plan: Option<&ExecutionPlan>) -> Header {
        let parts = &self.parts;
        let backends = STAGES.iter().zip(&parts.backends).map(|(stage, backend)| BackendInfo {
            stage: *stage,
            name: backend.name().to_owned(),
            offline: backend.is_offline(),
        });
        let mut tools: Vec<_> = parts.tools.specs().cloned().collect();
        tools.iter_mut().for_each(|spec| spec.output_schema = Value::Null);
        Header {
            format: FORMAT,
            build: BUILD.to_owned(),
            request_id: ask.request_id,
            mode,
            prompt: ask.prompt.to_owned(),
            started_unix_ms: parts.clock.unix_millis(),
            network: match parts.network {
                Network::Playground => PLAYGROUND.to_owned(),
                Network::Real => REAL.to_owned(),
            },
            node_count: (parts.node_count)(),
            own_node: parts.own_node,
            backends: backends.collect(),
            settings: self.settings(),
            history: ask.history.to_vec(),
            plan: plan.cloned(),
            tools,
        }
    }

    /// The same pipeline, whose questions and answers this recorder writes down.
    ///
    /// # Panics
    ///
    /// Never: what was built once can be built again.
    #[must_use]
    pub fn recorded(&self, recorder: &Recorder) -> Self {
        let mut parts = self.parts.clone();
        for (stage, backend) in STAGES.iter().zip(&mut parts.backends) {
            *backend = recorder.backend(*stage, backend.clone());
        }
        parts.tools = recorder.tools(&parts.tools);
        parts.clock = recorder.clock(parts.clock);
        parts.approver = recorder.approver(parts.approver);
        let count = recorder.node_count(parts.node_count.clone());
        parts.node_count(count).build().expect("the same parts made a pipeline before")
    }

    fn settings(&self) -> Value {
        let parts = self.parts.clone();
        let settings = Settings {
            translator: parts.translator,
            planner: parts.planner,
            executor: parts.executor,
            summarizer: parts.summarizer,
            ceiling: parts.ceiling,
            max_spend: parts.max_spend,
            allowed_hosts: parts.allowed_hosts,
        };
        // By way of text, so that a temperature of 0.1 is written as 0.1.
        serde_json::to_string(&settings)
            .and_then(|text| serde_json::from_str(&text))
            .expect("settings have text keys only, so they are JSON")
    }
}

impl Replayed {
    /// Where the result differs from the recorded one; empty when their JSON is the same byte for byte. Secrets are
    /// masked in both, because the cassette holds none.
    #[must_use]
    pub fn difference_from(&self, recorded: &PipelineResult) -> String {
        let [recorded, now] = [as_json(recorded), as_json(&self.result)];
        let texts = [recorded.to_string(), now.to_string()];
        if texts[0] == texts[1] { String::new() } else { difference(&recorded, &now) }
    }
}

/// Runs a cassette: no model, no tool, no node and no person is asked, and nothing is written. Of `known` only the
/// effects count that depend on a call's arguments.
///
/// # Errors
///
/// [`ReplayError`] for a cassette that no pipeline can be made of. What is asked otherwise than recorded is no error
/// but among the [`mismatches`](Replayed::mismatches).
///
/// # Examples
///
/// ```no_run
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// use ln_agent_core::pipeline::replay;
/// use ln_agent_core::replay::Cassette;
/// use ln_agent_core::tool::Registry;
///
/// let cassette = Cassette::read("run.jsonl".as_ref())?;
/// let replayed = replay(cassette, &Registry::default()).await?;
/// assert!(replayed.mismatches.is_empty());
/// # Ok(())
/// # }
/// ```
pub async fn replay(cassette: Cassette, known: &Registry) -> Result<Replayed, ReplayError> {
    let player = Player::new(cassette);
    let pipeline = playing(&player, known)?;
    let header = player.header();
    let ask = Ask {
        prompt: &header.prompt,
        request_id: header.request_id,
        history: &header.history,
        observer: None,
    };
    let result = match header.mode {
        Mode::Run => pipeline.run(ask).await?,
        Mode::PlanOnly => pipeline.plan_only(ask).await?,
        Mode::Plan => {
            let plan = header.plan.clone().ok_or(ReplayError::NoPlan)?;
            pipeline.run_plan(plan, ask).await
        }
    };
    Ok(Replayed { result, mismatches: player.mismatches() })
}

/// A pipeline like the recorded one that asks the player.
fn playing(player: &Player, known: &Registry) -> Result<Pipeline, ReplayError> {
    let header = player.header();
    let settings: Settings =
        serde_json::from_value(header.settings.clone()).map_err(ReplayError::Settings)?;
    let network = match header.network.as_str() {
        PLAYGROUND => Network::Playground,
        REAL => Network::Real,
        other => return Err(ReplayError::Network(other.to_owned())),
    };
    let [translator, planner, summarizer] = STAGES.map(|stage| player.backend(stage));
    let pipeline = Pipeline::builder(translator, player.tools(known))
        .planner_backend(planner)
        .summarizer_backend(summarizer)
        .translator(settings.translator)
        .planner(settings.planner)
        .executor(settings.executor)
        .summarizer(settings.summarizer)
        .clock(player.clock())
        .approver(player.approver())
        .network(network)
        .ceiling(settings.ceiling)
        .max_spend(settings.max_spend)
        .own_node(header.own_node)
        .allowed_hosts(settings.allowed_hosts)
        .node_count(player.node_count());
    Ok(pipeline.tools_answer_at_once().build()?)
}

fn as_json(result: &PipelineResult) -> Value {
    scrubbed(serde_json::to_value(result).expect("a result has text keys only, so it is JSON"))
}

/// The stages that have a backend, in the order of the builder.
const STAGES: [Stage; 3] = [Stage::Translator, Stage::Planner, Stage::Summarizer];
const PLAYGROUND: &str = "playground";
const REAL: &str = "real";
