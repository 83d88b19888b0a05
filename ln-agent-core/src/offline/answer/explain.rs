//! What would happen: explanations for those who ask and do not want it done.

use serde_json::Value;

use super::reading::plain;
use super::words;
use crate::types::IntentBlock;

/// The explanation of what the intent is about, in the conditional, opened by the plain statement that nothing was
/// done. It names no number that the user did not name.
pub(super) fn explanation(intent: &IntentBlock) -> String {
    let about = format!("{} {}", intent.raw_prompt, intent.goal).to_lowercase();
    // The topic that is named first is the one that is asked about; equal places go to the longer name.
    let topic = TOPICS
        .iter()
        .flat_map(|(words, text)| {
            words.iter().filter_map(|word| Some((about.find(word)?, word.len(), *text)))
        })
        .min_by_key(|(at, length, _)| (*at, usize::MAX - length))
        .map_or(GENERAL, |(.., text)| text);
    let text = topic
        .replace("{from}", &node(intent, &["from_node", "node"], "the first node"))
        .replace("{to}", &node(intent, &["to_node"], "the second node"));
    let sentences: Vec<String> = text.split(". ").map(words::sentence).collect();
    format!("No action was taken. {}", sentences.join(" "))
}

/// What this agent is for.
pub(super) fn abilities() -> String {
    "Nothing was done. I can read the chain, the mempool, wallets and Lightning nodes; start, stop, create and delete \
     nodes; connect them, open and close channels and set fees; make and pay invoices, offers and keysends; send \
     on-chain, mine blocks on a test network, sign messages, and recall earlier runs. Tell me which of these you want, \
     with the node and the amount."
        .to_owned()
}

fn node(intent: &IntentBlock, names: &[&str], otherwise: &str) -> String {
    let number =
        names.iter().find_map(|name| intent.context.get(*name)).filter(|value| !matches!(value, Value::Null));
    number.map_or_else(|| otherwise.to_owned(), |number| format!("node {}", plain(number)))
}

const GENERAL: &str = "I would read what is needed, plan the tool calls in order, show what they could cost at worst, \
     carry them out after approval where it is required, and confirm the goal with read-only calls.";

/// Words that name a topic, and what would happen.
const TOPICS: [(&[&str], &str); 19] = [
    (
        &["open a channel", "open channel", "opening", "open the channel", "open", "fund a channel"],
        "To open a channel, {from} would need confirmed on-chain money. I would read the public key and address of \
         {to}, connect {from} to it, and have {from} send a funding transaction of the chosen size. The channel would \
         be usable after its confirmations; on a test network I would mine those blocks. All the money would start on \
         the side of {from}, less the miners' fee, and it would come back to the wallet only by closing.",
    ),
    (
        &["force close", "force-close", "unilateral"],
        "In a unilateral close, {from} would broadcast its newest commitment transaction without the peer. Its own \
         share would stay locked for the agreed delay, and the fee would be higher than in a mutual close.",
    ),
    (
        &["close a channel", "close channel", "closing", "close the channel", "close"],
        "To close a channel, {from} would ask its peer for a mutual close: both would sign a closing transaction that \
         pays each side its balance on-chain, less the miners' fee. If the peer did not answer, {from} would close \
         unilaterally after a while, and its money would stay locked for the agreed delay. A close could not be undone.",
    ),
    (
        &["rebalanc"],
        "To rebalance, {from} would pay itself in a circle: out through a channel that is full on its side and back in \
         through one that is empty. Only routing fees would leave; the balances of the two channels would shift.",
    ),
    (
        &["keysend", "without an invoice", "spontaneous"],
        "In a keysend, {from} would pay the public key of {to} without an invoice: it would choose the secret itself \
         and send it along. There would be no proof of what the payment was for.",
    ),
    (
        &["bolt12", "bolt 12", "offer"],
        "An offer would be made once by {to} and could be paid many times: for each payment, {from} would fetch a fresh \
         invoice for it over the network and pay that. An offer without a fixed amount would leave the amount to the \
         payer.",
    ),
    (
        &["pay an invoice", "paying", "pay", "payment", "send sats", "lightning payment"],
        "To pay, {to} would make an invoice that names the amount and a hash, and {from} would send the payment along \
         a route with enough balance in every channel. {to} would release the secret behind the hash, each hop would \
         be settled, and the secret would be the proof of payment. If no route were found, nothing would leave {from}. \
         Afterwards I would look at both nodes to confirm it.",
    ),
    (
        &["invoice"],
        "An invoice would be made by the receiving node for an amount, a label that is used once, and a description. It \
         would expire if it were not paid in time. Making it would move no money.",
    ),
    (
        &["fee rate", "feerate", "setchannel", "fee"],
        "There would be two kinds of fees: miners' fees for on-chain transactions, which depend on size and on how soon \
         they should confirm, and routing fees, a base amount and a proportional part that each forwarding node sets \
         for its own channels. I could read either, and set the second for a channel of {from}.",
    ),
    (
        &["mine", "mining", "block"],
        "On a test network I would take a fresh address of bitcoind's wallet and generate blocks to it. Each block \
         would confirm what waits in the mempool, and its reward could be spent only after the maturity period. On a \
         real network this would not be possible.",
    ),
    (
        &["withdraw", "on-chain", "onchain"],
        "To send on-chain, {from} would build a transaction from its confirmed outputs to the address, pay the miners' \
         fee, and broadcast it. It could not be undone once it was confirmed.",
    ),
    (
        &["fund", "deposit"],
        "To fund {from}, I would ask it for a fresh deposit address, have bitcoind's wallet send to it, and on a test \
         network mine the confirmations. The money would then be ready for channels.",
    ),
    (
        &["restart"],
        "To restart {from}, I would stop it and start it again. Its channels would be unusable in between and would \
         come back by themselves.",
    ),
    (
        &["stop", "shut down"],
        "To stop {from}, I would ask it to shut down and wait until it is gone. Its channels would be unusable until it \
         is started again, and its peers would see it go.",
    ),
    (
        &["start"],
        "To start {from}, I would look whether it runs already, start it if not, and wait until it answers.",
    ),
    (
        &["delete", "remove"],
        "To delete {from}, it would have to be stopped first. Its keys and channel state would be gone for good, and \
         with them every satoshi that they guard.",
    ),
    (
        &["connect", "peer"],
        "To connect, I would read the public key and address of {to} and have {from} call it. A connection alone would \
         move no money; it is what a channel needs.",
    ),
    (
        &["sign"],
        "To sign, {from} would sign the text with its node key. Anybody who knows its public key could then check that \
         the text comes from it.",
    ),
    (
        &["channel", "lightning"],
        "A channel would be money that two nodes lock on-chain together. Between themselves they would then shift its \
         balance as often as they like without the chain, and payments would travel over chains of such channels. \
         Closing it would pay each side its last balance.",
    ),
];
