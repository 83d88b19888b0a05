//! Where the nodes are and how long to wait for them.

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use super::{Credentials, Network};

/// Where the nodes are and how long to wait for them. Plain data; [`from_vars`](Self::from_vars) fills it from
/// the environment.
///
/// # Examples
///
/// ```
/// # use ln_agent_mcp::node::NodesConfig;
/// let config = NodesConfig::from_vars(|name| (name == "RUNTIME_DIR").then(|| "/tmp/run".to_owned())).unwrap();
/// assert_eq!(config.bitcoin_rpc_port, 18_443);
/// assert_eq!(config.lightning_base, std::path::Path::new("/tmp/run/lightning"));
/// ```
#[derive(Clone, Debug)]
pub struct NodesConfig {
    /// `RUNTIME_DIR`: everything written at run time. Default: `ln-agent` below the XDG state directory.
    pub runtime_dir: PathBuf,
    /// `NETWORK`. Default: regtest.
    pub network: Network,
    /// `BITCOIN_DIR`: bitcoind's data directory. Default: `bitcoin/shared` below the runtime directory.
    pub bitcoin_dir: PathBuf,
    /// `LIGHTNING_BASE`: holds `node-1`, `node-2`, …. Default: `lightning` below the runtime directory.
    pub lightning_base: PathBuf,
    /// `BITCOIN_RPC_HOST`. Default: 127.0.0.1.
    pub bitcoin_rpc_host: String,
    /// `BITCOIN_RPC_PORT`. Default: the network's own, 18443 on regtest.
    pub bitcoin_rpc_port: u16,
    /// `BITCOIN_RPC_USER` with `BITCOIN_RPC_PASSWORD`, or `BITCOIN_RPC_COOKIEFILE`. Default: bitcoind's cookie
    /// file where it exists, else `lnrpc` with `lnrpcpass`.
    pub credentials: Credentials,
    /// `MCP_CMD_TIMEOUT_S`: how long one request to a node may take. Default: 30 s.
    pub call_timeout: Duration,
    /// `MCP_NODE_START_TIMEOUT_S`: how long a node may take until it answers. Default: 30 s.
    pub start_timeout: Duration,
    /// `MCP_NODE_STOP_TIMEOUT_S`: how long a node may take to end. Default: 30 s.
    pub stop_timeout: Duration,
    /// `MCP_NODE_POLL_INTERVAL_S`: pause between two looks at a node that starts or stops. Default: 0.5 s.
    pub poll_interval: Duration,
    /// `DEFAULT_NODE_COUNT`: how many nodes there are while the file `node_count` does not say. Default: 2.
    pub default_node_count: u32,
    /// `LIGHTNING_BASE_PORT`: node N listens on this port + N. Default: 9735.
    pub lightning_base_port: u16,
    /// `LN_BIND_HOST`: where started nodes listen. Default: 127.0.0.1.
    pub bind_host: String,
    /// `LN_ANNOUNCE_HOST`: where started nodes say they are found. Default: the bind host.
    pub announce_host: String,
    /// `LIGHTNINGD_EXE`: the program `ln_node_start` runs. Default: `lightningd` on the search path.
    pub lightningd_exe: PathBuf,
    /// `HTTP_FETCH_ALLOW_HOSTS`: comma-separated hosts `http_fetch` may ask, as `host`, `host:port` or
    /// `*.domain`. Default: `localhost,127.0.0.1,::1`.
    pub http_allow_hosts: Vec<String>,
    /// `MEMORY_ARCHIVE`: the finished runs `memory_lookup` searches. Default: `agent/archive.jsonl` below the
    /// runtime directory.
    pub memory_archive: PathBuf,
}

/// A variable cannot be used.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("{variable} was `{received}`: expected {expected}")]
pub struct ConfigError {
    /// Its name.
    pub variable: &'static str,
    /// What it held.
    pub received: String,
    /// The accepted form.
    pub expected: &'static str,
}

