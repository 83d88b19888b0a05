//! What can be wrong with a plan.

use serde_json::Value;

use crate::offline::{Ungrounded, Unlicensed};
use crate::types::StepId;

/// What is wrong with a plan: the first fault found. The message goes back to the model word for word, so it names
/// the step, what came, and what would be right.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PlanFault {
    /// `steps` is no list.
    #[error("steps was {0}: expected a list of step objects")]
    NotAList(String),
    /// Nothing is planned for a wish that wants something.
    #[error("steps is empty: the goal needs at least one step")]
    Empty,
    /// More steps than a plan may have.
    #[error("the plan has {0} steps: at most {1} are allowed")]
    TooManySteps(usize, usize),
    /// An element of `steps` is no object. Counted from 1.
    #[error("element {0} of steps is not an object")]
    NotAnObject(usize),
    /// A step has a member that steps do not have.
    #[error("element {0} of steps has the unknown member `{1}`: expected only {2}")]
    UnknownMember(usize, String, String),
    /// A member of a step has the wrong form.
    #[error("element {at} of steps: `{member}` was {received}: expected {expected}")]
    Member {
        /// Position in the list, from 1.
        at: usize,
        /// The member.
        member: &'static str,
        /// What came.
        received: String,
        /// What would do.
        expected: &'static str,
    },
    /// Two steps have the same number.
    #[error("step_id {0} is used twice")]
    DuplicateId(StepId),
    /// The tool is not registered.
    #[error("step {0} calls the unknown tool `{1}`: use a tool of the list, spelt exactly")]
    UnknownTool(StepId, String),
    /// A mandatory argument is not there.
    #[error("step {step}: `{tool}` needs the argument `{argument}`")]
    MissingArgument {
        /// The step.
        step: StepId,
        /// Its tool.
        tool: String,
        /// What is missing.
        argument: String,
    },
    /// The tool has no such argument.
    #[error("step {step}: `{tool}` has no argument `{argument}`: it takes {known}")]
    UnknownArgument {
        /// The step.
        step: StepId,
        /// Its tool.
        tool: String,
        /// What is too much.
        argument: String,
        /// What it takes.
        known: String,
    },
    /// An argument has the wrong form.
    #[error("step {step}: argument `{argument}` was {received}: expected {expected}")]
    Argument {
        /// The step.
        step: StepId,
        /// The argument.
        argument: String,
        /// What came.
        received: String,
        /// What would do.
        expected: String,
    },
    /// A text looks like a placeholder of another language, or is none of ours.
    #[error("step {step}: `{text}` is not allowed: {reason}")]
    Placeholder {
        /// The step.
        step: StepId,
        /// The text.
        text: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A dependency that cannot be.
    #[error("step {step} depends on step {on}, {reason}")]
    Dependency {
        /// The step.
        step: StepId,
        /// What it names.
        on: StepId,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// Steps wait for each other.
    #[error("step {0} waits for itself through its dependencies")]
    Cycle(StepId),
    /// A condition cannot be decided.
    #[error("step {step}: the condition on `{op}` is malformed: {reason}")]
    Condition {
        /// The step.
        step: StepId,
        /// Its operation.
        op: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A change that nobody asked for.
    #[error(transparent)]
    Unlicensed(#[from] Unlicensed),
    /// A value that stands nowhere.
    #[error(transparent)]
    Ungrounded(#[from] Ungrounded),
    /// A repetition cannot be carried out.
    #[error("step {step}: for_each is malformed: {reason}")]
    Repetition {
        /// The step.
        step: StepId,
        /// What is wrong with it.
        reason: String,
    },
}

/// A value in at most 80 characters.
pub(super) fn shown(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() <= 80 { text } else { text.chars().take(80).chain(['…']).collect() }
}
