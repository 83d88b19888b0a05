//! Which model answers for a role, read off the configuration.

use std::time::Duration;

use super::{Config, Settings, Source};

/// The three who ask a model.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Role {
    /// Prompt to intent.
    Translator,
    /// Intent to plan.
    Planner,
    /// Results to answer.
    Summarizer,
}

/// Who answers.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Backend {
    /// The model-free backend.
    Offline,
    /// OpenAI, or a server that speaks like it.
    OpenAi,
    /// Anthropic.
    Claude,
    /// Google's Gemini.
    Gemini,
    /// Ollama.
    Ollama,
}

/// One role's model, as it is configured.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Model {
    /// Who answers.
    pub backend: Backend,
    /// Name of the model; empty for [`Backend::Offline`].
    pub name: String,
    /// Address; empty for the provider's own.
    pub base_url: String,
    /// How long it may be silent.
    pub idle_timeout: Duration,
    /// Somebody set a temperature for this role, so it is sent even where models may refuse it.
    pub temperature_given: bool,
}

impl Role {
    /// All three, in the order of a run.
    pub const ALL: [Self; 3] = [Self::Translator, Self::Planner, Self::Summarizer];

    /// As variables begin: `TRANSLATOR`, `PLANNER`, `SUMMARIZER`.
    #[must_use]
    pub const fn prefix(self) -> &'static str {
        match self {
            Self::Translator => "TRANSLATOR",
            Self::Planner => "PLANNER",
            Self::Summarizer => "SUMMARIZER",
        }
    }
}

impl Backend {
    /// The backend of this name, in any case. `anthropic` is Claude, `local` is Ollama.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Some(match name.to_ascii_lowercase().as_str() {
            "offline" => Self::Offline,
            "openai" => Self::OpenAi,
            "claude" | "anthropic" => Self::Claude,
            "gemini" => Self::Gemini,
            "ollama" | "local" => Self::Ollama,
            _ => return None,
        })
    }

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Offline => "offline",
            Self::OpenAi => "openai",
            Self::Claude => "claude",
            Self::Gemini => "gemini",
            Self::Ollama => "ollama",
        }
    }

    /// The variable of its key.
    #[must_use]
    pub const fn key_var(self) -> Option<&'static str> {
        match self {
            Self::Offline => None,
            Self::OpenAi => Some("OPENAI_API_KEY"),
            Self::Claude => Some("ANTHROPIC_API_KEY"),
            Self::Gemini => Some("GEMINI_API_KEY"),
            Self::Ollama => Some("OLLAMA_API_KEY"),
        }
    }

    const fn base_and_timeout_vars(self) -> Option<(&'static str, &'static str)> {
        match self {
            Self::Offline => None,
            Self::OpenAi => Some(("OPENAI_BASE_URL", "OPENAI_TIMEOUT_S")),
            Self::Claude => Some(("ANTHROPIC_BASE_URL", "ANTHROPIC_TIMEOUT_S")),
            Self::Gemini => Some(("GEMINI_BASE_URL", "GEMINI_TIMEOUT_S")),
            Self::Ollama => Some(("OLLAMA_BASE_URL", "OLLAMA_TIMEOUT_SEC")),
        }
    }
}

impl Config {
    /// Who answers for a role: its own `{ROLE}_LLM_BACKEND`, then `LLM_BACKEND`, then OpenAI if its key is set and
    /// models are allowed, then the offline backend.
    #[must_use]
    pub fn backend(&self, role: Role) -> Backend {
        let own = format!("{}_LLM_BACKEND", role.prefix());
        let named = self.text(&own).or_else(|| self.text("LLM_BACKEND")).and_then(Backend::named);
        let has_key = self.text("OPENAI_API_KEY").is_some();
        named.unwrap_or(if has_key && Settings::allows_llm(self) {
            Backend::OpenAi
        } else {
            Backend::Offline
        })
    }

