use serde_json::json;

use super::call::{Answer, Call, Outcome};
use super::error::RpcError;
use super::methods::Method;

pub(super) const METHODS: &[Method] = &[Method { name: "stop", params: &[], writes: true, run }];

fn run(call: &mut Call<'_>) -> Outcome {
    call.world.stop_node(call.me).map_err(|error| RpcError::new(-1, error.to_string()))?;
    Ok(Answer::Done(json!("Shutdown complete")))
}
