//! The bitcoind tools against a real bitcoind, where `BITCOIND_EXE` names one.

#![expect(clippy::unwrap_used, clippy::panic, reason = "helpers of a test, which fails where they do")]

use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use ln_agent_core::tool::{Registry, ToolError};
use ln_agent_mcp::node::{Nodes, NodesConfig};
use ln_agent_mcp::tools::registry;
use serde_json::{Value, json};

/// The process, which ends with this value.
struct Daemon(Child);

impl Daemon {
    fn start(exe: &str, dir: &Path, port: u16) -> Self {
        let child = Command::new(exe)
            .args(["-regtest", "-server", "-listen=0", "-dnsseed=0", "-addresstype=bech32"])
            .arg(format!("-datadir={}", dir.display()))
            .arg(format!("-rpcport={port}"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        Self(child)
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

async fn call(tools: &Registry, name: &str, args: Value) -> Result<Value, ToolError> {
    tools.get(name).unwrap().call(args.as_object().unwrap().clone()).await
}

/// Until the socket listens there is nobody who could be waited for.
async fn until_it_answers(tools: &Registry) -> Value {
    for _ in 0..600 {
        match call(tools, "btc_getblockchaininfo", json!({})).await {
            Ok(info) => return info,
            Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
        }
    }
    panic!("bitcoind did not answer within 30 s");
}

#[tokio::test]
async fn wallets_blocks_and_money_work_and_survive_a_restart_with_a_new_cookie() {
    let Ok(exe) = std::env::var("BITCOIND_EXE") else {
        let required = std::env::var("LN_AGENT_REQUIRE").unwrap_or_default();
        assert!(!required.contains("bitcoind"), "BITCOIND_EXE is not set");
        println!("skipped: BITCOIND_EXE is not set");
        return;
    };
    let dir = tempfile::tempdir().unwrap();
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let config = NodesConfig { bitcoin_rpc_port: port, ..NodesConfig::at(dir.path()) };
    std::fs::create_dir_all(&config.bitcoin_dir).unwrap();
    let daemon = Daemon::start(&exe, &config.bitcoin_dir, port);
    let tools = registry(&Nodes::new(config.clone()));
    assert_eq!(until_it_answers(&tools).await["chain"], "regtest");

    let missing = call(&tools, "btc_getbalance", json!({})).await.unwrap_err();
    assert_eq!(missing.message, "wallet `shared-wallet` does not exist: create it with btc_wallet_ensure");
    for created in [true, false] {
        let ensured =
            call(&tools, "btc_wallet_ensure", json!({ "wallet_name": "shared-wallet" })).await.unwrap();
        assert_eq!(ensured, json!({ "wallet": "shared-wallet", "ensured": true, "created": created }));
    }
    let address = call(&tools, "btc_getnewaddress", json!({})).await.unwrap();
    assert!(address.as_str().unwrap().starts_with("bcrt1p"), "{address}");
    let mined =
        call(&tools, "btc_generatetoaddress", json!({ "blocks": 101, "address": address })).await.unwrap();
    assert_eq!(mined.as_array().unwrap().len(), 101);
    assert_eq!(call(&tools, "btc_getbalance", json!({})).await.unwrap(), json!(50.0));
    assert_eq!(call(&tools, "btc_estimatefee", json!({})).await.unwrap()["feerate"], -1);

    // No fallback fee is configured, so this takes the regtest way round.
    let send = json!({ "address": address, "amount_btc": "0.12345678" });
    let txid = call(&tools, "btc_sendtoaddress", send).await.unwrap();
    assert_eq!(call(&tools, "btc_getmempoolinfo", json!({})).await.unwrap()["size"], 1);
    let sent = call(&tools, "btc_gettransaction", json!({ "txid": txid })).await.unwrap();
    assert_eq!(sent["details"][1]["amount"], json!(0.12345678));
    let too_much = json!({ "address": address, "amount_btc": "1000" });
    assert_eq!(call(&tools, "btc_sendtoaddress", too_much).await.unwrap_err().code, Some(-6));
    let stop = Nodes::new(config.clone());
    stop.bitcoind("stop", json!([]), None, ln_agent_core::tool::Effect::Write).await.unwrap();
    let mut daemon = daemon;
    daemon.0.wait().unwrap();

    let _daemon = Daemon::start(&exe, &config.bitcoin_dir, port);
    until_it_answers(&tools).await;
    let listed = call(&tools, "btc_listtransactions", json!({ "count": 1 })).await.unwrap();
    assert_eq!(listed[0]["txid"], txid);
    let health = call(&tools, "network_health", json!({})).await.unwrap();
    assert_eq!(health["summary"], json!({ "bitcoin_ok": true, "nodes_total": 2, "nodes_running": 0 }));
}
