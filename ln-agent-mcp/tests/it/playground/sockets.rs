use std::path::Path;

use ln_agent_mcp::playground::Network;
use ln_agent_mcp::playground::serve::{Server, serve};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;

async fn up(dir: &Path, nodes: u16) -> Server {
    let network = Network::in_memory([7; 32], nodes).unwrap();
    serve(network, dir, &[1; 32], 0).await.unwrap()
}

async fn talk(socket: &Path, message: &str) -> String {
    let mut stream = UnixStream::connect(socket).await.unwrap();
    stream.write_all(message.as_bytes()).await.unwrap();
    read_frame(&mut stream).await
}

async fn read_frame(stream: &mut UnixStream) -> String {
    let mut text = Vec::new();
    while !text.ends_with(b"\n\n") {
        let mut byte = [0];
        if stream.read(&mut byte).await.unwrap() == 0 {
            break;
        }
        text.push(byte[0]);
    }
    String::from_utf8(text).unwrap()
}

async fn call(socket: &Path, method: &str, params: Value) -> Value {
    let request = json!({"jsonrpc": "2.0", "id": method, "method": method, "params": params});
    let answer: Value = serde_json::from_str(&talk(socket, &request.to_string()).await).unwrap();
    assert_eq!((&answer["jsonrpc"], &answer["id"]), (&json!("2.0"), &json!(method)));
    answer
}

async fn bitcoin(server: &Server, method: &str, params: Value) -> Value {
    use base64::Engine;
    let cookie = std::fs::read_to_string(server.layout().cookie()).unwrap();
    let password = base64::engine::general_purpose::STANDARD.encode(cookie);
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
    let mut stream = tokio::net::TcpStream::connect(("127.0.0.1", server.bitcoin_port())).await.unwrap();
    let request = format!(
        "POST /wallet/shared-wallet HTTP/1.1\r\nHost: x\r\nAuthorization: Basic {password}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    let (_, body) = answer.split_once("\r\n\r\n").unwrap();
    serde_json::from_str::<Value>(body).unwrap()["result"].clone()
}

#[tokio::test]
async fn the_golden_path_runs_over_real_sockets() {
    let dir = tempfile::tempdir().unwrap();
    let server = up(dir.path(), 2).await;
    let (one, two) = (server.layout().lightning(1), server.layout().lightning(2));
    let id = call(&two, "getinfo", json!({})).await["result"]["id"].clone();

    call(&one, "connect", json!({"id": id, "host": "127.0.0.1", "port": 9737})).await;
    let opened = call(&one, "fundchannel", json!({"id": id, "amount": 500_000})).await;
    assert_eq!(opened["result"]["outnum"], 0);
    let address = bitcoin(&server, "getnewaddress", json!([])).await;
    let blocks = bitcoin(&server, "generatetoaddress", json!([6, address])).await;
    assert_eq!(blocks.as_array().unwrap().len(), 6);
    let invoice = call(&two, "invoice", json!([10_000, "a", "b"])).await;
    let paid = call(&one, "pay", json!({"bolt11": invoice["result"]["bolt11"]})).await;

    assert_eq!(paid["result"]["status"], "complete");
    server.close().await;
    assert!(!one.exists());
}

#[tokio::test]
async fn several_requests_of_one_connection_are_in_flight_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let server = up(dir.path(), 1).await;
    let mut stream = UnixStream::connect(server.layout().lightning(1)).await.unwrap();
    let slow = r#"{"jsonrpc":"2.0","id":"slow","method":"waitanyinvoice","params":{"timeout":3600}}"#;
    let fast = r#"{"jsonrpc":"2.0","id":7,"method":"getinfo","params":{},"filter":{"network":true}}"#;

    stream.write_all(format!("{slow}{fast}").as_bytes()).await.unwrap();

    let first = read_frame(&mut stream).await;
    assert_eq!(first, "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"network\":\"regtest\"}}\n\n");
}

#[tokio::test]
async fn bad_json_is_answered_and_the_connection_closed() {
    let dir = tempfile::tempdir().unwrap();
    let server = up(dir.path(), 1).await;
    let mut stream = UnixStream::connect(server.layout().lightning(1)).await.unwrap();

    stream.write_all(b"{not json}").await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();

    assert_eq!(
        answer,
        "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,\"message\":\"Failed to parse RPC JSON response '{not json}'\"}}\n\n"
    );
}

#[tokio::test]
async fn the_control_socket_starts_stops_makes_and_deletes_nodes() {
    let dir = tempfile::tempdir().unwrap();
    let server = up(dir.path(), 1).await;
    let control = server.layout().control();
    let socket = server.layout().lightning(2);

    let made = call(&control, "node_create", json!({"node": 2})).await;
    assert_eq!(made["result"], json!({"node": 2, "created": true}));
    assert!(!socket.exists());
    let started = call(&control, "node_start", json!({"node": 2})).await;
    assert_eq!(started["result"], json!({"node": 2, "started": true, "rpc_socket": socket}));
    assert_eq!(call(&socket, "getinfo", json!({})).await["result"]["alias"], "node-2");
    let stopped = call(&control, "node_stop", json!([2])).await;
    assert_eq!(stopped["result"], json!({"node": 2, "stopped": true}));
    assert!(!socket.exists());
    let status = call(&control, "status", json!({})).await;
    assert_eq!(status["result"]["nodes"][1]["running"], false);
    assert_eq!(status["result"]["bitcoin_rpc_port"], server.bitcoin_port());
    assert_eq!(std::fs::read_to_string(server.layout().node_count()).unwrap(), "2\n");
    let deleted = call(&control, "node_delete", json!({"node": 2})).await;
    assert_eq!(deleted["result"], json!({"node": 2, "deleted": true}));
    let missing = call(&control, "node_start", json!({"node": 2})).await;
    assert_eq!(missing["error"], json!({"code": -1, "message": "node 2 does not exist; create it first"}));
    let zero = call(&control, "node_start", json!({"node": 0})).await;
    assert_eq!(
        zero["error"]["message"],
        "node: should be a node's number from 1 to 65535: invalid token '0'"
    );
    call(&control, "shutdown", json!({})).await;
    server.shutdown_requested().await;
}

#[tokio::test]
async fn core_lightnings_stop_takes_the_socket_away() {
    let dir = tempfile::tempdir().unwrap();
    let server = up(dir.path(), 1).await;
    let socket = server.layout().lightning(1);

    let answer = call(&socket, "stop", json!({})).await;

    assert_eq!(answer["result"], "Shutdown complete");
    while socket.exists() {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_runtime_directory_that_is_too_deep_for_a_socket_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let deep = dir.path().join("d".repeat(100));
    let network = Network::in_memory([7; 32], 1).unwrap();

    let error = serve(network, &deep, &[1; 32], 0).await.unwrap_err();

    assert!(
        error.to_string().contains("but a unix socket allows 107; choose a shorter runtime directory"),
        "{error}"
    );
}

#[tokio::test]
async fn a_node_that_was_stopped_past_its_socket_hangs_up_on_its_callers() {
    let dir = tempfile::tempdir().unwrap();
    let network = Network::in_memory([7; 32], 1).unwrap();
    let server = serve(network.clone(), dir.path(), &[1; 32], 0).await.unwrap();
    let socket = server.layout().lightning(1);
    network.stop_node(1).await.unwrap();

    let answer = talk(&socket, r#"{"jsonrpc": "2.0", "id": 1, "method": "getinfo", "params": {}}"#).await;

    assert_eq!((answer.as_str(), socket.exists()), ("", false));
}
