//! The playground's bitcoind against what a real one answered (Bitcoin Knots 29.4.3 on regtest).

mod answers;
mod errors;
mod histories;
mod http;
mod lab;
mod real;
mod rules;
mod survival;
