//! From a model's tasks to clauses whose values are the user's.

use serde_json::{Value, json};

use super::form;
use super::reader::Reader;
use super::said::Said;
use crate::offline::translate::{complete, kind, tagged};
use crate::offline::wish::Clause;
use crate::types::{Exchange, IntentBlock, IntentType, Object};

/// A model's reading, made of the user's own values.
#[derive(Clone, Debug, PartialEq)]
pub struct Adopted {
    /// The intent with its context rewritten: tags and clauses as the offline translator writes them.
    pub intent: IntentBlock,
    /// What was done otherwise than the model said.
    pub corrections: Vec<String>,
}

/// Why a model's tasks cannot be read. The message goes back to the model.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TaskFault {
    /// `tasks` is no list of objects with a task each.
    #[error(
        "`context.tasks` must be a list of objects such as {{\"task\": \"node_info\", \"node\": 1}}, not {0}"
    )]
    Shape(String),
    /// There is no such task.
    #[error("there is no task `{0}`: use one of the names that are listed, or leave `tasks` empty")]
    Unknown(String),
    /// A condition was said, and no task has one.
    #[error("the message has a condition: give it as `if` of the task that depends on it")]
    NoCondition,
    /// A condition was made up.
    #[error("the message has no condition: leave `if` out")]
    Condition,
    /// A condition cannot be read.
    #[error("the condition {0} cannot be read: give `of`, `op` and `value`, with a value of the message")]
    Test(String),
}

/// Turns the `tasks` of a model's intent, or its dispatch tag, into clauses. An intent that has neither comes back
/// as it is.
///
/// Values come from the prompt and the session alone. What is missing becomes a question in
/// `clarifications_needed`; a change that the words do not plainly ask for becomes one, too.
///
/// # Errors
///
/// [`TaskFault`] for tasks that cannot be read, and for conditions that were made up or forgotten.
pub fn adopt(
    mut intent: IntentBlock,
    history: &[Exchange],
    node_count: u32,
    own_node: u32,
) -> Result<Adopted, TaskFault> {
    intent.context.shift_remove("clauses");
    let mut tasks = tasks(&mut intent.context)?;
    if tasks.is_empty() && intent.intent_type == IntentType::Recall {
        tasks.extend(json!({ "task": "recall" }).as_object().cloned());
    }
    let said = Said::of(&intent.raw_prompt, history, node_count, own_node);
    // Tasks beside `informational` mean something where the words ask for no explanation: the kind is the mistake then.
    let idle = match intent.intent_type {
        IntentType::Informational => said.words.explains,
        kind => kind == IntentType::Noop,
    };
    if idle || tasks.is_empty() {
        return Ok(Adopted { intent, corrections: Vec::new() });
    }
    let mut reader = Reader { said: &said, clauses: Vec::new(), questions: Vec::new(), amounts: Vec::new() };
    for task in &tasks {
        reader.read(task)?;
    }
    let Reader { mut clauses, mut questions, .. } = reader;
    if !said.words.conditional {
        // A condition that was made up does no harm to a read, but it may hide it.
        clauses.iter_mut().filter(|clause| clause.task.is_read()).for_each(|clause| clause.when.clear());
    }
    let changes = clauses.iter().any(|clause| !clause.task.is_read());
    if said.words.explains && changes {
        return Ok(explanation(intent));
    }
    conditions_match(&said, &clauses, changes)?;
    if questions.is_empty() && changes && said.words.doubtful {
        questions.push("Should I really do that? Please say it as a plain command.".to_owned());
    }
    let before = std::mem::take(&mut intent.context);
    if questions.is_empty() {
        intent.intent_type = kind(&clauses);
        intent.context = tagged(&clauses);
        complete(&mut intent, &clauses);
    }
    // What the model asked itself stands; without a missing value it has no reason to ask.
    intent.clarifications_needed = questions;
    let corrections = corrections(&before, &intent.context);
    Ok(Adopted { intent, corrections })
}

/// Nothing is to be done: the words ask what would be.
fn explanation(intent: IntentBlock) -> Adopted {
    let corrections = vec!["the words ask for an explanation, so nothing is done".to_owned()];
    let intent = IntentBlock {
        intent_type: IntentType::Informational,
        context: Object::new(),
        clarifications_needed: Vec::new(),
        ..intent
    };
    Adopted { intent, corrections }
}

/// The tasks of a context, taken out of it. A dispatch tag is one task.
fn tasks(context: &mut Object) -> Result<Vec<Object>, TaskFault> {
    let given = context.shift_remove("tasks");
    let tag = ["action_target", "read_target"].iter().find_map(|name| context.get(*name)?.as_str());
    match given {
        Some(Value::Array(list)) if !list.is_empty() => list
            .into_iter()
            .map(|task| match task {
                Value::Object(task) => Ok(task),
                other => Err(TaskFault::Shape(other.to_string())),
            })
            .collect(),
        None | Some(Value::Null | Value::Array(_)) => match tag {
            // A tag that nobody knows is no task; the planner sees the rest.
            Some(name) if form::named(name).is_some() => {
                let mut task = context.clone();
                task.insert("task".to_owned(), json!(name));
                Ok(vec![task])
            }
            _ => Ok(Vec::new()),
        },
        Some(other) => Err(TaskFault::Shape(other.to_string())),
    }
}

/// A condition of the message must not get lost where something is changed, and none may be made up.
fn conditions_match(said: &Said, clauses: &[Clause], changes: bool) -> Result<(), TaskFault> {
    let stated = clauses.iter().any(|clause| !clause.when.is_empty());
    match (said.words.conditional, stated) {
        (true, false) if changes => Err(TaskFault::NoCondition),
        (false, true) => Err(TaskFault::Condition),
        _ => Ok(()),
    }
}

fn corrections(before: &Object, after: &Object) -> Vec<String> {
    before
        .iter()
        .filter(|(name, value)| after.get(*name) != Some(value) && !value.is_null())
        .map(|(name, value)| match after.get(name) {
            Some(taken) => format!("`{name}` is {taken}, as the user said, not {value}"),
            None => format!("`{name}` = {value} is left out: nothing needs it"),
        })
        .collect()
}
