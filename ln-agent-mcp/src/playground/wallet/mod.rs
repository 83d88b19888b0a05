//! Named on-chain wallets, as bitcoind has them.
