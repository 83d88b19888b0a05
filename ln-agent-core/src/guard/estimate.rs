//! How many tokens a request will cost, before anybody counted them.

use std::io::{self, Write};

use serde::Serialize;

use crate::llm::{LlmRequest, Role};

/// Estimates tokens from characters: a quarter of them, 50 for the request and 10 for each message.
///
/// It is meant to be too high rather than too low for European languages and JSON.
///
/// # Examples
///
/// ```
/// use ln_agent_core::guard::HeuristicTokenEstimator;
/// use ln_agent_core::llm::{LlmRequest, LlmTask, Message, Role};
///
/// let request = LlmRequest {
///     task: LlmTask::Translate { prompt: "hi".into(), history: vec![], node_count: 1, own_node: 1 },
///     messages: vec![Message::new(Role::User, "x".repeat(36))],
///     tools: vec![],
///     response_schema: None,
///     max_output_tokens: 100,
///     temperature: 0.0,
/// };
/// // (4 + 36) / 4 + 50 + 10
/// assert_eq!(HeuristicTokenEstimator.prompt_tokens(&request), 70);
/// assert_eq!(HeuristicTokenEstimator.total_tokens(&request), 170);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct HeuristicTokenEstimator;

impl HeuristicTokenEstimator {
    /// Tokens of what is sent: roles and contents of the messages, tools, and the schema of the answer.
    #[must_use]
    pub fn prompt_tokens(self, request: &LlmRequest) -> u64 {
        let mut chars = 0;
        for message in &request.messages {
            chars += role_chars(message.role) + message.content.chars().count() as u64;
        }
        if !request.tools.is_empty() {
            chars += json_chars(&request.tools);
        }
        if let Some(schema) = &request.response_schema {
            chars += json_chars(schema);
        }
        chars / 4 + 50 + 10 * request.messages.len() as u64
    }

    /// Tokens of what is sent and of the longest answer that is allowed.
    #[must_use]
    pub fn total_tokens(self, request: &LlmRequest) -> u64 {
        self.prompt_tokens(request) + u64::from(request.max_output_tokens)
    }
}

const fn role_chars(role: Role) -> u64 {
    match role {
        Role::System => 6,
        Role::User | Role::Tool => 4,
        Role::Assistant => 9,
    }
}

/// Characters of the compact JSON, without building its text.
fn json_chars<T: Serialize>(value: &T) -> u64 {
    let mut counter = CharCounter(0);
    serde_json::to_writer(&mut counter, value).expect("JSON values are written to a counter that takes all");
    counter.0
}

struct CharCounter(u64);

impl Write for CharCounter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // Every character of UTF-8 has exactly one byte that does not continue another.
        self.0 += bytes.iter().filter(|byte| **byte & 0xC0 != 0x80).count() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::llm::{LlmTask, Message, ToolDefinition};

    #[test]
    fn tools_schema_and_every_message_count_by_characters() {
        let tools = vec![ToolDefinition {
            name: "look".into(),
            description: "größer €".into(),
            parameters: json!({ "type": "object" }),
        }];
        let schema = json!({ "type": "object", "title": "äöü" });
        let chars = serde_json::to_string(&tools).unwrap().chars().count()
            + schema.to_string().chars().count()
            + "system".len()
            + "be brief".len()
            + "user".len()
            + "größe".chars().count();
        let request = LlmRequest {
            task: LlmTask::Translate { prompt: String::new(), history: vec![], node_count: 1, own_node: 1 },
            messages: vec![Message::new(Role::System, "be brief"), Message::new(Role::User, "größe")],
            tools,
            response_schema: Some(schema),
            max_output_tokens: 7,
            temperature: 0.0,
        };

        assert_eq!(HeuristicTokenEstimator.prompt_tokens(&request), chars as u64 / 4 + 50 + 20);
        assert_eq!(HeuristicTokenEstimator.total_tokens(&request), chars as u64 / 4 + 77);
    }
}
