//! The seam to tools: what can be called, what a call may do, and how arguments are brought into form.

mod coerce;
mod effect;
mod error;
mod normalize;
mod registry;
mod spec;
mod typed;

pub use effect::Effect;
pub use error::{ToolError, ToolErrorKind};
pub use normalize::{Normalized, normalize};
pub use registry::{DuplicateTool, Registry};
pub use spec::{ToolSpec, input_schema, output_schema};
pub use typed::{TypedTool, typed};

use serde_json::Value;

use crate::types::Object;

/// Something a plan can call.
///
/// Implement [`TypedTool`] instead where arguments have a type; [`typed`] makes a `Tool` of it.
///
/// # Examples
///
/// ```
/// use ln_agent_core::tool::{Effect, Tool, ToolError, ToolSpec};
/// use ln_agent_core::types::Object;
/// use serde_json::{Value, json};
///
/// struct Dice(ToolSpec);
///
/// #[async_trait::async_trait]
/// impl Tool for Dice {
///     fn spec(&self) -> &ToolSpec {
///         &self.0
///     }
///
///     async fn call(&self, _args: Object) -> Result<Value, ToolError> {
///         Ok(json!({ "eyes": 4 }))
///     }
/// }
///
/// let dice = Dice(ToolSpec::new("roll_dice", "Rolls one dice.", Effect::Read));
/// assert_eq!(dice.spec().name, "roll_dice");
/// ```
#[async_trait::async_trait]
pub trait Tool: Send + Sync {
    /// Name, schemas, effect.
    fn spec(&self) -> &ToolSpec;

    /// Calls it; the value is the envelope's payload. Dropping the future gives up waiting, which does not undo
    /// what was already sent.
    ///
    /// # Errors
    ///
    /// [`ToolError`], whose [`kind`](ToolError::kind) says whether something may have happened.
    async fn call(&self, args: Object) -> Result<Value, ToolError>;
}

const _OBJECT_SAFE: fn(&dyn Tool) = |_| {};
