//! Reading a whole reply: fences, thoughts and prose around values.

use serde_json::Value;

use super::ReplyError;
use super::tolerant::{Fault, FaultKind, Parser};
use crate::types::Object;

/// The object in a reply.
///
/// # Errors
///
/// As [`value`], and [`ReplyError::NotAnObject`] when the value is something else.
///
/// # Examples
///
/// ```
/// # use ln_agent_core::llm::reply;
/// let reply = "<think>{maybe}</think> Here it is:\n```json\n{'url': 'https://a.b', 'n': 2 * 3,}\n```";
/// assert_eq!(serde_json::to_string(&reply::object(reply)?).unwrap(), r#"{"url":"https://a.b","n":6}"#);
/// # Ok::<(), reply::ReplyError>(())
/// ```
pub fn object(text: &str) -> Result<Object, ReplyError> {
    let found = match value(text)? {
        Value::Object(object) => return Ok(object),
        Value::Array(_) => "a list",
        Value::String(_) => "a string",
        Value::Number(_) => "a number",
        Value::Bool(_) => "true or false",
        Value::Null => "null",
    };
    Err(ReplyError::NotAnObject { found })
}

/// The value in a reply; see the [module](super) for which one, and what is repaired.
///
/// # Errors
///
/// [`ReplyError::Truncated`] when the last value is not closed, [`ReplyError::Malformed`] or [`ReplyError::TooDeep`]
/// when no value can be read, [`ReplyError::NoValue`] or [`ReplyError::Empty`] when there is none.
pub fn value(text: &str) -> Result<Value, ReplyError> {
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.is_empty() {
        return Err(ReplyError::Empty);
    }
    if let Ok(value) = serde_json::from_str(text) {
        return Ok(value);
    }
    let last_bracket = text.rfind(['{', '[']).unwrap_or(0);
    let mut reading = Reading { text, last_bracket, ..Reading::default() };
    reading.run()?;
    reading.decide()
}

/// A value that stands somewhere in a reply, outside of thoughts.
pub(super) struct Found {
    pub(super) value: Value,
    /// Byte at which it starts in the reply.
    pub(super) start: usize,
    /// It stands in a code fence.
    pub(super) fenced: bool,
}

/// Every value in a reply, in order; none if the reply breaks off inside of one.
pub(super) fn values(text: &str) -> Vec<Found> {
    let last_bracket = text.rfind(['{', '[']).unwrap_or(0);
    let mut reading = Reading { text, last_bracket, ..Reading::default() };
    if reading.run().is_err() {
        return Vec::new();
    }
    let found = reading.found.into_iter().filter(|candidate| !candidate.thought);
    found.map(|Candidate { value, start, fenced, .. }| Found { value, start, fenced }).collect()
}

/// One pass over the text between values.
#[derive(Default)]
struct Reading<'t> {
    text: &'t str,
    at: usize,
    last_bracket: usize,
    fenced: bool,
    /// An opening tag was seen that nothing closes.
    open_thought: bool,
    found: Vec<Candidate>,
    /// The first value that could not be read: why, and where it starts.
    malformed: Option<(Fault, usize)>,
    /// Bytes that were read in vain.
    wasted: usize,
}

struct Candidate {
    value: Value,
    start: usize,
    end: usize,
    fenced: bool,
    thought: bool,
}

