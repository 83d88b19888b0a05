//! History window and archive of earlier runs.
//!
//! Two files of JSON lines. `history.jsonl` holds the last few exchanges, which follow-ups refer to; `archive.jsonl`
//! holds every run for good, which recall questions search. Both survive a torn last line, and both may be written
//! by several processes: every write happens under a file lock and is on disk when it returns.

mod archive;
mod artefacts;
mod error;
mod history;
pub(crate) mod jsonl;

pub use archive::{Archive, ArchiveAnswer, ArchiveEntry, ArchiveQuery};
pub use artefacts::artefacts;
pub use error::MemoryError;
pub use history::{History, Window};
