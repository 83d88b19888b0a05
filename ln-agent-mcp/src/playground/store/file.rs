use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::ops::Bound;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use redb::backends::InMemoryBackend;
use redb::{Database, DatabaseError, ReadableDatabase, TableDefinition, TableError, TableHandle};

use super::StoreError;

/// Name of the one file that holds a network's state.
const FILE: &str = "state.redb";
/// Name of the file that tells others who holds the state open.
const OWNER: &str = "state.pid";
/// The state is small; a larger page cache would only cost memory.
const CACHE_BYTES: usize = 8 * 1024 * 1024;

/// A changed key: its table, its bytes. `None` as its value means that it is to be removed.
type Staged = BTreeMap<(String, Vec<u8>), Option<Vec<u8>>>;

/// Keys with their values, in order of the keys.
pub type Pairs = Vec<(Vec<u8>, Vec<u8>)>;

/// Named tables of bytes to bytes, ordered by key, in one file.
///
/// Reads see staged changes. All methods take `&self`, so that a node's persistence hooks can share it.
///
/// # Examples
///
/// ```
/// use ln_agent_mcp::playground::store::Store;
///
/// let store = Store::in_memory()?;
/// store.put("invoice", b"label-1", b"paid".to_vec());
/// store.commit()?;
/// assert_eq!(store.get("invoice", b"label-1")?, Some(b"paid".to_vec()));
/// # Ok::<(), ln_agent_mcp::playground::store::StoreError>(())
/// ```
#[derive(Debug)]
pub struct Store {
    database: Database,
    staged: Mutex<Staged>,
}

impl Store {
    /// Opens the state kept in `dir`, making the directory (readable by its owner only) where it is missing.
    ///
    /// # Errors
    ///
    /// [`StoreError::InUse`] if another process has it open, [`StoreError::Open`] if it cannot be made or read.
    pub fn open(dir: &Path) -> Result<Self, StoreError> {
        make_private(dir).map_err(|error| cannot_open(dir, error))?;
        let database =
            Database::builder().set_cache_size(CACHE_BYTES).create(dir.join(FILE)).map_err(|error| {
                match error {
                    DatabaseError::DatabaseAlreadyOpen => in_use(dir),
                    other => cannot_open(dir, other),
                }
            })?;
        fs::write(dir.join(OWNER), std::process::id().to_string())
            .map_err(|error| cannot_open(dir, error))?;
        Ok(Self::over(database))
    }

