//! lightningd as a process of its own.

use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::process::Stdio;

use ln_agent_core::tool::ToolError;
use rustix::process::{Pid, test_kill_process};
use tokio::process::{Child, Command};

use super::NodesConfig;
use super::config_file::PID;
use super::outcome::unreachable;

/// What lightningd says before it has its log.
const START_LOG: &str = "start.log";

/// Whether the process that wrote this node's pid file still runs.
pub(crate) fn is_alive(dir: &Path) -> bool {
    let Ok(text) = fs::read_to_string(dir.join(PID)) else { return false };
    let Some(pid) = text.trim().parse().ok().and_then(Pid::from_raw) else { return false };
    test_kill_process(pid).is_ok() && is_lightningd(pid)
}

/// Numbers are used again; where /proc tells names, one with another name is a stranger.
fn is_lightningd(pid: Pid) -> bool {
    match fs::read_to_string(format!("/proc/{}/comm", pid.as_raw_nonzero())) {
        Ok(name) => name.contains("lightning"),
        Err(_) => !Path::new("/proc/self/comm").exists(),
    }
}

/// Starts lightningd in a session of its own, so that it outlives us. No secret is on its command line.
pub(crate) fn spawn(config: &NodesConfig, dir: &Path) -> Result<Child, ToolError> {
    let log = File::create(dir.join(START_LOG)).and_then(|log| Ok((log.try_clone()?, log)));
    let (out, err) = log.map_err(|error| unreachable(format!("{START_LOG} cannot be written: {error}")))?;
    Command::new(&config.lightningd_exe)
        .arg(format!("--lightning-dir={}", dir.display()))
        .arg(format!("--network={}", config.network))
        .arg("--daemon")
        .stdin(Stdio::null())
        .stdout(out)
        .stderr(err)
        .process_group(0)
        .spawn()
        .map_err(|error| not_started(config, &error))
}

/// The last line lightningd wrote before it ended.
pub(crate) fn last_words(dir: &Path) -> String {
    let text = fs::read_to_string(dir.join(START_LOG)).unwrap_or_default();
    text.lines()
        .rev()
        .find(|line| !line.trim().is_empty())
        .unwrap_or("it gave no reason")
        .chars()
        .take(300)
        .collect()
}

fn not_started(config: &NodesConfig, error: &io::Error) -> ToolError {
    let exe = config.lightningd_exe.display();
    if error.kind() == io::ErrorKind::NotFound {
        unreachable(format!("`{exe}` was not found: install Core Lightning, or set LIGHTNINGD_EXE"))
    } else {
        unreachable(format!("`{exe}` cannot be started: {error}"))
    }
}
