use std::time::Duration;

use serde_json::json;

use super::call::{Answer, Call, Outcome, Wait};
use super::error::RpcError;
use super::methods::Method;
use crate::playground::world::World;

pub(super) const METHODS: &[Method] =
    &[Method { name: "waitblockheight", params: &["blockheight", "timeout?"], writes: false, run }];

fn run(call: &mut Call<'_>) -> Outcome {
    let wanted = call.params.number("blockheight")?.unwrap_or_default();
    let timeout = call.params.number("timeout")?.unwrap_or(60);
    let me = call.me;
    let ready = move |world: &World| {
        let height = world.live(me)?.manager.current_best_block().height;
        (u64::from(height) >= wanted).then(|| Ok(json!({ "blockheight": height })))
    };
    match ready(call.world) {
        Some(outcome) => outcome.map(Answer::Done),
        None => Ok(Answer::Later(Wait {
            ready: Box::new(ready),
            timeout: Some(Duration::from_secs(timeout)),
            late: RpcError::new(2000, "Timed out."),
        })),
    }
}