impl NodesConfig {
    /// The defaults for nodes below this directory.
    #[must_use]
    pub fn at(runtime_dir: &Path) -> Self {
        let bitcoin_dir = runtime_dir.join("bitcoin").join("shared");
        let network = Network::default();
        Self {
            runtime_dir: runtime_dir.to_owned(),
            network,
            credentials: default_credentials(&bitcoin_dir, network),
            bitcoin_dir,
            lightning_base: runtime_dir.join("lightning"),
            bitcoin_rpc_host: LOOPBACK.to_owned(),
            bitcoin_rpc_port: network.rpc_port(),
            call_timeout: Duration::from_secs(30),
            start_timeout: Duration::from_secs(30),
            stop_timeout: Duration::from_secs(30),
            poll_interval: Duration::from_millis(500),
            default_node_count: 2,
            lightning_base_port: 9735,
            bind_host: LOOPBACK.to_owned(),
            announce_host: LOOPBACK.to_owned(),
            lightningd_exe: PathBuf::from("lightningd"),
            http_allow_hosts: ["localhost", LOOPBACK, "::1"].map(str::to_owned).to_vec(),
            memory_archive: runtime_dir.join("agent").join("archive.jsonl"),
        }
    }

    /// The configuration that these variables describe; a blank variable counts as not set.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] if a variable does not parse, or if no variable says where state may be kept.
    pub fn from_vars(vars: impl Fn(&str) -> Option<String>) -> Result<Self, ConfigError> {
        let vars = Vars(&vars);
        let mut config = Self::at(&runtime_dir(&vars)?);
        if let Some(network) = vars.text("NETWORK") {
            config.network = network.parse().map_err(|_| ConfigError {
                variable: "NETWORK",
                received: network,
                expected: "regtest, signet, testnet, testnet4 or bitcoin",
            })?;
        }
        vars.path("BITCOIN_DIR", &mut config.bitcoin_dir);
        vars.path("LIGHTNING_BASE", &mut config.lightning_base);
        vars.path("LIGHTNINGD_EXE", &mut config.lightningd_exe);
        vars.path("MEMORY_ARCHIVE", &mut config.memory_archive);
        config.bitcoin_rpc_port = config.network.rpc_port();
        vars.parsed("BITCOIN_RPC_PORT", PORT, &mut config.bitcoin_rpc_port)?;
        vars.parsed("LIGHTNING_BASE_PORT", PORT, &mut config.lightning_base_port)?;
        vars.parsed("DEFAULT_NODE_COUNT", "a whole number", &mut config.default_node_count)?;
        vars.seconds("MCP_CMD_TIMEOUT_S", &mut config.call_timeout)?;
        vars.seconds("MCP_NODE_START_TIMEOUT_S", &mut config.start_timeout)?;
        vars.seconds("MCP_NODE_STOP_TIMEOUT_S", &mut config.stop_timeout)?;
        vars.seconds("MCP_NODE_POLL_INTERVAL_S", &mut config.poll_interval)?;
        if let Some(host) = vars.text("BITCOIN_RPC_HOST") {
            config.bitcoin_rpc_host = host;
        }
        if let Some(host) = vars.text("LN_BIND_HOST") {
            config.bind_host = host;
        }
        config.announce_host = vars.text("LN_ANNOUNCE_HOST").unwrap_or_else(|| config.bind_host.clone());
        if let Some(hosts) = vars.text("HTTP_FETCH_ALLOW_HOSTS") {
            let hosts = hosts.split(',').map(|host| host.trim().to_ascii_lowercase());
            config.http_allow_hosts = hosts.filter(|host| !host.is_empty()).collect();
        }
        config.credentials = credentials(&vars, &config)?;
        Ok(config)
    }
}

const LOOPBACK: &str = "127.0.0.1";
const PORT: &str = "a port from 1 to 65535";

struct Vars<'a>(&'a dyn Fn(&str) -> Option<String>);

impl Vars<'_> {
    fn text(&self, name: &str) -> Option<String> {
        (self.0)(name).map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
    }

    fn path(&self, name: &str, target: &mut PathBuf) {
        if let Some(text) = self.text(name) {
            *target = PathBuf::from(text);
        }
    }

    fn parsed<T: FromStr + Default + PartialEq>(
        &self,
        variable: &'static str,
        expected: &'static str,
        target: &mut T,
    ) -> Result<(), ConfigError> {
        if let Some(received) = self.text(variable) {
            match received.parse() {
                Ok(value) if value != T::default() => *target = value,
                _ => return Err(ConfigError { variable, received, expected }),
            }
        }
        Ok(())
    }

    fn seconds(&self, variable: &'static str, target: &mut Duration) -> Result<(), ConfigError> {
        if let Some(received) = self.text(variable) {
            let seconds = received.parse().ok().and_then(|secs| Duration::try_from_secs_f64(secs).ok());
            match seconds {
                Some(value) if !value.is_zero() => *target = value,
                _ => {
                    return Err(ConfigError {
                        variable,
                        received,
                        expected: "seconds above 0, as in 30 or 0.5",
                    });
                }
            }
        }
        Ok(())
    }
}

