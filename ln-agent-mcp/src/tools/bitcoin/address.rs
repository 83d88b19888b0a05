//! Checks an address before anything is sent to it.

use ln_agent_core::tool::ToolError;

use crate::node::Network;

/// The address without surrounding blanks, if it is one of this network: prefix, checksum and length.
pub(crate) fn check(argument: &str, text: &str, network: Network) -> Result<String, ToolError> {
    let address = text.trim();
    match fault(address, network) {
        None => Ok(address.to_owned()),
        Some(fault) => {
            let form = match network {
                Network::Bitcoin => "bc1, 1 or 3",
                Network::Regtest => "bcrt1, 2, m or n",
                _ => "tb1, 2, m or n",
            };
            let expected = format!("a {network} address, beginning with {form} ({fault})");
            Err(ToolError::invalid_argument(argument, &text.into(), &expected))
        }
    }
}

fn fault(address: &str, network: Network) -> Option<String> {
    let lower = address.to_ascii_lowercase();
    if SEGWIT_BEGINNINGS.iter().any(|beginning| lower.starts_with(beginning)) {
        return match bech32::segwit::decode(address) {
            Ok((hrp, _, _)) if hrp.to_lowercase() == network.segwit_prefix() => None,
            Ok((hrp, _, _)) => Some(format!("it is of another network: {hrp}")),
            Err(_) => Some("its checksum or length is wrong".to_owned()),
        };
    }
    match base58ck::decode_check(address) {
        Ok(bytes) if bytes.len() != BASE58_BYTES => Some("its length is wrong".to_owned()),
        Ok(bytes) if network.base58_versions().contains(&bytes[0]) => None,
        Ok(_) => Some("it is of another network".to_owned()),
        Err(_) => Some("its checksum is wrong, or it is no address".to_owned()),
    }
}

const SEGWIT_BEGINNINGS: [&str; 3] = ["bc1", "tb1", "bcrt1"];
/// One version byte and a 20-byte hash.
const BASE58_BYTES: usize = 21;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_form_is_accepted_on_its_network_only() {
        let cases = [
            ("bcrt1qz65v5vtsllul2wlw0srs8tg6c5lmd75k4ykrj0", Some(Network::Regtest)),
            ("BCRT1QZ65V5VTSLLUL2WLW0SRS8TG6C5LMD75K4YKRJ0", Some(Network::Regtest)),
            ("bcrt1p8xse480x7tfd4etttydgptgkpezrmgeqfg235awl2saw7psslh9st0famn", Some(Network::Regtest)),
            ("2NEP5mD2j5DfAJcj25ERV1AWN9oXkDdH1QW", Some(Network::Regtest)),
            ("bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", Some(Network::Bitcoin)),
            ("1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", Some(Network::Bitcoin)),
            ("bcrt1qz65v5vtsllul2wlw0srs8tg6c5lmd75k4ykrjq", None),
            ("2NEP5mD2j5DfAJcj25ERV1AWN9oXkDdH1QX", None),
            ("lnbcrt1qqq", None),
            ("garbage", None),
            ("", None),
        ];
        for (text, home) in cases {
            for network in [Network::Regtest, Network::Bitcoin] {
                let accepted = check("address", text, network).is_ok();
                assert_eq!(accepted, home == Some(network), "{text} on {network}");
            }
        }
    }

    #[test]
    fn a_typo_is_named_with_what_would_be_right() {
        let error =
            check("address", "bcrt1qz65v5vtsllul2wlw0srs8tg6c5lmd75k4ykrjq", Network::Regtest).unwrap_err();

        assert_eq!(
            error.message,
            "argument `address` was \"bcrt1qz65v5vtsllul2wlw0srs8tg6c5lmd75k4ykrjq\": expected a regtest \
             address, beginning with bcrt1, 2, m or n (its checksum or length is wrong)"
        );
    }
}
