//! Why something was not remembered.

use std::io;
use std::path::{Path, PathBuf};

/// A memory file could not be read or written. Asking again helps when the cause is mended (disk, permissions).
#[derive(Debug, thiserror::Error)]
#[error("cannot {action} {}", path.display())]
pub struct MemoryError {
    /// `read`, `append to` or `compact`.
    pub action: &'static str,
    /// The file.
    pub path: PathBuf,
    /// What the system said.
    pub source: io::Error,
}

impl MemoryError {
    /// Makes an error of what the system said.
    pub(super) fn of(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self { action, path, source }
    }
}
