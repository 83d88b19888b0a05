use std::path::{Path, PathBuf};

/// The longest path of a unix socket, in bytes: what Linux' `sun_path` holds besides its end.
pub(super) const MAX_SOCKET_PATH: usize = 107;

/// Where a playground keeps what under its runtime directory.
///
/// # Examples
///
/// ```
/// use std::path::Path;
/// use ln_agent_mcp::playground::serve::Layout;
///
/// let layout = Layout::new(Path::new("/run/lab"));
/// assert_eq!(layout.lightning(2), Path::new("/run/lab/lightning/node-2/regtest/lightning-rpc"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout(PathBuf);

impl Layout {
    /// The layout under this directory.
    #[must_use]
    pub fn new(runtime: &Path) -> Self {
        Self(runtime.to_owned())
    }

    /// The directory itself.
    #[must_use]
    pub fn runtime(&self) -> &Path {
        &self.0
    }

    /// Where the network's state is kept.
    #[must_use]
    pub fn state(&self) -> PathBuf {
        self.0.join("playground")
    }

    /// bitcoind's data directory of the regtest network.
    #[must_use]
    pub fn bitcoin(&self) -> PathBuf {
        self.0.join("bitcoin/shared/regtest")
    }

    /// bitcoind's cookie.
    #[must_use]
    pub fn cookie(&self) -> PathBuf {
        self.bitcoin().join(".cookie")
    }

    /// A node's lightning directory.
    #[must_use]
    pub fn node(&self, node: u16) -> PathBuf {
        self.0.join(format!("lightning/node-{node}"))
    }

    /// A node's RPC socket.
    #[must_use]
    pub fn lightning(&self, node: u16) -> PathBuf {
        self.node(node).join("regtest/lightning-rpc")
    }

    /// The control socket.
    #[must_use]
    pub fn control(&self) -> PathBuf {
        self.0.join("control")
    }

    /// The file with the number of nodes.
    #[must_use]
    pub fn node_count(&self) -> PathBuf {
        self.0.join("node_count")
    }
}
