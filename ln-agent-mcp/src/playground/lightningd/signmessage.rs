use bitcoin::secp256k1::PublicKey;
use lightning::routing::gossip::NodeId;
use lightning::util::message_signing;
use serde_json::json;

use super::call::{Answer, Call, Outcome};
use super::error::RpcError;
use super::methods::Method;
use crate::playground::world::hex;

pub(super) const METHODS: &[Method] = &[
    Method { name: "signmessage", params: &["message"], writes: false, run: signmessage },
    Method {
        name: "checkmessage",
        params: &["message", "zbase", "pubkey?"],
        writes: false,
        run: checkmessage,
    },
];

const ALPHABET: &[u8; 32] = b"ybndrfg8ejkmcpqxot1uwisza345h769";

fn signmessage(call: &mut Call<'_>) -> Outcome {
    let message = call.params.required_text("message")?;
    if message.len() >= 65_536 {
        return Err(RpcError::usage("Message must be < 64k"));
    }
    let zbase = message_signing::sign(message.as_bytes(), &call.live().keys.get_node_secret_key());
    let bytes = zbase32(&zbase).unwrap_or_default();
    let (recid, signature) = bytes.split_first().unwrap_or((&31, &[]));
    Ok(Answer::Done(json!({
        "signature": hex(signature),
        // The first byte counts from 31, as in Bitcoin's own signed messages.
        "recid": hex(&[recid.saturating_sub(31)]),
        "zbase": zbase,
    })))
}

fn checkmessage(call: &mut Call<'_>) -> Outcome {
    let message = call.params.required_text("message")?;
    let zbase = call.params.required_text("zbase")?;
    let expected = call.params.node_id("pubkey")?;
    if zbase32(&zbase).is_none() {
        return Err(RpcError::usage("zbase is not valid zbase32"));
    }
    let signer = message_signing::recover_pk(message.as_bytes(), &zbase)
        .map_err(|_| RpcError::usage("zbase is not a valid signature"))?;
    if let Some(expected) = expected {
        return Ok(Answer::Done(json!({"pubkey": signer.to_string(), "verified": signer == expected})));
    }
    if !known(call, &signer) {
        return Err(RpcError::new(1301, "pubkey not found in the graph")
            .with_data(json!({"claimed_key": signer.to_string()})));
    }
    Ok(Answer::Done(json!({"pubkey": signer.to_string(), "verified": true})))
}

fn known(call: &Call<'_>, signer: &PublicKey) -> bool {
    let live = call.live();
    live.id == *signer || live.graph.read_only().nodes().contains_key(&NodeId::from_pubkey(signer))
}

/// The bytes of a zbase32 text; bits left over at its end are dropped.
fn zbase32(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let (mut buffer, mut bits) = (0_u32, 0_u32);
    for char in text.bytes() {
        let value = ALPHABET.iter().position(|known| *known == char)?;
        buffer = buffer << 5 | u32::try_from(value).ok()?;
        bits += 5;
        if bits >= 8 {
            bits -= 8;
            bytes.push(u8::try_from(buffer >> bits & 0xff).ok()?);
        }
    }
    Some(bytes)
}
