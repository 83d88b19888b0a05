//! Tools whose arguments and payload have types.

use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{Effect, Tool, ToolError, ToolErrorKind, ToolSpec, input_schema, output_schema};
use crate::types::Object;

/// A tool with typed arguments. The documentation of `Args` is the schema that a model reads.
///
/// # Examples
///
/// ```
/// use ln_agent_core::tool::{Effect, ToolError, TypedTool, typed};
/// use schemars::JsonSchema;
/// use serde::{Deserialize, Serialize};
///
/// /// Adds two numbers.
/// struct Add;
///
/// #[derive(Deserialize, JsonSchema)]
/// #[serde(deny_unknown_fields)]
/// struct AddArgs {
///     /// First summand.
///     a: u32,
///     /// Second summand.
///     b: u32,
/// }
///
/// #[derive(Serialize, JsonSchema)]
/// struct Sum {
///     total: u64,
/// }
///
/// #[async_trait::async_trait]
/// impl TypedTool for Add {
///     const NAME: &'static str = "add";
///     const TITLE: &'static str = "Addition";
///     const DESCRIPTION: &'static str = "Adds two numbers.";
///     const EFFECT: Effect = Effect::Read;
///     type Args = AddArgs;
///     type Output = Sum;
///
///     async fn call(&self, args: AddArgs) -> Result<Sum, ToolError> {
///         Ok(Sum { total: u64::from(args.a) + u64::from(args.b) })
///     }
/// }
///
/// assert_eq!(typed(Add).spec().required().collect::<Vec<_>>(), ["a", "b"]);
/// ```
#[async_trait::async_trait]
pub trait TypedTool: Send + Sync + 'static {
    /// Its name: 1 to 64 of `a-z`, `0-9` and `_`.
    const NAME: &'static str;
    /// A short title for people.
    const TITLE: &'static str;
    /// What it does, for people and models.
    const DESCRIPTION: &'static str;
    /// The most it can do.
    const EFFECT: Effect;
    /// The same call twice has no further effect. Default: true for reads.
    const IDEMPOTENT: bool = matches!(Self::EFFECT, Effect::Read);
    /// It reaches beyond the configured nodes. Default: no.
    const OPEN_WORLD: bool = false;
    /// Asking again with the same arguments is meaningful. Default: no.
    const REPEATABLE: bool = false;
    /// The effect of one call, where the arguments decide. Default: always [`EFFECT`](Self::EFFECT).
    const CLASSIFY: Option<fn(&Object) -> Effect> = None;
    /// Its arguments; give them `#[serde(deny_unknown_fields)]`.
    type Args: DeserializeOwned + JsonSchema + Send;
    /// Its payload.
    type Output: Serialize + JsonSchema;

    /// The longest it may work by itself, where that exceeds an ordinary call. Default: none.
    fn budget(&self) -> Option<Duration> {
        None
    }

    /// Does it.
    ///
    /// # Errors
    ///
    /// [`ToolError`], whose kind says whether something may have happened.
    async fn call(&self, args: Self::Args) -> Result<Self::Output, ToolError>;
}

/// Makes a [`Tool`] of a [`TypedTool`].
#[must_use]
pub fn typed<T: TypedTool>(tool: T) -> Arc<dyn Tool> {
    let spec = ToolSpec {
        name: T::NAME.to_owned(),
        title: T::TITLE.to_owned(),
        description: T::DESCRIPTION.to_owned(),
        effect: T::EFFECT,
        idempotent: T::IDEMPOTENT,
        open_world: T::OPEN_WORLD,
        repeatable: T::REPEATABLE,
        budget: tool.budget(),
        input_schema: input_schema::<T::Args>(),
        output_schema: output_schema::<T::Output>(),
        classify: T::CLASSIFY,
    };
    Arc::new(Typed { spec, tool })
}

struct Typed<T> {
    spec: ToolSpec,
    tool: T,
}

#[async_trait::async_trait]
impl<T: TypedTool> Tool for Typed<T> {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn call(&self, args: Object) -> Result<Value, ToolError> {
        let args = parse::<T::Args>(&self.spec, &args)?;
        let output = self.tool.call(args).await?;
        serde_json::to_value(output)
            .map_err(|error| ToolError::new(ToolErrorKind::Failed, format!("answer is no JSON: {error}")))
    }
}

/// Arguments of the declared type; the error names the argument, what came and what is accepted.
fn parse<A: DeserializeOwned>(spec: &ToolSpec, args: &Object) -> Result<A, ToolError> {
    let known: Vec<&str> = spec.arguments().map(|(name, _)| name).collect();
    for (name, value) in args {
        if !known.contains(&name.as_str()) {
            let expected =
                if known.is_empty() { "no arguments".into() } else { format!("only {}", known.join(", ")) };
            return Err(ToolError::invalid_argument(name, value, &expected));
        }
    }
    if let Some(missing) = spec.required().find(|name| args.get(*name).is_none_or(Value::is_null)) {
        let form = describe(spec, missing);
        return Err(ToolError::new(
            ToolErrorKind::InvalidArguments,
            format!("argument `{missing}` is missing: expected {form}"),
        ));
    }
    serde_json::from_value(Value::Object(args.clone())).map_err(|error| culprit::<A>(spec, args, &error))
}

/// Finds the argument that does not fit: the one without which (or with whose removal) the error changes.
fn culprit<A: DeserializeOwned>(spec: &ToolSpec, args: &Object, error: &serde_json::Error) -> ToolError {
    for (name, value) in args {
        let mut rest = args.clone();
        rest.shift_remove(name);
        let other = serde_json::from_value::<A>(Value::Object(rest)).err().map(|e| e.to_string());
        if other.as_deref() != Some(&error.to_string()) {
            return ToolError::invalid_argument(name, value, &format!("{} ({error})", describe(spec, name)));
        }
    }
    ToolError::new(ToolErrorKind::InvalidArguments, error.to_string())
}

/// The accepted form of an argument in a few words: its description, or its type.
fn describe(spec: &ToolSpec, name: &str) -> String {
    let schema = spec.arguments().find(|(argument, _)| *argument == name).map(|(_, schema)| schema);
    let text = |key: &str| schema.and_then(|s| s.get(key)).and_then(Value::as_str);
    match (text("type"), text("description")) {
        (Some(kind), Some(description)) => format!("{kind}, {description}"),
        (None, Some(description)) => description.to_owned(),
        (Some(kind), None) => kind.to_owned(),
        (None, None) => "another value".to_owned(),
    }
}
