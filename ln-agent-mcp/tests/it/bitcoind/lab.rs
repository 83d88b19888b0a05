use ln_agent_mcp::playground::bitcoind::{Node, dispatch};
use ln_agent_mcp::playground::chain::{Chain, Res};
use ln_agent_mcp::playground::store::Store;
use ln_agent_mcp::playground::wallet::Wallets;
use serde_json::{Value, json};

pub(crate) const SEED: [u8; 32] = [7; 32];

/// A chain with its wallets, asked as a client asks.
pub(crate) struct Lab {
    pub(crate) chain: Chain,
    pub(crate) wallets: Wallets,
    /// Every answer so far, as it would go over the wire.
    pub(crate) transcript: String,
}

impl Lab {
    pub(crate) fn new() -> Self {
        Self { chain: Chain::new(), wallets: Wallets::new(SEED), transcript: String::new() }
    }

    pub(crate) fn open(store: &Store) -> Self {
        let chain = Chain::load(store).unwrap();
        let wallets = Wallets::load(SEED, store).unwrap();
        Self { chain, wallets, transcript: String::new() }
    }

    pub(crate) fn save(&mut self, store: &Store) {
        self.chain.stage(store);
        self.wallets.stage(store);
        store.commit().unwrap();
    }

    pub(crate) fn text(&mut self, wallet: Option<&str>, method: &str, params: Value) -> Res<String> {
        let node = Node { chain: &mut self.chain, wallets: &mut self.wallets };
        let answer = dispatch(node, method, params, wallet).map(|answer| answer.to_text());
        self.transcript.push_str(&format!("{method} {answer:?}\n"));
        answer
    }

    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        self.of(None, method, params)
    }

    pub(crate) fn of(&mut self, wallet: Option<&str>, method: &str, params: Value) -> Value {
        let answer = self.text(wallet, method, params);
        serde_json::from_str(&answer.unwrap_or_else(|error| panic!("{method}: {error}"))).unwrap()
    }

    /// A miner of 103 blocks with four coins that can be spent, and alice's empty wallet.
    pub(crate) fn furnished() -> Self {
        let mut lab = Self::new();
        lab.ask("createwallet", json!(["miner"]));
        let rewards = lab.ask("getnewaddress", json!(["rewards"]));
        lab.ask("generatetoaddress", json!([103, rewards]));
        lab.ask("createwallet", json!(["alice"]));
        lab
    }

    pub(crate) fn address(&mut self, wallet: &str, kind: &str) -> String {
        let label = format!("lbl-{kind}");
        self.of(Some(wallet), "getnewaddress", json!([label, kind])).as_str().unwrap().to_owned()
    }

    pub(crate) fn send(&mut self, to: &str, amount: &str) -> String {
        self.of(Some("miner"), "sendtoaddress", json!([to, amount])).as_str().unwrap().to_owned()
    }

    pub(crate) fn mine(&mut self, blocks: u32) -> Value {
        let to = self.of(Some("miner"), "getnewaddress", json!([]));
        self.ask("generatetoaddress", json!([blocks, to]))
    }
}
