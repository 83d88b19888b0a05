//! Starting the playground in the background, and finding the one that runs.

use ln_agent_core::types::with_causes;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use ln_agent_mcp::playground::serve::Layout;
use ln_agent_mcp::playground::store::Store;
use serde_json::{Value, json};

use super::Place;
use super::control::Control;
use crate::exit::Fault;

/// A running playground, as it describes itself.
#[derive(Debug)]
pub(crate) struct Playground {
    pub(crate) status: Value,
}

impl Playground {
    /// The one that runs in this place, if one does.
    pub(crate) fn find(place: &Place) -> Result<Option<Self>, Fault> {
        let socket = socket_of(place);
        let unreachable = |cause: String| {
            Fault::unreachable(format!("cannot reach the playground at {}: {cause}", socket.display()))
        };
        let control = Control::connect(&socket).map_err(|error| unreachable(error.to_string()))?;
        let Some(mut control) = control else { return Ok(None) };
        match control.call("status", &json!({})) {
            Ok(status) => Ok(Some(Self { status })),
            Err(error) if error.is_hang_up() => Ok(None),
            Err(error) => Err(unreachable(with_causes(&error))),
        }
    }

    /// bitcoind's port on loopback.
    pub(crate) fn bitcoin_port(&self) -> Option<u16> {
        self.status.get("bitcoin_rpc_port").and_then(Value::as_u64).and_then(|port| u16::try_from(port).ok())
    }
}

/// Where its control socket is.
pub(crate) fn socket_of(place: &Place) -> PathBuf {
    place.runtime.root().join("control")
}

/// The running playground of this place; one is started in the background where none runs.
///
/// `nodes` and `seed` count for a new network only. With `idle_secs` above 0 it stops by itself.
pub(crate) fn start(place: &Place, nodes: u32, seed: u64, idle_secs: u64) -> Result<Playground, Fault> {
    leaves_room_for_sockets(place.runtime.root())?;
    if let Some(running) = Playground::find(place)? {
        return Ok(running);
    }
    place.probe().map_err(|error| {
        Fault::usage(format!(
            "cannot write the state directory {}: {error}: check its permissions and free space, or choose another \
             with --runtime-dir or RUNTIME_DIR",
            place.runtime.root().display()
        ))
    })?;
    start_or_find(place, nodes, seed, idle_secs)
}

/// Whoever holds the state was started at the same moment and will answer, or is ending and will let go.
fn start_or_find(place: &Place, nodes: u32, seed: u64, idle_secs: u64) -> Result<Playground, Fault> {
    let root = place.runtime.root();
    let (log, state) = (root.join("playground.log"), Layout::new(root).state());
    let failed = |error: io::Error| {
        Fault::unreachable(format!("cannot start the playground in {}: {error}", root.display()))
    };
    let begun = Instant::now();
    let mut attempts = 0;
    while attempts < MAX_ATTEMPTS && begun.elapsed() < OTHER_PROCESS_LIMIT {
        if !Store::is_held(&state).map_err(failed)? {
            launch(root, &log, nodes, seed, idle_secs).map_err(failed)?;
            attempts += 1;
        }
        if let Some(running) = Playground::find(place)? {
            return Ok(running);
        }
        thread::sleep(POLL_INTERVAL);
    }
    Err(Fault::unreachable(match (attempts, last_line(&log)) {
        (0, _) => format!("another process has {} open and does not answer: end it", state.display()),
        (_, Some(cause)) => format!("the playground did not start: {cause}"),
        (_, None) => format!("the playground did not start: see {}", log.display()),
    }))
}

/// The system's limit on a socket's path would otherwise be told once a node starts, in its own words.
fn leaves_room_for_sockets(root: &Path) -> Result<(), Fault> {
    let length = root.as_os_str().len();
    if length <= MAX_ROOT_BYTES {
        return Ok(());
    }
    Err(Fault::usage(format!(
        "the path of the state directory {} has {length} bytes, at most {MAX_ROOT_BYTES} leave room for the sockets \
         below it: choose a shorter one with --runtime-dir or RUNTIME_DIR",
        root.display()
    )))
}

/// Starts the process and waits for its first line, or its end.
fn launch(root: &Path, log: &Path, nodes: u32, seed: u64, idle_secs: u64) -> io::Result<()> {
    let stderr = OpenOptions::new().create(true).append(true).open(log)?;
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["network", "serve", "--nodes", &nodes.to_string(), "--seed", &seed.to_string()]);
    command.args(["--idle-secs", &idle_secs.to_string(), "--runtime-dir"]).arg(root);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(stderr);
    // A group of its own: Ctrl-C at this terminal is not for it.
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command.spawn()?;
    let mut line = String::new();
    if let Some(stdout) = child.stdout.take() {
        BufReader::new(stdout).read_line(&mut line)?;
    }
    if line.is_empty() {
        child.wait()?;
    }
    Ok(())
}

/// What the daemon said last.
fn last_line(log: &Path) -> Option<String> {
    let lines = BufReader::new(File::open(log).ok()?).lines();
    let last = lines.map_while(Result::ok).filter(|line| !line.trim().is_empty()).last()?;
    Some(last.trim_start_matches("error: ").to_owned())
}

/// A socket's path has at most 107 bytes; the longest one below the root is that of node 100.
const MAX_ROOT_BYTES: usize = 107 - "/lightning/node-100/regtest/lightning-rpc".len();
const OTHER_PROCESS_LIMIT: Duration = Duration::from_secs(3);
const POLL_INTERVAL: Duration = Duration::from_millis(10);
/// Two processes that look at the state at the same moment can be in each other's way once.
const MAX_ATTEMPTS: u32 = 3;