    /// Whether a process has the state in `dir` open: it serves it, is about to, or is ending.
    ///
    /// # Errors
    ///
    /// The system's error if the file cannot be looked at; a missing one is held by nobody.
    pub fn is_held(dir: &Path) -> io::Result<bool> {
        match fs::File::open(dir.join(FILE)) {
            Ok(file) => match file.try_lock_shared() {
                Ok(()) => Ok(false),
                Err(fs::TryLockError::WouldBlock) => Ok(true),
                Err(fs::TryLockError::Error(error)) => Err(error),
            },
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// An empty state that lives as long as the value; for tests and for throw-away networks.
    ///
    /// # Errors
    ///
    /// [`StoreError::Open`] if the database engine refuses its own memory.
    pub fn in_memory() -> Result<Self, StoreError> {
        let database = Database::builder()
            .set_cache_size(CACHE_BYTES)
            .create_with_backend(InMemoryBackend::new())
            .map_err(|error| cannot_open(Path::new("memory"), error))?;
        Ok(Self::over(database))
    }

    fn over(database: Database) -> Self {
        Self { database, staged: Mutex::default() }
    }

    /// Stages a value; it replaces what the key held.
    pub fn put(&self, table: &str, key: &[u8], value: Vec<u8>) {
        self.staged().insert((table.to_owned(), key.to_owned()), Some(value));
    }

    /// Stages the removal of a key; an absent key is no error.
    pub fn delete(&self, table: &str, key: &[u8]) {
        self.staged().insert((table.to_owned(), key.to_owned()), None);
    }

    /// Stages the removal of every key of every table.
    ///
    /// # Errors
    ///
    /// [`StoreError::Read`] if the file cannot be read.
    pub fn clear(&self) -> Result<(), StoreError> {
        self.discard();
        let transaction = self.database.begin_read().map_err(StoreError::read)?;
        for table in transaction.list_tables().map_err(StoreError::read)? {
            for (key, _) in self.scan(table.name(), b"")? {
                self.delete(table.name(), &key);
            }
        }
        Ok(())
    }

    /// Whether changes are staged that no commit has made durable.
    #[must_use]
    pub fn is_dirty(&self) -> bool {
        !self.staged().is_empty()
    }

    /// Makes all staged changes durable in one transaction; with nothing staged it touches no disk.
    ///
    /// # Errors
    ///
    /// [`StoreError::Commit`]: nothing was kept, the changes stay staged, and the state in memory is now ahead
    /// of the disk. The caller must not acknowledge the command, and has to restart from the last commit.
    pub fn commit(&self) -> Result<(), StoreError> {
        let mut staged = self.staged();
        if staged.is_empty() {
            return Ok(());
        }
        let transaction = self.database.begin_write().map_err(StoreError::commit)?;
        for ((name, key), value) in staged.iter() {
            let mut table = transaction.open_table(definition(name)).map_err(StoreError::commit)?;
            match value {
                Some(value) => table.insert(key.as_slice(), value.as_slice()).map_err(StoreError::commit)?,
                None => table.remove(key.as_slice()).map_err(StoreError::commit)?,
            };
        }
        transaction.commit().map_err(StoreError::commit)?;
        staged.clear();
        Ok(())
    }

    /// Forgets what is staged, as if the command had never run.
    pub fn discard(&self) {
        self.staged().clear();
    }

    /// The value of a key, staged or durable.
    ///
    /// # Errors
    ///
    /// [`StoreError::Read`] if the file cannot be read.
    pub fn get(&self, table: &str, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        if let Some(staged) = self.staged().get(&(table.to_owned(), key.to_owned())) {
            return Ok(staged.clone());
        }
        let transaction = self.database.begin_read().map_err(StoreError::read)?;
        match transaction.open_table(definition(table)) {
            Ok(table) => Ok(table.get(key).map_err(StoreError::read)?.map(|value| value.value().to_vec())),
            Err(TableError::TableDoesNotExist(_)) => Ok(None),
            Err(error) => Err(StoreError::read(error)),
        }
    }

    /// All pairs of a table whose key starts with `prefix`, in key order; an empty prefix means all.
    ///
    /// # Errors
    ///
    /// [`StoreError::Read`] if the file cannot be read.
    pub fn scan(&self, table: &str, prefix: &[u8]) -> Result<Pairs, StoreError> {
        let mut found = self.durable(table, prefix)?;
        let from = Bound::Included((table.to_owned(), prefix.to_owned()));
        for ((_, key), value) in self
            .staged()
            .range((from, Bound::Unbounded))
            .take_while(|((name, key), _)| name == table && key.starts_with(prefix))
        {
            match value {
                Some(value) => found.insert(key.clone(), value.clone()),
                None => found.remove(key),
            };
        }
        Ok(found.into_iter().collect())
    }

    fn durable(&self, table: &str, prefix: &[u8]) -> Result<BTreeMap<Vec<u8>, Vec<u8>>, StoreError> {
        let transaction = self.database.begin_read().map_err(StoreError::read)?;
        let table = match transaction.open_table(definition(table)) {
            Ok(table) => table,
            Err(TableError::TableDoesNotExist(_)) => return Ok(BTreeMap::new()),
            Err(error) => return Err(StoreError::read(error)),
        };
        let mut found = BTreeMap::new();
        for pair in table.range(prefix..).map_err(StoreError::read)? {
            let (key, value) = pair.map_err(StoreError::read)?;
            if !key.value().starts_with(prefix) {
                break;
            }
            found.insert(key.value().to_vec(), value.value().to_vec());
        }
        Ok(found)
    }

    /// A thread that panicked between two map operations leaves the map whole, so poison is no reason to stop.
    fn staged(&self) -> MutexGuard<'_, Staged> {
        self.staged.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn definition(name: &str) -> TableDefinition<'_, &'static [u8], &'static [u8]> {
    TableDefinition::new(name)
}

fn make_private(dir: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(dir)
}

fn cannot_open(dir: &Path, error: impl Into<redb::Error>) -> StoreError {
    StoreError::Open { dir: PathBuf::from(dir), source: Box::new(error.into()) }
}

fn in_use(dir: &Path) -> StoreError {
    let owner = match fs::read_to_string(dir.join(OWNER)) {
        Ok(pid) => format!("pid {}", pid.trim()),
        Err(_) => "another process".to_owned(),
    };
    StoreError::InUse { dir: PathBuf::from(dir), owner }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_committed_is_there_after_reopening_and_what_was_only_staged_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).unwrap();
        store.put("wallet", b"a", b"1".to_vec());
        store.commit().unwrap();
        store.put("wallet", b"b", b"2".to_vec());
        drop(store);

        let store = Store::open(dir.path()).unwrap();

        assert_eq!(store.scan("wallet", b"").unwrap(), [(b"a".to_vec(), b"1".to_vec())]);
    }

