use std::path::PathBuf;

use thiserror::Error;

/// Why the state of a network cannot be read or saved.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StoreError {
    /// Another process has the directory open.
    #[error("{} is already in use by {owner}; stop that network first, or choose another directory", .dir.display())]
    InUse {
        /// The directory that was to be opened.
        dir: PathBuf,
        /// `pid N`, or `another process` where its number is not known.
        owner: String,
    },
    /// The directory or its file cannot be made or opened.
    #[error("cannot open the network's state in {}: {source}; give a directory that this user can write", .dir.display())]
    Open {
        /// The directory that was to be opened.
        dir: PathBuf,
        /// What the database said.
        source: Box<redb::Error>,
    },
    /// A value cannot be read back.
    #[error("cannot read the network's state: {0}")]
    Read(Box<redb::Error>),
    /// Staged changes cannot be made durable: a full disk, a lost mount, a broken file.
    #[error(
        "cannot save the network's state: {0}; nothing of this command was kept: free some space and restart the network"
    )]
    Commit(Box<redb::Error>),
    /// A stored value is not what this program writes.
    #[error("the network's state is damaged ({0}); `reset` starts a new one")]
    Damaged(String),
}

impl StoreError {
    pub(super) fn read(source: impl Into<redb::Error>) -> Self {
        Self::Read(Box::new(source.into()))
    }

    pub(super) fn commit(source: impl Into<redb::Error>) -> Self {
        Self::Commit(Box::new(source.into()))
    }
}
