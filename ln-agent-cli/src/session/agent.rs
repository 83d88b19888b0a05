//! Putting an agent together from a place and its tools.

use std::sync::Arc;

use ln_agent_core::agent::Agent;
use ln_agent_core::approve::{ApproveAll, ApproveHash, Approver};
use ln_agent_core::clock::{Clock, SystemClock};
use ln_agent_core::config::{Backends, Role};
use ln_agent_core::llm::LlmBackend;
use ln_agent_core::pipeline::{Network, Pipeline};
use ln_agent_core::stage::executor::ExecutorConfig;
use ln_agent_core::stage::planner::{ForceLlm, PlannerConfig};
use ln_agent_core::stage::summarizer::SummarizerConfig;
use ln_agent_core::stage::translator::TranslatorConfig;

use super::approval::AtTerminal;
use super::{Keyboard, Place, Toolbox};
use crate::exit::Fault;

/// Who may say yes to a plan.
#[derive(Clone, Debug)]
pub(crate) enum Wishes {
    /// A person at the terminal.
    Ask,
    /// Nobody needs to.
    Yes,
    /// The plan with this hash is approved already.
    Hash(String),
}

/// An agent of this place, which asks its questions at this keyboard.
pub(crate) fn agent(
    place: &Place,
    toolbox: &Toolbox,
    wishes: Wishes,
    keyboard: &Keyboard,
) -> Result<Agent, Fault> {
    let settings = &place.settings;
    let nodes = toolbox.nodes.clone();
    let approver: Arc<dyn Approver> = match wishes {
        Wishes::Ask => Arc::new(AtTerminal { tools: toolbox.registry.clone(), keyboard: keyboard.clone() }),
        Wishes::Yes => Arc::new(ApproveAll),
        Wishes::Hash(hash) => Arc::new(ApproveHash(hash)),
    };
    let hosts = place.config.text("HTTP_FETCH_ALLOW_HOSTS").unwrap_or_default();
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::default());
    let falls_back = place.config.falls_back(place.network() == Network::Playground);
    let backends = backends(place);
    let pipeline = Pipeline::builder(backend(&backends, Role::Translator)?, toolbox.registry.clone())
        .planner_backend(backend(&backends, Role::Planner)?)
        .summarizer_backend(backend(&backends, Role::Summarizer)?)
        .translator(TranslatorConfig {
            max_retries: settings.translator_max_retries,
            temperature: settings.translator_temperature,
            max_output_tokens: settings.translator_max_output_tokens,
            falls_back,
        })
        .planner(PlannerConfig {
            max_retries: settings.planner_max_retries,
            temperature: settings.planner_temperature,
            max_output_tokens: settings.planner_max_output_tokens,
            force_llm: match settings.planner_force_llm.as_str() {
                "1" => ForceLlm::On,
                "fallback" => ForceLlm::Fallback,
                _ => ForceLlm::Off,
            },
            all_tools: settings.planner_all_tools,
            falls_back,
            checks_words: true,
            own_node: settings.own_node.get(),
        })
        .executor(ExecutorConfig {
            call_timeout: settings.call_timeout,
            retry_delay: settings.retry_delay,
            max_consecutive_reads: settings.max_consecutive_reads,
            max_workers: settings.max_workers,
        })
        .summarizer(SummarizerConfig {
            temperature: settings.summarizer_temperature,
            max_output_tokens: settings.summarizer_max_output_tokens,
            max_tool_output_chars: settings.max_tool_output_chars,
        })
        .clock(Arc::clone(&clock))
        .approver(approver)
        .network(place.network())
        .max_spend(settings.max_spend)
        .own_node(settings.own_node)
        .allowed_hosts(
            hosts.split(',').map(str::trim).filter(|host| !host.is_empty()).map(str::to_owned).collect(),
        )
        .node_count(move || nodes.node_count())
        .build()
        .map_err(|error| Fault::failed(error.to_string()))?;
    let agent = Agent::new(Arc::new(pipeline), place.runtime.clone(), clock, settings.history_max);
    Ok(agent.record_runs(settings.record_runs))
}

/// The backends that the configuration names. Nothing is connected.
pub(crate) fn backends(place: &Place) -> Backends<'_> {
    let breakers = place.runtime.root().join("llm_guards.json");
    Backends::new(&place.config, Arc::new(SystemClock::default()), Some(breakers))
}

/// The backend of a role.
fn backend(backends: &Backends<'_>, role: Role) -> Result<Arc<dyn LlmBackend>, Fault> {
    backends.for_role(role).map_err(|error| Fault::usage(error.to_string()))
}

/// Names of the models of a place: one where all are the same.
pub(crate) fn model_names(place: &Place) -> String {
    let names = Role::ALL.map(|role| {
        let model = place.config.model(role);
        format!("{} {}", model.backend.name(), model.name).trim_end().to_owned()
    });
    if names.iter().all(|name| *name == names[0]) { names[0].clone() } else { names.join(", ") }
}