    #[test]
    fn reads_see_staged_values_and_staged_removals() {
        let store = Store::in_memory().unwrap();
        for key in ["node/1", "node/2", "other"] {
            store.put("t", key.as_bytes(), key.as_bytes().to_vec());
        }
        store.commit().unwrap();
        store.delete("t", b"node/1");
        store.put("t", b"node/3", b"new".to_vec());
        store.put("u", b"node/9", b"another table".to_vec());

        let seen = store.scan("t", b"node/").unwrap();

        assert_eq!(seen, [(b"node/2".to_vec(), b"node/2".to_vec()), (b"node/3".to_vec(), b"new".to_vec())]);
        assert_eq!(store.get("t", b"node/1").unwrap(), None);
    }

    #[test]
    fn a_read_leaves_nothing_to_commit() {
        let store = Store::in_memory().unwrap();

        store.scan("t", b"").unwrap();

        assert!(!store.is_dirty());
    }

    #[test]
    fn a_second_opener_is_told_who_holds_the_directory() {
        let dir = tempfile::tempdir().unwrap();
        assert!(!Store::is_held(dir.path()).unwrap());
        let held = Store::open(dir.path()).unwrap();

        assert!(Store::is_held(dir.path()).unwrap());
        let error = Store::open(dir.path()).unwrap_err();
        drop(held);
        assert!(!Store::is_held(dir.path()).unwrap());

        let expected = format!(
            "{} is already in use by pid {}; stop that network first, or choose another directory",
            dir.path().display(),
            std::process::id()
        );
        assert_eq!(error.to_string(), expected);
    }

    #[test]
    fn a_process_killed_after_a_commit_loses_nothing_of_it() {
        let (alive, killed) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let store = Store::open(alive.path()).unwrap();
        store.put("t", b"first", b"kept".to_vec());
        store.commit().unwrap();
        store.put("t", b"second", b"never acknowledged".to_vec());
        // What a kill leaves behind: the file as it is now, without a clean close.
        fs::copy(alive.path().join(FILE), killed.path().join(FILE)).unwrap();

        let found = Store::open(killed.path()).unwrap().scan("t", b"").unwrap();

        assert_eq!(found, [(b"first".to_vec(), b"kept".to_vec())]);
    }

    /// Memory that turns full at will.
    #[derive(Debug, Default)]
    struct SmallDisk {
        inner: InMemoryBackend,
        full: std::sync::Arc<std::sync::atomic::AtomicBool>,
    }

    impl redb::StorageBackend for SmallDisk {
        fn len(&self) -> Result<u64, io::Error> {
            self.inner.len()
        }

        fn read(&self, offset: u64, out: &mut [u8]) -> Result<(), io::Error> {
            self.inner.read(offset, out)
        }

        fn set_len(&self, len: u64) -> Result<(), io::Error> {
            self.inner.set_len(len)
        }

        fn sync_data(&self) -> Result<(), io::Error> {
            self.inner.sync_data()
        }

        fn write(&self, offset: u64, data: &[u8]) -> Result<(), io::Error> {
            if self.full.load(std::sync::atomic::Ordering::SeqCst) {
                return Err(io::ErrorKind::StorageFull.into());
            }
            self.inner.write(offset, data)
        }
    }

    #[test]
    fn a_full_disk_is_a_clear_error_and_keeps_the_changes_staged() {
        let disk = SmallDisk::default();
        let full = disk.full.clone();
        let store = Store::over(Database::builder().create_with_backend(disk).unwrap());
        full.store(true, std::sync::atomic::Ordering::SeqCst);
        store.put("t", b"k", vec![0; 1_000_000]);

        let error = store.commit().unwrap_err().to_string();

        assert!(error.starts_with("cannot save the network's state: "), "{error}");
        assert!(error.contains("no storage space"), "{error}");
        assert!(store.is_dirty());
    }

    #[test]
    fn a_directory_that_cannot_be_made_is_named() {
        let error = Store::open(Path::new("/proc/nowhere")).unwrap_err();

        assert!(
            error.to_string().starts_with("cannot open the network's state in /proc/nowhere: "),
            "{error}"
        );
    }
}
