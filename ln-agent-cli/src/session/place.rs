//! Where a command works: its configuration, runtime directory and network.

use ln_agent_core::types::with_causes;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use ln_agent_core::agent::RuntimeDir;
use ln_agent_core::config::{Config, Settings, Sources, keys};
use ln_agent_core::pipeline::Network;

use crate::command::Common;
use crate::exit::Fault;

/// Configuration with what follows from it.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) config: Config,
    pub(crate) settings: Settings,
    pub(crate) runtime: RuntimeDir,
    /// bitcoind's port of the running playground; `None` before it was looked for, and elsewhere.
    pub(crate) playground_port: Option<u16>,
    /// A battery brings its own playground.
    forced_playground: bool,
}

impl Place {
    /// Reads flags, environment and files.
    pub(crate) fn find(common: &Common, flags: &[(&str, Option<String>)]) -> Result<Self, Fault> {
        let mut given: BTreeMap<String, String> = BTreeMap::new();
        let runtime_dir = common.runtime_dir.as_ref().map(|dir| dir.display().to_string());
        let shared = [("RUNTIME_DIR", runtime_dir), ("NETWORK", common.network.clone())];
        for (var, value) in shared.iter().chain(flags) {
            if let Some(value) = value {
                given.insert((*var).to_owned(), value.clone());
            }
        }
        let sources =
            Sources { flags: given, environment: environment()?, files: files(common.config.as_deref())? };
        let config = Config::load(&sources).map_err(|error| Fault::usage(error.to_string()))?;
        let settings = Settings::from_config(&config).map_err(|error| Fault::usage(error.to_string()))?;
        let runtime = runtime_dir_of(&config)?;
        Ok(Self { config, settings, runtime, playground_port: None, forced_playground: false })
    }

    /// Makes the state directory and writes as much as a start needs, so that a full disk is found before.
    pub(crate) fn probe(&self) -> io::Result<()> {
        let root = self.runtime.root();
        std::fs::create_dir_all(root)?;
        tempfile::NamedTempFile::new_in(root)?.write_all(&vec![0; STARTING_BYTES])
    }

    /// Makes the nodes the playground's, whatever is configured.
    pub(crate) fn use_playground(&mut self) {
        self.forced_playground = true;
    }

    /// Whether the nodes are the playground's: it was named, or nothing else was.
    pub(crate) fn is_playground(&self) -> bool {
        match self.config.text("NETWORK") {
            _ if self.forced_playground => true,
            Some(name) => name.eq_ignore_ascii_case("playground"),
            None => NODE_SETTINGS.iter().all(|var| !self.config.is_given(var)),
        }
    }

    /// Whether the nodes' money is real.
    pub(crate) fn network(&self) -> Network {
        let regtest = self.config.text("NETWORK").is_none_or(|name| name.eq_ignore_ascii_case("regtest"));
        if self.is_playground() || regtest { Network::Playground } else { Network::Real }
    }

    /// The environment of a tool server for this place.
    pub(crate) fn environment(&self) -> Vec<(String, String)> {
        let mut environment = self.config.environment();
        environment.retain(|(var, _)| var != "RUNTIME_DIR" && !(self.forced_playground && var == "NETWORK"));
        if self.forced_playground {
            environment.push(("NETWORK".to_owned(), "playground".to_owned()));
        }
        environment.push(("RUNTIME_DIR".to_owned(), self.runtime.root().display().to_string()));
        environment
    }

    /// The value of a node setting: what was configured, and what the running playground says of itself.
    pub(crate) fn node_setting(&self, var: &str) -> Option<String> {
        match (var, self.is_playground()) {
            ("RUNTIME_DIR", _) => Some(self.runtime.root().display().to_string()),
            ("NETWORK", true) => Some("regtest".to_owned()),
            ("BITCOIN_RPC_PORT", true) => self.playground_port.map(|port| port.to_string()),
            _ => self.config.given(var).map(str::to_owned).or_else(|| other_variable(var)),
        }
    }
}

/// A new playground takes a tenth of it.
const STARTING_BYTES: usize = 1024 * 1024;

/// The process environment. A setting of ours that is no text is told; anybody else's is none of our business.
fn environment() -> Result<BTreeMap<String, String>, Fault> {
    let mut environment = BTreeMap::new();
    for (name, value) in std::env::vars_os() {
        let Ok(name) = name.into_string() else { continue };
        match value.into_string() {
            Ok(value) => {
                environment.insert(name, value);
            }
            Err(value) if keys().any(|key| key.var == name) => {
                let shown = value.to_string_lossy();
                return Err(Fault::usage(format!(
                    "{name} from the environment is `{shown}`: expected UTF-8 text"
                )));
            }
            Err(_) => {}
        }
    }
    Ok(environment)
}

/// Variables that are no settings of ours, but say where state may live.
fn other_variable(var: &str) -> Option<String> {
    matches!(var, "HOME" | "XDG_STATE_HOME").then(|| std::env::var(var).ok()).flatten()
}

/// Settings that say where nodes are; one of them given means that there are some.
const NODE_SETTINGS: &[&str] = &[
    "BITCOIN_DIR",
    "BITCOIN_RPC_HOST",
    "BITCOIN_RPC_PORT",
    "BITCOIN_RPC_USER",
    "LIGHTNING_BASE",
    "LIGHTNINGD_EXE",
];

/// The named file, `ln-agent.toml` of the working directory, and that of the XDG configuration directory.
fn files(named: Option<&Path>) -> Result<Vec<(PathBuf, String)>, Fault> {
    let mut files = Vec::new();
    if let Some(path) = named {
        let text = std::fs::read_to_string(path)
            .map_err(|error| Fault::usage(format!("cannot read {}: {error}", path.display())))?;
        files.push((path.to_owned(), text));
    }
    let configured = std::env::var_os("XDG_CONFIG_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let configured =
        configured.or_else(|| std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".config")));
    let usual =
        [Some(PathBuf::from("ln-agent.toml")), configured.map(|dir| dir.join("ln-agent/ln-agent.toml"))];
    for path in usual.into_iter().flatten() {
        match std::fs::read_to_string(&path) {
            Ok(text) => files.push((path, text)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(Fault::usage(format!("cannot read {}: {error}", path.display()))),
        }
    }
    Ok(files)
}

fn runtime_dir_of(config: &Config) -> Result<RuntimeDir, Fault> {
    let Some(given) = config.text("RUNTIME_DIR") else {
        let found = RuntimeDir::xdg(|name| std::env::var(name).ok());
        return found.ok_or_else(|| Fault::usage("there is no home directory: set RUNTIME_DIR"));
    };
    let absolute = std::path::absolute(given)
        .map_err(|error| Fault::usage(format!("RUNTIME_DIR: {}", with_causes(&error))))?;
    Ok(RuntimeDir::new(absolute))
}
