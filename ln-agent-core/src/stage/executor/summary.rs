//! The beginning of a value, without writing the rest of it.

use std::io::{self, Write};

use serde_json::Value;

/// The first `limit` bytes of the JSON text of a value, cut at a character.
pub(super) fn beginning(value: &Value, limit: usize) -> String {
    let mut head = Head { bytes: Vec::with_capacity(limit.min(512)), limit };
    // The writer refuses what goes beyond its limit; that ends the writing and is no error.
    let whole = serde_json::to_writer(&mut head, value).is_ok();
    let mut text = String::from_utf8_lossy(&head.bytes).trim_end_matches('\u{fffd}').to_owned();
    if !whole {
        text.push('…');
    }
    text
}

struct Head {
    bytes: Vec<u8>,
    limit: usize,
}

impl Write for Head {
    fn write(&mut self, part: &[u8]) -> io::Result<usize> {
        let room = self.limit - self.bytes.len();
        self.bytes.extend_from_slice(&part[..part.len().min(room)]);
        if part.len() > room { Err(io::ErrorKind::WriteZero.into()) } else { Ok(part.len()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::beginning;

    #[test]
    fn a_value_is_cut_at_its_limit_and_between_characters() {
        assert_eq!(beginning(&json!({ "a": 1 }), 100), "{\"a\":1}");
        assert_eq!(beginning(&json!("äöü"), 4), "\"ä…");
    }
}
