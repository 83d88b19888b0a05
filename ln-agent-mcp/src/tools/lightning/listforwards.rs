//! `ln_listforwards`.

use ln_agent_core::NodeIndex;
use ln_agent_core::tool::{Effect, ToolError, TypedTool};
use ln_agent_core::types::Object;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::node::Nodes;
use crate::tools::ask::Ask;

/// What a node has forwarded for others.
#[derive(Debug)]
pub(super) struct ListForwards {
    pub(super) nodes: Nodes,
}

/// Arguments of `ln_listforwards`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ListForwardsArgs {
    /// Node to ask, counted from 1.
    node: NodeIndex,
    /// Only forwards in this state: offered, settled, failed or local_failed. Default: all.
    status: Option<ForwardStatus>,
}

/// How far a forward has come.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
enum ForwardStatus {
    Offered,
    Settled,
    Failed,
    LocalFailed,
}

#[async_trait::async_trait]
impl TypedTool for ListForwards {
    const NAME: &'static str = "ln_listforwards";
    const TITLE: &'static str = "Forwards of a node";
    const DESCRIPTION: &'static str = "Lists the payments a node has forwarded for others: `forwards[]` with \
        in_channel, out_channel, in_msat, out_msat, fee_msat, status.";
    const EFFECT: Effect = Effect::Read;
    type Args = ListForwardsArgs;
    type Output = Object;

    async fn call(&self, args: ListForwardsArgs) -> Result<Object, ToolError> {
        let params = args.status.map_or_else(|| json!({}), |status| json!({ "status": status }));
        Ask::new(&self.nodes, args.node).read("listforwards", params).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Replay, recorded};

    #[tokio::test]
    async fn a_status_is_passed_on_only_when_given() {
        let replay =
            Replay::node([recorded("187-listforwards-one"), recorded("441-listforwards-local_failed")]);
        let tool = || ListForwards { nodes: replay.nodes() };

        let all = replay.call(tool(), json!({ "node": 1 })).await.unwrap();
        let failed = replay.call(tool(), json!({ "node": 1, "status": "local_failed" })).await.unwrap();

        assert_eq!(all, recorded("187-listforwards-one").answer());
        assert_eq!(failed, recorded("441-listforwards-local_failed").answer());
        assert_eq!(
            replay.requests(),
            [
                ("listforwards".to_owned(), json!({})),
                ("listforwards".to_owned(), json!({ "status": "local_failed" })),
            ]
        );
    }

    #[tokio::test]
    async fn an_unknown_status_is_refused_before_the_node_sees_it() {
        let replay = Replay::node([]);

        let error = replay
            .call(ListForwards { nodes: replay.nodes() }, json!({ "node": 1, "status": "all" }))
            .await
            .unwrap_err();

        assert!(error.message.starts_with("argument `status` was \"all\": expected"), "{}", error.message);
        assert_eq!(replay.requests(), []);
    }
}
