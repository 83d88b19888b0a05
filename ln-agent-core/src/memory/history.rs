//! The window of earlier exchanges: `history.jsonl`.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use super::error::MemoryError;
use super::jsonl::{self, Line};
use crate::types::{Exchange, Object, Turn};

/// The rolling window of a session's exchanges, in a file of [`Turn`]s: a prompt's line, then its answer's.
///
/// It holds no state of its own: the file is read each time, so processes that share it see each other's exchanges.
#[derive(Clone, Debug)]
pub struct History {
    path: PathBuf,
    max_pairs: usize,
}

/// What a history file holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Window {
    /// The last exchanges, oldest first.
    pub exchanges: Vec<Exchange>,
    /// Lines that were of no use: malformed, torn, or a prompt or answer without its other half.
    pub skipped: usize,
}

impl History {
    /// The history in this file, of at most `max_pairs` exchanges (`PIPELINE_HISTORY_MAX`, 4 by default; with 0
    /// nothing is remembered). The file is created by the first append.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>, max_pairs: usize) -> Self {
        Self { path: path.into(), max_pairs }
    }

    /// The last exchanges. No file is an empty window.
    ///
    /// # Errors
    ///
    /// [`MemoryError`] when the file is there and cannot be read.
    pub fn load(&self) -> Result<Window, MemoryError> {
        Ok(self.read().map_err(MemoryError::of("read", &self.path))?.0)
    }

    /// Appends an exchange and keeps the last ones; says whether it was new. The exact exchange that came last is
    /// not repeated, but belongs in the archive all the same.
    ///
    /// # Errors
    ///
    /// [`MemoryError`] when the file cannot be read or written.
    pub fn append(&self, exchange: &Exchange) -> Result<bool, MemoryError> {
        let appending = MemoryError::of("append to", &self.path);
        // Compaction replaces the file, so the lock is on a file that stays.
        let lock = match self.lock() {
            Ok(lock) => lock,
            Err(error) => return Err(appending(error)),
        };
        let (mut window, pairs) = self.read().map_err(MemoryError::of("read", &self.path))?;
        let same = |last: &Exchange| (&last.prompt, &last.answer) == (&exchange.prompt, &exchange.answer);
        if window.exchanges.last().is_some_and(same) {
            return Ok(false);
        }
        jsonl::render(&turns(exchange))
            .and_then(|lines| jsonl::append(&self.path, &lines))
            .map_err(appending)?;
        if pairs + 1 > self.max_pairs || window.skipped > 0 {
            window.exchanges.push(exchange.clone());
            let surplus = window.exchanges.len().saturating_sub(self.max_pairs);
            let kept = window.exchanges[surplus..].iter().flat_map(turns).collect::<Vec<_>>();
            jsonl::render(&kept)
                .and_then(|lines| jsonl::replace(&self.path, &lines))
                .map_err(MemoryError::of("compact", &self.path))?;
        }
        drop(lock);
        Ok(true)
    }

    fn lock(&self) -> io::Result<File> {
        if let Some(folder) = self.path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let file = File::create(lock_path(&self.path))?;
        file.lock()?;
        Ok(file)
    }

    /// The window, and how many exchanges the file holds.
    fn read(&self) -> io::Result<(Window, usize)> {
        let mut exchanges = Vec::new();
        let mut prompt: Option<String> = None;
        let mut skipped = 0;
        for line in jsonl::lines::<Turn>(&self.path)? {
            match (line?, prompt.take()) {
                (Line::Read(turn), lonely) if turn.role == "user" => {
                    skipped += usize::from(lonely.is_some());
                    prompt = Some(turn.content);
                }
                (Line::Read(turn), Some(prompt)) if turn.role == "assistant" => {
                    exchanges.push(Exchange { prompt, answer: turn.content, artefacts: turn.artefacts });
                }
                (_, lonely) => skipped += 1 + usize::from(lonely.is_some()),
            }
        }
        skipped += usize::from(prompt.is_some());
        let pairs = exchanges.len();
        let exchanges = exchanges.split_off(pairs.saturating_sub(self.max_pairs));
        Ok((Window { exchanges, skipped }, pairs))
    }
}

fn lock_path(path: &Path) -> PathBuf {
    let mut path = path.as_os_str().to_owned();
    path.push(".lock");
    path.into()
}

fn turns(exchange: &Exchange) -> [Turn; 2] {
    let turn = |role: &str, content: &str, artefacts: &Object| Turn {
        role: role.to_owned(),
        content: content.to_owned(),
        artefacts: artefacts.clone(),
    };
    [turn("user", &exchange.prompt, &Object::new()), turn("assistant", &exchange.answer, &exchange.artefacts)]
}

