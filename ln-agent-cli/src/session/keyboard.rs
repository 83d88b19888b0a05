//! Lines of standard input, for whoever asks first.

use std::io::{self, IsTerminal};
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};

use tokio::sync::Mutex;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

/// Reads a line only when one is wanted, on a thread that nobody waits for at the end.
///
/// A read cannot be taken back. One whose asker went away (Ctrl-C) stays under way, and the line it brings goes to the
/// next asker instead of being lost.
#[derive(Clone)]
pub(crate) struct Keyboard(Arc<Mutex<Reader>>);

struct Reader {
    wanted: Sender<()>,
    lines: UnboundedReceiver<io::Result<Option<String>>>,
    under_way: bool,
}

impl Keyboard {
    /// Starts the thread; it reads nothing yet.
    pub(crate) fn new() -> Self {
        let (wanted, wishes) = channel();
        let (sender, lines) = unbounded_channel();
        std::thread::spawn(move || while wishes.recv().is_ok() && sender.send(read_line()).is_ok() {});
        Self(Arc::new(Mutex::new(Reader { wanted, lines, under_way: false })))
    }

    /// Whether a person types here and sees what is asked.
    pub(crate) fn is_a_persons() -> bool {
        io::stdin().is_terminal() && io::stderr().is_terminal()
    }

    /// The next line with its end; `None` at the end of input.
    pub(crate) async fn line(&self) -> io::Result<Option<String>> {
        let mut reader = self.0.lock().await;
        let gone = || io::Error::other("the thread that reads it has ended");
        if !reader.under_way {
            reader.wanted.send(()).map_err(|_| gone())?;
            reader.under_way = true;
        }
        let line = reader.lines.recv().await;
        reader.under_way = false;
        line.unwrap_or_else(|| Err(gone()))
    }
}

fn read_line() -> io::Result<Option<String>> {
    let mut line = String::new();
    let read = io::stdin().read_line(&mut line)?;
    Ok((read > 0).then_some(line))
}
