//! `ln_newaddr`.

use ln_agent_core::NodeIndex;
use ln_agent_core::tool::{Effect, ToolError, TypedTool};
use ln_agent_core::types::Object;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::node::Nodes;
use crate::tools::ask::Ask;

/// A fresh on-chain address of a node.
#[derive(Debug)]
pub(super) struct NewAddr {
    pub(super) nodes: Nodes,
}

/// Arguments of `ln_newaddr`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NewAddrArgs {
    /// Node whose wallet the address belongs to, counted from 1.
    node: NodeIndex,
}

#[async_trait::async_trait]
impl TypedTool for NewAddr {
    const NAME: &'static str = "ln_newaddr";
    const TITLE: &'static str = "New on-chain address";
    const DESCRIPTION: &'static str = "Gives a fresh on-chain address for depositing to a Lightning node's \
        wallet, in `address` (bech32 where the node offers it, else p2tr).";
    const EFFECT: Effect = Effect::Read;
    const IDEMPOTENT: bool = false;
    const REPEATABLE: bool = true;
    type Args = NewAddrArgs;
    type Output = Object;

    async fn call(&self, args: NewAddrArgs) -> Result<Object, ToolError> {
        // Without a type newer nodes give p2tr only, which older senders refuse.
        let mut answer =
            Ask::new(&self.nodes, args.node).read("newaddr", json!({ "addresstype": "all" })).await?;
        let address =
            ["bech32", "p2tr", "p2sh-segwit", "address"].into_iter().find_map(|kind| answer.get(kind));
        if let Some(address) = address.cloned() {
            answer.insert("address".to_owned(), address);
        }
        Ok(answer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Replay, Turn, recorded};

    #[tokio::test]
    async fn the_address_is_bech32_where_there_is_one() {
        let replay = Replay::node([recorded("033-newaddr-all")]);

        let payload = replay.call(NewAddr { nodes: replay.nodes() }, json!({ "node": 1 })).await.unwrap();

        let mut expected = recorded("033-newaddr-all").answer();
        expected["address"] = expected["bech32"].clone();
        assert_eq!(payload, expected);
        assert_eq!(replay.requests(), [("newaddr".to_owned(), json!({ "addresstype": "all" }))]);
    }

    #[tokio::test]
    async fn a_node_that_gives_taproot_only_yields_that() {
        let replay = Replay::node([Turn::result(json!({ "p2tr": "bcrt1pxyz" }))]);

        let payload = replay.call(NewAddr { nodes: replay.nodes() }, json!({ "node": 1 })).await.unwrap();

        assert_eq!(payload, json!({ "p2tr": "bcrt1pxyz", "address": "bcrt1pxyz" }));
    }
}
