//! What can be typed.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;

/// Lightning and Bitcoin by sentence: ask, plan, run, verify.
#[derive(Debug, Parser)]
#[command(name = "ln-agent", version, propagate_version = true, arg_required_else_help = true)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) common: Common,
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

/// Options of every command.
#[derive(Args, Debug, Default)]
pub(crate) struct Common {
    /// Where state lives [default: the XDG state directory]
    #[arg(long, global = true, help_heading = COMMON, value_name = "DIR")]
    pub(crate) runtime_dir: Option<PathBuf>,
    /// Configuration file read before ln-agent.toml of the working directory
    #[arg(long, global = true, help_heading = COMMON, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Network of the nodes: playground, regtest, signet, testnet, testnet4 or bitcoin
    #[arg(long, global = true, help_heading = COMMON, value_name = "NAME")]
    pub(crate) network: Option<String>,
    /// Log more to standard error; twice for debugging
    #[arg(short, long, global = true, help_heading = COMMON, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
}

/// Heading of the options that every command has.
const COMMON: &str = "Common options";

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Run one sentence to its answer
    Ask(AskArgs),
    /// Talk: one sentence a line, with follow-ups
    Chat(ChatArgs),
    /// Execute a saved plan whose hash was approved
    Run(RunArgs),
    /// List the tools, or show one with its schemas
    Tools(ToolsArgs),
    /// Call one tool directly
    Call(CallArgs),
    /// Serve the tools over the Model Context Protocol
    Mcp(McpArgs),
    /// The playground: a Lightning network with nothing to install
    #[command(subcommand)]
    Network(NetworkVerb),
    /// Earlier runs
    #[command(subcommand)]
    Runs(RunsVerb),
    /// Run a battery of test sentences
    Eval(EvalArgs),
    /// Check configuration, network, tools and backends
    Doctor(DoctorArgs),
    /// Configuration
    #[command(subcommand)]
    Config(ConfigVerb),
    /// Print a completion script
    Completions {
        /// Shell to write for
        shell: Shell,
    },
}

/// Options of `ask`.
#[derive(Args, Debug)]
pub(crate) struct AskArgs {
    /// The sentence; `-` reads it from standard input
    pub(crate) prompt: String,
    /// Print one PipelineResult as JSON and nothing else
    #[arg(long)]
    pub(crate) json: bool,
    /// Print every event as a JSON line, then the result
    #[arg(long, conflicts_with = "json")]
    pub(crate) stream_json: bool,
    /// Stop before execution and show the plan
    #[arg(long)]
    pub(crate) plan_only: bool,
    #[command(flatten)]
    pub(crate) run: RunOptions,
}

/// Options of everything that runs sentences.
#[derive(Args, Debug, Default)]
pub(crate) struct RunOptions {
    /// Approve the plan without being asked
    #[arg(long)]
    pub(crate) yes: bool,
    /// Most this run may spend, fees included, with unit, as in 10000sat
    #[arg(long, value_name = "AMOUNT", allow_hyphen_values = true)]
    pub(crate) max_spend: Option<String>,
    /// Name of the conversation whose history follow-ups refer to
    #[arg(long, value_name = "NAME", default_value = "default")]
    pub(crate) session: String,
    /// Reads at once; 1 is strictly in order
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) max_workers: Option<String>,
    /// Write what was asked and answered to DIR/RUN_ID.jsonl, too
    #[arg(long, value_name = "DIR")]
    pub(crate) record: Option<PathBuf>,
}

/// Options of `chat`.
#[derive(Args, Debug)]
pub(crate) struct ChatArgs {
    #[command(flatten)]
    pub(crate) run: RunOptions,
}

