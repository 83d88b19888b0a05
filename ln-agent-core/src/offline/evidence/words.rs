//! Words that labels, descriptions and comparisons may hold without being said.

/// Words that a label or a description may be built with.
pub(super) const GENERIC: &[&str] = &[
    "payment", "invoice", "offer", "node", "channel", "to", "from", "for", "of", "by", "on", "a", "an",
    "the", "and", "test", "label", "default", "msat", "sat", "btc",
];

/// Words of the tools' own lists, as values of their arguments.
pub(super) const CHOICES: &[&str] = &[
    "ok",
    "partial",
    "failed",
    "complete",
    "pending",
    "settled",
    "offered",
    "local_failed",
    "perkw",
    "perkb",
    "get",
    "head",
    "post",
    "put",
    "patch",
    "delete",
];

/// States and the like that conditions compare with.
pub(super) const STATES: &[&str] = &[
    "unpaid",
    "paid",
    "expired",
    "complete",
    "pending",
    "failed",
    "settled",
    "offered",
    "local_failed",
    "ok",
    "degraded",
    "down",
    "running",
    "stopped",
    "active",
    "connected",
    "send",
    "receive",
    "regtest",
];

/// The words of a text: lower-case runs of letters and digits.
pub(super) fn of(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase)
}
