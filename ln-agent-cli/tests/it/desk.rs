//! A runtime directory of its own and the program that works in it.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// A fresh place; its playground is stopped when the test is over.
pub(crate) struct Desk {
    dir: TempDir,
}

/// What a process said.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Desk {
    pub(crate) fn new() -> Self {
        // Short, because the path of a unix socket has at most 107 bytes.
        Self { dir: tempfile::Builder::new().prefix("ln").tempdir().unwrap() }
    }

    pub(crate) fn path(&self) -> &Path {
        self.dir.path()
    }

    /// The program in this place, with no configuration of the machine.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ln-agent"));
        command.args(args).env_clear().env("RUNTIME_DIR", self.path()).env("HOME", self.path());
        command.env("PATH", "/usr/bin:/bin").current_dir(self.path()).stdin(Stdio::null());
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Said {
        self.command(args).output().unwrap().into()
    }

    pub(crate) fn ask(&self, prompt: &str) -> Said {
        self.run(&["ask", prompt])
    }

    /// The result as JSON, with its exit code.
    pub(crate) fn ask_json(&self, args: &[&str]) -> (i32, Value) {
        let mut all = vec!["ask", "--json"];
        all.extend(args);
        let said = self.run(&all);
        let json = serde_json::from_str(&said.stdout).unwrap_or_else(|error| panic!("{error}: {said:?}"));
        (said.code, json)
    }

    pub(crate) fn run_with_input(&self, args: &[&str], input: &[u8]) -> Said {
        let mut child = self
            .command(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let input = input.to_vec();
        let writer = std::thread::spawn(move || {
            // A program that does not read all of it closes the pipe, which is its right.
            drop(stdin.write_all(&input));
        });
        let output = child.wait_with_output().unwrap();
        writer.join().unwrap();
        output.into()
    }

    /// The payload of a tool that is called directly.
    pub(crate) fn call(&self, tool: &str, args: &Value) -> Value {
        let said = self.run(&["call", tool, "--args", &args.to_string()]);
        let envelope: Value =
            serde_json::from_str(&said.stdout).unwrap_or_else(|error| panic!("{error}: {said:?}"));
        assert_eq!(envelope["ok"], true, "{said:?}");
        envelope["payload"].clone()
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        drop(self.command(&["network", "down"]).output());
    }
}

impl From<Output> for Said {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}
