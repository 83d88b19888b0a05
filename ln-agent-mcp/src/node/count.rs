//! The file `node_count`: how many nodes are configured.

use std::io;
use std::path::{Path, PathBuf};

/// How many nodes the file says there are; `None` while it is missing or holds no number above 0.
pub(crate) fn read(runtime_dir: &Path) -> Option<u32> {
    let text = std::fs::read_to_string(path(runtime_dir)).ok()?;
    text.trim().parse().ok().filter(|count| *count > 0)
}

/// Writes the count whole or not at all.
pub(crate) fn write(runtime_dir: &Path, count: u32) -> io::Result<()> {
    std::fs::create_dir_all(runtime_dir)?;
    let draft = runtime_dir.join(format!("node_count.{}.tmp", std::process::id()));
    std::fs::write(&draft, format!("{count}\n"))?;
    std::fs::rename(draft, path(runtime_dir))
}

fn path(runtime_dir: &Path) -> PathBuf {
    runtime_dir.join("node_count")
}
