//! Finds where one JSON object ends in a stream of bytes, however the reads are cut.

/// Counts brackets outside strings, remembering where it stopped, so each byte is looked at once.
#[derive(Debug, Default)]
pub(crate) struct FrameScanner {
    depth: usize,
    in_string: bool,
    escaped: bool,
    seen: usize,
}

impl FrameScanner {
    /// The length of the first whole object in `buffer`, which has only grown since the last call, or `None` if
    /// more bytes are needed. After a `Some` the scanner starts afresh for the rest of the buffer.
    pub(crate) fn end_of_object(&mut self, buffer: &[u8]) -> Option<usize> {
        while let Some(&byte) = buffer.get(self.seen) {
            self.seen += 1;
            if self.in_string {
                match byte {
                    _ if self.escaped => self.escaped = false,
                    b'\\' => self.escaped = true,
                    b'"' => self.in_string = false,
                    _ => {}
                }
                continue;
            }
            match byte {
                b'"' => self.in_string = true,
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => {
                    self.depth = self.depth.saturating_sub(1);
                    if self.depth == 0 {
                        let end = self.seen;
                        *self = Self::default();
                        return Some(end);
                    }
                }
                _ => {}
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_is_found_however_the_reads_are_cut() {
        let stream = br#"{"id":"a","text":"} \" {[","deep":[{"b":{}}]}

{"id":2}"#;
        let first = stream.len() - br#"{"id":2}"#.len() - 2;
        for step in 1..stream.len() {
            let mut scanner = FrameScanner::default();
            let mut buffer = Vec::new();
            let mut frames = Vec::new();
            for chunk in stream.chunks(step) {
                buffer.extend_from_slice(chunk);
                while let Some(end) = scanner.end_of_object(&buffer) {
                    frames.push(String::from_utf8(buffer.drain(..end).collect()).unwrap());
                }
            }
            assert_eq!(frames[0].as_bytes(), &stream[..first], "cut every {step} bytes");
            assert_eq!(frames[1].trim(), r#"{"id":2}"#, "cut every {step} bytes");
            assert_eq!(frames.len(), 2);
        }
    }
}