impl Reading<'_> {
    fn run(&mut self) -> Result<(), ReplyError> {
        while let Some(offset) = self.text[self.at..].find(['{', '[', '<', '`']) {
            self.at += offset;
            let rest = &self.text[self.at..];
            if rest.starts_with(['{', '[']) {
                self.read_value()?;
            } else if let Some(length) = tag(rest, "<") {
                self.open(length);
            } else if let Some(length) = tag(rest, "</") {
                self.close(length);
            } else if rest.starts_with("```") {
                self.fenced = !self.fenced;
                self.at += 3;
            } else {
                self.at += 1;
            }
        }
        Ok(())
    }

    fn read_value(&mut self) -> Result<(), ReplyError> {
        let start = self.at;
        let mut parser = Parser::new(self.text, start);
        match parser.container() {
            Ok(value) => {
                self.at = parser.at();
                let (fenced, thought) = (self.fenced, self.open_thought);
                let candidate = Candidate { value, start, end: self.at, fenced, thought };
                self.found.push(candidate);
            }
            Err(fault) if fault.kind.is_final() => return Err(explain(self.text, &fault, start)),
            Err(fault) => {
                self.malformed.get_or_insert((fault, start));
                if parser.looks_like_json() {
                    self.at = end_of_brackets(self.text, start);
                } else {
                    self.wasted += parser.at() - start;
                    self.at += 1;
                }
            }
        }
        // Brackets in prose cost a few bytes each; only a text that was made to cost more gets here.
        if self.wasted > 1024 + 2 * self.text.len() { Err(ReplyError::NoValue) } else { Ok(()) }
    }

    /// A thought opens: what is in it never counts.
    fn open(&mut self, length: usize) {
        self.at += length;
        if self.open_thought {
            return;
        }
        let closing = self.text[self.at..].match_indices("</").find_map(|(offset, _)| {
            let start = self.at + offset;
            tag(&self.text[start..], "</").map(|length| start + length)
        });
        match closing {
            Some(end) => self.at = end,
            None => self.open_thought = true,
        }
    }

    /// A thought ends that began with the reply, unless nothing but the end of the reply follows.
    fn close(&mut self, length: usize) {
        self.at += length;
        if self.at <= self.last_bracket {
            self.found.clear();
            self.malformed = None;
            self.fenced = false;
        }
    }

    fn decide(self) -> Result<Value, ReplyError> {
        let ends_the_reply =
            |end: usize| self.text[end..].trim_matches(['`', ' ', '\n', '\r', '\t']).is_empty();
        self.found
            .into_iter()
            .filter(|candidate| !candidate.thought || ends_the_reply(candidate.end))
            .max_by_key(Candidate::rank)
            .map(|candidate| candidate.value)
            .ok_or_else(|| {
                self.malformed.map_or(ReplyError::NoValue, |(fault, start)| explain(self.text, &fault, start))
            })
    }
}

impl Candidate {
    /// The highest counts; of equals the last.
    fn rank(&self) -> (bool, bool, bool, bool) {
        let filled = match &self.value {
            Value::Object(object) => !object.is_empty(),
            Value::Array(list) => !list.is_empty(),
            _ => true,
        };
        (!self.thought, self.fenced, filled, self.value.is_object())
    }
}

fn explain(text: &str, fault: &Fault, start: usize) -> ReplyError {
    let line = |at: usize| text[..at].matches('\n').count() + 1;
    match fault.kind {
        FaultKind::Truncated => ReplyError::Truncated { line: line(start) },
        FaultKind::TooDeep => ReplyError::TooDeep,
        FaultKind::Malformed(expected) => {
            let before = &text[..fault.at];
            let column = before[before.rfind('\n').map_or(0, |at| at + 1)..].chars().count() + 1;
            ReplyError::Malformed { line: line(fault.at), column, expected }
        }
    }
}

/// Length of the tag that starts here, such as `<think>` or `</think>`.
fn tag(rest: &str, opening: &str) -> Option<usize> {
    let inner = rest.strip_prefix(opening)?;
    ["think", "thinking", "reasoning"].into_iter().find_map(|name| {
        let (head, tail) = inner.split_at_checked(name.len())?;
        (head.eq_ignore_ascii_case(name) && tail.starts_with('>')).then_some(opening.len() + name.len() + 1)
    })
}

