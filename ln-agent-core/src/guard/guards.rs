//! All guards of a process.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use super::breaker::Breaker;
use super::file::BreakerFile;
use super::guarded::Guarded;
use super::lane::{Lane, Rules, report_of};
use super::schedule::Schedule;
use super::{GuardConfig, GuardKey};
use crate::clock::Clock;
use crate::llm::LlmBackend;
use crate::types::GuardReport;

/// All guards of a process, one for each [`GuardKey`].
///
/// # Examples
///
/// ```
/// use std::sync::Arc;
///
/// use ln_agent_core::clock::ManualClock;
/// use ln_agent_core::guard::{GuardConfig, GuardKey, Guards};
/// use ln_agent_core::llm::ScriptedBackend;
///
/// let guards = Guards::new(GuardConfig::default(), Arc::new(ManualClock::at_unix_secs(0)));
/// let model = Arc::new(ScriptedBackend::replying(["hello"]));
/// let planner = guards.wrap(model.clone(), GuardKey::new("openai", "gpt-x", "secret"));
/// let summarizer = guards.wrap(model, GuardKey::new("openai", "gpt-x", "secret"));
/// assert_eq!(planner.name(), "scripted");
/// assert_eq!(guards.reports().len(), 1);
/// ```
pub struct Guards {
    rules: Rules,
    lanes: Mutex<BTreeMap<GuardKey, Arc<Lane>>>,
}

impl Guards {
    /// Guards under these numbers, which know nothing yet.
    #[must_use]
    pub fn new(config: GuardConfig, clock: Arc<dyn Clock>) -> Self {
        let schedule = Schedule::new(&config);
        Self { rules: Rules { config, schedule, clock, file: None }, lanes: Mutex::default() }
    }

    /// Keeps the breakers (failures in a row, open until when, last failure) in this file as well, so that the next
    /// process does not run into the same failures. Limits and counts are not kept. Guards that were made before
    /// are forgotten: they know nothing of the file.
    ///
    /// The file is read now and written whenever a breaker changes, by the user alone (mode 0600). One that is
    /// missing or not usable counts as empty and is replaced; that it was not usable is logged, never an error.
    #[must_use]
    pub fn with_file(self, path: impl Into<PathBuf>) -> Self {
        let file = Some(Arc::new(BreakerFile::open(path.into())));
        Self { rules: Rules { file, ..self.rules }, lanes: Mutex::default() }
    }

    /// The backend behind the guard of this key, which all backends of an equal key share.
    #[must_use]
    pub fn wrap(&self, backend: Arc<dyn LlmBackend>, key: GuardKey) -> Arc<dyn LlmBackend> {
        let mut lanes = self.lanes.lock().unwrap_or_else(PoisonError::into_inner);
        let lane =
            lanes.entry(key).or_insert_with_key(|key| Arc::new(Lane::new(key.clone(), self.rules.clone())));
        Arc::new(Guarded::new(backend, Arc::clone(lane)))
    }

    /// What every guard did so far, by provider and model; keys that only the file knows are among them.
    #[must_use]
    pub fn reports(&self) -> Vec<GuardReport> {
        let now = self.rules.clock.unix_millis();
        let known = self.rules.file.as_ref().map(|file| file.known()).unwrap_or_default();
        let mut reports: BTreeMap<GuardKey, GuardReport> = known
            .into_iter()
            .map(|(key, saved)| {
                let report = report_of(&key, &Breaker::new(&self.rules.config, Some(&saved)), now);
                (key, report)
            })
            .collect();
        let lanes = self.lanes.lock().unwrap_or_else(PoisonError::into_inner);
        reports.extend(lanes.iter().map(|(key, lane)| (key.clone(), lane.report())));
        reports.into_values().collect()
    }
}

impl fmt::Debug for Guards {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Guards").field("reports", &self.reports()).finish_non_exhaustive()
    }
}
