//! The tools over a served playground of two nodes, with short-hand for what every chapter does.

use ln_agent_core::tool::{Registry, ToolError};
use ln_agent_mcp::node::{Nodes, NodesConfig};
use ln_agent_mcp::playground::Network;
use ln_agent_mcp::playground::serve::{Server, serve};
use ln_agent_mcp::tools;
use serde_json::{Value, json};

pub(crate) struct Lab {
    pub(crate) tools: Registry,
    /// Past the tools, for looking whether they told the truth.
    pub(crate) network: Network,
    pub(crate) directory: tempfile::TempDir,
    _server: Server,
}

impl Lab {
    /// A new network; always the same one.
    pub(crate) async fn open() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let network = Network::in_memory([7; 32], 2).unwrap();
        let server = serve(network.clone(), directory.path(), &[7; 32], 0).await.unwrap();
        let mut config = NodesConfig::at(directory.path());
        config.bitcoin_rpc_port = server.bitcoin_port();
        Self { tools: tools::registry(&Nodes::new(config)), network, directory, _server: server }
    }

    pub(crate) async fn try_call(&self, tool: &str, args: Value) -> Result<Value, ToolError> {
        let Value::Object(args) = args else { panic!("arguments are an object") };
        self.tools.get(tool).unwrap().call(args).await
    }

    pub(crate) async fn call(&self, tool: &str, args: Value) -> Value {
        self.try_call(tool, args.clone()).await.unwrap_or_else(|error| panic!("{tool} {args}: {error}"))
    }

    pub(crate) async fn mine(&self, blocks: u32) {
        let address = self.call("ln_newaddr", json!({ "node": 1 })).await["address"].clone();
        self.call("btc_generatetoaddress", json!({ "blocks": blocks, "address": address })).await;
    }

    /// A usable channel of 500,000 sat from node 1 to node 2; the id of node 2.
    pub(crate) async fn channel(&self) -> Value {
        let info = self.call("ln_getinfo", json!({ "node": 2 })).await;
        let (id, at) = (info["id"].clone(), info["binding"][0].clone());
        let peer = json!({ "from_node": 1, "peer_id": id, "host": at["address"], "port": at["port"] });
        self.call("ln_connect", peer).await;
        let open = json!({ "from_node": 1, "peer_id": id, "amount_sat": 500_000 });
        assert!(self.call("ln_openchannel", open).await["txid"].is_string());
        self.mine(6).await;
        id
    }

    /// What a node owns in its only channel, in millisatoshis, as the node itself says.
    pub(crate) async fn in_channel(&self, node: u16) -> u64 {
        let answer = self.network.lightning(node, "listpeerchannels", json!({})).await.unwrap();
        let channels = answer["channels"].as_array().unwrap();
        assert_eq!((channels.len(), &channels[0]["state"]), (1, &json!("CHANNELD_NORMAL")));
        channels[0]["to_us_msat"].as_u64().unwrap()
    }
}