/// Where the brackets that open here are closed; the end of the text if they are not.
fn end_of_brackets(text: &str, start: usize) -> usize {
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    for (offset, byte) in text.as_bytes()[start..].iter().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'{' | b'[' if !in_string => depth += 1,
            b'}' | b']' if !in_string => {
                depth -= 1;
                if depth == 0 {
                    return start + offset + 1;
                }
            }
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {

    use proptest::prelude::*;
    use serde::Deserialize;

    use super::*;

    #[derive(Deserialize)]
    struct Corpus {
        case: Vec<Case>,
    }

    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Case {
        name: String,
        reply: String,
        untouched: Option<String>,
        value: Option<String>,
        error: Option<String>,
    }

    /// Replies that are strict JSON already, and those that need repair or are refused: half and half.
    const UNTOUCHED_AND_OTHERS: (usize, usize) = (143, 141);

    #[test]
    fn every_reply_of_the_corpus_reads_as_it_says() {
        let corpus: Corpus = toml::from_str(include_str!("../../../tests/fixtures/reply.toml")).unwrap();
        let mut wrong = Vec::new();
        for case in &corpus.case {
            let strict = || serde_json::from_str::<Value>(&case.reply).map_err(|error| error.to_string());
            let expected = match (&case.untouched, &case.value, &case.error) {
                (Some(_), None, None) => strict(),
                (None, Some(json), None) => Ok(serde_json::from_str(json).unwrap()),
                (None, None, Some(error)) => Err(error.clone()),
                _ => panic!("{}: one of untouched, value, error", case.name),
            };
            let read = value(&case.reply).map_err(|error| error.to_string());
            // Compared as text, so that the order of members counts.
            if format!("{read:?}") != format!("{expected:?}") {
                wrong.push(format!("{}: read {read:?}, expected {expected:?}", case.name));
            }
        }
        assert_eq!(wrong, Vec::<String>::new());
        let untouched = corpus.case.iter().filter(|case| case.untouched.is_some()).count();
        assert_eq!((untouched, corpus.case.len() - untouched), UNTOUCHED_AND_OTHERS);
    }

    #[test]
    fn a_reply_that_is_no_object_is_named() {
        let error = |text| object(text).unwrap_err().to_string();
        assert_eq!(error("[1]"), "the reply is a list: answer with one JSON object");
        assert_eq!(error("\"{}\""), "the reply is a string: answer with one JSON object");
    }

    #[test]
    fn a_megabyte_of_anything_is_read() {
        // Reading that were not linear would not end within a day.
        for part in [
            "[",
            "{",
            "{\"a\":",
            "[1,",
            "{'",
            "{ '",
            "[/*",
            "</think>",
            "{a",
            "<think>",
            "</think>{",
            "```{",
            "\\\"{",
        ] {
            let _ = value(&part.repeat(1_000_000 / part.len()));
        }
        let sentence = format!("{{\"goal\": \"{}\",}}", "pay ".repeat(250_000));
        assert_eq!(object(&sentence).unwrap()["goal"].as_str().map(str::len), Some(1_000_000));
    }

    fn json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<String>().prop_map(Value::from),
            "[ -~]{0,20}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::vec((any::<String>(), inner), 0..6)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn strict_json_is_returned_unchanged(json in json(), pretty in any::<bool>()) {
            let text = if pretty { serde_json::to_string_pretty(&json) } else { serde_json::to_string(&json) };
            prop_assert_eq!(value(&text.unwrap()), Ok(json));
        }

        #[test]
        fn a_value_in_prose_is_the_value(json in json()) {
            let json = serde_json::json!({ "answer": json });
            for reply in [format!("Here's it: {json} Isn't it?"), format!("<think>{json}</think>```json\n{json}\n```")] {
                prop_assert_eq!(value(&reply), Ok(json.clone()));
            }
        }

        #[test]
        fn a_value_that_is_cut_off_is_never_returned(json in json(), part in 0.0..1.0_f64) {
            let text = serde_json::json!({ "answer": json }).to_string();
            let cut = (1..text.len()).filter(|at| text.is_char_boundary(*at)).collect::<Vec<_>>();
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss,
                clippy::float_arithmetic, reason = "picks an index")]
            let at = cut[(part * cut.len() as f64) as usize];
            prop_assert!(matches!(value(&text[..at]), Err(ReplyError::Truncated { .. })), "{}", &text[..at]);
        }

        #[test]
        fn no_text_makes_it_panic(text in any::<String>(), tricky in "[\\[\\]{}\"'`,:<>/*+\\\\#a-e0-9 \\n]{0,200}") {
            let _ = value(&text);
            let _ = value(&tricky);
        }
    }
}
