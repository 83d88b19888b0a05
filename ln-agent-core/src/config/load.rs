//! Choosing the value of every setting among its sources.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use super::{Form, Key, file, keys};

/// Where settings come from. Everything is an argument, so tests and embedders decide.
#[derive(Debug, Default)]
pub struct Sources {
    /// Values given on the command line, by variable name.
    pub flags: BTreeMap<String, String>,
    /// The process environment.
    pub environment: BTreeMap<String, String>,
    /// Files in order of precedence, first wins: name and text.
    pub files: Vec<(PathBuf, String)>,
}

/// Every setting with its source.
#[derive(Clone, Debug)]
pub struct Config {
    values: BTreeMap<&'static str, Value>,
}

/// The text that was chosen for a setting.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Value {
    /// The text; empty when there is none.
    pub text: String,
    /// Who gave it.
    pub source: Source,
}

/// Who gave a value.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Source {
    /// The command line.
    Flag,
    /// The environment variable of its name.
    Environment,
    /// A configuration file.
    File(PathBuf),
    /// Nobody.
    Default,
}

/// Why the configuration cannot be used.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// A value does not have the form of its key.
    #[error("{key} from {source_name} is `{text}`: expected {expected}")]
    Value {
        /// The variable.
        key: String,
        /// Where it came from.
        source_name: String,
        /// What it was; `…` for a secret.
        text: String,
        /// The accepted form.
        expected: String,
    },
    /// A file has a key that does not exist.
    #[error("{file} has an unknown key `{key}`{hint}")]
    UnknownKey {
        /// The file.
        file: String,
        /// The key.
        key: String,
        /// The nearest key there is.
        hint: String,
    },
    /// A file is no TOML, or has values of another kind.
    #[error("{file}: {message}")]
    File {
        /// The file.
        file: String,
        /// What is wrong, and where.
        message: String,
    },
}

impl Config {
    /// Chooses every value. A blank one counts as not given.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] for a value without the form of its key, and for a file with an unknown key.
    pub fn load(sources: &Sources) -> Result<Self, ConfigError> {
        let mut files = Vec::new();
        for (path, text) in &sources.files {
            let name = path.display().to_string();
            let values = file::read(text, &name)?;
            refuse_unknown(&values, &name)?;
            files.push((path, values));
        }
        let mut values = BTreeMap::new();
        for key in keys() {
            let from_file = files.iter().find_map(|(path, values)| {
                values.get(key.toml).map(|text| (text, Source::File((*path).clone())))
            });
            let flag = sources.flags.get(key.var).map(|text| (text, Source::Flag));
            let environment = sources.environment.get(key.var).map(|text| (text, Source::Environment));
            let given = [flag, environment, from_file];
            let chosen = given.into_iter().flatten().find(|(text, _)| !text.trim().is_empty());
            let value = match chosen {
                Some((text, source)) => checked(key, text.trim(), source)?,
                None => Value { text: key.default.to_owned(), source: Source::Default },
            };
            values.insert(key.var, value);
        }
        Ok(Self { values })
    }

    /// The value of a variable.
    ///
    /// # Panics
    ///
    /// If no key has this name: a misspelling in the program, not in its input.
    #[must_use]
    pub fn value(&self, var: &str) -> &Value {
        self.values.get(var).expect("every variable that is asked for has a key")
    }

    /// Its text, or `None` when it has neither value nor default.
    ///
    /// # Panics
    ///
    /// As [`value`](Self::value).
    #[must_use]
    pub fn text(&self, var: &str) -> Option<&str> {
        Some(self.value(var).text.as_str()).filter(|text| !text.is_empty())
    }

    /// A whole number, which the form of its key has checked to be one; 0 where the number type is too small for it.
    #[cfg(feature = "providers")]
    pub(super) fn whole<T: std::str::FromStr + Default>(&self, var: &str) -> T {
        self.value(var).text.parse().unwrap_or_default()
    }

    /// A switch, which the form of its key has checked to be one.
    #[cfg(feature = "providers")]
    pub(super) fn switch(&self, var: &str) -> bool {
        super::form::parse_bool(&self.value(var).text).unwrap_or_default()
    }

    /// Whether somebody gave it.
    ///
    /// # Panics
    ///
    /// As [`value`](Self::value).
    #[must_use]
    pub fn is_given(&self, var: &str) -> bool {
        self.value(var).source != Source::Default
    }

    /// The text that somebody gave for a variable; `None` for defaults, and for variables that are no setting of
    /// ours, which other readers of the environment may ask for.
    #[must_use]
    pub fn given(&self, var: &str) -> Option<&str> {
        self.values.get(var).filter(|value| value.source != Source::Default).map(|value| value.text.as_str())
    }

