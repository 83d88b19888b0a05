use ln_agent_mcp::playground::chain::Chain;
use ln_agent_mcp::playground::store::Store;
use serde_json::{Value, json};

use super::lab::Lab;

/// A life with everything that is kept: blocks, a stale one, pending payments, labels, notes, wallet states.
fn live(lab: &mut Lab) {
    let to = lab.address("alice", "bech32m");
    lab.send(&to, "1");
    let block = lab.mine(2)[1].clone();
    lab.ask("invalidateblock", json!([block]));
    lab.of(Some("miner"), "sendtoaddress", json!([to, "0.5", "rent", "landlord"]));
    lab.mine(1);
    lab.send(&to, "0.25");
    lab.send(&to, "0.75");
    lab.ask("createwallet", json!(["third"]));
    lab.ask("unloadwallet", json!(["third"]));
}

fn look(lab: &mut Lab) -> Vec<String> {
    let (alice, miner) = (Some("alice"), Some("miner"));
    let questions: [(Option<&str>, &str, Value); 10] = [
        (None, "getblockchaininfo", json!([])),
        (None, "getchaintips", json!([])),
        (None, "getrawmempool", json!([true])),
        (None, "listwallets", json!([])),
        (None, "listwalletdir", json!([])),
        (alice, "listtransactions", json!(["*", 1000])),
        (miner, "listtransactions", json!(["*", 1000])),
        (alice, "listunspent", json!([0])),
        (miner, "getwalletinfo", json!([])),
        (alice, "getnewaddress", json!([])),
    ];
    questions.map(|(wallet, method, params)| lab.text(wallet, method, params).unwrap()).to_vec()
}

#[test]
fn a_reopened_network_answers_as_before() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path()).unwrap();
    let mut lab = Lab::furnished();
    live(&mut lab);
    lab.save(&store);
    drop(store);
    let store = Store::open(dir.path()).unwrap();

    let again = look(&mut Lab::open(&store));

    assert_eq!(again, look(&mut lab));
}

#[test]
fn saving_after_every_command_or_at_the_end_gives_the_same_network() {
    let (often, once) = (Store::in_memory().unwrap(), Store::in_memory().unwrap());
    let mut lab = Lab::furnished();
    lab.save(&often);
    let to = lab.address("alice", "bech32");
    for _ in 0..4 {
        lab.send(&to, "0.1");
        lab.save(&often);
        lab.mine(1);
        lab.save(&often);
    }
    let tip = lab.ask("getbestblockhash", json!([]));
    lab.ask("invalidateblock", json!([tip]));
    lab.save(&often);
    let mut whole = Lab::furnished();
    let to = whole.address("alice", "bech32");
    for _ in 0..4 {
        whole.send(&to, "0.1");
        whole.mine(1);
    }
    whole.ask("invalidateblock", json!([tip]));
    whole.save(&once);

    assert_eq!(look(&mut Lab::open(&often)), look(&mut Lab::open(&once)));
}

#[test]
fn a_read_stages_nothing() {
    let store = Store::in_memory().unwrap();
    let mut lab = Lab::furnished();
    lab.save(&store);
    for method in ["getblockchaininfo", "listwallets", "getrawmempool", "getmininginfo", "help"] {
        lab.ask(method, json!([]));
    }
    lab.of(Some("miner"), "listtransactions", json!([]));
    lab.chain.stage(&store);
    lab.wallets.stage(&store);

    assert!(!store.is_dirty());
}

#[test]
fn the_same_calls_give_the_same_bytes() {
    let run = || {
        let mut lab = Lab::furnished();
        live(&mut lab);
        look(&mut lab);
        lab.transcript
    };

    assert_eq!(run(), run());
}

#[test]
fn a_damaged_block_is_told_and_not_believed() {
    let store = Store::in_memory().unwrap();
    let mut lab = Lab::furnished();
    lab.save(&store);
    let (key, mut block) = store.scan("chain.blocks", b"").unwrap().remove(5);
    *block.last_mut().unwrap() ^= 1;
    store.put("chain.blocks", &key, block);

    let error = Chain::load(&store).unwrap_err();

    let words =
        "the network's state is damaged (a block is not what its hash says); `reset` starts a new one";
    assert_eq!(error.to_string(), words);
}
