use serde_json::Value;

use super::answer::Answer;
use super::params::{Args, Param, usage};
use super::{
    address, block, chain_info, control, history, mempool, mining, money, network, received, send,
    transaction, wallets,
};
use crate::playground::chain::{Chain, Res, RpcErr};
use crate::playground::wallet::{Wallet, Wallets};

/// What a call reads and changes.
#[derive(Debug)]
pub struct Node<'a> {
    /// The chain and its mempool.
    pub chain: &'a mut Chain,
    /// The network's wallets.
    pub wallets: &'a mut Wallets,
}

/// One call with its arguments in order.
pub(super) struct Call<'a> {
    pub(super) chain: &'a mut Chain,
    pub(super) wallets: &'a mut Wallets,
    pub(super) args: Args,
    /// The wallet named by the URI path.
    pub(super) wallet: Option<&'a str>,
}

impl Call<'_> {
    pub(super) fn wallet(&self) -> Res<&Wallet> {
        self.wallets.select(self.wallet)
    }
}

/// One method: what it is called, what it takes, what it does.
pub(super) struct Method {
    pub(super) name: &'static str,
    pub(super) params: &'static [Param],
    /// One sentence for `help`.
    pub(super) about: &'static str,
    pub(super) run: for<'c> fn(&mut Call<'c>) -> Res<Answer>,
}

impl Method {
    pub(super) fn usage(&self) -> String {
        usage(self.name, self.params)
    }
}

/// The methods by family, as `help` lists them.
pub(super) const FAMILIES: [(&str, &[&[Method]]); 6] = [
    ("Blockchain", &[chain_info::METHODS, block::METHODS, mempool::METHODS]),
    ("Control", &[control::METHODS]),
    ("Mining", &[mining::METHODS]),
    ("Network", &[network::METHODS]),
    ("Rawtransactions and util", &[transaction::METHODS]),
    (
        "Wallet",
        &[
            wallets::METHODS,
            address::METHODS,
            money::METHODS,
            history::METHODS,
            received::METHODS,
            send::METHODS,
        ],
    ),
];

pub(super) fn find(name: &str) -> Option<&'static Method> {
    FAMILIES
        .iter()
        .flat_map(|(_, groups)| groups.iter().copied().flatten())
        .find(|method| method.name == name)
}

/// Answers one call as bitcoind would; `wallet` is the one named by the URI path.
///
/// What it changes is not durable until [`Chain::stage`], [`Wallets::stage`] and a commit of the store.
///
/// # Errors
///
/// bitcoind's codes and words, such as −32601 for an unknown method.
pub fn dispatch(node: Node<'_>, method: &str, params: Value, wallet: Option<&str>) -> Res<Answer> {
    let found = find(method).ok_or_else(|| RpcErr::new(-32601, "Method not found"))?;
    let mut args = Args::new(found.name, found.params, params);
    if let Err(error) = &mut args
        && error.code == -1
    {
        error.message.push_str(&format!("\n{}\n", found.about));
    }
    let Node { chain, wallets } = node;
    (found.run)(&mut Call { chain, wallets, args: args?, wallet })
}
