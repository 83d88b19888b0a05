//! One JSON value a line.

/// Turns bytes into lines. Blank ones are left out.
#[derive(Debug, Default)]
pub(super) struct LineDecoder {
    line: Vec<u8>,
}

impl LineDecoder {
    /// The lines that these bytes complete. A character may be cut anywhere.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Vec<String> {
        let mut lines = Vec::new();
        for &byte in bytes {
            if byte == b'\n' {
                lines.extend(self.finish());
            } else {
                self.line.push(byte);
            }
        }
        lines
    }

    /// The line that the end of the stream leaves open.
    pub(super) fn finish(&mut self) -> Option<String> {
        let bytes = std::mem::take(&mut self.line);
        let line = String::from_utf8_lossy(&bytes).trim().to_owned();
        (!line.is_empty()).then_some(line)
    }

    /// Bytes that are held back.
    pub(super) fn pending(&self) -> usize {
        self.line.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_whole_however_they_arrive() {
        let text = "{\"a\":\"é\"}\r\n\n{\"b\":1}".as_bytes();
        for cut in 0..text.len() {
            let mut decoder = LineDecoder::default();
            let mut lines = decoder.push(&text[..cut]);
            lines.extend(decoder.push(&text[cut..]));
            lines.extend(decoder.finish());
            assert_eq!(lines, ["{\"a\":\"é\"}", "{\"b\":1}"], "{cut}");
        }
    }
}
