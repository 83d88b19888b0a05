//! What a plan may spend.

use crate::types::{Certificate, Msat};

/// Why a plan may not spend what it could.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SpendRefusal {
    /// The worst case is known and above the limit.
    #[error("the plan can spend up to {attempted} msat, {margin} msat above the limit of {limit} msat")]
    AboveLimit {
        /// The limit, in millisatoshis.
        limit: u64,
        /// The plan's worst case, in millisatoshis.
        attempted: u64,
        /// What is too much, in millisatoshis.
        margin: u64,
    },
    /// A step's amount is only known while the plan runs, so no limit can be promised.
    #[error(
        "the plan's worst-case spend is not known beforehand, so it cannot be held to the limit of {limit} msat; state every amount"
    )]
    Unknown {
        /// The limit, in millisatoshis.
        limit: u64,
    },
}

/// Holds a plan's worst case against the most that one run may spend; `None` is no limit.
///
/// # Errors
///
/// [`SpendRefusal`] when the worst case is above the limit, or not known.
///
/// # Examples
///
/// ```
/// # use ln_agent_core::{Msat, policy::limits::check_spend, types::Certificate};
/// let certificate = Certificate {
///     hash: "00".repeat(32),
///     worst_case_spend_msat: Some(Msat(10_050)),
///     recipients: Vec::new(),
///     irreversible_steps: Vec::new(),
/// };
/// assert_eq!(check_spend(&certificate, None), Ok(()));
/// assert_eq!(
///     check_spend(&certificate, Some(Msat(10_000))).unwrap_err().to_string(),
///     "the plan can spend up to 10050 msat, 50 msat above the limit of 10000 msat",
/// );
/// ```
pub fn check_spend(certificate: &Certificate, max_spend: Option<Msat>) -> Result<(), SpendRefusal> {
    let Some(Msat(limit)) = max_spend else { return Ok(()) };
    let Msat(attempted) = certificate.worst_case_spend_msat.ok_or(SpendRefusal::Unknown { limit })?;
    match attempted.checked_sub(limit) {
        None | Some(0) => Ok(()),
        Some(margin) => Err(SpendRefusal::AboveLimit { limit, attempted, margin }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn costing(worst_case_spend_msat: Option<Msat>) -> Certificate {
        Certificate {
            hash: String::new(),
            worst_case_spend_msat,
            recipients: Vec::new(),
            irreversible_steps: Vec::new(),
        }
    }

    #[test]
    fn a_plan_at_its_limit_passes_and_one_above_does_not() {
        assert_eq!(check_spend(&costing(Some(Msat(10))), Some(Msat(10))), Ok(()));
        assert_eq!(check_spend(&costing(Some(Msat(0))), Some(Msat(0))), Ok(()));
        assert_eq!(
            check_spend(&costing(Some(Msat(11))), Some(Msat(10))),
            Err(SpendRefusal::AboveLimit { limit: 10, attempted: 11, margin: 1 }),
        );
    }

    #[test]
    fn an_unknown_worst_case_passes_no_limit_at_all() {
        assert_eq!(check_spend(&costing(None), None), Ok(()));
        assert_eq!(
            check_spend(&costing(None), Some(Msat(u64::MAX))),
            Err(SpendRefusal::Unknown { limit: u64::MAX }),
        );
    }
}
