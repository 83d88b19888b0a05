//! Core Lightning's JSON-RPC over one node.
