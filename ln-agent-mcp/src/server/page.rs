//! Long answers in pages: the longest list of a payload is cut, and a cursor continues it.
//!
//! The cursor holds the place of the list and how much was shown, so the server keeps no state. A list that
//! changes between two calls may show an element twice or not at all, as with every offset.

use serde_json::{Value, json};

/// Name of the argument that continues a long answer.
pub(super) const CURSOR: &str = "_cursor";

/// One page of a payload.
#[derive(Debug, PartialEq)]
pub(super) struct Page {
    /// The payload with its longest list cut.
    pub(super) payload: Value,
    /// Continues after it; `None` at the end.
    pub(super) next: Option<String>,
    /// What is shown, in words; `None` when everything is.
    pub(super) note: Option<String>,
}

/// Where to go on: the list's place in the payload, and how many of its elements were shown.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Cursor {
    pointer: String,
    offset: usize,
}

/// Why an answer cannot be shown.
#[derive(Debug, Eq, PartialEq, thiserror::Error)]
pub(super) enum PageError {
    /// The cursor was not made by this server for this tool.
    #[error("argument `_cursor` was {0:?}: expected the cursor of an earlier answer of the same tool")]
    BadCursor(String),
    /// There is no list to cut.
    #[error("the answer has {bytes} bytes and no list to cut, the limit is {limit}: ask for less")]
    TooLarge {
        /// Its size.
        bytes: usize,
        /// The most that is sent.
        limit: usize,
    },
}

impl Cursor {
    /// Reads a cursor.
    pub(super) fn parse(text: &str) -> Result<Self, PageError> {
        let bad = || PageError::BadCursor(text.to_owned());
        let (offset, pointer) = text.split_once('@').ok_or_else(bad)?;
        Ok(Self { pointer: pointer.to_owned(), offset: offset.parse().map_err(|_| bad())? })
    }

    fn write(&self) -> String {
        format!("{}@{}", self.offset, self.pointer)
    }
}

/// The page of `payload` at `cursor`, at most `limit` bytes long; a limit of 0 is none.
pub(super) fn page(mut payload: Value, cursor: Option<&Cursor>, limit: usize) -> Result<Page, PageError> {
    let start = match cursor {
        Some(cursor) => {
            let list = payload.pointer_mut(&cursor.pointer).and_then(Value::as_array_mut);
            let list = list.ok_or_else(|| PageError::BadCursor(cursor.write()))?;
            list.drain(..cursor.offset.min(list.len()));
            cursor.offset
        }
        None => 0,
    };
    let bytes = payload.to_string().len();
    if limit == 0 || bytes <= limit {
        return Ok(Page { payload, next: None, note: None });
    }
    let pointer = match cursor {
        Some(cursor) => cursor.pointer.clone(),
        None => longest_list(&payload, "").map(|(pointer, _)| pointer).unwrap_or_default(),
    };
    let Some(list) =
        payload.pointer_mut(&pointer).and_then(Value::as_array_mut).filter(|list| list.len() > 1)
    else {
        return Err(PageError::TooLarge { bytes, limit });
    };
    let total = list.len();
    let shown = fitting(list, bytes, limit);
    list.truncate(shown);
    let next = Cursor { pointer, offset: start + shown }.write();
    let note = format!(
        "{shown} of {} entries shown from entry {start}; call again with {} to go on",
        total + start,
        json!({ CURSOR: next })
    );
    Ok(Page { payload, next: Some(next), note: Some(note) })
}

/// How many elements keep the payload within the limit; at least one, so that every page makes progress.
fn fitting(list: &[Value], bytes: usize, limit: usize) -> usize {
    let mut excess = bytes - limit;
    let mut keep = list.len();
    while keep > 1 && excess > 0 {
        keep -= 1;
        excess = excess.saturating_sub(list[keep].to_string().len() + 1);
    }
    keep
}

/// The JSON pointer and length of the list with the most text in it.
fn longest_list(value: &Value, pointer: &str) -> Option<(String, usize)> {
    let here = value.as_array().map(|_| (pointer.to_owned(), value.to_string().len()));
    let below = value.as_object().into_iter().flatten().filter_map(|(key, child)| {
        let key = key.replace('~', "~0").replace('/', "~1");
        longest_list(child, &format!("{pointer}/{key}"))
    });
    here.into_iter().chain(below).max_by_key(|(_, length)| *length)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn channels(count: usize) -> Value {
        json!({ "channels": (0..count).map(|n| json!({ "n": n, "peer": "02ab" })).collect::<Vec<_>>() })
    }

    #[test]
    fn a_short_answer_is_left_alone() {
        let page = page(channels(3), None, 10_000).unwrap();

        assert_eq!(page, Page { payload: channels(3), next: None, note: None });
    }

    #[test]
    fn the_pages_of_a_long_answer_are_the_whole_answer() {
        let mut seen = Vec::new();
        let mut cursor = None;
        loop {
            let page = page(channels(100), cursor.as_ref(), 300).unwrap();
            assert!(page.payload.to_string().len() <= 300);
            seen.extend(page.payload["channels"].as_array().unwrap().clone());
            match page.next {
                Some(next) => cursor = Some(Cursor::parse(&next).unwrap()),
                None => break,
            }
        }

        assert_eq!(json!({ "channels": seen }), channels(100));
    }

    #[test]
    fn an_answer_without_a_list_is_refused_with_its_size() {
        let error = page(json!({ "raw": "x".repeat(100) }), None, 50).unwrap_err();

        assert_eq!(error, PageError::TooLarge { bytes: 110, limit: 50 });
    }

    #[test]
    fn a_foreign_cursor_is_refused() {
        assert_eq!(Cursor::parse("x"), Err(PageError::BadCursor("x".into())));
        let cursor = Cursor::parse("3@/peers").unwrap();
        assert_eq!(page(channels(9), Some(&cursor), 50), Err(PageError::BadCursor("3@/peers".into())));
    }
}
