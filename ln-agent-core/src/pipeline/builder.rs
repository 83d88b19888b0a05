//! Putting a pipeline together.

use std::fmt;
use std::sync::Arc;

use crate::approve::{Approver, DenyAll};
use crate::clock::{Clock, SystemClock};
use crate::llm::LlmBackend;
use crate::observe::{Discard, Observer};
use crate::stage::executor::{Executor, ExecutorConfig};
use crate::stage::planner::{Planner, PlannerConfig};
use crate::stage::summarizer::{Summarizer, SummarizerConfig};
use crate::stage::translator::{Translator, TranslatorConfig};
use crate::tool::{Effect, Registry};
use crate::types::{Msat, NodeIndex};

/// The four stages, ready to run prompts. Cheap to share behind an [`Arc`].
pub struct Pipeline {
    pub(super) translator: Translator,
    pub(super) planner: Planner,
    pub(super) executor: Executor,
    pub(super) summarizer: Summarizer,
    pub(super) tools: Registry,
    pub(super) observer: Arc<dyn Observer>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) approver: Arc<dyn Approver>,
    pub(super) network: Network,
    pub(super) ceiling: Effect,
    pub(super) max_spend: Option<Msat>,
    pub(super) own_node: NodeIndex,
    pub(super) allowed_hosts: Vec<String>,
    pub(super) node_count: Arc<dyn Fn() -> u32 + Send + Sync>,
    /// What it was made of, to make another that is recorded.
    pub(super) parts: PipelineBuilder,
}

/// Whether the nodes' money is real.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Network {
    /// The playground or regtest: plans run without asking.
    Playground,
    /// Any other: every plan that changes something is put before the [`Approver`].
    Real,
}

/// Settings of a [`Pipeline`]. Only [`build`](Self::build) can fail.
#[derive(Clone)]
pub struct PipelineBuilder {
    pub(super) backends: [Arc<dyn LlmBackend>; 3],
    pub(super) tools: Registry,
    pub(super) translator: TranslatorConfig,
    pub(super) planner: PlannerConfig,
    pub(super) executor: ExecutorConfig,
    pub(super) summarizer: SummarizerConfig,
    pub(super) observer: Arc<dyn Observer>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) approver: Arc<dyn Approver>,
    pub(super) network: Network,
    pub(super) ceiling: Effect,
    pub(super) max_spend: Option<Msat>,
    pub(super) own_node: NodeIndex,
    pub(super) allowed_hosts: Vec<String>,
    pub(super) node_count: Arc<dyn Fn() -> u32 + Send + Sync>,
    /// Every tool answers at its first poll or never, so a deadline need not be waited for.
    at_once: bool,
}

/// Why there is no pipeline.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// Nothing could be called.
    #[error("the registry has no tools: nothing could ever be done")]
    NoTools,
    /// Reads run at least one at a time.
    #[error("max_workers is 0: at least 1 call must be allowed at a time")]
    NoWorkers,
}

impl Pipeline {
    /// Starts a pipeline of this backend and these tools.
    ///
    /// The defaults are safe: real network, so everything that changes state is put before an approver, and the
    /// approver is one that nobody can ask.
    pub fn builder(backend: Arc<dyn LlmBackend>, tools: Registry) -> PipelineBuilder {
        PipelineBuilder {
            backends: [Arc::clone(&backend), Arc::clone(&backend), backend],
            tools,
            translator: TranslatorConfig::default(),
            planner: PlannerConfig::default(),
            executor: ExecutorConfig::default(),
            summarizer: SummarizerConfig::default(),
            observer: Arc::new(Discard),
            clock: Arc::new(SystemClock::default()),
            approver: Arc::new(DenyAll),
            network: Network::Real,
            ceiling: Effect::Spend,
            max_spend: None,
            own_node: NodeIndex::FIRST,
            allowed_hosts: Vec::new(),
            node_count: Arc::new(|| DEFAULT_NODE_COUNT),
            at_once: false,
        }
    }

    /// The tools it may call.
    #[must_use]
    pub fn tools(&self) -> &Registry {
        &self.tools
    }
}

impl PipelineBuilder {
    /// Another backend for the translator alone. Default: the shared one.
    #[must_use]
    pub fn translator_backend(mut self, backend: Arc<dyn LlmBackend>) -> Self {
        self.backends[0] = backend;
        self
    }

    /// Another backend for the planner alone. Default: the shared one.
    #[must_use]
    pub fn planner_backend(mut self, backend: Arc<dyn LlmBackend>) -> Self {
        self.backends[1] = backend;
        self
    }

