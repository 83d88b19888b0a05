//! Which chain the nodes live on.

use std::fmt;
use std::str::FromStr;

/// The chain all configured nodes live on.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Network {
    /// A private chain whose blocks are made on demand; the playground is one. The default.
    #[default]
    Regtest,
    /// The signed public test chain.
    Signet,
    /// The third public test chain.
    Testnet,
    /// The fourth public test chain.
    Testnet4,
    /// Real money.
    Bitcoin,
}

/// A text that names no network.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("`{0}` is not a network: expected regtest, signet, testnet, testnet4 or bitcoin")]
pub struct UnknownNetwork(String);

impl Network {
    /// Its name in Core Lightning, which is also the folder of a node's socket.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Regtest => "regtest",
            Self::Signet => "signet",
            Self::Testnet => "testnet",
            Self::Testnet4 => "testnet4",
            Self::Bitcoin => "bitcoin",
        }
    }

    /// The folder of this chain below bitcoind's data directory; empty for the main chain.
    #[must_use]
    pub const fn bitcoin_folder(self) -> &'static str {
        match self {
            Self::Regtest => "regtest",
            Self::Signet => "signet",
            Self::Testnet => "testnet3",
            Self::Testnet4 => "testnet4",
            Self::Bitcoin => "",
        }
    }

    /// The TCP port of bitcoind's RPC where none is configured.
    #[must_use]
    pub const fn rpc_port(self) -> u16 {
        match self {
            Self::Regtest => 18_443,
            Self::Signet => 38_332,
            Self::Testnet => 18_332,
            Self::Testnet4 => 48_332,
            Self::Bitcoin => 8_332,
        }
    }

    /// The first part of a segwit address.
    #[must_use]
    pub const fn segwit_prefix(self) -> &'static str {
        match self {
            Self::Regtest => "bcrt",
            Self::Bitcoin => "bc",
            Self::Signet | Self::Testnet | Self::Testnet4 => "tb",
        }
    }

    /// The version bytes of base58 addresses: to a key, to a script.
    #[must_use]
    pub const fn base58_versions(self) -> [u8; 2] {
        match self {
            Self::Bitcoin => [0x00, 0x05],
            Self::Regtest | Self::Signet | Self::Testnet | Self::Testnet4 => [0x6f, 0xc4],
        }
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Network {
    type Err = UnknownNetwork;

    /// Reads Core Lightning's and bitcoind's names; `playground` is a regtest.
    fn from_str(text: &str) -> Result<Self, UnknownNetwork> {
        match text.trim().to_ascii_lowercase().as_str() {
            "regtest" | "playground" => Ok(Self::Regtest),
            "signet" => Ok(Self::Signet),
            "testnet" | "testnet3" | "test" => Ok(Self::Testnet),
            "testnet4" => Ok(Self::Testnet4),
            "bitcoin" | "mainnet" | "main" => Ok(Self::Bitcoin),
            _ => Err(UnknownNetwork(text.to_owned())),
        }
    }
}
