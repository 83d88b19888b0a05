//! A model server that answers from a script, byte by byte as it is told.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// Listens on loopback until it is dropped.
pub(super) struct Server {
    pub(super) base: String,
    state: Arc<Mutex<State>>,
    task: tokio::task::JoinHandle<()>,
}

#[derive(Default)]
struct State {
    answers: VecDeque<Answer>,
    requests: Vec<Request>,
}

/// One request as it arrived.
#[derive(Clone, Debug)]
pub(super) struct Request {
    pub(super) path: String,
    /// Names in lower case.
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Value,
}

/// One answer.
#[derive(Clone, Debug)]
pub(super) struct Answer {
    status: u16,
    headers: Vec<(&'static str, String)>,
    /// Written one after another, each flushed by itself.
    pieces: Vec<Vec<u8>>,
    end: End,
}

/// How an answer ends.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum End {
    /// As announced.
    Whole,
    /// The connection closes before the announced length.
    BrokenOff,
    /// Nothing more comes, and the connection stays open.
    Silence,
}

impl Answer {
    /// An answer of one piece.
    pub(super) fn new(status: u16, content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        Self {
            status,
            headers: vec![("content-type", content_type.to_owned())],
            pieces: vec![body.into()],
            end: End::Whole,
        }
    }

    pub(super) fn json(status: u16, body: &Value) -> Self {
        Self::new(status, "application/json", body.to_string())
    }

    pub(super) fn header(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }

    pub(super) fn ending(mut self, end: End) -> Self {
        self.end = end;
        self
    }

    /// The same bytes, cut at every byte that is inside a character, and otherwise every `size` bytes.
    pub(super) fn cut(mut self, size: usize) -> Self {
        let bytes = self.pieces.concat();
        let mut pieces: Vec<Vec<u8>> = vec![Vec::new()];
        for (at, byte) in bytes.iter().enumerate() {
            let inside = byte & 0b1100_0000 == 0b1000_0000;
            if inside || at % size == 0 {
                pieces.push(Vec::new());
            }
            pieces.last_mut().unwrap().push(*byte);
        }
        self.pieces = pieces;
        self
    }

    async fn write(&self, socket: &mut TcpStream) -> std::io::Result<()> {
        let length: usize = self.pieces.iter().map(Vec::len).sum();
        let announced = if self.end == End::Whole { length } else { length + 1_000 };
        let mut head =
            format!("HTTP/1.1 {} X\r\ncontent-length: {announced}\r\nconnection: close\r\n", self.status);
        for (name, value) in &self.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        socket.write_all(format!("{head}\r\n").as_bytes()).await?;
        for piece in &self.pieces {
            socket.write_all(piece).await?;
            socket.flush().await?;
            // So that the pieces arrive as pieces.
            tokio::task::yield_now().await;
        }
        match self.end {
            End::Whole | End::BrokenOff => socket.shutdown().await,
            End::Silence => std::future::pending().await,
        }
    }
}

impl Server {
    /// Serves these answers in order, and 500 after the last.
    pub(super) async fn answering(answers: impl IntoIterator<Item = Answer>) -> Self {
        let state =
            Arc::new(Mutex::new(State { answers: answers.into_iter().collect(), ..State::default() }));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let shared = Arc::clone(&state);
        let task = tokio::spawn(async move {
            while let Ok((mut socket, _)) = listener.accept().await {
                let state = Arc::clone(&shared);
                tokio::spawn(async move {
                    if speaks_tls(&socket).await {
                        let _ = Answer::new(400, "text/plain", "this is plain HTTP").write(&mut socket).await;
                        return;
                    }
                    let Some(request) = read(&mut socket).await else { return };
                    let answer = {
                        let mut state = state.lock().unwrap();
                        state.requests.push(request);
                        state.answers.pop_front()
                    };
                    let ended = Answer::new(500, "text/plain", "the script is at its end");
                    // The client may hang up whenever it likes.
                    let _ = answer.unwrap_or(ended).write(&mut socket).await;
                });
            }
        });
        Self { base, state, task }
    }

    pub(super) fn requests(&self) -> Vec<Request> {
        self.state.lock().unwrap().requests.clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Request {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// The first byte is that of a TLS handshake. Servers of plain HTTP answer that in plain text.
async fn speaks_tls(socket: &TcpStream) -> bool {
    let mut first = [0];
    matches!(socket.peek(&mut first).await, Ok(1)) && first == [22]
}

async fn read(socket: &mut TcpStream) -> Option<Request> {
    let mut bytes = Vec::new();
    loop {
        let mut chunk = [0; 65_536];
        let count = socket.read(&mut chunk).await.ok().filter(|count| *count > 0)?;
        bytes.extend_from_slice(&chunk[..count]);
        if let Some(request) = parse(&bytes) {
            return Some(request);
        }
    }
}

fn parse(bytes: &[u8]) -> Option<Request> {
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n")?;
    let head = std::str::from_utf8(&bytes[..end]).unwrap();
    let mut lines = head.lines();
    let path = lines.next()?.split(' ').nth(1)?.to_owned();
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
        .collect();
    let length: usize = headers
        .iter()
        .find(|(name, _)| name == "content-length")
        .map_or(0, |(_, value)| value.parse().unwrap());
    let body = bytes.get(end + 4..end + 4 + length)?;
    Some(Request { path, headers, body: serde_json::from_slice(body).unwrap() })
}
