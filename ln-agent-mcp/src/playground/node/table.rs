use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::playground::store::{Store, StoreError};

/// Rows numbered from 1, kept in memory and staged one by one as they change.
#[derive(Debug)]
pub(crate) struct Table<T> {
    rows: BTreeMap<u64, T>,
    changed: BTreeSet<u64>,
    last: u64,
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Self { rows: BTreeMap::new(), changed: BTreeSet::new(), last: 0 }
    }
}

impl<T: Serialize + DeserializeOwned> Table<T> {
    /// Reads the table back. `name` is the store's table, `key` the prefix of this node's rows.
    pub(super) fn load(store: &Store, name: &str, key: &[u8]) -> Result<Self, StoreError> {
        let mut table = Self::default();
        for (row_key, bytes) in store.scan(name, key)? {
            let damaged = || StoreError::Damaged(format!("a row of table {name}"));
            let number =
                row_key.get(key.len()..).and_then(|tail| tail.try_into().ok()).ok_or_else(damaged)?;
            let number = u64::from_be_bytes(number);
            let row = serde_json::from_slice(&bytes).map_err(|_| damaged())?;
            table.rows.insert(number, row);
            table.last = table.last.max(number);
        }
        Ok(table)
    }

    /// Stages what changed since the last call.
    pub(super) fn stage(&mut self, store: &Store, name: &str, key: &[u8]) {
        for number in std::mem::take(&mut self.changed) {
            let row_key = [key, &number.to_be_bytes()].concat();
            match self.rows.get(&number) {
                Some(row) => {
                    let bytes = serde_json::to_vec(row).expect("rows are plain data with string keys");
                    store.put(name, &row_key, bytes);
                }
                None => store.delete(name, &row_key),
            }
        }
    }

    /// Adds a row and gives its number.
    pub(crate) fn push(&mut self, row: T) -> u64 {
        self.last += 1;
        self.rows.insert(self.last, row);
        self.changed.insert(self.last);
        self.last
    }

    /// Removes a row.
    pub(crate) fn remove(&mut self, number: u64) -> Option<T> {
        self.changed.insert(number);
        self.rows.remove(&number)
    }

    /// The row of this number, to be changed.
    pub(crate) fn edit(&mut self, number: u64) -> Option<&mut T> {
        let row = self.rows.get_mut(&number)?;
        self.changed.insert(number);
        Some(row)
    }

    /// The row of this number.
    pub(crate) fn get(&self, number: u64) -> Option<&T> {
        self.rows.get(&number)
    }

    /// All rows, oldest first, each with its number.
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = (u64, &T)> {
        self.rows.iter().map(|(number, row)| (*number, row))
    }

    /// The first row that fits, with its number.
    pub(crate) fn find(&self, fits: impl Fn(&T) -> bool) -> Option<(u64, &T)> {
        self.iter().find(|(_, row)| fits(row))
    }

    /// How many rows there are.
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }
}
