use bitcoin::{Address, Script};
use serde_json::json;

use super::answer::{Answer, Fields, object};
use super::method::{Call, Method};
use super::params::{Kind, optional, parse_address, required};
use super::render::hex;
use crate::playground::chain::{Res, RpcErr};
use crate::playground::wallet::{AddressKind, Owned, Wallet};

pub(super) const METHODS: &[Method] = &[
    Method {
        name: "getnewaddress",
        params: &[optional("label", Kind::Text), optional("address_type", Kind::Text)],
        about: "Returns a new Bitcoin address for receiving payments.",
        run: getnewaddress,
    },
    Method {
        name: "getrawchangeaddress",
        params: &[optional("address_type", Kind::Text)],
        about: "Returns a new Bitcoin address, for receiving change.",
        run: getrawchangeaddress,
    },
    Method {
        name: "getaddressinfo",
        params: &[required("address", Kind::Text)],
        about: "Return information about the given bitcoin address.",
        run: getaddressinfo,
    },
    Method {
        name: "validateaddress",
        params: &[required("address", Kind::Text)],
        about: "Return information about the given bitcoin address.",
        run: |call| Ok(validate(call.args.required_text(0)).into()),
    },
    Method {
        name: "setlabel",
        params: &[required("address", Kind::Text), required("label", Kind::Text)],
        about: "Sets the label associated with the given address.",
        run: setlabel,
    },
    Method {
        name: "listlabels",
        params: &[optional("purpose", Kind::Text)],
        about: "Returns the list of all labels.",
        run: |call| {
            let mut labels: Vec<&str> = call.wallet()?.labels().map(|(_, label)| label).collect();
            labels.sort_unstable();
            labels.dedup();
            Ok(json!(labels).into())
        },
    },
];

fn kind(name: Option<&str>) -> Res<AddressKind> {
    name.map_or(Ok(AddressKind::Bech32), AddressKind::parse)
}

fn getnewaddress(call: &mut Call<'_>) -> Res<Answer> {
    let label = call.args.text(0).unwrap_or_default();
    if label == "*" {
        return Err(RpcErr::new(-11, "Invalid label name"));
    }
    let wallet = call.wallets.select_mut(call.wallet)?;
    Ok(wallet.new_address(kind(call.args.text(1))?, label).to_string().into())
}

fn getrawchangeaddress(call: &mut Call<'_>) -> Res<Answer> {
    let wallet = call.wallets.select_mut(call.wallet)?;
    Ok(wallet.new_change_address(kind(call.args.text(0))?).to_string().into())
}

fn setlabel(call: &mut Call<'_>) -> Res<Answer> {
    let address = parse_address(call.args.required_text(0))
        .ok_or_else(|| RpcErr::new(-5, "Invalid Bitcoin address"))?;
    let label = call.args.required_text(1);
    if label == "*" {
        return Err(RpcErr::new(-11, "Invalid label name"));
    }
    call.wallets.select_mut(call.wallet)?.set_label(&address, label);
    Ok(Answer::NULL)
}

/// bitcoind's words for an address that is none here.
fn refusal(text: &str) -> &'static str {
    match text.split_once('1') {
        Some((prefix, _)) if ["bc", "tb", "bcrt"].contains(&prefix.to_ascii_lowercase().as_str()) => {
            "Invalid or unsupported Segwit (Bech32) or Base58 encoding."
        }
        _ => "Invalid checksum or length of Base58 address (P2PKH or P2SH)",
    }
}

fn validate(text: &str) -> Fields {
    match parse_address(text) {
        Some(address) => object()
            .with("isvalid", true)
            .with("address", address.to_string())
            .with("scriptPubKey", hex(address.script_pubkey().as_bytes()))
            .and(shape(&address.script_pubkey())),
        None => {
            object().with("isvalid", false).with("error_locations", json!([])).with("error", refusal(text))
        }
    }
}

/// What the script alone tells.
fn shape(script: &Script) -> Fields {
    let version = script.witness_version();
    let shape = object()
        .with("isscript", script.is_p2sh() || script.is_p2wsh() || script.is_p2tr())
        .with("iswitness", version.is_some());
    match version {
        Some(version) => shape
            .with("witness_version", version.to_num())
            .with("witness_program", hex(&script.as_bytes()[2..])),
        None => shape,
    }
}

fn getaddressinfo(call: &mut Call<'_>) -> Res<Answer> {
    let text = call.args.required_text(0);
    let wallet = call.wallet()?;
    let address = parse_address(text).ok_or_else(|| RpcErr::new(-5, refusal(text)))?;
    let script = address.script_pubkey();
    let owned = wallet.owned(&script);
    let start = object()
        .with("address", address.to_string())
        .with("scriptPubKey", hex(script.as_bytes()))
        .with("ismine", owned.is_some())
        .with("isactive", owned.is_some())
        .with("solvable", owned.is_some())
        .with_some("desc", owned.map(|owned| wallet.descriptor(owned)))
        .with_some("parent_desc", owned.map(|owned| wallet.parent_descriptor(owned)))
        .with("iswatchonly", false)
        .and(shape(&script));
    let labels: Vec<&str> = wallet.label(&address).into_iter().collect();
    Ok(start
        .and_some(owned.map(key_of))
        .with("ischange", owned.is_some_and(|owned| owned.path.change))
        .and_some(owned.map(|owned| origin(wallet, owned)))
        .with("labels", json!(labels))
        .into())
}

fn key_of(owned: &Owned) -> Fields {
    let pubkey = owned.pubkey.to_string();
    match owned.path.kind {
        AddressKind::Legacy => object().with("pubkey", pubkey).with("iscompressed", true),
        AddressKind::Bech32 => object().with("pubkey", pubkey),
        AddressKind::Bech32m => object(),
        AddressKind::P2shSegwit => {
            let redeem = owned.redeem_script().unwrap_or_default();
            let inner = Address::p2wpkh(&owned.pubkey, bitcoin::Network::Regtest);
            let embedded = shape(&redeem)
                .with("pubkey", pubkey.as_str())
                .with("address", inner.to_string())
                .with("scriptPubKey", hex(redeem.as_bytes()));
            object()
                .with("script", "witness_v0_keyhash")
                .with("hex", hex(redeem.as_bytes()))
                .with("pubkey", pubkey)
                .with("embedded", embedded)
        }
    }
}

fn origin(wallet: &Wallet, owned: &Owned) -> Fields {
    object()
        .with("timestamp", wallet.birth_secs())
        .with("hdkeypath", owned.path.hd())
        .with("hdseedid", "0".repeat(40))
        .with("hdmasterfingerprint", wallet.fingerprint())
}
