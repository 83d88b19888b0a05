use ln_agent_mcp::playground::chain::subsidy;
use ln_agent_mcp::playground::store::Store;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::lab::Lab;

/// Something that happens to a network.
#[derive(Clone, Debug)]
enum Act {
    Mine(u32),
    Pay { from_miner: bool, sat: u64, sat_per_vb: u32, kind: usize },
    Bump { position: usize },
    Invalidate { depth: u32 },
    Reconsider,
    Reopen,
}

fn act() -> impl Strategy<Value = Act> {
    let pay = (any::<bool>(), 1_000u64..90_0000_0000, 1u32..40, 0usize..4)
        .prop_map(|(from_miner, sat, sat_per_vb, kind)| Act::Pay { from_miner, sat, sat_per_vb, kind });
    prop_oneof![
        3 => (1u32..4).prop_map(Act::Mine),
        6 => pay,
        1 => (0usize..4).prop_map(|position| Act::Bump { position }),
        1 => (0u32..5).prop_map(|depth| Act::Invalidate { depth }),
        1 => Just(Act::Reconsider),
        1 => Just(Act::Reopen),
    ]
}

/// A network on its store, with the block that was excluded last.
struct World {
    lab: Lab,
    store: Store,
    excluded: Option<Value>,
}

impl World {
    fn new() -> Self {
        Self { lab: Lab::furnished(), store: Store::in_memory().unwrap(), excluded: None }
    }

    fn perform(&mut self, act: &Act) {
        let lab = &mut self.lab;
        match *act {
            Act::Mine(blocks) => drop(lab.mine(blocks)),
            Act::Pay { from_miner, sat, sat_per_vb, kind } => {
                let (from, to) = if from_miner { ("miner", "alice") } else { ("alice", "miner") };
                let to = lab.address(to, ["legacy", "p2sh-segwit", "bech32", "bech32m"][kind]);
                let amount = format!("{}.{:08}", sat / 100_000_000, sat % 100_000_000);
                let payment = json!({"address": to, "amount": amount, "fee_rate": sat_per_vb});
                if let Err(error) = lab.text(Some(from), "sendtoaddress", payment) {
                    assert_eq!((error.code, error.message.as_str()), (-6, "Insufficient funds"));
                }
            }
            Act::Bump { position } => {
                let Some(txid) = lab.chain.mempool_txids().get(position).map(ToString::to_string) else {
                    return;
                };
                for wallet in ["alice", "miner"] {
                    // Whether it can be bumped depends on the history; that it breaks nothing is what counts.
                    let refusal = lab.text(Some(wallet), "bumpfee", json!([txid])).err();
                    assert!(refusal.is_none_or(|error| [-4, -5, -8].contains(&error.code)));
                }
            }
            Act::Invalidate { depth } => {
                let height = lab.chain.height().saturating_sub(depth).max(1);
                let hash = lab.ask("getblockhash", json!([height]));
                lab.ask("invalidateblock", json!([hash]));
                self.excluded = Some(hash);
            }
            Act::Reconsider => {
                if let Some(hash) = self.excluded.take() {
                    lab.ask("reconsiderblock", json!([hash]));
                }
            }
            Act::Reopen => {
                lab.save(&self.store);
                let before = view(lab);
                self.lab = Lab::open(&self.store);
                assert_eq!(view(&mut self.lab), before);
            }
        }
    }
}

fn view(lab: &mut Lab) -> Vec<String> {
    let asked = [
        (None, "getblockchaininfo"),
        (None, "getchaintips"),
        (None, "getrawmempool"),
        (Some("alice"), "listunspent"),
        (Some("alice"), "getbalances"),
        (Some("miner"), "getbalances"),
        (Some("miner"), "listtransactions"),
    ];
    asked.map(|(wallet, method)| lab.text(wallet, method, json!([])).unwrap()).to_vec()
}

/// No coin is made or lost but by subsidies, and the whole mempool fits the next block.
fn check(lab: &mut Lab) {
    let made: u64 = (1..=lab.chain.height()).map(|height| subsidy(height).to_sat()).sum();
    let there: u64 = lab.chain.utxos().map(|(_, coin)| coin.out.value.to_sat()).sum();
    assert_eq!(made, there);
    let txids: Vec<Value> = lab.chain.mempool_txids().iter().map(|txid| json!(txid.to_string())).collect();
    lab.ask("generateblock", json!(["bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080", txids]));
    assert!(lab.chain.mempool_txids().is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_history_conserves_money_and_survives_reopening(acts in proptest::collection::vec(act(), 1..25)) {
        let mut world = World::new();
        for act in &acts {
            world.perform(act);
        }
        world.perform(&Act::Reopen);
        check(&mut world.lab);
    }
}
