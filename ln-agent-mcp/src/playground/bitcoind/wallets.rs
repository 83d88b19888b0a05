use bitcoin::Amount;

use super::answer::{Answer, list, object};
use super::method::{Call, Method};
use super::money::last_block;
use super::params::{Kind, optional, required};
use crate::playground::chain::{Res, RpcErr, clock};

pub(super) const METHODS: &[Method] = &[
    Method {
        name: "createwallet",
        params: &[
            required("wallet_name", Kind::Text),
            optional("disable_private_keys", Kind::Bool),
            optional("blank", Kind::Bool),
            optional("passphrase", Kind::Text),
            optional("avoid_reuse", Kind::Bool),
            optional("descriptors", Kind::Bool),
            optional("load_on_startup", Kind::Bool),
            optional("external_signer", Kind::Bool),
        ],
        about: "Creates and loads a new wallet.",
        run: createwallet,
    },
    Method {
        name: "loadwallet",
        params: &[required("filename", Kind::Text), optional("load_on_startup", Kind::Bool)],
        about: "Loads a wallet.",
        run: |call| {
            let name = call.args.required_text(0);
            call.wallets.open(name)?;
            Ok(object().with("name", name).into())
        },
    },
    Method {
        name: "unloadwallet",
        params: &[optional("wallet_name", Kind::Text), optional("load_on_startup", Kind::Bool)],
        about: "Unloads the wallet referenced by the request endpoint or by the wallet_name argument.",
        run: unloadwallet,
    },
    Method {
        name: "listwallets",
        params: &[],
        about: "Returns a list of currently loaded wallets.",
        run: |call| Ok(list(call.wallets.loaded().iter().map(String::as_str))),
    },
    Method {
        name: "listwalletdir",
        params: &[],
        about: "Returns a list of wallets in the wallet directory.",
        run: |call| {
            let wallets = list(call.wallets.names().map(|name| object().with("name", name)));
            Ok(object().with("wallets", wallets).into())
        },
    },
    Method {
        name: "getwalletinfo",
        params: &[],
        about: "Returns an object containing various wallet state info.",
        run: getwalletinfo,
    },
];

fn createwallet(call: &mut Call<'_>) -> Res<Answer> {
    let args = &call.args;
    if args.flag(5) == Some(false) {
        return Err(RpcErr::new(-4, "Compiled without bdb support (required for legacy wallets)"));
    }
    let asked = [(1, "disable_private_keys"), (2, "blank"), (4, "avoid_reuse"), (7, "external_signer")];
    let unsupported = asked.iter().find(|(at, _)| args.flag(*at) == Some(true)).map(|(_, name)| *name);
    let encrypted = args.text(3).filter(|passphrase| !passphrase.is_empty()).map(|_| "passphrase");
    if let Some(name) = unsupported.or(encrypted) {
        return Err(RpcErr::new(-4, format!("the playground's wallets have no {name}; leave it out")));
    }
    let name = args.required_text(0);
    call.wallets.create(name, clock(call.chain.height()))?;
    Ok(object().with("name", name).into())
}

fn unloadwallet(call: &mut Call<'_>) -> Res<Answer> {
    let name = match (call.wallet, call.args.text(0)) {
        (Some(path), Some(name)) if path != name => {
            let message = "The RPC endpoint wallet and the wallet name parameter specify different wallets";
            return Err(RpcErr::new(-8, message));
        }
        (Some(name), _) | (None, Some(name)) => name,
        (None, None) => {
            let message = "Either the RPC endpoint wallet or the wallet name parameter must be provided";
            return Err(RpcErr::new(-8, message));
        }
    };
    call.wallets.close(name)?;
    Ok(object().into())
}

fn getwalletinfo(call: &mut Call<'_>) -> Res<Answer> {
    let wallet = call.wallet()?;
    let balances = wallet.balances(call.chain);
    Ok(object()
        .with("walletname", wallet.name())
        .with("walletversion", 169_900)
        .with("format", "sqlite")
        .with("balance", balances.trusted)
        .with("unconfirmed_balance", balances.untrusted_pending)
        .with("immature_balance", balances.immature)
        .with("txcount", wallet.tx_count(call.chain))
        .with("keypoolsize", 0)
        .with("keypoolsize_hd_internal", 0)
        .with("paytxfee", Amount::ZERO)
        .with("private_keys_enabled", true)
        .with("avoid_reuse", false)
        .with("scanning", false)
        .with("descriptors", true)
        .with("external_signer", false)
        .with("blank", false)
        .with("birthtime", wallet.birth_secs())
        .with("lastprocessedblock", last_block(call.chain))
        .into())
}
