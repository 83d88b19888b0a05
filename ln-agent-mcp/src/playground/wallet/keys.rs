use std::collections::BTreeMap;

use bitcoin::bip32::{ChildNumber, Xpriv, Xpub};
use bitcoin::hashes::{Hash, HashEngine, sha256};
use bitcoin::secp256k1::{All, Secp256k1, SecretKey};
use bitcoin::{Address, CompressedPublicKey, Network, ScriptBuf};

use super::{AddressKind, with_checksum};

const VALID: &str = "a hash is a valid key but for 1 in 2^127";

/// Where in a wallet a key stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Path {
    /// The kind of its address.
    pub kind: AddressKind,
    /// Whether the address takes change and was never shown to anyone.
    pub change: bool,
    /// Its number, from 0.
    pub index: u32,
}

impl Path {
    /// The path as bitcoind writes it, such as `m/84h/1h/0h/0/3`.
    #[must_use]
    pub fn hd(&self) -> String {
        format!("m/{}", self.tail())
    }

    fn tail(&self) -> String {
        format!("{}h/1h/0h/{}/{}", self.kind.purpose(), u8::from(self.change), self.index)
    }
}

/// An address of a wallet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owned {
    /// Where its key stands.
    pub path: Path,
    /// Its public key.
    pub pubkey: CompressedPublicKey,
    /// The address.
    pub address: Address,
}

impl Owned {
    /// The script that pays to it.
    #[must_use]
    pub fn script(&self) -> ScriptBuf {
        self.address.script_pubkey()
    }

    /// The script inside a P2SH address.
    #[must_use]
    pub fn redeem_script(&self) -> Option<ScriptBuf> {
        (self.path.kind == AddressKind::P2shSegwit)
            .then(|| ScriptBuf::new_p2wpkh(&self.pubkey.wpubkey_hash()))
    }
}

/// A wallet's keys: BIP32 below a master that follows from the network's seed and the wallet's name.
#[derive(Debug)]
pub(super) struct Keys {
    secp: Secp256k1<All>,
    fingerprint: String,
    /// One account of each kind, with its public key as text; deriving them anew for every answer would be slow.
    accounts: BTreeMap<AddressKind, (Xpriv, String)>,
}

impl Keys {
    pub(super) fn new(seed: &[u8; 32], wallet: &str) -> Self {
        let mut engine = sha256::Hash::engine();
        engine.input(b"ln-agent playground wallet");
        engine.input(seed);
        engine.input(wallet.as_bytes());
        let seed = sha256::Hash::from_engine(engine).to_byte_array();
        let master = Xpriv::new_master(Network::Regtest, &seed).expect(VALID);
        let secp = Secp256k1::new();
        let accounts = AddressKind::ALL.map(|kind| {
            let steps = [hardened(kind.purpose()), hardened(1), hardened(0)];
            let account = master.derive_priv(&secp, &steps).expect(VALID);
            (kind, (account, Xpub::from_priv(&secp, &account).to_string()))
        });
        Self { fingerprint: master.fingerprint(&secp).to_string(), accounts: BTreeMap::from(accounts), secp }
    }

    pub(super) fn secp(&self) -> &Secp256k1<All> {
        &self.secp
    }

    pub(super) fn owned(&self, path: Path) -> Owned {
        let pubkey = CompressedPublicKey(self.secret(path).public_key(&self.secp));
        Owned { path, pubkey, address: path.kind.address(&pubkey) }
    }

    pub(super) fn secret(&self, path: Path) -> SecretKey {
        let steps = [normal(u32::from(path.change)), normal(path.index)];
        let (account, _) = self.account(path.kind);
        account.derive_priv(&self.secp, &steps).expect(VALID).private_key
    }

    /// The key expression of one address, with its origin, inside its descriptor.
    pub(super) fn descriptor(&self, owned: &Owned) -> String {
        let origin = format!("[{}/{}]", self.fingerprint, owned.path.tail());
        let key = match owned.path.kind {
            AddressKind::Bech32m => owned.pubkey.0.x_only_public_key().0.to_string(),
            _ => owned.pubkey.to_string(),
        };
        with_checksum(&owned.path.kind.descriptor(&format!("{origin}{key}")))
    }

    /// The descriptor of all addresses of a kind, below the account's public key.
    pub(super) fn parent_descriptor(&self, path: Path) -> String {
        let (_, account) = self.account(path.kind);
        let origin = format!("[{}/{}h/1h/0h]", self.fingerprint, path.kind.purpose());
        with_checksum(&path.kind.descriptor(&format!("{origin}{account}/{}/*", u8::from(path.change))))
    }

    pub(super) fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    fn account(&self, kind: AddressKind) -> &(Xpriv, String) {
        self.accounts.get(&kind).expect("there is an account of every kind")
    }
}

fn hardened(index: u32) -> ChildNumber {
    ChildNumber::from_hardened_idx(index).expect("purposes are far below 2^31")
}

fn normal(index: u32) -> ChildNumber {
    ChildNumber::from_normal_idx(index).expect("a wallet gives out fewer than 2^31 addresses")
}
