//! Exit codes and the errors that a command ends with.

use std::process::ExitCode;

use ln_agent_core::types::{Failure, Outcome, PipelineResult};

/// What a process tells its caller.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[repr(u8)]
pub(crate) enum Exit {
    /// The goal was reached.
    Reached = 0,
    /// It was not.
    NotReached = 1,
    /// Usage or configuration.
    Usage = 2,
    /// Refused, or awaiting approval or an answer.
    Refused = 3,
    /// A node, a tool server or a model is unreachable.
    Unreachable = 4,
    /// Money is in flight.
    Unknown = 5,
}

/// Why a command did not do its work: one line for standard error, and the code.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) exit: Exit,
    pub(crate) message: String,
}

impl Exit {
    /// The code of a finished run.
    pub(crate) fn of(result: &PipelineResult) -> Self {
        match (result.outcome, result.failure) {
            (Outcome::Ok, _) => Self::Reached,
            (Outcome::Unknown, _) => Self::Unknown,
            (_, Some(Failure::Unreachable)) => Self::Unreachable,
            (Outcome::Refused, _) => Self::Refused,
            (Outcome::Partial | Outcome::Failed, _) => Self::NotReached,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

impl Fault {
    /// What the user typed or configured cannot be used.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self { exit: Exit::Usage, message: message.into() }
    }

    /// Something that is needed does not answer.
    pub(crate) fn unreachable(message: impl Into<String>) -> Self {
        Self { exit: Exit::Unreachable, message: message.into() }
    }

    /// The work was tried and failed.
    pub(crate) fn failed(message: impl Into<String>) -> Self {
        Self { exit: Exit::NotReached, message: message.into() }
    }
}
