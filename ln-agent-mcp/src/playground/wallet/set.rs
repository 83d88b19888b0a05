use std::collections::BTreeMap;

use super::Wallet;
use super::record::Record;
use crate::playground::chain::{Res, RpcErr};
use crate::playground::store::{Store, StoreError};

/// By wallet name: its record as JSON.
const WALLETS: &str = "wallet.records";
/// Under one key: the names of the loaded wallets, in order of loading, as JSON.
const LOADED: &str = "wallet.loaded";
const LOADED_KEY: &[u8] = b"names";

/// All wallets of a network, and which of them are loaded.
///
/// # Examples
///
/// ```
/// use ln_agent_mcp::playground::wallet::{AddressKind, Wallets};
///
/// let mut wallets = Wallets::new([7; 32]);
/// wallets.create("alice", 0)?;
/// let address = wallets.select_mut(None)?.new_address(AddressKind::Bech32m, "");
/// assert!(address.to_string().starts_with("bcrt1p"));
/// # Ok::<(), ln_agent_mcp::playground::chain::RpcErr>(())
/// ```
#[derive(Debug)]
pub struct Wallets {
    seed: [u8; 32],
    all: BTreeMap<String, Wallet>,
    loaded: Vec<String>,
    loaded_changed: bool,
}

impl Wallets {
    /// No wallets yet, below this seed.
    #[must_use]
    pub fn new(seed: [u8; 32]) -> Self {
        Self { seed, all: BTreeMap::new(), loaded: Vec::new(), loaded_changed: false }
    }

    /// Reads the wallets that [`stage`](Self::stage) wrote.
    ///
    /// # Errors
    ///
    /// [`StoreError::Read`], or [`StoreError::Damaged`] if a record is not what this program writes.
    pub fn load(seed: [u8; 32], store: &Store) -> Result<Self, StoreError> {
        let mut wallets = Self::new(seed);
        for (name, record) in store.scan(WALLETS, b"")? {
            let name = String::from_utf8(name).map_err(|error| StoreError::Damaged(error.to_string()))?;
            let record: Record = decode(&record)?;
            let wallet = Wallet::restore(&seed, &name, record);
            wallets.all.insert(name, wallet);
        }
        if let Some(names) = store.get(LOADED, LOADED_KEY)? {
            wallets.loaded = decode(&names)?;
        }
        Ok(wallets)
    }

    /// Stages what changed since the last call; [`Store::commit`] makes it durable.
    pub fn stage(&mut self, store: &Store) {
        for (name, wallet) in self.all.iter_mut().filter(|(_, wallet)| wallet.changed) {
            store.put(WALLETS, name.as_bytes(), encode(&wallet.record));
            wallet.changed = false;
        }
        if std::mem::take(&mut self.loaded_changed) {
            store.put(LOADED, LOADED_KEY, encode(&self.loaded));
        }
    }

    /// Makes a wallet and loads it; `birth_secs` is the chain's clock.
    ///
    /// # Errors
    ///
    /// Code −4 if there is one of this name.
    pub fn create(&mut self, name: &str, birth_secs: u32) -> Res<()> {
        if self.all.contains_key(name) {
            let message = "Wallet file verification failed. Failed to create database path";
            return Err(RpcErr::new(-4, format!("{message} 'wallets/{name}'. Database already exists.")));
        }
        self.all.insert(name.to_owned(), Wallet::new(&self.seed, name, birth_secs));
        self.loaded.push(name.to_owned());
        self.loaded_changed = true;
        Ok(())
    }

    /// Loads a wallet that was unloaded.
    ///
    /// # Errors
    ///
    /// Code −35 if it is loaded, −18 if there is none of this name.
    pub fn open(&mut self, name: &str) -> Res<()> {
        if self.is_loaded(name) {
            return Err(RpcErr::new(-35, format!("Wallet \"{name}\" is already loaded.")));
        }
        if !self.all.contains_key(name) {
            let message = "Wallet file verification failed. Failed to load database path";
            return Err(RpcErr::new(-18, format!("{message} 'wallets/{name}'. Path does not exist.")));
        }
        self.loaded.push(name.to_owned());
        self.loaded_changed = true;
        Ok(())
    }

    /// Unloads a wallet; its file stays.
    ///
    /// # Errors
    ///
    /// Code −18 if it is not loaded.
    pub fn close(&mut self, name: &str) -> Res<()> {
        if !self.is_loaded(name) {
            return Err(not_loaded());
        }
        self.loaded.retain(|loaded| loaded != name);
        self.loaded_changed = true;
        Ok(())
    }

    fn is_loaded(&self, name: &str) -> bool {
        self.loaded.iter().any(|loaded| loaded == name)
    }

    /// Names of the loaded wallets, in order of loading.
    #[must_use]
    pub fn loaded(&self) -> &[String] {
        &self.loaded
    }

    /// Names of all wallets, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.all.keys().map(String::as_str)
    }

    /// The loaded wallet of this name; without a name, the only one that is loaded.
    ///
    /// # Errors
    ///
    /// Code −18 if it, or any, is not loaded; −19 if several are and none is named.
    pub fn select(&self, name: Option<&str>) -> Res<&Wallet> {
        let name = self.choose(name)?;
        self.all.get(name).ok_or_else(not_loaded)
    }

    /// As [`select`](Self::select), to change it.
    ///
    /// # Errors
    ///
    /// As [`select`](Self::select).
    pub fn select_mut(&mut self, name: Option<&str>) -> Res<&mut Wallet> {
        let name = self.choose(name)?.to_owned();
        self.all.get_mut(&name).ok_or_else(not_loaded)
    }

    fn choose<'a>(&'a self, name: Option<&'a str>) -> Res<&'a str> {
        match (name, self.loaded.as_slice()) {
            (Some(name), _) if self.is_loaded(name) => Ok(name),
            (Some(_), _) => Err(not_loaded()),
            (None, [only]) => Ok(only),
            (None, []) => Err(RpcErr::new(
                -18,
                "No wallet is loaded. Load a wallet using loadwallet or create a new one with createwallet. \
                 (Note: A default wallet is no longer automatically created)",
            )),
            (None, _) => Err(RpcErr::new(
                -19,
                "Multiple wallets are loaded. Please select which wallet to use by requesting the RPC through \
                 the /wallet/<walletname> URI path.",
            )),
        }
    }
}

fn not_loaded() -> RpcErr {
    RpcErr::new(-18, "Requested wallet does not exist or is not loaded")
}

fn encode(value: &impl serde::Serialize) -> Vec<u8> {
    serde_json::to_vec(value).expect("records have text keys and no floats")
}

fn decode<T: serde::de::DeserializeOwned>(bytes: &[u8]) -> Result<T, StoreError> {
    serde_json::from_slice(bytes).map_err(|error| StoreError::Damaged(error.to_string()))
}
