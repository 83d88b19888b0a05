//! A stream of lines.

use serde_json::Value;

use super::reply::{append, end, no_message};
use crate::adapter::http::Fold;
use crate::llm::{LlmError, LlmResponse};

/// What the lines have said so far.
#[derive(Debug, Default)]
pub(super) struct Stream {
    response: LlmResponse,
    /// A line held a message: this is a chat.
    speaks: bool,
    done: bool,
}

impl Fold for Stream {
    fn take(
        &mut self,
        line: &Value,
        on_text: &(dyn for<'t> Fn(&'t str) + Send + Sync),
    ) -> Result<(), LlmError> {
        let before = self.response.content.len();
        self.speaks |= append(&mut self.response, line)?;
        if let Some(text) = self.response.content.get(before..).filter(|text| !text.is_empty()) {
            on_text(text);
        }
        if line["done"] == true {
            self.done = true;
            end(&mut self.response, line);
        }
        Ok(())
    }

    fn is_complete(&self) -> bool {
        self.done
    }

    fn response(self) -> Result<LlmResponse, LlmError> {
        if self.speaks { Ok(self.response) } else { Err(no_message()) }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::llm::LlmErrorKind;

    fn fold(lines: &[Value]) -> (bool, Result<LlmResponse, LlmError>) {
        let mut stream = Stream::default();
        for line in lines {
            stream.take(line, &|_| ()).unwrap();
        }
        (stream.is_complete(), stream.response())
    }

    #[test]
    fn calls_of_several_lines_follow_one_another() {
        let call = |node: u8| json!({"message": {"content": "", "tool_calls": [{"function": {"name": "ln_getinfo", "arguments": {"node": node}}}]}, "done": false});
        let last = json!({"message": {"content": ""}, "done": true, "done_reason": "stop"});
        let (complete, response) = fold(&[call(1), call(2), last]);
        let nodes: Vec<Value> =
            response.unwrap().tool_calls.iter().map(|call| call.args["node"].clone()).collect();
        assert_eq!((complete, nodes), (true, vec![json!(1), json!(2)]));
    }

    #[test]
    fn thoughts_are_gathered_apart_from_the_text() {
        let lines = [
            json!({"message": {"content": "", "thinking": "h"}, "done": false}),
            json!({"message": {"thinking": "m"}, "done": false}),
            json!({"message": {"content": "yes"}, "done": false}),
            json!({"done": true}),
        ];
        let expected =
            LlmResponse { content: "yes".into(), reasoning: "hm".into(), ..LlmResponse::default() };
        assert_eq!(fold(&lines), (true, Ok(expected)));
    }

    #[test]
    fn without_its_mark_a_stream_is_not_whole() {
        let (complete, response) = fold(&[json!({"message": {"content": "half"}, "done": false})]);
        assert_eq!((complete, response.unwrap().content), (false, "half".to_owned()));
    }

    #[test]
    fn a_stream_of_another_api_is_no_answer() {
        let (complete, response) = fold(&[json!({"response": "He", "done": false}), json!({"done": true})]);
        assert_eq!((complete, response.unwrap_err().kind), (true, LlmErrorKind::Malformed));
    }
}
