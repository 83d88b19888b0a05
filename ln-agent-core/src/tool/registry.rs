//! The tools a pipeline may call, by name.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use super::{Effect, Tool, ToolSpec};
use crate::types::Object;

/// The tools a pipeline may call. Listed by name, so every listing is the same.
#[derive(Clone, Default)]
pub struct Registry {
    tools: BTreeMap<String, Arc<dyn Tool>>,
}

/// Two tools have the same name.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("two tools are named `{0}`")]
pub struct DuplicateTool(pub String);

impl Registry {
    /// A registry of these tools.
    ///
    /// # Errors
    ///
    /// [`DuplicateTool`] if two share a name.
    pub fn new(tools: impl IntoIterator<Item = Arc<dyn Tool>>) -> Result<Self, DuplicateTool> {
        let mut registry = Self::default();
        for tool in tools {
            let name = tool.spec().name.clone();
            if registry.tools.insert(name.clone(), tool).is_some() {
                return Err(DuplicateTool(name));
            }
        }
        Ok(registry)
    }

    /// The tool of this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Arc<dyn Tool>> {
        self.tools.get(name)
    }

    /// The specification of this name.
    #[must_use]
    pub fn spec(&self, name: &str) -> Option<&ToolSpec> {
        self.get(name).map(|tool| tool.spec())
    }

    /// Every specification, by name.
    pub fn specs(&self) -> impl Iterator<Item = &ToolSpec> {
        self.tools.values().map(|tool| tool.spec())
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.tools.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    /// What this call may do. A tool that is not known may do everything.
    #[must_use]
    pub fn effect_of(&self, name: &str, args: &Object) -> Effect {
        self.spec(name).map_or(Effect::Spend, |spec| spec.effect_of(args))
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.tools.keys()).finish()
    }
}
