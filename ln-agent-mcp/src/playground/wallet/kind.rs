use bitcoin::transaction::InputWeightPrediction;
use bitcoin::{Address, CompressedPublicKey, Network};
use serde::{Deserialize, Serialize};

use crate::playground::chain::{Res, RpcErr};

/// How an address locks its coins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AddressKind {
    /// P2PKH: `m…` or `n…`.
    Legacy,
    /// P2WPKH inside P2SH: `2…`.
    P2shSegwit,
    /// P2WPKH: `bcrt1q…`.
    Bech32,
    /// P2TR spent by its key: `bcrt1p…`.
    Bech32m,
}

impl AddressKind {
    /// Every kind.
    pub const ALL: [Self; 4] = [Self::Legacy, Self::P2shSegwit, Self::Bech32, Self::Bech32m];

    /// Reads bitcoind's name of a kind.
    ///
    /// # Errors
    ///
    /// Code −5 if there is no such kind.
    pub fn parse(name: &str) -> Res<Self> {
        match name {
            "legacy" => Ok(Self::Legacy),
            "p2sh-segwit" => Ok(Self::P2shSegwit),
            "bech32" => Ok(Self::Bech32),
            "bech32m" => Ok(Self::Bech32m),
            _ => Err(RpcErr::new(-5, format!("Unknown address type '{name}'"))),
        }
    }

    /// First step of the derivation path (BIP43).
    pub(super) const fn purpose(self) -> u32 {
        match self {
            Self::Legacy => 44,
            Self::P2shSegwit => 49,
            Self::Bech32 => 84,
            Self::Bech32m => 86,
        }
    }

    pub(super) fn address(self, key: &CompressedPublicKey) -> Address {
        let network = Network::Regtest;
        match self {
            Self::Legacy => Address::p2pkh(key, network),
            Self::P2shSegwit => Address::p2shwpkh(key, network),
            Self::Bech32 => Address::p2wpkh(key, network),
            Self::Bech32m => {
                let secp = bitcoin::secp256k1::Secp256k1::verification_only();
                Address::p2tr(&secp, key.0.x_only_public_key().0, None, network)
            }
        }
    }

    /// The descriptor around a key expression, without its checksum.
    pub(super) fn descriptor(self, key: &str) -> String {
        match self {
            Self::Legacy => format!("pkh({key})"),
            Self::P2shSegwit => format!("sh(wpkh({key}))"),
            Self::Bech32 => format!("wpkh({key})"),
            Self::Bech32m => format!("tr({key})"),
        }
    }

    /// What a signed input of this kind weighs at most.
    pub(super) fn input_weight(self) -> InputWeightPrediction {
        match self {
            Self::Legacy => InputWeightPrediction::P2PKH_COMPRESSED_MAX,
            Self::P2shSegwit => InputWeightPrediction::new(23, [72, 33]),
            Self::Bech32 => InputWeightPrediction::P2WPKH_MAX,
            Self::Bech32m => InputWeightPrediction::P2TR_KEY_DEFAULT_SIGHASH,
        }
    }
}
