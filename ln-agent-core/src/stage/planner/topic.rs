//! Which tools and recipes an intent is about, by its words.

/// Words, and what they make worth showing.
pub(super) struct Topic {
    /// Beginnings of words of the intent, in lower case.
    pub(super) words: &'static [&'static str],
    pub(super) tools: &'static [&'static str],
    /// Names of recipes.
    pub(super) recipes: &'static [&'static str],
}

const fn topic(
    words: &'static [&'static str],
    tools: &'static [&'static str],
    recipes: &'static [&'static str],
) -> Topic {
    Topic { words, tools, recipes }
}

const MINE: [&str; 2] = ["btc_getnewaddress", "btc_generatetoaddress"];

/// What an intent may be about. Several may fit; all of them are shown.
pub(super) const TOPICS: &[Topic] = &[
    topic(&["height", "chain", "tip", "sync", "blockchain", "block_height"], &["btc_getblockchaininfo"], &[]),
    topic(&["mempool"], &["btc_getmempoolinfo"], &[]),
    topic(
        &["fee", "rate", "ppm"],
        &["btc_estimatefee", "ln_feerates", "ln_setchannel", "ln_getinfo", "ln_listchannels"],
        &["fees"],
    ),
    topic(
        &["wallet", "bitcoind"],
        &["btc_getbalance", "btc_listtransactions", "btc_wallet_ensure", MINE[0]],
        &[],
    ),
    topic(
        &["transaction", "tx", "txid"],
        &["btc_listtransactions", "btc_gettransaction", "ln_listtransactions"],
        &[],
    ),
    topic(
        &["mine", "mining", "block", "generate", "produce"],
        &[MINE[0], MINE[1], "btc_getblockchaininfo"],
        &["mine"],
    ),
    topic(&["identity", "pubkey", "key", "version", "alias", "info", "who", "id"], &["ln_getinfo"], &[]),
    topic(
        &["peer", "connect", "disconnect"],
        &["ln_listpeers", "ln_getinfo", "ln_connect", "ln_node_start"],
        &["connect"],
    ),
    topic(&["channel", "liquidity", "capacity"], &["ln_listchannels", "ln_getinfo"], &[]),
    topic(
        &["open"],
        &["ln_getinfo", "ln_connect", "ln_openchannel", "ln_listchannels", "ln_node_start", MINE[0], MINE[1]],
        &["connect", "open", "mine"],
    ),
    topic(
        &["close", "shut"],
        &["ln_getinfo", "ln_listchannels", "ln_closechannel", MINE[0], MINE[1]],
        &["close", "mine"],
    ),
    topic(&["fund", "balance", "money", "coin", "how much"], &["ln_listfunds", "btc_getbalance"], &[]),
    topic(
        &["invoice", "bill", "charge", "receive", "issue"],
        &["ln_invoice", "ln_listinvoices", "ln_getinfo"],
        &["invoice", "paid"],
    ),
    topic(
        &["pay", "paid", "send", "sent", "settle", "transfer", "rebalance", "payment", "sats", "msat"],
        &["ln_invoice", "ln_pay", "ln_listpays", "ln_listinvoices", "ln_getinfo"],
        &["pay", "paid"],
    ),
    topic(&["keysend", "without an invoice", "spontaneous"], &["ln_keysend", "ln_getinfo"], &["pay"]),
    topic(
        &["offer", "bolt12", "bolt 12"],
        &["ln_offer", "ln_fetchinvoice", "ln_listoffers", "ln_pay"],
        &["offer"],
    ),
    topic(&["forward", "routed"], &["ln_listforwards"], &["paid"]),
    topic(
        &[
            "stop", "start", "restart", "run", "down", "up", "status", "boot", "halt", "online", "offline",
            "turn", "switch",
        ],
        &["ln_node_status", "ln_node_start", "ln_node_stop"],
        &["restart"],
    ),
    topic(
        &["create", "delete", "remove", "new node", "nodes"],
        &["ln_node_create", "ln_node_delete", "ln_listnodes"],
        &["create"],
    ),
    topic(
        &["lan", "reachable", "machine", "computer", "outside", "interface", "ip "],
        &["sys_netinfo", "ln_node_stop", "ln_node_start", "ln_getinfo"],
        &["lan"],
    ),
    topic(
        &["health", "network", "everything", "all nodes", "overview"],
        &["network_health", "ln_listnodes"],
        &["health"],
    ),
    topic(&["sign", "message"], &["ln_signmessage"], &[]),
    topic(
        &["memory", "recent", "earlier", "history", "last ", "previous", "recall", "ran"],
        &["memory_lookup"],
        &["recall"],
    ),
    topic(
        &["withdraw", "sweep", "on-chain", "onchain", "bcrt1", "address", "deposit"],
        &["ln_withdraw", "ln_newaddr", "btc_sendtoaddress", "btc_gettransaction", MINE[0], MINE[1]],
        &["withdraw", "fund"],
    ),
    topic(&["fund"], &["ln_newaddr", "btc_sendtoaddress", "ln_listfunds", MINE[0], MINE[1]], &["fund"]),
    topic(&["fetch", "url", "http", "download", "web"], &["http_fetch"], &[]),
    topic(&["rpc", "raw", "command", "ln_raw", "btc_raw"], &["ln_raw", "btc_raw"], &[]),
    topic(&["decode", "lnbc", "lntb", "lno1", "lni1"], &["ln_decodepay"], &[]),
    topic(&["wait"], &["ln_waitinvoice", "ln_waitanyinvoice"], &[]),
];

/// Words that make conditions and repetition worth explaining.
pub(super) const CONDITIONAL: &[&str] = &[
    "if ",
    "unless",
    "only",
    "when",
    "every",
    "each",
    "all ",
    "where",
    "except",
    "fewer",
    "less",
    "more",
    "below",
    "above",
    "least",
    "most",
    "until",
    "otherwise",
];
