use bitcoin::secp256k1::PublicKey;
use serde_json::{Value, json};

use super::call::{Answer, Call, Outcome};
use super::error::RpcError;
use super::getinfo::{features, port};
use super::methods::Method;
use crate::playground::world::LinkError;

pub(super) const METHODS: &[Method] = &[
    Method { name: "connect", params: &["id", "host?", "port?"], writes: true, run: connect },
    Method { name: "disconnect", params: &["id", "force?"], writes: true, run: disconnect },
    Method { name: "ping", params: &["id", "len?", "pongbytes?"], writes: true, run: ping },
];

fn connect(call: &mut Call<'_>) -> Outcome {
    let given = call.params.required("id")?.clone();
    let text = given.as_str().unwrap_or_default();
    let (key, address) = match text.split_once('@') {
        Some((key, address)) => (key, Some(address.to_owned())),
        None => (text, None),
    };
    let id: PublicKey = key.parse().map_err(|_| RpcError::invalid("id", "should be a node id", &given))?;
    let address = match (address, call.params.text("host")?) {
        (Some(address), _) => Some(address),
        (None, Some(host)) if host.contains(':') => Some(host),
        (None, Some(host)) => {
            let port = call.params.number("port")?.unwrap_or(9735);
            Some(format!("{host}:{port}"))
        }
        (None, None) => None,
    };
    check_address(call, &id, address.as_deref())?;
    attach(call, &id)?;
    let to = call.world.number_of(&id).unwrap_or_default();
    let peer = call.live().peers.peer_by_node_id(&id);
    let inbound = peer.as_ref().is_some_and(|peer| peer.is_inbound_connection);
    Ok(Answer::Done(json!({
        "id": id.to_string(),
        "features": peer.map(|peer| features(peer.init_features.le_flags())).unwrap_or_default(),
        "direction": if inbound { "in" } else { "out" },
        "address": {"type": "ipv4", "address": "127.0.0.1", "port": port(to)},
    })))
}

/// A node is found at its own port only, as if it listened there.
fn check_address(call: &Call<'_>, id: &PublicKey, address: Option<&str>) -> Result<(), RpcError> {
    let Some(address) = address else { return Ok(()) };
    let number = address.rsplit_once(':').and_then(|(_, port)| port.parse::<u32>().ok());
    let at = call.world.running().into_iter().find(|node| Some(port(*node)) == number);
    match at {
        Some(node) if call.world.number_of(id) == Some(node) => Ok(()),
        Some(_) => Err(refused(address, "Cryptographic handshake: peer closed connection (wrong key?)")),
        None => Err(refused(address, "Connection establishment: Connection refused")),
    }
}

/// Connects to a node unless that is done already.
pub(super) fn attach(call: &mut Call<'_>, id: &PublicKey) -> Result<(), RpcError> {
    match call.world.connect(call.me, id) {
        Ok(_) => Ok(()),
        Err(LinkError::Unknown) => Err(RpcError::new(400, "Unable to connect, no address known for peer")),
        Err(LinkError::Stopped) => {
            let at = call.world.number_of(id).map(port).unwrap_or_default();
            Err(refused(&format!("127.0.0.1:{at}"), "Connection establishment: Connection refused"))
        }
        Err(LinkError::Held) => {
            let at = call.world.number_of(id).map(port).unwrap_or_default();
            Err(refused(&format!("127.0.0.1:{at}"), "Connection establishment: Connection timed out"))
        }
        Err(LinkError::Itself) => Err(RpcError::usage("Can't connect to self")),
        Err(error @ LinkError::Handshake) => Err(RpcError::new(401, error.to_string())),
    }
}

fn refused(address: &str, why: &str) -> RpcError {
    RpcError::new(401, format!("All addresses failed: {address}: {why}. "))
}

fn disconnect(call: &mut Call<'_>) -> Outcome {
    let id = call.params.node_id("id")?.ok_or_else(|| RpcError::usage("missing required parameter: id"))?;
    let force = call.params.flag("force")?.unwrap_or(false);
    let Some(number) = call.world.number_of(&id) else {
        return Err(RpcError::usage(format!("Unknown peer '{id}'")));
    };
    if !call.world.linked(call.me, number) {
        return Err(RpcError::new(-1, "Peer not connected"));
    }
    let text = id.to_string();
    let open = call.node().book.channels.find(|row| row.peer_id == text && row.closing.is_none());
    if let Some((_, row)) = open
        && !force
    {
        return Err(RpcError::new(-1, format!("Peer has (at least one) channel in state {}", row.state)));
    }
    call.world.unlink(call.me, number);
    Ok(Answer::Done(json!({})))
}

fn ping(call: &mut Call<'_>) -> Outcome {
    let id = call.params.node_id("id")?.ok_or_else(|| RpcError::usage("missing required parameter: id"))?;
    let pong = call.params.number("pongbytes")?.unwrap_or(128);
    let connected = call.world.number_of(&id).is_some_and(|number| call.world.linked(call.me, number));
    if !connected {
        return Err(RpcError::new(-1, "Peer not connected"));
    }
    // LDK sends its own ping on its minute timer; the answer's length is the one that was asked for.
    call.live().peers.timer_tick_occurred();
    call.world.pump();
    if !call.world.number_of(&id).is_some_and(|number| call.world.linked(call.me, number)) {
        return Err(RpcError::new(-1, "Peer not connected"));
    }
    let total: Value = if pong < 65_532 { json!(pong + 4) } else { json!(0) };
    Ok(Answer::Done(json!({ "totlen": total })))
}
