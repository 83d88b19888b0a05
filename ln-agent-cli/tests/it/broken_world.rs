//! Nodes, disks and processes that fail under the program.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::desk::{Desk, Said};

/// A lightningd that answers one request, `{id}` being the request's, and hangs up.
fn node_that_answers(desk: &Desk, answer: impl FnOnce(&str) -> String + Send + 'static) {
    let dir = desk.path().join("nodes/node-1/regtest");
    std::fs::create_dir_all(&dir).unwrap();
    let listener = UnixListener::bind(dir.join("lightning-rpc")).unwrap();
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut request = vec![0; 4096];
        let read = stream.read(&mut request).unwrap();
        let request: Value = serde_json::from_slice(&request[..read]).unwrap();
        // The client may have seen enough.
        drop(stream.write_all(answer(request["id"].as_str().unwrap()).as_bytes()));
    });
}

/// Calls a tool of the one node at [`node_that_answers`].
fn call(desk: &Desk, tool: &str, args: &Value) -> Said {
    let mut command = desk.command(&["call", tool, "--args", &args.to_string()]);
    let nodes = desk.path().join("nodes");
    let said = command.env("NETWORK", "regtest").env("LIGHTNING_BASE", nodes).env("DEFAULT_NODE_COUNT", "1");
    said.output().unwrap().into()
}

/// Whether the process still runs; one that ended and was not yet waited for does not.
fn is_alive(pid: &str) -> bool {
    let stat = std::fs::read_to_string(Path::new("/proc").join(pid).join("stat")).unwrap_or_default();
    stat.rsplit(')').next().is_some_and(|rest| !rest.is_empty() && !rest.trim_start().starts_with('Z'))
}

#[test]
fn a_socket_closed_mid_answer_is_unreachable_for_a_read_and_unknown_for_a_change() {
    let invoice = json!({ "node": 1, "amount_msat": 1000, "label": "a", "description": "" });
    let cases = [("ln_listpeers", json!({ "node": 1 }), 4), ("ln_invoice", invoice, 5)];
    for (tool, args, code) in cases {
        let desk = Desk::new();
        node_that_answers(&desk, |id| format!("{{\"jsonrpc\":\"2.0\",\"id\":\"{id}\",\"resu"));

        let said = call(&desk, tool, &args);

        assert_eq!(said.code, code, "{said:?}");
        assert!(said.stdout.contains("node 1 closed the connection"), "{said:?}");
    }
}

#[test]
fn an_answer_of_fifty_megabytes_arrives_whole() {
    let desk = Desk::new();
    node_that_answers(&desk, |id| {
        let alias = "\\\"".repeat(25_000_000);
        format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":\"{id}\",\"result\":{{\"peers\":[{{\"alias\":\"{alias}\"}}]}}}}\n\n"
        )
    });

    let said = call(&desk, "ln_listpeers", &json!({ "node": 1 }));

    assert_eq!(said.code, 0, "{}", said.stderr);
    let answer: Value = serde_json::from_str(&said.stdout).unwrap();
    assert_eq!(answer["payload"]["peers"][0]["alias"].as_str().unwrap().len(), 25_000_000);
}

#[test]
fn a_full_or_read_only_disk_is_told_before_anything_runs() {
    for (options, cause) in [("size=16k", "No space left"), ("ro", "Read-only file system")] {
        let desk = Desk::new();
        let disk = desk.path().join("disk");
        std::fs::create_dir(&disk).unwrap();
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", options, "tmpfs"]).arg(&disk).output();
        if !mounted.is_ok_and(|output| output.status.success()) {
            eprintln!("not run: only root can mount such a disk");
            return;
        }
        let _mount = Mount(&disk);
        // As much as there is room for.
        drop(std::fs::write(disk.join("fill"), vec![0; 64 * 1024]));
        let state = disk.join("state").display().to_string();

        let playground = desk.run(&["--runtime-dir", &state, "ask", "block height"]);
        let regtest = desk.run(&["--runtime-dir", &state, "--network", "regtest", "ask", "block height"]);

        for said in [playground, regtest] {
            assert_eq!((said.code, said.stdout.as_str()), (2, ""), "{said:?}");
            assert_eq!(said.stderr.lines().count(), 1, "{said:?}");
            for part in [state.as_str(), "free space", cause] {
                assert!(said.stderr.contains(part), "{said:?}");
            }
        }
    }
}

struct Mount<'a>(&'a Path);

impl Drop for Mount<'_> {
    fn drop(&mut self) {
        drop(Command::new("umount").arg("-l").arg(self.0).status());
    }
}

#[test]
fn a_tool_server_does_not_outlive_a_parent_that_was_killed() {
    let desk = Desk::new();
    let mut chat = desk
        .command(&["chat"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    chat.stdin.as_mut().unwrap().write_all(b"what is the block height?\n").unwrap();
    let mut answer = String::new();
    BufReader::new(chat.stdout.take().unwrap()).read_line(&mut answer).unwrap();
    let pid = std::fs::read_to_string(desk.path().join("mcp.pid")).unwrap();
    assert!(answer.starts_with('✓') && is_alive(pid.trim()), "{answer}");

    chat.kill().unwrap();
    chat.wait().unwrap();

    let begun = Instant::now();
    while is_alive(pid.trim()) {
        assert!(begun.elapsed() < Duration::from_secs(2), "it still runs");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_run_that_ended_leaves_no_process_and_no_pid_file() {
    let desk = Desk::new();

    assert_eq!(desk.ask("what is the block height?").code, 0);

    assert!(!desk.path().join("mcp.pid").exists());
}

#[test]
fn a_tool_server_that_was_killed_is_started_again_for_the_next_sentence() {
    let desk = Desk::new();
    let mut chat = desk
        .command(&["chat"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut stdin = chat.stdin.take().unwrap();
    let mut stdout = BufReader::new(chat.stdout.take().unwrap());
    let mut ask = || {
        stdin.write_all(b"what is the block height?\n").unwrap();
        let mut answer = String::new();
        stdout.read_line(&mut answer).unwrap();
        answer
    };
    let pid_of = || std::fs::read_to_string(desk.path().join("mcp.pid")).unwrap();

    let first = ask();
    let killed = pid_of();
    assert!(Command::new("kill").args(["-9", killed.trim()]).status().unwrap().success());
    while is_alive(killed.trim()) {
        std::thread::sleep(Duration::from_millis(1));
    }
    let second = ask();

    assert!(first.starts_with('✓') && second == first, "{first}{second}");
    assert_ne!(pid_of(), killed);
    drop(stdin);
    assert!(chat.wait().unwrap().success());
}