    /// Another backend for the summarizer alone. Default: the shared one.
    #[must_use]
    pub fn summarizer_backend(mut self, backend: Arc<dyn LlmBackend>) -> Self {
        self.backends[2] = backend;
        self
    }

    /// Settings of the translator.
    #[must_use]
    pub fn translator(mut self, config: TranslatorConfig) -> Self {
        self.translator = config;
        self
    }

    /// Settings of the planner.
    #[must_use]
    pub fn planner(mut self, config: PlannerConfig) -> Self {
        self.planner = config;
        self
    }

    /// Settings of the executor.
    #[must_use]
    pub fn executor(mut self, config: ExecutorConfig) -> Self {
        self.executor = config;
        self
    }

    /// Settings of the summarizer.
    #[must_use]
    pub fn summarizer(mut self, config: SummarizerConfig) -> Self {
        self.summarizer = config;
        self
    }

    /// Who watches. Default: nobody.
    #[must_use]
    pub fn observer(mut self, observer: Arc<dyn Observer>) -> Self {
        self.observer = observer;
        self
    }

    /// Where time comes from. Default: the machine.
    #[must_use]
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// Who is asked before a plan that changes something runs on a real network. Default: nobody can be asked,
    /// so such plans wait.
    #[must_use]
    pub fn approver(mut self, approver: Arc<dyn Approver>) -> Self {
        self.approver = approver;
        self
    }

    /// Whether the nodes' money is real. Default: real.
    #[must_use]
    pub fn network(mut self, network: Network) -> Self {
        self.network = network;
        self
    }

    /// The most a plan may do at all. Default: spend. [`Effect::Read`] makes an agent that only looks.
    #[must_use]
    pub fn ceiling(mut self, ceiling: Effect) -> Self {
        self.ceiling = ceiling;
        self
    }

    /// Caps what one run may spend, fees included. A plan whose worst case is not known is refused then.
    /// Default: no cap.
    #[must_use]
    pub fn max_spend(mut self, limit: Option<Msat>) -> Self {
        self.max_spend = limit;
        self
    }

    /// The agent's own node. Default: 1.
    #[must_use]
    pub fn own_node(mut self, node: NodeIndex) -> Self {
        self.own_node = node;
        self
    }

    /// Hosts that `context.url` may name. Default: loopback only.
    #[must_use]
    pub fn allowed_hosts(mut self, hosts: Vec<String>) -> Self {
        self.allowed_hosts = hosts;
        self
    }

    /// How many nodes there are, asked at every run. Default: 2.
    #[must_use]
    pub fn node_count(mut self, count: impl Fn() -> u32 + Send + Sync + 'static) -> Self {
        self.node_count = Arc::new(count);
        self
    }

    /// Deadlines of tool calls pass at once: for tools that answer from a record.
    pub(super) fn tools_answer_at_once(mut self) -> Self {
        self.at_once = true;
        self
    }

    /// Finishes the pipeline.
    ///
    /// # Errors
    ///
    /// [`BuildError`] for an empty registry, and for an executor that may not call anything.
    pub fn build(self) -> Result<Pipeline, BuildError> {
        if self.tools.is_empty() {
            return Err(BuildError::NoTools);
        }
        if self.executor.max_workers == 0 {
            return Err(BuildError::NoWorkers);
        }
        let parts = self.clone();
        let [translator, planner, summarizer] = self.backends;
        let executor = Executor::new(self.tools.clone(), Arc::clone(&self.clock), self.executor);
        Ok(Pipeline {
            translator: Translator::new(translator, self.translator),
            planner: Planner::new(planner, PlannerConfig { own_node: self.own_node.get(), ..self.planner }),
            executor: if self.at_once { executor.over_tools_that_answer_at_once() } else { executor },
            summarizer: Summarizer::new(summarizer, self.summarizer),
            tools: self.tools,
            observer: self.observer,
            clock: self.clock,
            approver: self.approver,
            network: self.network,
            ceiling: self.ceiling,
            max_spend: self.max_spend,
            own_node: self.own_node,
            allowed_hosts: self.allowed_hosts,
            node_count: self.node_count,
            parts,
        })
    }
}

impl fmt::Debug for Pipeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pipeline")
            .field("tools", &self.tools)
            .field("network", &self.network)
            .field("ceiling", &self.ceiling)
            .field("max_spend", &self.max_spend)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for PipelineBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PipelineBuilder").field("tools", &self.tools).finish_non_exhaustive()
    }
}

const DEFAULT_NODE_COUNT: u32 = 2;
