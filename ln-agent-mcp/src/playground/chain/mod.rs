//! Blocks, transactions and the mempool of one regtest chain.
