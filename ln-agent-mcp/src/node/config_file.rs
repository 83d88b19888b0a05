//! The configuration files of a lightningd that we start.

use std::fmt::Write as _;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use ln_agent_core::NodeIndex;

use super::NodesConfig;

/// The node's own file. Written once, so that its owner may edit it.
pub(crate) const CONFIG: &str = "config";
/// What depends on our configuration; written anew at each start.
pub(crate) const CONNECTION: &str = "connection.conf";
/// lightningd's log.
pub(crate) const LOG: &str = "lightningd.log";
/// lightningd's process number.
pub(crate) const PID: &str = "lightningd.pid";

/// The settings a node keeps.
pub(crate) fn node_settings(config: &NodesConfig, node: NodeIndex, dir: &Path) -> String {
    format!(
        "# Settings of node {node}; yours to edit.\nnetwork={}\nalias=node-{node}\nlog-file={}\npid-file={}\n\
         include {CONNECTION}\n",
        config.network,
        dir.join(LOG).display(),
        dir.join(PID).display(),
    )
}

/// How a node reaches bitcoind and where it is found. Without name and password bitcoin-cli finds the cookie.
pub(crate) fn connection_settings(
    config: &NodesConfig,
    password: Option<(&str, &str)>,
    listen: (&str, &str),
    port: u16,
) -> String {
    let mut text = format!(
        "# Written anew at each start.\nbitcoin-datadir={}\nbitcoin-rpcconnect={}\nbitcoin-rpcport={}\n",
        config.bitcoin_dir.display(),
        config.bitcoin_rpc_host,
        config.bitcoin_rpc_port,
    );
    if let Some((user, password)) = password {
        let _ = write!(text, "bitcoin-rpcuser={user}\nbitcoin-rpcpassword={password}\n");
    }
    let (bind, announce) = (bracketed(listen.0), bracketed(listen.1));
    let _ = if bind == announce {
        writeln!(text, "addr={bind}:{port}")
    } else {
        write!(text, "bind-addr={bind}:{port}\nannounce-addr={announce}:{port}\n")
    };
    text
}

/// Writes a file that only its owner may read, whole or not at all.
pub(crate) fn write_private(path: &Path, text: &str) -> io::Result<()> {
    let draft = path.with_extension(format!("{}.tmp", std::process::id()));
    // A draft left by a crash would otherwise keep its old permissions.
    match fs::remove_file(&draft) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    fs::rename(draft, path)
}

fn bracketed(host: &str) -> String {
    if host.contains(':') { format!("[{host}]") } else { host.to_owned() }
}
