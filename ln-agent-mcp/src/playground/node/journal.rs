use std::collections::VecDeque;

/// A node's log: what happened since it started, newest last. The oldest lines go when it is full.
#[derive(Debug, Default)]
pub(crate) struct Journal {
    started: u64,
    lines: VecDeque<Line>,
}

/// One line of a node's log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    /// Seconds since 1970 on the network's clock.
    pub(crate) at: u64,
    pub(crate) text: String,
}

const MOST_LINES: usize = 1_000;

impl Journal {
    /// An empty log of a node that starts now.
    pub(crate) fn new(now: u64) -> Self {
        Self { started: now, lines: VecDeque::new() }
    }

    /// When the node started.
    pub(crate) fn started(&self) -> u64 {
        self.started
    }

    /// Adds a line.
    pub(crate) fn note(&mut self, at: u64, text: String) {
        if self.lines.len() == MOST_LINES {
            self.lines.pop_front();
        }
        self.lines.push_back(Line { at, text });
    }

    /// The lines, oldest first.
    pub(crate) fn lines(&self) -> impl Iterator<Item = &Line> {
        self.lines.iter()
    }

    /// How much text it holds.
    pub(crate) fn bytes(&self) -> usize {
        self.lines.iter().map(|line| line.text.len()).sum()
    }
}
