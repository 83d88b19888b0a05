//! Clock and approver out of a cassette.

use std::sync::Arc;
use std::time::Duration;

use super::line::{Answer, ApprovalExchange, Line, Source};
use super::player::Deck;
use super::tap_world::millis;
use crate::approve::{Approval, ApprovalRequest, Approver};
use crate::clock::Clock;

pub(super) struct PlayedClock {
    pub(super) deck: Arc<Deck>,
}

pub(super) struct PlayedApprover {
    pub(super) deck: Arc<Deck>,
}

#[async_trait::async_trait]
impl Clock for PlayedClock {
    fn unix_millis(&self) -> u64 {
        self.deck.reading(Source::UnixMs)
    }

    fn monotonic_millis(&self) -> u64 {
        self.deck.reading(Source::MonotonicMs)
    }

    async fn sleep(&self, duration: Duration) {
        let ms = millis(duration);
        let found = self.deck.take(|line| match line {
            Line::Sleep(sleep) if sleep.ms == ms => Some(()),
            _ => None,
        });
        if found.is_none() {
            self.deck.note(format!("a sleep of {ms} ms was not recorded"), "");
        }
    }
}

#[async_trait::async_trait]
impl Approver for PlayedApprover {
    async fn approve(&self, request: ApprovalRequest<'_>) -> Approval {
        let next: Option<ApprovalExchange> = self.deck.take(|line| match line {
            Line::Approval(asked) => Some(asked.clone()),
            _ => None,
        });
        let hash = &request.certificate.hash;
        match next {
            Some(asked) if asked.hash == *hash => match asked.answer {
                Answer::Approved => Approval::Approved,
                Answer::Pending => Approval::Pending,
                Answer::Denied(why) => Approval::Denied(why),
            },
            Some(asked) => {
                let what = format!("exchange {}, approval: another plan than recorded", asked.seq);
                Approval::Denied(self.deck.note(what, format!("- {}\n+ {hash}\n", asked.hash)))
            }
            None => Approval::Denied(self.deck.note("an approval is asked that was not recorded", "")),
        }
    }
}
