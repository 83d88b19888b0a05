//! The `ln-agent` binary: a curtain. What it does is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    ln_agent_cli::run(std::env::args_os())
}
