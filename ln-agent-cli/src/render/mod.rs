//! What people see. Only here does anything go to standard output.

mod answer;
mod paint;
mod plan;
mod progress;
mod table;

pub(crate) use answer::{result, run_line};
pub(crate) use plan::plan;
pub(crate) use progress::{JsonLines, Progress};
pub(crate) use table::table;

use std::io::{self, Write};

use crate::exit::Fault;

/// Writes to standard output. A reader that went away (`| head`) is no error.
pub(crate) fn out(text: &str) {
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
    // Standard error that is closed leaves nobody to tell.
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// A question on standard error; the answer is typed behind it.
pub(crate) fn ask(question: &str) {
    let mut stderr = io::stderr().lock();
    // As for notes.
    let _ = stderr.write_all(question.as_bytes()).and_then(|()| stderr.flush());
}

/// The one line that a failed command ends with.
pub(crate) fn fault(fault: &Fault) {
    note(&format!("error: {}", fault.message));
}
