use std::rc::Rc;

use bitcoin::ScriptBuf;
use bitcoin::hashes::{Hash, HashEngine, sha256};
use lightning::ln::script::ShutdownScript;
use lightning::sign::{InMemorySigner, KeysManager, SignerProvider};

/// The time that LDK mixes into its key derivation; fixed, so that keys depend on the seed alone.
const KEY_TIME_SECS: u64 = 1_700_000_000;

/// The secret of one node, derived from the network's seed and the node's number.
#[derive(Clone, Copy)]
pub(crate) struct NodeSeed([u8; 32]);

impl std::fmt::Debug for NodeSeed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("NodeSeed(..)")
    }
}

impl NodeSeed {
    /// The seed of this node; `life` tells a node from an earlier, deleted one of the same number.
    pub(crate) fn derive(network: &[u8; 32], number: u16, life: u32) -> Self {
        let mut engine = sha256::Hash::engine();
        engine.input(b"ln-agent playground node");
        engine.input(network);
        engine.input(&number.to_be_bytes());
        engine.input(&life.to_be_bytes());
        Self(sha256::Hash::from_engine(engine).to_byte_array())
    }

    /// 32 bytes for one purpose.
    pub(crate) fn child(&self, purpose: &str, index: u32) -> [u8; 32] {
        let mut engine = sha256::Hash::engine();
        engine.input(purpose.as_bytes());
        engine.input(&self.0);
        engine.input(&index.to_be_bytes());
        sha256::Hash::from_engine(engine).to_byte_array()
    }

    /// LDK's keys. `starts` counts the node's starts, so that no two lives draw the same "random" bytes.
    pub(super) fn keys(&self, starts: u32) -> KeysManager {
        KeysManager::new(&self.0, KEY_TIME_SECS, starts, true)
    }
}

/// LDK's channel keys, with closed channels paying straight to the node's own wallet.
pub(crate) struct Signers {
    keys: Rc<KeysManager>,
    home: ScriptBuf,
}

impl std::fmt::Debug for Signers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Signers").field("home", &self.home).finish_non_exhaustive()
    }
}

impl Signers {
    pub(super) fn new(keys: Rc<KeysManager>, home: ScriptBuf) -> Self {
        Self { keys, home }
    }
}

impl SignerProvider for Signers {
    type EcdsaSigner = InMemorySigner;

    fn generate_channel_keys_id(&self, inbound: bool, user_channel_id: u128) -> [u8; 32] {
        self.keys.generate_channel_keys_id(inbound, user_channel_id)
    }

    fn derive_channel_signer(&self, channel_keys_id: [u8; 32]) -> InMemorySigner {
        self.keys.derive_channel_signer(channel_keys_id)
    }

    fn get_destination_script(&self, _channel_keys_id: [u8; 32]) -> Result<ScriptBuf, ()> {
        Ok(self.home.clone())
    }

    fn get_shutdown_scriptpubkey(&self) -> Result<ShutdownScript, ()> {
        ShutdownScript::try_from(self.home.clone()).map_err(|_| ())
    }
}
