use super::call::{Call, Outcome};
use super::{
    close, connect, datastore, decode, feerates, fetchinvoice, fundchannel, getinfo, getlog, getroute,
    gossip, help, invoice, keysend, listclosedchannels, listconfigs, listforwards, listfunds, listinvoices,
    listpays, listpeerchannels, listpeers, listtransactions, newaddr, offer, pay, setchannel, signmessage,
    stop, waitblockheight, waitinvoice, withdraw,
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
        datastore::METHODS,
        decode::METHODS,
        feerates::METHODS,
        fetchinvoice::METHODS,
        fundchannel::METHODS,
        getinfo::METHODS,
        getlog::METHODS,
        getroute::METHODS,
        gossip::METHODS,
        help::METHODS,
        invoice::METHODS,
        keysend::METHODS,
        listclosedchannels::METHODS,
        listconfigs::METHODS,
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
        waitblockheight::METHODS,
        waitinvoice::METHODS,
        withdraw::METHODS,
    ]
    .into_iter()
    .flatten()
}
