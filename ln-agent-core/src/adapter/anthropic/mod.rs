//! Anthropic's Messages, and every server that speaks them.
//!
//! The form is that of <https://docs.anthropic.com/en/api/messages>. Instructions stand beside the messages and not
//! among them, what does not change of them is cached, and thoughts go back to the model as they came.

mod backend;
mod reply;
mod request;
mod stream;

pub use backend::AnthropicBackend;
