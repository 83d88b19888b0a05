//! The breakers of all keys in one file, so that one process knows what the one before ran into.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use super::GuardKey;

/// What is kept of a breaker.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub(super) struct Saved {
    pub(super) failures: u32,
    pub(super) open_until_ms: Option<u64>,
    /// Without secrets.
    pub(super) last_failure: String,
}

/// The file, and what it held when it was last read.
#[derive(Debug)]
pub(super) struct BreakerFile {
    path: PathBuf,
    known: Mutex<BTreeMap<GuardKey, Saved>>,
}

#[derive(Debug, Deserialize, Serialize)]
struct Content {
    format: String,
    breakers: Vec<Entry>,
}

#[derive(Debug, Deserialize, Serialize)]
struct Entry {
    #[serde(flatten)]
    key: GuardKey,
    #[serde(flatten)]
    saved: Saved,
}

impl BreakerFile {
    pub(super) fn open(path: PathBuf) -> Self {
        let known = Mutex::new(read_or_empty(&path));
        Self { path, known }
    }

    pub(super) fn known(&self) -> BTreeMap<GuardKey, Saved> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Writes the state of one key and leaves those of the others, which other processes may have changed since.
    ///
    /// The state is asked for under the lock, so that of two callers the later one never writes the older state. Two
    /// processes that save in the same instant may lose one failure of the count, which only costs one call more.
    pub(super) fn save(&self, key: &GuardKey, state: impl FnOnce() -> Saved) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        *known = read_or_empty(&self.path);
        known.insert(key.clone(), state());
        if let Err(error) = write(&self.path, &known) {
            tracing::warn!(path = %self.path.display(), %error, "the state of the model guards is not saved");
        }
    }
}

/// A file that cannot be used is replaced with the next change. The first run has none, which is no news.
fn read_or_empty(path: &Path) -> BTreeMap<GuardKey, Saved> {
    match read(path) {
        Ok(known) => known,
        Err(error) if error.kind() == io::ErrorKind::NotFound => BTreeMap::new(),
        Err(error) => {
            tracing::warn!(path = %path.display(), %error, "the state of the model guards is not usable: starting anew");
            BTreeMap::new()
        }
    }
}

fn read(path: &Path) -> io::Result<BTreeMap<GuardKey, Saved>> {
    let content: Content = serde_json::from_slice(&std::fs::read(path)?)?;
    if content.format != FORMAT {
        return Err(io::Error::new(io::ErrorKind::InvalidData, format!("format `{}`", content.format)));
    }
    Ok(content.breakers.into_iter().map(|entry| (entry.key, entry.saved)).collect())
}

/// After a crash the file has the old content or the new one, never a part.
fn write(path: &Path, known: &BTreeMap<GuardKey, Saved>) -> io::Result<()> {
    let breakers =
        known.iter().map(|(key, saved)| Entry { key: key.clone(), saved: saved.clone() }).collect();
    let mut text = serde_json::to_vec_pretty(&Content { format: FORMAT.to_owned(), breakers })?;
    text.push(b'\n');
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder)?;
    }
    let mut beside = path.as_os_str().to_owned();
    // Two processes must not write into the same file beside it; the seed of a hash table differs in each.
    beside.push(format!(".{:016x}.new", RandomState::new().build_hasher().finish()));
    let written = create_private(Path::new(&beside))
        .and_then(|mut file| file.write_all(&text).and_then(|()| file.sync_all()))
        .and_then(|()| std::fs::rename(&beside, path));
    if written.is_err() {
        // The first error is the one to tell; a second one leaves a small file behind.
        let _ = std::fs::remove_file(&beside);
    }
    written
}

fn create_private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

const FORMAT: &str = "ln-agent guards 1";

#[cfg(test)]
mod tests {
    use super::*;

    fn saved(failures: u32) -> Saved {
        Saved { failures, open_until_ms: Some(5), last_failure: "p: overloaded".into() }
    }

    #[test]
    fn what_is_saved_is_known_to_the_next_process() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("new folder/guards.json");
        let [one, two] = ["one", "two"].map(|model| GuardKey::new("p", model, ""));
        BreakerFile::open(path.clone()).save(&one, || saved(1));

        // Two processes that do not know of each other's keys.
        let (a, b) = (BreakerFile::open(path.clone()), BreakerFile::open(path.clone()));
        a.save(&one, || saved(2));
        b.save(&two, || saved(3));

        assert_eq!(BreakerFile::open(path).known(), BTreeMap::from([(one, saved(2)), (two, saved(3))]));
        assert_eq!(std::fs::read_dir(dir.path().join("new folder")).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn only_the_owner_may_read_it() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("guards.json");
        BreakerFile::open(path.clone()).save(&GuardKey::new("p", "m", ""), || saved(1));

        assert_eq!(std::fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn a_file_that_is_not_ours_counts_as_empty_and_is_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("guards.json");
        let key = GuardKey::new("p", "m", "");
        for foreign in [
            "",
            "{",
            "[]",
            r#"{"format": "something else", "breakers": []}"#,
            r#"{"format": "ln-agent guards 1", "breakers": [{"provider": "p", "failures": -1}]}"#,
            "\u{0}\u{1}binary",
        ] {
            std::fs::write(&path, foreign).unwrap();
            let file = BreakerFile::open(path.clone());
            assert_eq!(file.known(), BTreeMap::new(), "{foreign}");
            file.save(&key, || saved(1));
            assert_eq!(BreakerFile::open(path.clone()).known(), BTreeMap::from([(key.clone(), saved(1))]));
        }
    }

    #[test]
    fn a_place_where_nothing_can_be_written_is_no_error_of_the_call() {
        let dir = tempfile::tempdir().unwrap();
        let in_the_way = dir.path().join("file");
        std::fs::write(&in_the_way, "x").unwrap();
        let key = GuardKey::new("p", "m", "");
        let file = BreakerFile::open(in_the_way.join("guards.json"));

        file.save(&key, || saved(1));

        assert_eq!(file.known(), BTreeMap::from([(key, saved(1))]));
        assert_eq!(std::fs::read_to_string(in_the_way).unwrap(), "x");
    }
}
