//! bitcoind's JSON-RPC over the chain and its wallets.
