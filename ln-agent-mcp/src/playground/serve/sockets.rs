use std::collections::BTreeMap;
use std::future::Future;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use std::{fs, io};

use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{Mutex, Notify};
use tokio::task::{JoinHandle, JoinSet};

use super::layout::{Layout, MAX_SOCKET_PATH};
use super::lightning;
use crate::playground::Network;

const RETRY: Duration = Duration::from_millis(50);

/// The RPC sockets of the running nodes.
#[derive(Debug)]
pub(super) struct Sockets {
    layout: Layout,
    open: Mutex<BTreeMap<u16, JoinHandle<()>>>,
    stopped: Arc<Notify>,
}

impl Sockets {
    pub(super) fn new(layout: Layout) -> Self {
        Self { layout, open: Mutex::default(), stopped: Arc::default() }
    }

    /// Follows nodes that stop by their own RPC, until the task is aborted.
    pub(super) async fn watch(&self, network: Network) {
        loop {
            self.stopped.notified().await;
            if let Err(error) = self.reconcile(&network).await {
                tracing::error!(%error, "the sockets of the nodes could not be brought up to date");
            }
        }
    }

    /// Opens and closes sockets until exactly the running nodes have one.
    pub(super) async fn reconcile(&self, network: &Network) -> io::Result<()> {
        let mut open = self.open.lock().await;
        let states = network.nodes().await.unwrap_or_default();
        let gone: Vec<u16> =
            open.keys().filter(|node| !states.get(node).copied().unwrap_or(false)).copied().collect();
        for node in gone {
            if let Some(task) = open.remove(&node) {
                task.abort();
            }
            remove(&self.layout.lightning(node))?;
        }
        for (node, _) in states.iter().filter(|(_, running)| **running) {
            if !open.contains_key(node) {
                let listener = bind(&self.layout.lightning(*node))?;
                let (node, network, stopped) = (*node, network.clone(), Arc::clone(&self.stopped));
                let task = accept(listener, move |stream| {
                    lightning::connection(stream, node, network.clone(), Arc::clone(&stopped))
                });
                open.insert(node, task);
            }
        }
        for node in states.keys() {
            fs::create_dir_all(self.layout.node(*node))?;
        }
        fs::write(self.layout.node_count(), format!("{}\n", states.len()))
    }

    /// Closes all sockets.
    pub(super) async fn close(&self) {
        for (node, task) in std::mem::take(&mut *self.open.lock().await) {
            task.abort();
            drop(remove(&self.layout.lightning(node)));
        }
    }
}

/// Serves every connection of a listener; aborting the task ends them all.
pub(super) fn accept<F>(
    listener: UnixListener,
    serve: impl Fn(UnixStream) -> F + Send + 'static,
) -> JoinHandle<()>
where
    F: Future<Output = ()> + Send + 'static,
{
    tokio::spawn(async move {
        let mut connections = JoinSet::new();
        loop {
            match listener.accept().await {
                Ok((stream, _)) => drop(connections.spawn(serve(stream))),
                // Too many open files, most likely: some will be closed.
                Err(error) => {
                    tracing::warn!(%error, "a connection could not be accepted");
                    tokio::time::sleep(RETRY).await;
                }
            }
            while connections.try_join_next().is_some() {}
        }
    })
}

/// Binds a socket in place of a stale one, for its owner only.
pub(super) fn bind(path: &Path) -> io::Result<UnixListener> {
    check_length(path)?;
    if let Some(dir) = path.parent() {
        fs::create_dir_all(dir)?;
    }
    remove(path)?;
    let listener = UnixListener::bind(path)?;
    fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
    Ok(listener)
}

fn check_length(path: &Path) -> io::Result<()> {
    let length = path.as_os_str().len();
    if length <= MAX_SOCKET_PATH {
        return Ok(());
    }
    Err(io::Error::new(
        io::ErrorKind::InvalidInput,
        format!(
            "the socket path {} has {length} bytes, but a unix socket allows {MAX_SOCKET_PATH}; choose a shorter runtime directory",
            path.display()
        ),
    ))
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
