use std::sync::{Arc, Mutex};

use ln_agent_mcp::playground::bitcoind::{Ask, Cookie, Node, RpcCall, dispatch, serve};
use ln_agent_mcp::playground::chain::Chain;
use ln_agent_mcp::playground::wallet::Wallets;
use serde::Deserialize;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;

#[derive(Deserialize)]
struct Recorded {
    name: String,
    verb: String,
    path: String,
    auth: String,
    body: Option<String>,
    status: u16,
    answer: String,
}

/// A served empty network: its stream, and the right `Authorization` header.
async fn served(dir: &std::path::Path) -> (TcpStream, String) {
    let state = Arc::new(Mutex::new((Chain::new(), Wallets::new([1; 32]))));
    let ask: Ask = Arc::new(move |call: RpcCall| {
        let (sender, receiver) = oneshot::channel();
        let mut state = state.lock().unwrap();
        let (chain, wallets) = &mut *state;
        let answer = dispatch(Node { chain, wallets }, &call.method, call.params, call.wallet.as_deref());
        sender.send(answer).unwrap();
        receiver
    });
    let cookie = Cookie::write(&dir.join(".cookie"), &[0xab; 32]).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(serve(listener, Arc::new(cookie), ask));
    let stream = TcpStream::connect(address).await.unwrap();
    let text = std::fs::read_to_string(dir.join(".cookie")).unwrap();
    assert_eq!(text, format!("__cookie__:{}", "ab".repeat(32)));
    let header = format!("Basic {}", base64(text.as_bytes()));
    (stream, header)
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let chunk = |part: &[u8]| -> String {
        let word =
            part.iter().chain([&0; 2]).take(3).fold(0usize, |word, byte| word << 8 | usize::from(*byte));
        let letter = |place: usize| {
            if place > part.len() { '=' } else { char::from(LETTERS[word >> (18 - 6 * place) & 63]) }
        };
        (0..4).map(letter).collect()
    };
    bytes.chunks(3).map(chunk).collect()
}

async fn exchange(stream: &mut TcpStream, case: &Recorded, header: &str) -> (u16, String) {
    let auth = match case.auth.as_str() {
        "none" => String::new(),
        "good" => format!("Authorization: {header}\r\n"),
        other => format!("Authorization: {other}\r\n"),
    };
    let body = case.body.as_deref().unwrap_or_default();
    let (verb, path, length) = (&case.verb, &case.path, body.len());
    let request =
        format!("{verb} {path} HTTP/1.1\r\nHost: localhost\r\n{auth}Content-Length: {length}\r\n\r\n{body}");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.unwrap());
    }
    let head = String::from_utf8(head).unwrap().to_ascii_lowercase();
    let length =
        head.split("content-length: ").nth(1).map_or(0, |rest| rest.lines().next().unwrap().parse().unwrap());
    let mut answer = vec![0; length];
    stream.read_exact(&mut answer).await.unwrap();
    (head.split(' ').nth(1).unwrap().parse().unwrap(), String::from_utf8(answer).unwrap())
}

#[tokio::test]
async fn frames_statuses_and_bodies_are_bitcoinds_on_one_connection() {
    let recorded: Vec<Recorded> =
        serde_json::from_str(include_str!("../../fixtures/bitcoind/http.json")).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let (mut stream, header) = served(dir.path()).await;
    for case in recorded {
        let answer = exchange(&mut stream, &case, &header).await;

        assert_eq!(answer, (case.status, case.answer), "{}", case.name);
    }
}

#[tokio::test]
async fn a_wallet_is_named_by_its_escaped_path() {
    let dir = tempfile::tempdir().unwrap();
    let (mut stream, header) = served(dir.path()).await;
    let call = |path: &str, body: &str| Recorded {
        name: String::new(),
        verb: "POST".to_owned(),
        path: path.to_owned(),
        auth: "good".to_owned(),
        body: Some(body.to_owned()),
        status: 200,
        answer: String::new(),
    };
    let create = call("/", r#"{"id":1,"method":"createwallet","params":["my savings/2"]}"#);
    exchange(&mut stream, &create, &header).await;

    let ask = call("/wallet/my%20savings%2F2", r#"{"id":1,"method":"getbalance"}"#);
    let answer = exchange(&mut stream, &ask, &header).await;

    assert_eq!(answer, (200, "{\"result\":0.00000000,\"error\":null,\"id\":1}\n".to_owned()));
}

#[cfg(unix)]
#[test]
fn the_cookie_is_for_its_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(".cookie");
    std::fs::write(&path, "old, and open to all").unwrap();

    Cookie::write(&path, &[1; 32]).unwrap();

    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
}