fn runtime_dir(vars: &Vars<'_>) -> Result<PathBuf, ConfigError> {
    if let Some(dir) = vars.text("RUNTIME_DIR") {
        return Ok(PathBuf::from(dir));
    }
    let state = vars.text("XDG_STATE_HOME").map(PathBuf::from);
    let state = state.or_else(|| vars.text("HOME").map(|home| PathBuf::from(home).join(".local/state")));
    state.map(|state| state.join("ln-agent")).ok_or_else(|| ConfigError {
        variable: "RUNTIME_DIR",
        received: String::new(),
        expected: "a directory, as neither XDG_STATE_HOME nor HOME is set",
    })
}

fn default_credentials(bitcoin_dir: &Path, network: Network) -> Credentials {
    Credentials::CookieOr {
        cookie: bitcoin_dir.join(network.bitcoin_folder()).join(".cookie"),
        user: "lnrpc".to_owned(),
        password: "lnrpcpass".to_owned(),
    }
}

fn credentials(vars: &Vars<'_>, config: &NodesConfig) -> Result<Credentials, ConfigError> {
    match (vars.text("BITCOIN_RPC_USER"), vars.text("BITCOIN_RPC_PASSWORD")) {
        (Some(user), Some(password)) => Ok(Credentials::Password { user, password }),
        (None, None) => Ok(match vars.text("BITCOIN_RPC_COOKIEFILE") {
            Some(path) => Credentials::Cookie(PathBuf::from(path)),
            None => default_credentials(&config.bitcoin_dir, config.network),
        }),
        (Some(user), None) => Err(ConfigError {
            variable: "BITCOIN_RPC_USER",
            received: user,
            expected: "BITCOIN_RPC_PASSWORD beside it",
        }),
        (None, Some(_)) => Err(ConfigError {
            variable: "BITCOIN_RPC_PASSWORD",
            received: "***".to_owned(),
            expected: "BITCOIN_RPC_USER beside it",
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(set: &[(&str, &str)]) -> Result<NodesConfig, ConfigError> {
        NodesConfig::from_vars(|name| {
            set.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn a_variable_that_does_not_parse_is_named_with_the_accepted_form() {
        let cases = [
            ("NETWORK", "moon", "NETWORK was `moon`: expected regtest, signet, testnet, testnet4 or bitcoin"),
            ("BITCOIN_RPC_PORT", "70000", "BITCOIN_RPC_PORT was `70000`: expected a port from 1 to 65535"),
            ("DEFAULT_NODE_COUNT", "0", "DEFAULT_NODE_COUNT was `0`: expected a whole number"),
            (
                "MCP_CMD_TIMEOUT_S",
                "-1",
                "MCP_CMD_TIMEOUT_S was `-1`: expected seconds above 0, as in 30 or 0.5",
            ),
            (
                "BITCOIN_RPC_PASSWORD",
                "pw",
                "BITCOIN_RPC_PASSWORD was `***`: expected BITCOIN_RPC_USER beside it",
            ),
        ];
        for (name, value, message) in cases {
            let error = read(&[("RUNTIME_DIR", "/r"), (name, value)]).unwrap_err();
            assert_eq!(error.to_string(), message);
        }
    }

    #[test]
    fn blank_means_default_and_the_network_decides_the_port_and_the_cookie() {
        let config = read(&[("HOME", "/h"), ("BITCOIN_RPC_PORT", " "), ("NETWORK", "signet")]).unwrap();

        assert_eq!(config.bitcoin_rpc_port, 38_332);
        assert_eq!(
            config.credentials,
            Credentials::CookieOr {
                cookie: "/h/.local/state/ln-agent/bitcoin/shared/signet/.cookie".into(),
                user: "lnrpc".into(),
                password: "lnrpcpass".into(),
            }
        );
    }

    #[test]
    fn debug_output_does_not_show_the_password() {
        let config = read(&[
            ("RUNTIME_DIR", "/r"),
            ("BITCOIN_RPC_USER", "alice"),
            ("BITCOIN_RPC_PASSWORD", "hunter2"),
        ])
        .unwrap();

        let shown = format!("{config:?}");
        assert!(shown.contains("alice") && !shown.contains("hunter2"), "{shown}");
    }
}
