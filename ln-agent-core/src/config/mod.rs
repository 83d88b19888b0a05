//! Configuration: flag, then environment, then `ln-agent.toml`, then default.
//!
//! One table ([`KEYS`]) names every setting with its variable, its place in the file, its form and its default.
//! [`Config`] holds the chosen texts with their sources; [`Settings`] are the same values with types.

mod file;
mod form;
mod key;
mod load;
mod settings;

pub use form::Form;
pub use key::{KEYS, Key};
pub use load::{Config, ConfigError, Source, Sources, Value};
pub use settings::Settings;
