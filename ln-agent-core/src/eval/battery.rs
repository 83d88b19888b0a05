//! A file of cases.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::Case;

/// A file of cases.
///
/// # Examples
///
/// ```
/// use ln_agent_core::eval::Battery;
///
/// let battery = Battery::parse(r#"
///     [battery]
///     name = "tiny"
///     [[case]]
///     id = "height"
///     prompt = "what is the block height?"
///     expect_tools = ["btc_getblockchaininfo"]
/// "#)?;
/// assert_eq!(battery.cases[0].id, "height");
/// # Ok::<(), ln_agent_core::eval::BatteryError>(())
/// ```
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Battery {
    /// What holds for all cases.
    #[serde(rename = "battery")]
    pub head: BatteryHead,
    /// The cases, in the order in which they run.
    #[serde(default, rename = "case")]
    pub cases: Vec<Case>,
}

/// What holds for all cases of a battery.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct BatteryHead {
    /// Its name.
    pub name: String,
    /// The network to run on. Default: the playground.
    #[serde(default)]
    pub network: BatteryNetwork,
    /// A fresh network and runtime directory before the run. Default: true.
    #[serde(default = "yes")]
    pub reset: bool,
    /// Nodes of a fresh network. Default: 2.
    #[serde(default = "two")]
    pub nodes: u32,
}

/// The network of a battery.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum BatteryNetwork {
    /// A playground.
    #[default]
    Playground,
    /// Whatever is configured.
    Current,
}

/// Why a file is no battery.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BatteryError {
    /// It is no TOML, or has other keys; the message names the place.
    #[error("the battery is malformed: {0}")]
    Malformed(String),
    /// There is nothing to run.
    #[error("the battery has no cases")]
    Empty,
    /// Two cases have the same id.
    #[error("two cases have the id `{0}`")]
    Duplicate(String),
    /// A case needs one that does not come before it.
    #[error("case `{0}` needs `{1}`, which is no earlier case")]
    Needs(String, String),
    /// A case was asked for that is not there.
    #[error("there is no case `{0}`")]
    Unknown(String),
}

impl Battery {
    /// Reads a battery.
    ///
    /// # Errors
    ///
    /// [`BatteryError`] for a text that is no battery; the message names line, key or case.
    pub fn parse(text: &str) -> Result<Self, BatteryError> {
        let battery: Self = toml::from_str(text)
            .map_err(|error| BatteryError::Malformed(error.to_string().trim_end().replace('\n', " ")))?;
        if battery.cases.is_empty() {
            return Err(BatteryError::Empty);
        }
        let mut known = BTreeSet::new();
        for case in &battery.cases {
            if let Some(missing) = case.needs.iter().find(|id| !known.contains(id.as_str())) {
                return Err(BatteryError::Needs(case.id.clone(), missing.clone()));
            }
            if !known.insert(case.id.as_str()) {
                return Err(BatteryError::Duplicate(case.id.clone()));
            }
        }
        Ok(battery)
    }

    /// Keeps these cases and what they need; an empty list keeps all.
    ///
    /// # Errors
    ///
    /// [`BatteryError::Unknown`] for an id that no case has.
    pub fn only(mut self, ids: &[String]) -> Result<Self, BatteryError> {
        if ids.is_empty() {
            return Ok(self);
        }
        let mut wanted: BTreeSet<String> = BTreeSet::new();
        let mut open: Vec<String> = ids.to_vec();
        while let Some(id) = open.pop() {
            let case = self.cases.iter().find(|case| case.id == id);
            open.extend(case.ok_or_else(|| BatteryError::Unknown(id.clone()))?.needs.iter().cloned());
            wanted.insert(id);
        }
        self.cases.retain(|case| wanted.contains(&case.id));
        Ok(self)
    }
}

const fn yes() -> bool {
    true
}

const fn two() -> u32 {
    2
}

#[cfg(test)]
mod tests {
    use super::*;

    fn battery(cases: &str) -> Result<Battery, BatteryError> {
        Battery::parse(&format!("[battery]\nname = \"t\"\n{cases}"))
    }

    #[test]
    fn what_is_no_battery_is_refused_with_its_place() {
        let case = |id: &str, more: &str| format!("[[case]]\nid = \"{id}\"\nprompt = \"p\"\n{more}\n");
        assert_eq!(battery("").unwrap_err(), BatteryError::Empty);
        assert_eq!(
            battery(&(case("a", "") + &case("a", ""))).unwrap_err(),
            BatteryError::Duplicate("a".into())
        );
        assert_eq!(
            battery(&case("a", "needs = [\"b\"]")).unwrap_err(),
            BatteryError::Needs("a".into(), "b".into())
        );
        let error = battery(&case("a", "expects = \"ok\"")).unwrap_err().to_string();
        assert!(error.contains("expects"), "{error}");
    }

    #[test]
    fn a_choice_brings_along_what_it_needs() {
        let text = "[[case]]\nid = \"a\"\nprompt = \"p\"\n[[case]]\nid = \"b\"\nprompt = \"p\"\n\
                    [[case]]\nid = \"c\"\nprompt = \"p\"\nneeds = [\"a\"]\n";
        let chosen = battery(text).unwrap().only(&["c".to_owned()]).unwrap();
        assert_eq!(chosen.cases.iter().map(|case| case.id.as_str()).collect::<Vec<_>>(), ["a", "c"]);
    }
}