    /// Every setting with its key, in the order of [`keys`]; secrets are shown as `…`.
    pub fn shown(&self) -> impl Iterator<Item = (&'static Key, String, &Source)> {
        keys().map(|key| {
            let value = self.value(key.var);
            let hide = key.form == Form::Secret && !value.text.is_empty();
            (key, if hide { "…".to_owned() } else { value.text.clone() }, &value.source)
        })
    }

    /// What a child process must inherit: every given value under its variable.
    #[must_use]
    pub fn environment(&self) -> Vec<(String, String)> {
        let given = self.values.iter().filter(|(_, value)| value.source != Source::Default);
        given.map(|(var, value)| ((*var).to_owned(), value.text.clone())).collect()
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag => f.write_str("the command line"),
            Self::Environment => f.write_str("the environment"),
            Self::File(path) => write!(f, "{}", path.display()),
            Self::Default => f.write_str("default"),
        }
    }
}

fn checked(key: &Key, text: &str, source: Source) -> Result<Value, ConfigError> {
    if key.form.accepts(text) {
        return Ok(Value { text: text.to_owned(), source });
    }
    Err(ConfigError::Value {
        key: key.var.to_owned(),
        source_name: source.to_string(),
        text: if key.form == Form::Secret { "…".to_owned() } else { text.to_owned() },
        expected: key.form.expected(),
    })
}

fn refuse_unknown(values: &BTreeMap<String, String>, file: &str) -> Result<(), ConfigError> {
    let Some(unknown) = values.keys().find(|place| keys().all(|key| key.toml != place.as_str())) else {
        return Ok(());
    };
    let last = unknown.rsplit('.').next().unwrap_or(unknown);
    let near = keys().find(|key| key.toml.rsplit('.').next() == Some(last));
    let hint = near.map(|key| format!(": did you mean `{}`?", key.toml)).unwrap_or_default();
    Err(ConfigError::UnknownKey { file: file.to_owned(), key: unknown.clone(), hint })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn a_flag_beats_the_environment_beats_a_file_beats_the_default() {
        let file = (
            "a.toml".into(),
            "[executor]\nmax_workers = 3\ncall_timeout_s = 3\nretry_delay_s = 3".to_owned(),
        );
        let sources = Sources {
            flags: map(&[("EXECUTOR_MAX_WORKERS", "1")]),
            environment: map(&[("EXECUTOR_MAX_WORKERS", "2"), ("MCP_CALL_TIMEOUT_S", "2")]),
            files: vec![file],
        };

        let config = Config::load(&sources).unwrap();

        let seen =
            ["EXECUTOR_MAX_WORKERS", "MCP_CALL_TIMEOUT_S", "EXECUTOR_RETRY_DELAY_S", "MAX_CONSEC_READ_ONLY"]
                .map(|var| (config.value(var).text.as_str(), config.value(var).source.clone()));
        assert_eq!(
            seen,
            [
                ("1", Source::Flag),
                ("2", Source::Environment),
                ("3", Source::File("a.toml".into())),
                ("8", Source::Default)
            ]
        );
    }

    #[test]
    fn a_blank_value_means_the_default() {
        let sources = Sources { environment: map(&[("MCP_CALL_TIMEOUT_S", "  ")]), ..Sources::default() };

        assert_eq!(Config::load(&sources).unwrap().value("MCP_CALL_TIMEOUT_S").source, Source::Default);
    }

    #[test]
    fn an_unparsable_value_names_key_source_and_form() {
        let sources = Sources { environment: map(&[("MCP_CALL_TIMEOUT_S", "soon")]), ..Sources::default() };

        assert_eq!(
            Config::load(&sources).unwrap_err().to_string(),
            "MCP_CALL_TIMEOUT_S from the environment is `soon`: expected a whole number from 1 to 86400"
        );
    }

    #[test]
    fn an_unknown_key_of_a_file_is_refused_with_the_nearest_one() {
        let files = vec![("ln-agent.toml".into(), "[exec]\nmax_workers = 3".to_owned())];

        assert_eq!(
            Config::load(&Sources { files, ..Sources::default() }).unwrap_err().to_string(),
            "ln-agent.toml has an unknown key `exec.max_workers`: did you mean `executor.max_workers`?"
        );
    }

    #[test]
    fn a_secret_is_never_shown() {
        let sources =
            Sources { environment: map(&[("BITCOIN_RPC_PASSWORD", "hunter2")]), ..Sources::default() };

        let config = Config::load(&sources).unwrap();

        let shown: Vec<String> = config.shown().map(|(_, text, _)| text).collect();
        assert!(!shown.iter().any(|text| text.contains("hunter2")), "{shown:?}");
    }
}
