//! From arguments to an exit code.

use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use tracing_subscriber::EnvFilter;

use crate::command::{Cli, Common, ConfigVerb, Verb};
use crate::exit::{Exit, Fault};
use crate::render;
use crate::verb;

/// Runs one command and gives its exit code.
pub fn run(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are answers, everything else is a usage error; clap prints each to its stream.
            let code = if error.use_stderr() { Exit::Usage } else { Exit::Reached };
            return error.print().map_or(Exit::NotReached.into(), |()| code.into());
        }
    };
    log_to_stderr(&cli.common);
    match dispatch(cli) {
        Ok(exit) => exit.into(),
        Err(fault) => {
            render::fault(&fault);
            fault.exit.into()
        }
    }
}

fn dispatch(cli: Cli) -> Result<Exit, Fault> {
    let common = cli.common;
    match cli.verb {
        Verb::Completions { shell } => Ok(verb::completions(shell)),
        Verb::Config(ConfigVerb::Show { json }) => verb::config_show(&common, json),
        Verb::Tools(args) => verb::tools(&common, &args),
        Verb::Runs(verb) => block_on(verb::runs(&common, &verb)),
        Verb::Network(verb) => verb::network(&common, &verb),
        Verb::Mcp(args) => block_on(verb::mcp(&common, &args)),
        Verb::Ask(args) => block_on(verb::ask(&common, args)),
        Verb::Chat(args) => block_on(verb::chat(&common, args)),
        Verb::Run(args) => block_on(verb::run_plan(&common, args)),
        Verb::Call(args) => block_on(verb::call(&common, &args)),
        Verb::Eval(args) => block_on(verb::eval(&common, args)),
        Verb::Doctor(args) => block_on(verb::doctor(&common, &args)),
    }
}

/// Runs a future on a runtime that does not outlive it: a read of standard input that never returns must not keep
/// the process.
fn block_on(work: impl Future<Output = Result<Exit, Fault>>) -> Result<Exit, Fault> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|error| Fault::failed(format!("cannot start the runtime: {error}")))?;
    let result = runtime.block_on(work);
    runtime.shutdown_timeout(SHUTDOWN_LIMIT);
    result
}

/// Warnings by default; `-v` and `-vv` more; `RUST_LOG` decides where it is set.
fn log_to_stderr(common: &Common) {
    let level = match common.verbose {
        0 => "error",
        1 => "info",
        _ => "debug",
    };
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(level));
    let colour = io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    tracing_subscriber::fmt().with_env_filter(filter).with_ansi(colour).with_writer(io::stderr).init();
}

/// Server processes leave within 2 s of the end of their input; half of it is for calls in flight.
const SHUTDOWN_LIMIT: Duration = Duration::from_secs(1);
