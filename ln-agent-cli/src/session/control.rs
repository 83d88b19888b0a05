//! The playground's control socket, for commands that wait for it.

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use serde_json::{Deserializer, Value, json};

/// An open control socket.
#[derive(Debug)]
pub(crate) struct Control(UnixStream);

/// Why the playground did not do it.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ControlError {
    /// The connection broke.
    #[error("the playground broke off")]
    Broken(#[from] io::Error),
    /// It answered that it will not.
    #[error("{0}")]
    Refused(String),
    /// Its answer was no JSON.
    #[error("the playground's answer is not readable")]
    Unreadable(#[from] serde_json::Error),
}

impl ControlError {
    /// The other side hung up before it answered: it is ending, or was killed just now.
    pub(crate) fn is_hang_up(&self) -> bool {
        let kind = match self {
            Self::Broken(error) => Some(error.kind()),
            Self::Unreadable(error) if error.is_eof() => Some(io::ErrorKind::UnexpectedEof),
            Self::Unreadable(error) => error.io_error_kind(),
            Self::Refused(_) => None,
        };
        matches!(
            kind,
            Some(io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe | io::ErrorKind::UnexpectedEof)
        )
    }
}

impl Control {
    /// Connects; `None` when no playground is running there.
    pub(crate) fn connect(socket: &Path) -> io::Result<Option<Self>> {
        match UnixStream::connect(socket) {
            Ok(stream) => {
                stream.set_read_timeout(Some(ANSWER_LIMIT))?;
                Ok(Some(Self(stream)))
            }
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::NotADirectory | io::ErrorKind::ConnectionRefused
                ) =>
            {
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Calls a method.
    pub(crate) fn call(&mut self, method: &str, params: &Value) -> Result<Value, ControlError> {
        let request = json!({ "jsonrpc": "2.0", "id": method, "method": method, "params": params });
        self.0.write_all(format!("{request}\n\n").as_bytes())?;
        let answer: Value = match Deserializer::from_reader(Read::by_ref(&mut self.0)).into_iter().next() {
            Some(answer) => answer?,
            None => return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into()),
        };
        match answer.pointer("/error/message").and_then(Value::as_str) {
            Some(message) => Err(ControlError::Refused(message.to_owned())),
            None => Ok(answer.get("result").cloned().unwrap_or_default()),
        }
    }

    /// Waits until the other side closes.
    pub(crate) fn wait_for_end(mut self) -> io::Result<()> {
        let mut rest = Vec::new();
        match self.0.read_to_end(&mut rest) {
            Ok(_) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::ConnectionReset => Ok(()),
            Err(error) => Err(error),
        }
    }
}

/// Every answer comes in milliseconds; a wipe of a large network may take a little.
const ANSWER_LIMIT: Duration = Duration::from_secs(20);

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixListener;

    use super::*;

    /// What comes of a call to somebody who reads `read` bytes, says `said`, and hangs up.
    fn called(read: usize, said: &'static [u8]) -> Result<Value, ControlError> {
        let dir = tempfile::tempdir().unwrap();
        let socket = dir.path().join("control");
        let listener = UnixListener::bind(&socket).unwrap();
        let other = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            stream.read_exact(&mut vec![0; read]).unwrap();
            stream.write_all(said).unwrap();
        });
        let mut control = Control::connect(&socket).unwrap().unwrap();
        let outcome = control.call("status", &json!({}));
        other.join().unwrap();
        outcome
    }

    #[test]
    fn whoever_hangs_up_before_an_answer_is_told_from_one_who_answers_nonsense() {
        // Bytes that were never read make the hang-up a reset; bytes that were read make it an end.
        for (read, said) in [(0, &b""[..]), (10, b""), (10, b"{\"jsonrpc\":")] {
            assert!(called(read, said).unwrap_err().is_hang_up(), "{read} {said:?}");
        }
        assert!(!called(10, b"nonsense\n\n").unwrap_err().is_hang_up());
        assert!(!called(10, b"{\"error\":{\"message\":\"no\"}}\n\n").unwrap_err().is_hang_up());
    }
}