    /// The model of a role: `{ROLE}_{BACKEND}_MODEL`, then `{BACKEND}_MODEL`, then the default.
    #[must_use]
    pub fn model(&self, role: Role) -> Model {
        let backend = self.backend(role);
        let Some((base, timeout)) = backend.base_and_timeout_vars() else {
            return Model {
                backend,
                name: String::new(),
                base_url: String::new(),
                idle_timeout: Duration::ZERO,
                temperature_given: false,
            };
        };
        let shared = format!("{}_MODEL", backend.name().to_ascii_uppercase());
        let own = self.text(&format!("{}_{shared}", role.prefix()));
        let secs = self.value(timeout).text.parse().unwrap_or(120);
        let temperature = format!("{}_TEMPERATURE", role.prefix());
        Model {
            backend,
            name: own.or_else(|| self.text(&shared)).unwrap_or_default().to_owned(),
            base_url: self.text(base).unwrap_or_default().to_owned(),
            idle_timeout: Duration::from_secs(secs),
            temperature_given: self.is_given(&temperature) || self.is_given("LLM_TEMPERATURE"),
        }
    }

    /// Whether the offline backend steps in for a model that fails: as `LLM_FALLBACK` says, else `unset`.
    #[must_use]
    pub fn falls_back(&self, unset: bool) -> bool {
        match self.value("LLM_FALLBACK") {
            value if value.source == Source::Default => unset,
            value => value.text.eq_ignore_ascii_case("offline"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::Sources;
    use super::*;

    fn config(pairs: &[(&str, &str)]) -> Config {
        let environment: BTreeMap<_, _> =
            pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        Config::load(&Sources { environment, ..Sources::default() }).unwrap()
    }

    fn names(pairs: &[(&str, &str)]) -> [&'static str; 3] {
        Role::ALL.map(|role| config(pairs).backend(role).name())
    }

    #[test]
    fn a_role_has_its_own_backend_or_the_shared_one_or_what_a_key_suggests() {
        assert_eq!(names(&[]), ["offline"; 3]);
        assert_eq!(names(&[("OPENAI_API_KEY", "k")]), ["openai"; 3]);
        assert_eq!(names(&[("OPENAI_API_KEY", "k"), ("ALLOW_LLM", "0")]), ["offline"; 3]);
        assert_eq!(names(&[("LLM_BACKEND", "Anthropic")]), ["claude"; 3]);
        let mixed = [
            ("LLM_BACKEND", "gemini"),
            ("PLANNER_LLM_BACKEND", "local"),
            ("SUMMARIZER_LLM_BACKEND", "offline"),
        ];
        assert_eq!(names(&mixed), ["gemini", "ollama", "offline"]);
    }

    #[test]
    fn a_role_has_its_own_model_or_the_backends() {
        let config = config(&[
            ("LLM_BACKEND", "claude"),
            ("CLAUDE_MODEL", "shared"),
            ("PLANNER_CLAUDE_MODEL", "own"),
            ("PLANNER_OPENAI_MODEL", "of another backend"),
            ("ANTHROPIC_BASE_URL", "http://localhost:1"),
            ("PLANNER_TEMPERATURE", "0"),
        ]);
        let expected = Model {
            backend: Backend::Claude,
            name: "own".into(),
            base_url: "http://localhost:1".into(),
            idle_timeout: Duration::from_secs(120),
            temperature_given: true,
        };
        assert_eq!(config.model(Role::Planner), expected);
        let translator = config.model(Role::Translator);
        assert_eq!((translator.name.as_str(), translator.temperature_given), ("shared", false));
    }

    #[test]
    fn an_unknown_backend_is_told_which_ones_there_are() {
        let environment = BTreeMap::from([("PLANNER_LLM_BACKEND".to_owned(), "gpt".to_owned())]);
        let error = Config::load(&Sources { environment, ..Sources::default() }).unwrap_err();
        assert_eq!(
            error.to_string(),
            "PLANNER_LLM_BACKEND from the environment is `gpt`: expected one of offline, openai, claude, anthropic, \
             gemini, ollama, local"
        );
    }
}
