use std::collections::BTreeMap;

use bitcoin::{Address, Amount, Txid};
use serde_json::json;

use super::answer::{Answer, Fields, list, object};
use super::method::{Call, Method};
use super::params::{Kind, Param, optional, parse_address, required};
use crate::playground::chain::{Res, RpcErr};
use crate::playground::wallet::Category;

const LIST: &[Param] = &[
    optional("minconf", Kind::Number),
    optional("include_empty", Kind::Bool),
    optional("include_watchonly", Kind::Bool),
];

pub(super) const METHODS: &[Method] = &[
    Method {
        name: "getreceivedbyaddress",
        params: &[required("address", Kind::Text), optional("minconf", Kind::Number)],
        about: "Returns the total amount received by the given address in transactions with at least minconf confirmations.",
        run: getreceivedbyaddress,
    },
    Method {
        name: "getreceivedbylabel",
        params: &[required("label", Kind::Text), optional("minconf", Kind::Number)],
        about: "Returns the total amount received by addresses with <label> in transactions with at least minconf confirmations.",
        run: getreceivedbylabel,
    },
    Method {
        name: "listreceivedbyaddress",
        params: LIST,
        about: "List balances by receiving address.",
        run: listreceivedbyaddress,
    },
    Method {
        name: "listreceivedbylabel",
        params: LIST,
        about: "List received transactions by label.",
        run: listreceivedbylabel,
    },
    Method {
        name: "getaddressesbylabel",
        params: &[required("label", Kind::Text)],
        about: "Returns the list of addresses assigned the specified label.",
        run: getaddressesbylabel,
    },
];

/// What came in at one address, or at several.
#[derive(Clone, Debug, Default)]
struct Received {
    amount: Amount,
    /// Of the newest payment; nothing if there was none.
    confirmations: Option<u32>,
    txids: Vec<Txid>,
}

impl Received {
    fn add(&mut self, other: &Self) {
        self.amount += other.amount;
        self.confirmations = self.confirmations.into_iter().chain(other.confirmations).min();
        self.txids.extend(&other.txids);
    }

    fn fields(&self) -> Fields {
        object().with("amount", self.amount).with("confirmations", self.confirmations.unwrap_or(0))
    }
}

/// By address and its label, for every address that was given out for receiving.
fn received(call: &Call<'_>, minconf: Option<i64>) -> Res<BTreeMap<String, (String, Received)>> {
    let wallet = call.wallet()?;
    let shown = wallet.addresses().into_iter().filter(|owned| !owned.path.change);
    let mut table: BTreeMap<String, (String, Received)> = shown
        .map(|owned| {
            let label = wallet.label(&owned.address).unwrap_or_default().to_owned();
            (owned.address.to_string(), (label, Received::default()))
        })
        .collect();
    let counts = |category| matches!(category, Category::Receive | Category::Generate);
    for movement in wallet.movements(call.chain, usize::MAX, 0, |movement| counts(movement.category)) {
        let block = call.chain.find(&movement.txid);
        let confirmations = block.map_or(0, |(entry, _)| call.chain.height() + 1 - entry.height);
        let address = movement.address.as_ref().map(Address::to_string).unwrap_or_default();
        let Some((_, row)) = table.get_mut(&address) else { continue };
        if i64::from(confirmations) >= minconf.unwrap_or(1) {
            let amount = movement.amount.to_unsigned().unwrap_or_default();
            row.add(&Received { amount, confirmations: Some(confirmations), txids: vec![movement.txid] });
        }
    }
    Ok(table)
}

fn getreceivedbyaddress(call: &mut Call<'_>) -> Res<Answer> {
    let text = call.args.required_text(0);
    let address = parse_address(text).ok_or_else(|| RpcErr::new(-5, "Invalid Bitcoin address"))?;
    let table = received(call, call.args.integer(1)?)?;
    let row =
        table.get(&address.to_string()).ok_or_else(|| RpcErr::new(-4, "Address not found in wallet"))?;
    Ok(row.1.amount.into())
}

fn getreceivedbylabel(call: &mut Call<'_>) -> Res<Answer> {
    let label = call.args.required_text(0);
    let table = received(call, call.args.integer(1)?)?;
    let mut rows = table.values().filter(|(own, _)| own == label).peekable();
    rows.peek().ok_or_else(|| RpcErr::new(-4, "Label not found in wallet"))?;
    Ok(rows.map(|(_, row)| row.amount).sum::<Amount>().into())
}

fn listreceivedbyaddress(call: &mut Call<'_>) -> Res<Answer> {
    let with_empty = call.args.flag(1) == Some(true);
    let table = received(call, call.args.integer(0)?)?;
    let rows = table.iter().filter(|(_, (_, row))| with_empty || !row.txids.is_empty());
    Ok(list(rows.map(|(address, (label, row))| {
        let txids: Vec<String> = row.txids.iter().map(Txid::to_string).collect();
        object()
            .with("address", address.as_str())
            .and(row.fields())
            .with("label", label.as_str())
            .with("txids", json!(txids))
    })))
}

fn listreceivedbylabel(call: &mut Call<'_>) -> Res<Answer> {
    let with_empty = call.args.flag(1) == Some(true);
    let mut labels: BTreeMap<String, Received> = BTreeMap::new();
    for (label, row) in received(call, call.args.integer(0)?)?.values() {
        labels.entry(label.clone()).or_default().add(row);
    }
    let rows = labels.iter().filter(|(_, row)| with_empty || !row.txids.is_empty());
    Ok(list(rows.map(|(label, row)| row.fields().with("label", label.as_str()))))
}

fn getaddressesbylabel(call: &mut Call<'_>) -> Res<Answer> {
    let label = call.args.required_text(0);
    let wallet = call.wallet()?;
    let found = wallet.labels().filter(|(_, own)| *own == label);
    let purpose = |address: &str| {
        let own =
            parse_address(address).is_some_and(|address| wallet.owned(&address.script_pubkey()).is_some());
        if own { "receive" } else { "send" }
    };
    let fields: Vec<(String, Answer)> = found
        .map(|(address, _)| (address.to_owned(), object().with("purpose", purpose(address)).into()))
        .collect();
    if fields.is_empty() {
        return Err(RpcErr::new(-11, format!("No addresses with label {label}")));
    }
    Ok(Answer::Object(fields))
}
