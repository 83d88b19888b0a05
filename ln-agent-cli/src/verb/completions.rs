//! `ln-agent completions SHELL`.

use clap::CommandFactory;
use clap_complete::Shell;

use crate::command::Cli;
use crate::exit::Exit;
use crate::render;

/// Prints the completion script of a shell.
pub(crate) fn completions(shell: Shell) -> Exit {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "ln-agent", &mut script);
    render::out(&String::from_utf8_lossy(&script));
    Exit::Reached
}
