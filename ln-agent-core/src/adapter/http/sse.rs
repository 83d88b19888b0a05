//! Server-sent events out of bytes, as <https://html.spec.whatwg.org/multipage/server-sent-events.html> reads them.

/// Turns bytes into the data of events. Names, ids and retry times are not needed by any dialect: each one's data
/// says what it is.
#[derive(Debug, Default)]
pub(super) struct SseDecoder {
    /// Bytes of the line that is not finished.
    line: Vec<u8>,
    /// Data lines of the event that is not finished.
    data: Option<String>,
    /// The last byte was a carriage return, so that a line feed that follows ends no second line.
    after_return: bool,
    /// A byte order mark is only one at the very start.
    started: bool,
}

impl SseDecoder {
    /// The data of every event that these bytes complete. A character may be cut anywhere.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Vec<String> {
        let mut events = Vec::new();
        for &byte in bytes {
            match byte {
                b'\n' if self.after_return => self.after_return = false,
                b'\n' | b'\r' => {
                    self.after_return = byte == b'\r';
                    events.extend(self.end_line());
                }
                _ => {
                    self.after_return = false;
                    self.line.push(byte);
                }
            }
        }
        events
    }

    /// The event that the end of the stream leaves open. The standard drops it; some servers leave out the last
    /// blank line, so the caller may use it if it is whole.
    pub(super) fn finish(&mut self) -> Option<String> {
        if !self.line.is_empty() {
            let finished = self.end_line();
            if finished.is_some() {
                return finished;
            }
        }
        self.data.take()
    }

    /// Bytes that are held back.
    pub(super) fn pending(&self) -> usize {
        self.line.len() + self.data.as_ref().map_or(0, String::len)
    }

    fn end_line(&mut self) -> Option<String> {
        let bytes = std::mem::take(&mut self.line);
        let text = String::from_utf8_lossy(&bytes);
        let line = if self.started { &*text } else { text.strip_prefix('\u{feff}').unwrap_or(&text) };
        self.started = true;
        if line.is_empty() {
            return self.data.take();
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        if field == "data" {
            let value = value.strip_prefix(' ').unwrap_or(value);
            match &mut self.data {
                Some(data) => {
                    data.push('\n');
                    data.push_str(value);
                }
                None => self.data = Some(value.to_owned()),
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(bytes: &[u8]) -> Vec<String> {
        let mut decoder = SseDecoder::default();
        let mut events = decoder.push(bytes);
        events.extend(decoder.finish());
        events
    }

    #[test]
    fn events_are_read_with_every_line_end_and_without_comments() {
        let text = "\u{feff}: hello\r\nevent: x\r\ndata: one\r\n\r\ndata:two\n\n: ping\n\nid: 1\rdata: a\rdata:  b\r\rdata\n\n";
        assert_eq!(whole(text.as_bytes()), ["one", "two", "a\n b", ""]);
    }

    #[test]
    fn cutting_the_bytes_anywhere_changes_nothing() {
        let text =
            "data: {\"a\":\"é€😀\"}\r\n\r\n: x\n\ndata: zwei\ndata: drei\n\ndata: [DONE]\n\n".as_bytes();
        let expected = whole(text);
        for first in 0..text.len() {
            for second in first..text.len() {
                let mut decoder = SseDecoder::default();
                let mut events = decoder.push(&text[..first]);
                events.extend(decoder.push(&text[first..second]));
                events.extend(decoder.push(&text[second..]));
                events.extend(decoder.finish());
                assert_eq!(events, expected, "{first} {second}");
            }
        }
    }

    #[test]
    fn an_event_without_its_blank_line_is_left_to_the_caller() {
        let mut decoder = SseDecoder::default();
        assert_eq!(decoder.push(b"data: {\"done\":true}"), Vec::<String>::new());
        assert_eq!(decoder.finish().as_deref(), Some("{\"done\":true}"));
        assert_eq!(decoder.finish(), None);
    }
}
