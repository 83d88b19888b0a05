use super::call::{Call, Outcome};
use super::{
    close, connect, decode, feerates, fetchinvoice, fundchannel, getinfo, gossip, help, invoice, keysend,
    listforwards, listfunds, listinvoices, listpays, listpeerchannels, listpeers, listtransactions, newaddr,
    offer, pay, setchannel, signmessage, stop, waitinvoice, withdraw,
};

/// One method of the node's RPC.
#[derive(Debug)]
pub(crate) struct Method {
    pub(crate) name: &'static str,
    /// Parameters in the order of Core Lightning; optional ones end in `?`.
    pub(crate) params: &'static [&'static str],
    /// Whether the network may change, so that it has to be brought to rest and saved.
    pub(crate) writes: bool,
    pub(crate) run: fn(&mut Call<'_>) -> Outcome,
}

/// The method of this name.
pub(crate) fn method(name: &str) -> Option<&'static Method> {
    all().find(|method| method.name == name)
}

/// Every method, in the order of the table.
pub(super) fn all() -> impl Iterator<Item = &'static Method> {
    [
        close::METHODS,
        connect::METHODS,
        decode::METHODS,
        feerates::METHODS,
        fetchinvoice::METHODS,
        fundchannel::METHODS,
        getinfo::METHODS,
        gossip::METHODS,
        help::METHODS,
        invoice::METHODS,
        keysend::METHODS,
        listforwards::METHODS,
        listfunds::METHODS,
        listinvoices::METHODS,
        listpays::METHODS,
        listpeerchannels::METHODS,
        listpeers::METHODS,
        listtransactions::METHODS,
        newaddr::METHODS,
        offer::METHODS,
        pay::METHODS,
        setchannel::METHODS,
        signmessage::METHODS,
        stop::METHODS,
        waitinvoice::METHODS,
        withdraw::METHODS,
    ]
    .into_iter()
    .flatten()
}
