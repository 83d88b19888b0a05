//! Clock and approver, recorded.

use std::sync::Arc;
use std::time::Duration;

use super::line::{Answer, ApprovalExchange, Line, Reading, Sleep, Source};
use super::tape::Tape;
use crate::approve::{Approval, ApprovalRequest, Approver};
use crate::clock::Clock;

pub(super) struct RecordedClock {
    pub(super) tape: Arc<Tape>,
    pub(super) inner: Arc<dyn Clock>,
}

pub(super) struct RecordedApprover {
    pub(super) tape: Arc<Tape>,
    pub(super) inner: Arc<dyn Approver>,
}

impl Tape {
    pub(super) fn reading(&self, of: Source, value: u64) {
        let seq = self.next();
        self.write(&Line::Reading(Reading { seq, of, value }));
    }
}

#[async_trait::async_trait]
impl Clock for RecordedClock {
    fn unix_millis(&self) -> u64 {
        let value = self.inner.unix_millis();
        self.tape.reading(Source::UnixMs, value);
        value
    }

    fn monotonic_millis(&self) -> u64 {
        let value = self.inner.monotonic_millis();
        self.tape.reading(Source::MonotonicMs, value);
        value
    }

    async fn sleep(&self, duration: Duration) {
        let ms = millis(duration);
        let seq = self.tape.next();
        self.tape.write(&Line::Sleep(Sleep { seq, ms }));
        self.inner.sleep(duration).await;
    }
}

#[async_trait::async_trait]
impl Approver for RecordedApprover {
    async fn approve(&self, request: ApprovalRequest<'_>) -> Approval {
        let seq = self.tape.next();
        let hash = request.certificate.hash.clone();
        let approval = self.inner.approve(request).await;
        let answer = match &approval {
            Approval::Approved => Answer::Approved,
            Approval::Pending => Answer::Pending,
            Approval::Denied(why) => Answer::Denied(why.clone()),
        };
        self.tape.write(&Line::Approval(ApprovalExchange { seq, hash, answer }));
        approval
    }
}

pub(super) fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
