//! What a Lightning node's error codes mean, and what to do about them.

use ln_agent_core::tool::ToolError;

/// Adds cause and remedy to an error whose code is known, and leaves kind and code alone.
pub(crate) fn explain(mut error: ToolError) -> ToolError {
    if let Some(remedy) = error.code.and_then(remedy) {
        error.message = format!("{}; {remedy}", error.message.trim_end_matches(['.', ' ']));
    }
    error
}

/// Core Lightning's codes, as of v26.06.
const fn remedy(code: i64) -> Option<&'static str> {
    Some(match code {
        -32601 => "this node lacks the command: it is older, or a plugin is not running",
        203 => {
            "the payee refused it: the invoice may be expired, paid or unknown there, so ask for a new one"
        }
        204 | 209 | 210 => "no attempt got through: look for enough spendable_msat with ln_listchannels",
        205 => "no route can carry it: open a channel towards the payee, wait for it to confirm, or pay less",
        206 => "every route costs more than maxfee: raise maxfee",
        207 | 903 => "the invoice has expired: ask for a new one",
        215 => "the channels cannot send that much: look at spendable_msat with ln_listchannels",
        216 => "the payee cannot be reached: it needs a connected channel",
        217 | -32602 => "correct the arguments",
        219 | 201 => "it was paid before: look with ln_listpays",
        300 => "the amount is above the channel limit: choose less",
        301 => {
            "not enough confirmed on-chain money: look with ln_listfunds, deposit to ln_newaddr and mine it"
        }
        302 => "the amount is too small for an on-chain output: choose more",
        304 => "the node is still catching up with the chain: try again later",
        305 | 306 | 402 => "connect to the peer first with ln_connect",
        313 => "the node keeps an emergency reserve on chain: choose less",
        400 => "no address of the peer is known: call ln_connect with its host and port",
        401 => "nobody answered there under that id: check that the peer runs, its host, its port and its id",
        900 => "the label is taken: choose another",
        904 => "nothing was paid in that time: call again to keep waiting",
        1001 | 1002 => "the offer is no longer active: ask for a new one",
        1003 => "no path to the offer's node: connect to it or to one of its peers",
        1004 => "the offer's node refused: check the amount, and that the offer is still active",
        1005 => "the offer's node did not answer in time: check that it runs, and try again",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use ln_agent_core::tool::ToolErrorKind;

    use super::*;

    #[test]
    fn a_known_code_gets_its_remedy_and_keeps_kind_and_code() {
        let given = |code| ToolError { kind: ToolErrorKind::Failed, message: "no.".into(), code };

        assert_eq!(
            explain(given(Some(206))),
            ToolError {
                kind: ToolErrorKind::Failed,
                message: "no; every route costs more than maxfee: raise maxfee".into(),
                code: Some(206),
            }
        );
        assert_eq!(explain(given(Some(-1))), given(Some(-1)));
        assert_eq!(explain(given(None)), given(None));
    }
}
