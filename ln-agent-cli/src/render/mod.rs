//! What people see. Only here does anything go to standard output.

mod answer;
mod paint;
mod plan;
mod progress;
mod table;

pub(crate) use answer::{result, run_line};
pub(crate) use plan::plan;
pub(crate) use progress::{JsonLines, Progress};
pub(crate) use table::{listing, table};

use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::exit::Fault;

/// Writes to standard output. A reader that went away (`| head`) is no error.
pub(crate) fn out(text: &str) {
    wipe_transient();
    let mut stdout = io::stdout().lock();
    let written = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
    if let Err(error) = written
        && error.kind() != io::ErrorKind::BrokenPipe
    {
        note(&format!("cannot write the answer: {error}"));
    }
}

/// A line of standard output.
pub(crate) fn line(text: &str) {
    out(&format!("{text}\n"));
}

/// A JSON value on one line of standard output.
pub(crate) fn json(value: &impl serde::Serialize) {
    match serde_json::to_string(value) {
        Ok(text) => line(&text),
        Err(error) => note(&format!("cannot write the answer as JSON: {error}")),
    }
}

/// A line of standard error.
pub(crate) fn note(text: &str) {
    wipe_transient();
    // Standard error that is closed leaves nobody to tell.
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// What is under way, on the terminal's last line until anything else is written.
pub(crate) fn transient(text: &str) {
    wipe_transient();
    TRANSIENT.store(true, Ordering::Relaxed);
    unfinished(text);
}

/// Whether the terminal's last line is only there for now. The terminal is the process's, and so is this.
static TRANSIENT: AtomicBool = AtomicBool::new(false);

/// After Ctrl-C the terminal shows `^C`; what follows begins on a line of its own.
pub(crate) fn fresh_line() {
    if !wipe_transient() && io::stderr().is_terminal() {
        unfinished("\n");
    }
}

/// `false`: there was none.
fn wipe_transient() -> bool {
    let shown = TRANSIENT.swap(false, Ordering::Relaxed);
    if shown {
        unfinished("\r\u{1b}[2K");
    }
    shown
}

/// A question on standard error; the answer is typed behind it.
pub(crate) fn ask(question: &str) {
    wipe_transient();
    unfinished(question);
}

fn unfinished(line: &str) {
    let mut stderr = io::stderr().lock();
    // As for notes.
    let _ = stderr.write_all(line.as_bytes()).and_then(|()| stderr.flush());
}

/// The one line that a failed command ends with.
pub(crate) fn fault(fault: &Fault) {
    note(&format!("error: {}", fault.message));
}