/// Options of `run`.
#[derive(Args, Debug)]
pub(crate) struct RunArgs {
    /// The plan, as `ask --plan-only --json` printed it (the whole result or its `plan`)
    pub(crate) plan: PathBuf,
    /// Hash of the plan that was read and approved
    #[arg(long, value_name = "HASH")]
    pub(crate) approve: String,
    /// Print one PipelineResult as JSON and nothing else
    #[arg(long)]
    pub(crate) json: bool,
    /// Most this run may spend, fees included, with unit, as in 10000sat
    #[arg(long, value_name = "AMOUNT", allow_hyphen_values = true)]
    pub(crate) max_spend: Option<String>,
    /// Write what was asked and answered to DIR/RUN_ID.jsonl, too
    #[arg(long, value_name = "DIR")]
    pub(crate) record: Option<PathBuf>,
}

/// Options of `tools`.
#[derive(Args, Debug)]
pub(crate) struct ToolsArgs {
    /// Show this tool with its schemas
    pub(crate) name: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Options of `call`.
#[derive(Args, Debug)]
pub(crate) struct CallArgs {
    /// Name of the tool
    pub(crate) tool: String,
    /// Its arguments, a JSON object
    #[arg(long, value_name = "JSON", default_value = "{}")]
    pub(crate) args: String,
    /// Call a tool that changes something on a network with real money
    #[arg(long)]
    pub(crate) yes: bool,
}

/// Options of `mcp`.
#[derive(Args, Debug)]
pub(crate) struct McpArgs {
    /// Serve streamable HTTP on this address instead of standard input and output
    #[arg(long, value_name = "ADDR")]
    pub(crate) http: Option<SocketAddr>,
    /// Longest answer in bytes, longer ones come in pages; 0 is no limit
    #[arg(long, value_name = "N", default_value_t = 262_144)]
    pub(crate) max_result_bytes: usize,
}

/// The playground.
#[derive(Debug, Subcommand)]
pub(crate) enum NetworkVerb {
    /// Start it, with N nodes when it is new
    Up {
        /// Number of nodes of a new network
        #[arg(default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=100))]
        nodes: u32,
        /// Seed of a new network: the same seed and calls give the same answers
        #[arg(long, default_value_t = 0)]
        seed: u64,
    },
    /// Stop it; its state stays
    Down,
    /// Show whether it runs, and its nodes
    Status {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Stop it and wipe its state
    Reset,
    /// Print the settings that point other programs at it
    Env,
    /// Run it in the foreground
    #[command(hide = true)]
    Serve {
        /// Number of nodes of a new network
        #[arg(long, default_value_t = 2)]
        nodes: u32,
        /// Seed of a new network
        #[arg(long, default_value_t = 0)]
        seed: u64,
        /// Stop after so many seconds without a call; 0 is never
        #[arg(long, default_value_t = 0)]
        idle_secs: u64,
    },
}

/// Earlier runs.
#[derive(Debug, Subcommand)]
pub(crate) enum RunsVerb {
    /// The newest runs, newest first
    List {
        /// How many
        #[arg(long, default_value_t = 20)]
        last: usize,
        /// Print JSON lines
        #[arg(long)]
        json: bool,
    },
    /// Run one again from its record, and compare the results byte for byte
    Replay {
        /// Its id, or the beginning or number of it
        id: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// One run with plan, results and answer
    Show {
        /// Its id, or the beginning or number of it
        id: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

/// Options of `eval`.
#[derive(Args, Debug)]
pub(crate) struct EvalArgs {
    /// The battery
    pub(crate) file: PathBuf,
    /// Run the whole battery so many times
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) repeat: u32,
    /// Run only these cases, and what they need
    #[arg(long, value_delimiter = ',', value_name = "ID,…")]
    pub(crate) only: Vec<String>,
    /// Backend to measure
    #[arg(long, value_name = "NAME")]
    pub(crate) backend: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Keep the network and runtime directory of the last run, and print where they are
    #[arg(long)]
    pub(crate) keep: bool,
}

/// Options of `doctor`.
#[derive(Args, Debug)]
pub(crate) struct DoctorArgs {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Configuration.
#[derive(Debug, Subcommand)]
pub(crate) enum ConfigVerb {
    /// Print every setting with its value and source, secrets masked
    Show {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}
