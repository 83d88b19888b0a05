use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use std::{fs, io};

use thiserror::Error;
use tokio::net::TcpListener;
use tokio::sync::Notify;
use tokio::task::JoinHandle;

use super::control::{self, Desk};
use super::layout::Layout;
use super::sockets::{Sockets, accept, bind};
use crate::playground::Network;
use crate::playground::bitcoind::{self, Ask, Cookie};

/// Why a network cannot be served.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ServeError {
    /// A socket or file of the runtime directory cannot be made.
    #[error("cannot serve the playground in {dir}: {source}")]
    Io {
        /// The runtime directory.
        dir: String,
        /// What the system said.
        source: io::Error,
    },
}

/// A network's open sockets. They close when it is dropped or [`close`](Self::close)d.
#[derive(Debug)]
pub struct Server {
    layout: Layout,
    bitcoin_port: u16,
    network: Network,
    sockets: Arc<Sockets>,
    shutdown: Arc<Notify>,
    tasks: Vec<JoinHandle<()>>,
}

/// Opens the sockets of a network under a runtime directory.
///
/// `secret` becomes bitcoind's password, in the cookie file. `bitcoin_port` is bitcoind's port on 127.0.0.1; 0
/// lets the system choose.
///
/// # Errors
///
/// [`ServeError::Io`] if the directory cannot be written, the port is taken, or a socket's path is too long.
pub async fn serve(
    network: Network,
    runtime: &Path,
    secret: &[u8; 32],
    bitcoin_port: u16,
) -> Result<Server, ServeError> {
    let failed = |source| ServeError::Io { dir: runtime.display().to_string(), source };
    open(network, runtime, secret, bitcoin_port).await.map_err(failed)
}

async fn open(network: Network, runtime: &Path, secret: &[u8; 32], port: u16) -> io::Result<Server> {
    let layout = Layout::new(runtime);
    fs::create_dir_all(layout.bitcoin())?;
    // Bound first: of two servers of one directory, the second fails before it harms the first one's files.
    let listener = TcpListener::bind(("127.0.0.1", port)).await?;
    let bitcoin_port = listener.local_addr()?.port();
    let cookie = Arc::new(Cookie::write(&layout.cookie(), secret)?);
    let asked = network.clone();
    let ask: Ask = Arc::new(move |call| asked.bitcoind(call));
    let bitcoind = tokio::spawn(async move {
        if let Err(error) = bitcoind::serve(listener, cookie, ask).await {
            tracing::error!(%error, "bitcoind's port serves no more");
        }
    });
    let sockets = Arc::new(Sockets::new(layout.clone()));
    sockets.reconcile(&network).await?;
    let watching = tokio::spawn({
        let (sockets, network) = (Arc::clone(&sockets), network.clone());
        async move { sockets.watch(network).await }
    });
    let shutdown = Arc::new(Notify::new());
    let desk = Arc::new(Desk {
        network: network.clone(),
        sockets: Arc::clone(&sockets),
        layout: layout.clone(),
        bitcoin_port,
        shutdown: Arc::clone(&shutdown),
    });
    let control =
        accept(bind(&layout.control())?, move |stream| control::connection(stream, Arc::clone(&desk)));
    Ok(Server { layout, bitcoin_port, network, sockets, shutdown, tasks: vec![bitcoind, watching, control] })
}

impl Server {
    /// bitcoind's port on 127.0.0.1.
    #[must_use]
    pub fn bitcoin_port(&self) -> u16 {
        self.bitcoin_port
    }

    /// Where everything is.
    #[must_use]
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Waits until somebody asks for `shutdown` on the control socket, or the network ends by itself.
    pub async fn shutdown_requested(&self) {
        tokio::select! {
            () = self.shutdown.notified() => {}
            () = self.network.ended() => {}
        }
    }

    /// Waits until nothing was asked of the network for this long; for ever if it is zero.
    pub async fn idle_for(&self, limit: Duration) {
        if limit.is_zero() {
            return std::future::pending().await;
        }
        loop {
            let before = self.network.commands_sent();
            tokio::time::sleep(limit).await;
            if self.network.commands_sent() == before {
                return;
            }
        }
    }

    /// Closes all sockets and removes them from the file system.
    pub async fn close(self) {
        self.sockets.close().await;
        for path in [self.layout.control(), self.layout.cookie()] {
            drop(fs::remove_file(path));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        for task in &self.tasks {
            task.abort();
        }
    }
}
