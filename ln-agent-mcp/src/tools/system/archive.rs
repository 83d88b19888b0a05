//! Reads the archive of finished runs, one JSON object a line.

use std::io;
use std::path::Path;

use ln_agent_core::types::Object;
use tokio::fs::File;
use tokio::io::{AsyncBufReadExt, BufReader};

/// Which runs are wanted.
#[derive(Debug)]
pub(super) struct Query<'a> {
    /// In lower case; looked for in prompt and goal.
    pub(super) keyword: Option<&'a str>,
    pub(super) outcome: Option<&'a str>,
    /// The newest so many.
    pub(super) last: usize,
}

/// The newest runs that fit, oldest first, and how many fit in all. Lines that are no objects are passed over.
///
/// # Errors
///
/// Whatever reading the file gives; a missing file too.
pub(super) async fn search(path: &Path, query: &Query<'_>) -> io::Result<(Vec<Object>, usize)> {
    let mut lines = BufReader::new(File::open(path).await?).split(b'\n');
    let mut found = std::collections::VecDeque::new();
    let mut total = 0;
    while let Some(line) = lines.next_segment().await? {
        let Ok(entry) = serde_json::from_slice::<Object>(&line) else { continue };
        if fits(&entry, query) {
            total += 1;
            found.push_back(entry);
            if found.len() > query.last {
                found.pop_front();
            }
        }
    }
    Ok((found.into(), total))
}

fn fits(entry: &Object, query: &Query<'_>) -> bool {
    let text = |key: &str| entry.get(key).and_then(serde_json::Value::as_str).unwrap_or_default();
    let says = |keyword: &str| PROMPT_KEYS.iter().any(|key| text(key).to_lowercase().contains(keyword));
    query.keyword.is_none_or(says) && query.outcome.is_none_or(|outcome| text("outcome") == outcome)
}

/// Where an entry holds the prompt and what was made of it.
const PROMPT_KEYS: [&str; 3] = ["user", "prompt", "goal"];
