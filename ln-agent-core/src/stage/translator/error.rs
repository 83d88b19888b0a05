//! Why there is no intent.

use super::prompt::MAX_PROMPT_BYTES;
use crate::llm::{LlmError, reply::ReplyError};
use crate::offline::TaskFault;
use crate::types::TokenUsage;

/// Why there is no intent.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TranslatorError {
    /// The prompt cannot be read. Nothing was asked of a model.
    #[error(transparent)]
    Prompt(PromptFault),
    /// The model could not be reached, or refused. Its source knows if a retry can help.
    #[error(transparent)]
    Llm(LlmError),
    /// The model answered, but never with an intent.
    #[error("no intent after {attempts} attempts: {last}")]
    Unusable {
        /// How often it was asked, the first time included.
        attempts: u32,
        /// What was wrong with the last answer.
        last: ParseFault,
        /// Tokens that were spent.
        usage: TokenUsage,
    },
}

/// Why a prompt cannot be read.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PromptFault {
    /// It is empty or blank.
    #[error(
        "the prompt is empty: say what to do, such as `block height` or `open a channel from node 1 to node 2`"
    )]
    Empty,
    /// It is too long.
    #[error("the prompt has {bytes} bytes; at most {MAX_PROMPT_BYTES} are read")]
    TooLong {
        /// Its length.
        bytes: usize,
    },
    /// It holds a control character other than a line break or tab.
    #[error(
        "the prompt holds the control character {character:?} at position {position}; only line breaks and tabs are read"
    )]
    Control {
        /// Which.
        character: char,
        /// Where, in characters from 1.
        position: usize,
    },
}

/// Why a reply is no intent. The message goes back to the model.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseFault {
    /// It holds no JSON object.
    #[error(transparent)]
    Reply(#[from] ReplyError),
    /// It has no goal.
    #[error("`goal` is missing or empty: state the whole wish in one sentence")]
    NoGoal,
    /// Its tasks cannot be read.
    #[error(transparent)]
    Task(#[from] TaskFault),
    /// It takes a wish to have something read or done for one to have it explained.
    #[error(
        "the message asks for something to be read or done, not explained: give its tasks and another `intent_type`"
    )]
    NoExplanation,
    /// It asks for what the message says, or has a task that the message does not ask for.
    #[error(
        "nothing is missing in the message, but this would be asked: {0} Give only the tasks that it asks for"
    )]
    NoQuestion(String),
    /// It says that something is to be read or done, and not what.
    #[error(
        "the message asks for something to be read or done, but `context.tasks` is empty: give its tasks"
    )]
    NoTasks,
    /// A node field holds something else.
    #[error(
        "`context.{field}` is {found}: a node is one number from 1; leave the field out for several nodes, and put other names in other fields"
    )]
    NotANode {
        /// Which field.
        field: &'static str,
        /// What it holds, as JSON.
        found: String,
    },
}
