//! Answering a run from its cassette.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use super::line::{Line, Source};
use super::play_model::PlayedBackend;
use super::play_tool::PlayedTool;
use super::play_world::{PlayedApprover, PlayedClock};
use super::{Cassette, Header, Mismatch};
use crate::approve::Approver;
use crate::clock::Clock;
use crate::llm::LlmBackend;
use crate::tool::{Registry, Tool};
use crate::types::Stage;

/// Gives a run the answers of its record.
///
/// Whatever is asked otherwise than recorded gets an error that shows the difference, and is noted in
/// [`mismatches`](Self::mismatches), so that no stage can swallow it.
#[derive(Clone)]
pub struct Player {
    deck: Arc<Deck>,
}

/// The cassette and how far it was played.
pub(super) struct Deck {
    header: Header,
    complete: bool,
    state: Mutex<State>,
}

struct State {
    /// What was not asked yet, in the order of questions.
    open: Vec<Line>,
    mismatches: Vec<Mismatch>,
    /// The last reading of each source: what a reading that was not recorded gives.
    last: [u64; 3],
}

impl Player {
    /// A player at the beginning of this cassette.
    #[must_use]
    pub fn new(cassette: Cassette) -> Self {
        let state = State { open: cassette.exchanges, mismatches: Vec::new(), last: [0; 3] };
        let deck = Deck { header: cassette.header, complete: cassette.complete, state: Mutex::new(state) };
        Self { deck: Arc::new(deck) }
    }

    /// What the run was given.
    #[must_use]
    pub fn header(&self) -> &Header {
        &self.deck.header
    }

    /// The backend of a stage: the recorded answers in their order.
    #[must_use]
    pub fn backend(&self, stage: Stage) -> Arc<dyn LlmBackend> {
        let info = self.deck.header.backends.iter().find(|info| info.stage == stage);
        let (name, offline) =
            info.map_or_else(|| ("unknown".to_owned(), false), |info| (info.name.clone(), info.offline));
        Arc::new(PlayedBackend { deck: Arc::clone(&self.deck), stage, name, offline })
    }

    /// The recorded tools. What cannot be written down, the effect of a call that depends on its arguments, is taken
    /// from the tool of the same name in `known`.
    ///
    /// # Panics
    ///
    /// Never: of two tools of one name, which only a file made by hand can have, the first counts.
    #[must_use]
    pub fn tools(&self, known: &Registry) -> Registry {
        let mut specs = self.deck.header.tools.clone();
        specs.sort_by(|a, b| a.name.cmp(&b.name));
        specs.dedup_by(|a, b| a.name == b.name);
        let tools = specs.into_iter().map(|mut spec| {
            spec.classify = known.spec(&spec.name).and_then(|known| known.classify);
            Arc::new(PlayedTool { deck: Arc::clone(&self.deck), spec }) as Arc<dyn Tool>
        });
        Registry::new(tools).expect("the names differ")
    }

    /// The clock: recorded readings; a sleep ends at once.
    #[must_use]
    pub fn clock(&self) -> Arc<dyn Clock> {
        Arc::new(PlayedClock { deck: Arc::clone(&self.deck) })
    }

    /// The approver: recorded answers, for the recorded hashes.
    #[must_use]
    pub fn approver(&self) -> Arc<dyn Approver> {
        Arc::new(PlayedApprover { deck: Arc::clone(&self.deck) })
    }

    /// The number of nodes at each reading.
    pub fn node_count(&self) -> impl Fn() -> u32 + Send + Sync + 'static + use<> {
        let deck = Arc::clone(&self.deck);
        move || u32::try_from(deck.reading(Source::NodeCount)).unwrap_or(u32::MAX)
    }

    /// Everything that was not as recorded so far, and what the record still holds. Ask when the run is over.
    #[must_use]
    pub fn mismatches(&self) -> Vec<Mismatch> {
        let state = self.deck.state.lock().unwrap_or_else(PoisonError::into_inner);
        let mut all = state.mismatches.clone();
        let left = state.open.iter().filter(|line| !line.was_given_up());
        all.extend(left.map(|line| Mismatch::new(format!("{}: recorded, not asked now", line.name()), "")));
        if !self.deck.complete {
            all.push(Mismatch::new(
                "the record is cut off: the run was interrupted, or the file is damaged",
                "",
            ));
        }
        all
    }
}

impl Deck {
    /// Takes the first open exchange that fits.
    pub(super) fn take<T>(&self, fits: impl Fn(&Line) -> Option<T>) -> Option<T> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let (index, found) =
            state.open.iter().enumerate().find_map(|(index, line)| Some((index, fits(line)?)))?;
        state.open.remove(index);
        Some(found)
    }

    /// Notes a mismatch and gives its text, for the error of who asked.
    pub(super) fn note(&self, what: impl Into<String>, difference: impl Into<String>) -> String {
        let mismatch = Mismatch::new(what, difference);
        let text = mismatch.to_string();
        self.state.lock().unwrap_or_else(PoisonError::into_inner).mismatches.push(mismatch);
        text
    }

    pub(super) fn reading(&self, of: Source) -> u64 {
        let read = self.take(|line| match line {
            Line::Reading(reading) if reading.of == of => Some(reading.value),
            _ => None,
        });
        if read.is_none() {
            self.note(format!("{} is read once more than recorded", of.name()), "");
        }
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let last = &mut state.last[of as usize];
        *last = read.unwrap_or(*last);
        *last
    }
}

impl fmt::Debug for Player {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Player").field("request_id", &self.deck.header.request_id).finish_non_exhaustive()
    }
}
