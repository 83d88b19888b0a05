use serde_json::Value;

use super::call::{Answer, Call, Outcome, object};
use super::error::RpcError;
use super::methods::Method;

pub(super) const METHODS: &[Method] =
    &[Method { name: "newaddr", params: &["addresstype?"], writes: true, run }];

fn run(call: &mut Call<'_>) -> Outcome {
    let kind = call.params.text("addresstype")?.unwrap_or_else(|| "all".to_owned());
    let (segwit, taproot) = match kind.as_str() {
        "bech32" => (true, false),
        "p2tr" => (false, true),
        "all" => (true, true),
        other => {
            return Err(RpcError::usage(format!(
                "'addresstype' should be 'p2tr', 'bech32', or 'all', not '{other}'"
            )));
        }
    };
    let wallet = &mut call.node_mut().wallet;
    let index = wallet.next_index();
    Ok(Answer::Done(Value::Object(object([
        ("bech32", segwit.then(|| wallet.segwit(index).to_string().into())),
        ("p2tr", taproot.then(|| wallet.taproot(index).to_string().into())),
    ]))))
}
