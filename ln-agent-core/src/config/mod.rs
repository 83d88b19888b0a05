//! Configuration: flag, then environment, then `ln-agent.toml`, then default.
//!
//! One table ([`keys`]) names every setting with its variable, its place in the file, its form and its default.
//! [`Config`] holds the chosen texts with their sources; [`Settings`] are the same values with types.

#[cfg(feature = "providers")]
mod backends;
mod file;
mod form;
mod key;
mod load;
mod model_key;
mod models;
mod settings;

#[cfg(feature = "providers")]
pub use backends::{Backends, create_backend_for_role};
pub use form::Form;
pub use key::{Key, keys};
pub use load::{Config, ConfigError, Source, Sources, Value};
pub use models::{Backend, Model, Role};
pub use settings::Settings;
