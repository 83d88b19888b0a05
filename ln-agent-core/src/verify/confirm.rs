//! Looking before and after a step.

use std::time::Duration;

use serde_json::Value;

use super::look::{Finding, Look, Seen};
use super::table::looks;
use crate::tool::{Registry, ToolError, ToolErrorKind};
use crate::types::{Object, StepId, Verification, VerificationStatus};

/// A call that was made and answered.
#[derive(Clone, Copy, Debug)]
pub struct Done<'a> {
    /// The step that made it.
    pub step_id: StepId,
    /// Its tool.
    pub tool: &'a str,
    /// The arguments as they were sent.
    pub args: &'a Object,
    /// What it answered.
    pub payload: &'a Value,
}

/// What was seen before a call, where only a difference tells whether it worked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snapshot(Option<Value>);

/// Looks before a call. Makes no read where none is needed; a read that fails leaves an empty snapshot.
pub async fn snapshot(tools: &Registry, tool: &str, args: &Object) -> Snapshot {
    let Some(look) = looks(tool).iter().find(|look| look.before) else { return Snapshot::default() };
    let Some(read_args) = (look.args)(args, &Value::Null) else { return Snapshot::default() };
    Snapshot(read(tools, look.tool, read_args).await.ok())
}

/// Looks whether a call did what it said. `None` where there is nothing to look at: reads, passthrough, tools that
/// only return data, and tools that are not ours.
pub async fn confirm(tools: &Registry, done: Done<'_>, before: &Snapshot) -> Option<Verification> {
    through(tools, looks(done.tool), done, before.0.as_ref(), Some(done.step_id)).await
}

/// Looks one by one until one decides.
pub(super) async fn through(
    tools: &Registry,
    looks: &[Look],
    done: Done<'_>,
    before: Option<&Value>,
    step_id: Option<StepId>,
) -> Option<Verification> {
    let mut last = None;
    for look in looks {
        let Some(args) = (look.args)(done.args, done.payload) else { continue };
        let (status, detail, observed) = match read(tools, look.tool, args.clone()).await {
            Ok(now) => match (look.judge)(&Seen { done, before, now: &now }) {
                Finding::Confirmed(detail, observed) => (VerificationStatus::Confirmed, detail, observed),
                Finding::Contradicted(detail, observed) => {
                    (VerificationStatus::Contradicted, detail, observed)
                }
                Finding::Undecided(detail) => (VerificationStatus::Unavailable, detail, Value::Null),
            },
            Err(error) if error.code.is_some_and(|code| look.absent.contains(&code)) => (
                VerificationStatus::Contradicted,
                format!("{} found nothing: {error}", look.tool),
                Value::Null,
            ),
            Err(error) => {
                (VerificationStatus::Unavailable, format!("{} failed: {error}", look.tool), Value::Null)
            }
        };
        let ok = status == VerificationStatus::Confirmed;
        let verification =
            Verification { step_id, tool: look.tool.to_owned(), args, ok, detail, status, observed };
        if status != VerificationStatus::Unavailable {
            return Some(verification);
        }
        last = Some(verification);
    }
    last
}

/// One read, through the same registry as every other call. It is not part of the plan: no event, no step number.
async fn read(tools: &Registry, tool: &str, args: Object) -> Result<Value, ToolError> {
    let unreachable = |message: String| ToolError::new(ToolErrorKind::Unreachable, message);
    let found = tools.get(tool).ok_or_else(|| unreachable(format!("there is no tool `{tool}`")))?;
    let answer = tokio::time::timeout(DEADLINE, found.call(args)).await;
    answer.unwrap_or_else(|_| Err(unreachable(format!("no answer within {} s", DEADLINE.as_secs()))))
}

/// The reads of the table answer in milliseconds; a node that does not must not hold up the plan for long.
const DEADLINE: Duration = Duration::from_secs(30);