#[cfg(test)]
mod tests {
    use std::fs;

    use serde_json::json;

    use super::*;

    fn exchange(number: u32) -> Exchange {
        let artefacts = json!({ "bolt11": format!("lnbcrt{number}") }).as_object().unwrap().clone();
        Exchange { prompt: format!("prompt {number}"), answer: format!("answer {number}"), artefacts }
    }

    fn history(folder: &tempfile::TempDir, max_pairs: usize) -> History {
        History::new(folder.path().join("agent/history.jsonl"), max_pairs)
    }

    #[test]
    fn the_last_exchanges_are_kept_with_their_artefacts() {
        let folder = tempfile::tempdir().unwrap();
        let history = history(&folder, 2);
        assert_eq!(history.load().unwrap(), Window::default());

        for number in 1..=3 {
            assert!(history.append(&exchange(number)).unwrap());
        }

        assert_eq!(history.load().unwrap(), Window { exchanges: vec![exchange(2), exchange(3)], skipped: 0 });
        assert_eq!(
            fs::read_to_string(&history.path).unwrap().lines().next().unwrap(),
            r#"{"role":"user","content":"prompt 2"}"#,
        );
        assert_eq!(fs::read_to_string(&history.path).unwrap().lines().count(), 4);
    }

    #[test]
    fn the_same_exchange_twice_in_a_row_is_kept_once() {
        let folder = tempfile::tempdir().unwrap();
        let history = history(&folder, 4);
        let again = [1, 1, 2, 1].map(|number| history.append(&exchange(number)).unwrap());
        assert_eq!(again, [true, false, true, true]);
        assert_eq!(history.load().unwrap().exchanges, [exchange(1), exchange(2), exchange(1)]);
    }

    #[test]
    fn a_torn_line_costs_its_own_exchange_only() {
        let folder = tempfile::tempdir().unwrap();
        let history = history(&folder, 4);
        history.append(&exchange(1)).unwrap();
        let mut text = fs::read_to_string(&history.path).unwrap();
        text.push_str("{\"role\":\"user\",\"content\":\"torn\"}\n{\"role\":\"assist");
        fs::write(&history.path, text).unwrap();
        assert_eq!(history.load().unwrap(), Window { exchanges: vec![exchange(1)], skipped: 2 });

        history.append(&exchange(2)).unwrap();

        assert_eq!(history.load().unwrap(), Window { exchanges: vec![exchange(1), exchange(2)], skipped: 0 });
    }

    #[test]
    fn lines_that_are_no_turns_are_counted() {
        let folder = tempfile::tempdir().unwrap();
        let history = history(&folder, 4);
        fs::create_dir_all(history.path.parent().unwrap()).unwrap();
        let lines: [&[u8]; 6] = [
            b"{\"role\":\"assistant\",\"content\":\"lonely\"}",
            b"",
            b"{\"role\":\"system\",\"content\":\"x\"}",
            b"\xff\xfe",
            b"{\"role\":\"user\",\"content\":\"p\"}",
            b"{\"role\":\"assistant\",\"content\":\"a\"}",
        ];
        fs::write(&history.path, lines.join(&b'\n')).unwrap();
        let kept = Exchange { prompt: "p".into(), answer: "a".into(), artefacts: Object::new() };
        assert_eq!(history.load().unwrap(), Window { exchanges: vec![kept], skipped: 3 });
    }

    #[test]
    fn a_window_of_zero_remembers_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let history = history(&folder, 0);
        history.append(&exchange(1)).unwrap();
        assert_eq!(history.load().unwrap(), Window::default());
        assert_eq!(fs::read_to_string(&history.path).unwrap(), "");
    }

    #[test]
    fn exchanges_of_many_threads_are_all_whole() {
        let folder = tempfile::tempdir().unwrap();
        let history = history(&folder, 100);
        std::thread::scope(|scope| {
            for number in 0..20 {
                let history = &history;
                scope.spawn(move || history.append(&exchange(number)).unwrap());
            }
        });
        let window = history.load().unwrap();
        assert_eq!((window.exchanges.len(), window.skipped), (20, 0));
    }

    #[test]
    fn a_file_that_cannot_be_read_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let error = History::new(folder.path(), 4).load().unwrap_err();
        assert_eq!(error.to_string(), format!("cannot read {}", folder.path().display()));
    }
}
