//! Every run that ever finished: `archive.jsonl`.

use std::collections::VecDeque;
use std::io;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::error::MemoryError;
use super::jsonl::{self, Line};
use crate::types::Outcome;

/// The record of finished runs. It is only ever appended to.
#[derive(Clone, Debug)]
pub struct Archive {
    path: PathBuf,
}

/// One finished run.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct ArchiveEntry {
    /// Unix time, in seconds.
    pub ts: u64,
    /// What the user said.
    pub user: String,
    /// What was understood.
    pub goal: String,
    /// How it ended.
    pub outcome: Outcome,
    /// What the agent answered.
    pub summary: String,
}

/// Which runs are looked for; every given condition must hold.
#[derive(Clone, Debug, PartialEq)]
pub struct ArchiveQuery {
    /// Most entries of the answer: the newest. Default 5.
    pub last_n: usize,
    /// A part of the prompt or the goal, in any case. Blank or absent: every run.
    pub query: Option<String>,
    /// How the run ended. Absent: in any way.
    pub outcome: Option<Outcome>,
}

/// The runs that were found.
#[derive(Clone, Debug, Default, JsonSchema, PartialEq, Serialize)]
pub struct ArchiveAnswer {
    /// The newest matching runs, newest first.
    pub entries: Vec<ArchiveEntry>,
    /// How many runs match, those beyond `entries` included.
    pub total: usize,
    /// Lines of the archive that could not be read.
    pub skipped: usize,
}

impl Archive {
    /// The archive in this file, which the first append creates.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// Adds a run. It is on disk when this returns.
    ///
    /// # Errors
    ///
    /// [`MemoryError`] when the file cannot be written.
    pub fn append(&self, entry: &ArchiveEntry) -> Result<(), MemoryError> {
        jsonl::render(std::slice::from_ref(entry))
            .and_then(|line| jsonl::append(&self.path, &line))
            .map_err(MemoryError::of("append to", &self.path))
    }

    /// Looks for runs. No file is an empty archive.
    ///
    /// # Errors
    ///
    /// [`MemoryError`] when the file is there and cannot be read.
    pub fn query(&self, query: &ArchiveQuery) -> Result<ArchiveAnswer, MemoryError> {
        self.search(query).map_err(MemoryError::of("read", &self.path))
    }

    fn search(&self, query: &ArchiveQuery) -> io::Result<ArchiveAnswer> {
        let wanted = query.query.as_deref().unwrap_or_default().trim().to_lowercase();
        let mut newest = VecDeque::new();
        let (mut total, mut skipped) = (0, 0);
        for line in jsonl::lines::<ArchiveEntry>(&self.path)? {
            let Line::Read(entry) = line? else {
                skipped += 1;
                continue;
            };
            let in_text = |text: &str| text.to_lowercase().contains(&wanted);
            let named = in_text(&entry.user) || in_text(&entry.goal);
            if named && query.outcome.is_none_or(|outcome| outcome == entry.outcome) {
                total += 1;
                newest.push_front(entry);
                newest.truncate(query.last_n);
            }
        }
        Ok(ArchiveAnswer { entries: newest.into(), total, skipped })
    }
}

impl Default for ArchiveQuery {
    fn default() -> Self {
        Self { last_n: 5, query: None, outcome: None }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn entry(ts: u64, user: &str, outcome: Outcome) -> ArchiveEntry {
        ArchiveEntry {
            ts,
            user: user.into(),
            goal: format!("goal of {user}"),
            outcome,
            summary: "Done.".into(),
        }
    }

    #[test]
    fn the_newest_matching_runs_come_first() {
        let folder = tempfile::tempdir().unwrap();
        let archive = Archive::new(folder.path().join("archive.jsonl"));
        assert_eq!(archive.query(&ArchiveQuery::default()).unwrap(), ArchiveAnswer::default());
        let runs = [
            entry(1, "open a Channel", Outcome::Ok),
            entry(2, "pay it", Outcome::Failed),
            entry(3, "pay it", Outcome::Ok),
            entry(4, "close the channel", Outcome::Partial),
        ];
        runs.iter().for_each(|run| archive.append(run).unwrap());

        let found = |last_n, query: &str, outcome| {
            let query = ArchiveQuery { last_n, query: Some(query.into()), outcome };
            let answer = archive.query(&query).unwrap();
            (answer.entries.iter().map(|entry| entry.ts).collect::<Vec<_>>(), answer.total)
        };

        assert_eq!(found(5, " ", None), (vec![4, 3, 2, 1], 4));
        assert_eq!(found(2, "", None), (vec![4, 3], 4));
        assert_eq!(found(5, "CHANNEL", None), (vec![4, 1], 2));
        assert_eq!(found(5, "goal of pay", Some(Outcome::Ok)), (vec![3], 1));
        assert_eq!(found(0, "pay", None), (vec![], 2));
        assert_eq!(
            fs::read_to_string(folder.path().join("archive.jsonl")).unwrap().lines().next().unwrap(),
            r#"{"ts":1,"user":"open a Channel","goal":"goal of open a Channel","outcome":"ok","summary":"Done."}"#,
        );
    }

    #[test]
    fn the_same_run_twice_is_two_entries() {
        let folder = tempfile::tempdir().unwrap();
        let archive = Archive::new(folder.path().join("archive.jsonl"));
        archive.append(&entry(1, "pay it", Outcome::Ok)).unwrap();
        archive.append(&entry(1, "pay it", Outcome::Ok)).unwrap();
        assert_eq!(archive.query(&ArchiveQuery::default()).unwrap().total, 2);
    }

    #[test]
    fn malformed_and_torn_lines_are_counted_and_cost_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("archive.jsonl");
        fs::write(&path, b"not json\n\n{\"ts\":1}\n\xff\n{\"ts\":9,\"user\":\"to").unwrap();
        let archive = Archive::new(&path);

        archive.append(&entry(2, "pay it", Outcome::Unknown)).unwrap();

        let answer = archive.query(&ArchiveQuery::default()).unwrap();
        let entries = vec![entry(2, "pay it", Outcome::Unknown)];
        assert_eq!(answer, ArchiveAnswer { entries, total: 1, skipped: 4 });
    }
}
