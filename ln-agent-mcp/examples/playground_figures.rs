//! Measures the playground: how long a network, a channel, a payment and a restart take, and its memory.
//!
//! Run with `cargo run --release -p ln-agent-mcp --features playground --example playground_figures`.

#[cfg(feature = "playground")]
mod figures {
    use std::error::Error;
    use std::path::Path;
    use std::time::Instant;

    use ln_agent_mcp::playground::Network;
    use ln_agent_mcp::playground::bitcoind::RpcCall;
    use serde_json::{Value, json};

    type Outcome<T> = Result<T, Box<dyn Error>>;

    async fn mine(network: &Network, blocks: u32) -> Outcome<()> {
        let ask = |method: &str, params: Value| {
            network.bitcoind(RpcCall {
                method: method.to_owned(),
                params,
                wallet: Some("shared-wallet".to_owned()),
            })
        };
        let address = ask("getnewaddress", json!([])).await??;
        let address: Value = serde_json::from_str(&address.to_text())?;
        ask("generatetoaddress", json!([blocks, address])).await??;
        Ok(())
    }

    async fn channel(network: &Network, from: u16, to: u16) -> Outcome<()> {
        let id = network.lightning(to, "getinfo", json!({})).await?["id"].clone();
        network.lightning(from, "fundchannel", json!({"id": id, "amount": 5_000_000})).await?;
        mine(network, 6).await
    }

    async fn pay(network: &Network, from: u16, to: u16, label: &str) -> Outcome<()> {
        let order = json!({"amount_msat": 10_000, "label": label, "description": ""});
        let invoice = network.lightning(to, "invoice", order).await?;
        network.lightning(from, "pay", json!({"bolt11": invoice["bolt11"]})).await?;
        Ok(())
    }

    fn resident_mb() -> String {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        status.lines().find(|line| line.starts_with("VmRSS")).unwrap_or("VmRSS: ?").to_owned()
    }

    fn line(what: &str, since: Instant) {
        eprintln!("{what:<44} {:>9.1?}", since.elapsed());
    }

    async fn story(place: Option<&Path>) -> Outcome<()> {
        let started = Instant::now();
        let network = match place {
            Some(dir) => Network::open(dir, [7; 32], 3)?,
            None => Network::in_memory([7; 32], 3)?,
        };
        line("network of 3", started);
        let started = Instant::now();
        channel(&network, 1, 2).await?;
        line("channel opened, mined, usable", started);
        channel(&network, 2, 3).await?;
        for (what, to) in [("direct", 2), ("routed", 3)] {
            let started = Instant::now();
            for number in 0..20 {
                pay(&network, 1, to, &format!("{what}{number}")).await?;
            }
            line(&format!("20 {what} payments with their invoices"), started);
        }
        let started = Instant::now();
        for number in 0..1_000 {
            pay(&network, 1, 2, &format!("many{number}")).await?;
        }
        line("1,000 payments with their invoices", started);
        network.close().await;
        if let Some(dir) = place {
            let started = Instant::now();
            let network = Network::open(dir, [7; 32], 3)?;
            network.nodes().await?;
            line("restart after them", started);
        }
        Ok(())
    }

    pub(super) async fn run() -> Outcome<()> {
        eprintln!("in memory");
        story(None).await?;
        eprintln!("on disk");
        let dir = tempfile::tempdir()?;
        story(Some(dir.path())).await?;
        eprintln!("{}", resident_mb());
        let started = Instant::now();
        let network = Network::in_memory([7; 32], 20)?;
        line("network of 20", started);
        for node in 1..20 {
            channel(&network, node, node + 1).await?;
        }
        line("network of 20 with 19 channels", started);
        pay(&network, 1, 2, "x").await?;
        eprintln!("{}", resident_mb());
        Ok(())
    }
}

#[cfg(feature = "playground")]
#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    figures::run().await
}

#[cfg(not(feature = "playground"))]
fn main() {
    eprintln!("this example needs `--features playground`");
}
