//! Approvers that ask nobody.

use super::{Approval, ApprovalRequest, Approver};

/// Says yes to everything: `--yes`, and networks without real money.
#[derive(Clone, Copy, Debug, Default)]
pub struct ApproveAll;

/// Says that nobody can be asked. The default.
#[derive(Clone, Copy, Debug, Default)]
pub struct DenyAll;

/// Says yes to one certificate hash and no to every other.
#[derive(Clone, Debug)]
pub struct ApproveHash(pub String);

#[async_trait::async_trait]
impl Approver for ApproveAll {
    async fn approve(&self, _request: ApprovalRequest<'_>) -> Approval {
        Approval::Approved
    }
}

#[async_trait::async_trait]
impl Approver for DenyAll {
    async fn approve(&self, _request: ApprovalRequest<'_>) -> Approval {
        Approval::Pending
    }
}

#[async_trait::async_trait]
impl Approver for ApproveHash {
    async fn approve(&self, request: ApprovalRequest<'_>) -> Approval {
        if request.certificate.hash.eq_ignore_ascii_case(&self.0) {
            Approval::Approved
        } else {
            Approval::Denied(format!(
                "the plan has hash {}, approved was {}: it is another plan",
                request.certificate.hash, self.0
            ))
        }
    }
}
