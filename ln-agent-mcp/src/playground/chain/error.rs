use thiserror::Error;

/// A refusal with bitcoind's code and words.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{message} (code {code})")]
pub struct RpcErr {
    /// bitcoind's error code, such as −26 for a transaction that breaks a rule.
    pub code: i64,
    /// bitcoind's words for it.
    pub message: String,
}

/// What the chain and its wallets answer.
pub type Res<T> = Result<T, RpcErr>;

impl RpcErr {
    /// An error of this code and text.
    pub fn new(code: i64, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    /// A transaction that breaks a rule (code −26).
    pub(crate) fn rejected(reason: impl Into<String>) -> Self {
        Self::new(-26, reason)
    }
}
