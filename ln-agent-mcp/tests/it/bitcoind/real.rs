use std::io::Write;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use super::lab::Lab;

/// A real bitcoind in a directory of its own, stopped with the value.
struct Real {
    child: Child,
    cli: PathBuf,
    flags: [String; 3],
}

impl Real {
    fn start(bin: &Path, dir: &Path) -> Self {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let flags =
            ["-regtest".to_owned(), format!("-datadir={}", dir.display()), format!("-rpcport={port}")];
        let child = Command::new(bin.join("bitcoind"))
            .args(&flags)
            .args(["-server", "-listen=0", "-dnsseed=0"])
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        Self { child, cli: bin.join("bitcoin-cli"), flags }
    }

    /// One call; the last argument goes over stdin, which has no limit of length.
    fn call(&self, method: &str, argument: Option<&str>) -> String {
        let mut child = Command::new(&self.cli)
            .args(&self.flags)
            .args(["-rpcwait", "-stdin", method])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(argument.unwrap_or_default().as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }
}

impl Drop for Real {
    fn drop(&mut self) {
        self.call("stop", None);
        self.child.wait().unwrap();
    }
}

/// Payments of every kind of address, a chain of unconfirmed ones, halvings.
fn history(lab: &mut Lab) {
    for kind in ["legacy", "p2sh-segwit", "bech32", "bech32m"] {
        let address = lab.address("alice", kind);
        lab.send(&address, "2");
        lab.mine(1);
        let back = lab.address("miner", kind);
        lab.of(Some("alice"), "sendtoaddress", json!([back, "1.25"]));
        lab.of(Some("alice"), "sendtoaddress", json!([back, "0.5"]));
        lab.mine(1);
    }
    lab.mine(200);
}

/// The folder of bitcoind and bitcoin-cli; `None`, said in one line, where there is none and none is required.
fn programs() -> Option<PathBuf> {
    if let Some(exe) = std::env::var_os("BITCOIND_EXE") {
        return Path::new(&exe).parent().map(Path::to_owned);
    }
    let required = std::env::var("LN_AGENT_REQUIRE").unwrap_or_default();
    assert!(!required.contains("bitcoind"), "BITCOIND_EXE is not set");
    println!("skipped: BITCOIND_EXE is not set");
    None
}

#[test]
fn a_real_bitcoind_accepts_every_block() {
    let Some(bin) = programs() else { return };
    let dir = tempfile::tempdir().unwrap();
    let real = Real::start(&bin, dir.path());
    let mut lab = Lab::furnished();
    history(&mut lab);

    let height = lab.ask("getblockcount", json!([])).as_u64().unwrap();
    for height in 1..=height {
        let hash = lab.ask("getblockhash", json!([height]));
        let block = lab.ask("getblock", json!([hash, 0]));
        assert_eq!(real.call("submitblock", block.as_str()), "", "block {height}");
    }

    assert_eq!(Value::from(real.call("getbestblockhash", None)), lab.ask("getbestblockhash", json!([])));
    let theirs: Value = serde_json::from_str(&real.call("getblockchaininfo", None)).unwrap();
    let ours = lab.ask("getblockchaininfo", json!([]));
    for field in ["blocks", "bits", "target", "difficulty", "time", "mediantime", "chainwork"] {
        assert_eq!(ours[field], theirs[field], "{field}");
    }
}
