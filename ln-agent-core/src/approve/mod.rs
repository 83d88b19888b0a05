//! Asking a person: a plan that may spend runs only after an [`Approver`] said yes to its hash.

mod approvers;

pub use approvers::{ApproveAll, ApproveHash, DenyAll};

use crate::types::{Certificate, ExecutionPlan};

/// What is to be approved.
#[derive(Clone, Copy, Debug)]
pub struct ApprovalRequest<'a> {
    /// The whole plan, for display.
    pub plan: &'a ExecutionPlan,
    /// Its price tag; the answer binds to its hash.
    pub certificate: &'a Certificate,
    /// Why approval is needed, in one line.
    pub reason: &'a str,
}

/// The answer.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Approval {
    /// Run exactly this plan, once.
    Approved,
    /// Do not, for this reason.
    Denied(String),
    /// Nobody can be asked here; the plan waits for `run PLAN.json --approve HASH`.
    Pending,
}

/// Decides on a plan before it runs.
///
/// # Examples
///
/// ```
/// use ln_agent_core::approve::{Approval, ApprovalRequest, Approver};
///
/// /// Lets everything pass that costs less than 10 sat.
/// struct PocketMoney;
///
/// #[async_trait::async_trait]
/// impl Approver for PocketMoney {
///     async fn approve(&self, request: ApprovalRequest<'_>) -> Approval {
///         match request.certificate.worst_case_spend_msat {
///             Some(spend) if spend.0 < 10_000 => Approval::Approved,
///             _ => Approval::Denied("more than pocket money".into()),
///         }
///     }
/// }
/// ```
#[async_trait::async_trait]
pub trait Approver: Send + Sync {
    /// Asks. Dropping the future withdraws the question.
    async fn approve(&self, request: ApprovalRequest<'_>) -> Approval;
}

const _OBJECT_SAFE: fn(&dyn Approver) = |_| {};
