//! `ln-agent mcp --http`: who may speak to it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};

use serde_json::json;

use crate::desk::Desk;

struct Server {
    child: Child,
    address: String,
}

impl Server {
    fn start(desk: &Desk, token: Option<&str>) -> Self {
        let mut command = desk.command(&["mcp", "--http", "127.0.0.1:0"]);
        if let Some(token) = token {
            command.env("LN_AGENT_MCP_TOKEN", token);
        }
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
        let address = line
            .trim()
            .strip_prefix("listening on http://")
            .unwrap()
            .strip_suffix("/mcp")
            .unwrap()
            .to_owned();
        Self { child, address }
    }

    /// The status of an `initialize` with these headers.
    fn status(&self, headers: &str) -> u16 {
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } } });
        let body = body.to_string();
        let host =
            if headers.contains("Host:") { String::new() } else { format!("Host: {}\r\n", self.address) };
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let request = format!(
            "POST /mcp HTTP/1.1\r\n{host}{headers}Content-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(request.as_bytes()).unwrap();
        let mut head = [0; 12];
        stream.read_exact(&mut head).unwrap();
        std::str::from_utf8(&head[9..]).unwrap().parse().unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

#[test]
fn strangers_origins_and_hosts_are_turned_away() {
    let desk = Desk::new();
    let server = Server::start(&desk, None);

    assert_eq!(server.status(""), 200);
    assert_eq!(server.status("Origin: http://localhost:3000\r\n"), 200);
    assert_eq!(server.status("Origin: https://evil.example\r\n"), 403);
    assert_eq!(server.status("Host: evil.example\r\n"), 403);
}

#[test]
fn a_bearer_token_guards_every_request() {
    let desk = Desk::new();
    let server = Server::start(&desk, Some("correct horse"));

    assert_eq!(server.status(""), 401);
    assert_eq!(server.status("Authorization: Bearer wrong horse\r\n"), 401);
    assert_eq!(server.status("Authorization: Bearer correct horse\r\n"), 200);
}

#[test]
fn it_does_not_listen_beyond_loopback_without_a_token() {
    let desk = Desk::new();

    let said = desk.run(&["mcp", "--http", "0.0.0.0:0"]);

    assert_eq!(said.code, 2, "{said:?}");
    assert!(said.stderr.contains("LN_AGENT_MCP_TOKEN"), "{said:?}");
}
