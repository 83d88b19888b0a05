//! `ln-agent mcp` on standard input and output, at the level of its lines.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::desk::Desk;

struct Server {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
}

impl Server {
    fn start(desk: &Desk, args: &[&str]) -> Self {
        let mut all = vec!["mcp"];
        all.extend(args);
        let mut child = desk
            .command(&all)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let stdin = child.stdin.take();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        Self { child, stdin, stdout }
    }

    fn initialized(desk: &Desk, args: &[&str]) -> Self {
        let mut server = Self::start(desk, args);
        let params = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } });
        let answer = server.ask(1, "initialize", &params);
        assert_eq!(answer["result"]["protocolVersion"], "2025-11-25");
        server.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        server
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.stdin.as_mut().unwrap(), "{message}").unwrap();
    }

    /// The next line; every one must be a JSON-RPC message.
    fn receive(&mut self) -> Value {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        let message: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"));
        assert_eq!(message["jsonrpc"], "2.0");
        message
    }

    fn ask(&mut self, id: u64, method: &str, params: &Value) -> Value {
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let message = self.receive();
            if message["id"] == id {
                return message;
            }
        }
    }

    fn call(&mut self, id: u64, tool: &str, args: &Value) -> Value {
        self.ask(id, "tools/call", &json!({ "name": tool, "arguments": args }))["result"].clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

#[test]
fn the_list_is_the_same_every_time_and_its_annotations_come_from_effects() {
    let desk = Desk::new();
    let mut server = Server::initialized(&desk, &[]);

    let first = server.ask(2, "tools/list", &json!({}))["result"]["tools"].clone();
    let second = server.ask(3, "tools/list", &json!({}))["result"]["tools"].clone();

    assert_eq!(first, second);
    let tools = first.as_array().unwrap();
    assert_eq!(tools.len(), 47);
    let hint = |name: &str, hint: &str| {
        tools.iter().find(|tool| tool["name"] == name).unwrap()["annotations"][hint].clone()
    };
    assert_eq!(
        (hint("ln_listpeers", "readOnlyHint"), hint("ln_listpeers", "destructiveHint")),
        (json!(true), json!(false))
    );
    assert_eq!(
        (hint("ln_pay", "readOnlyHint"), hint("ln_pay", "destructiveHint")),
        (json!(false), json!(true))
    );
    assert_eq!(
        (hint("ln_invoice", "readOnlyHint"), hint("ln_invoice", "destructiveHint")),
        (json!(false), json!(false))
    );
    for tool in tools {
        let annotations = tool["annotations"].as_object().unwrap();
        assert_eq!(annotations.len(), 5, "{tool:#}");
        assert_eq!(tool["inputSchema"]["type"], "object", "{tool:#}");
        assert!(!tool["inputSchema"].to_string().contains("$ref"), "{tool:#}");
    }
}

#[test]
fn an_answer_is_an_envelope_twice_and_a_bad_argument_is_readable() {
    let desk = Desk::new();
    let mut server = Server::initialized(&desk, &[]);

    let good = server.call(2, "btc_getblockchaininfo", &json!({}));
    let bad = server.call(3, "ln_getinfo", &json!({ "node": "none" }));
    let unknown = server.ask(4, "tools/call", &json!({ "name": "ln_teleport", "arguments": {} }));

    assert_eq!(good["isError"], false);
    assert_eq!(good["structuredContent"]["ok"], true);
    let text: Value = serde_json::from_str(good["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(text, good["structuredContent"]);
    assert_eq!(
        (&bad["isError"], &bad["structuredContent"]["ok"], &bad["structuredContent"]["payload"]),
        (&json!(true), &json!(false), &json!(null))
    );
    let message = bad["structuredContent"]["error"].as_str().unwrap();
    assert!(message.contains("`node`") && message.contains("none"), "{message}");
    assert_eq!(unknown["error"]["code"], -32602);
}

#[test]
fn a_request_of_the_stateless_era_needs_no_handshake() {
    let desk = Desk::new();
    let mut server = Server::start(&desk, &[]);
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": { "name": "t", "version": "1" }
    });

    let found = server.ask(1, "server/discover", &json!({ "_meta": meta }));
    let called =
        server.ask(2, "tools/call", &json!({ "name": "btc_getmempoolinfo", "arguments": {}, "_meta": meta }));

    assert!(
        found["result"]["supportedVersions"].as_array().unwrap().contains(&json!("2026-07-28")),
        "{found:#}"
    );
    assert_eq!(called["result"]["structuredContent"]["ok"], true, "{called:#}");
    assert_eq!(called["result"]["resultType"], "complete");
}

#[test]
fn a_long_call_reports_progress_and_can_be_cancelled() {
    let desk = Desk::new();
    let mut server = Server::initialized(&desk, &[]);

    let params =
        json!({ "name": "ln_waitanyinvoice", "arguments": { "node": 1 }, "_meta": { "progressToken": "p" } });
    server.send(&json!({ "jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": params }));
    let first = server.receive();
    let second = server.receive();
    server.send(
        &json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 9 } }),
    );
    let after = server.call(10, "btc_getblockchaininfo", &json!({}));

    assert_eq!(first["method"], "notifications/progress", "{first:#}");
    assert!(second["params"]["progress"].as_f64() > first["params"]["progress"].as_f64());
    assert_eq!(after["structuredContent"]["ok"], true);
}

#[test]
fn the_end_of_input_ends_the_process_even_with_a_call_in_flight() {
    let desk = Desk::new();
    let mut server = Server::initialized(&desk, &[]);
    let params = json!({ "name": "ln_waitanyinvoice", "arguments": { "node": 1 } });
    server.send(&json!({ "jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": params }));

    drop(server.stdin.take());

    let begun = Instant::now();
    while server.child.try_wait().unwrap().is_none() {
        assert!(begun.elapsed() < Duration::from_secs(2), "it still runs");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_long_answer_comes_in_pages_that_together_are_the_whole() {
    let desk = Desk::new();
    desk.ask("mine 60 blocks");
    let mut server = Server::initialized(&desk, &["--max-result-bytes", "4000"]);
    let whole = desk.call("btc_listtransactions", &json!({ "count": 40 }));

    let mut pages = Vec::new();
    let mut args = json!({ "count": 40 });
    for id in 2.. {
        let result = server.call(id, "btc_listtransactions", &args);
        pages.extend(result["structuredContent"]["payload"].as_array().unwrap().clone());
        match result["_meta"]["ln-agent/nextCursor"].as_str() {
            Some(cursor) => args["_cursor"] = json!(cursor),
            None => break,
        }
    }

    assert_eq!(Value::Array(pages), whole);
}

#[test]
fn garbage_on_standard_input_does_not_stop_it() {
    let desk = Desk::new();
    let mut server = Server::initialized(&desk, &[]);

    server.stdin.as_mut().unwrap().write_all(b"this is no JSON\n\n{\"jsonrpc\":\"2.0\"}\n").unwrap();
    let answer = server.call(5, "btc_getblockchaininfo", &json!({}));

    assert_eq!(answer["structuredContent"]["ok"], true);
}
