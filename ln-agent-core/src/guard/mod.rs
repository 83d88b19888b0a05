//! What stands between the agent and a model provider: turn, limits, retries, and a pause when nothing helps.
//!
//! [`Guards::wrap`] puts a guard before any [`LlmBackend`](crate::llm::LlmBackend). All backends of one
//! [`GuardKey`] (provider, model, secret) share one guard, because the provider counts them together.
//!
//! # Order
//!
//! A call passes these, and the order matters:
//!
//! 1. **Size**: a request whose estimate alone exceeds the tokens of a minute fails at once; no wait would help.
//! 2. **Gate**: at most [`max_in_flight`](GuardConfig::max_in_flight) calls are inside; the others wait in order
//!    of arrival. A call keeps its place through all its retries.
//! 3. **Retry**: the rest happens once per attempt. After a failure that asking again may mend, the call waits as
//!    the schedule says, at least as long as the provider asked, plus a jitter.
//! 4. **Limiter**: requests a minute, tokens a minute, gap between two requests; again in order of arrival.
//! 5. **Breaker**: the last look before anything is sent, and the first at what came back.
//!
//! Two other orders look as good and are not. With the limiter outside the retry, the second and third attempt
//! are sent uncounted, so a provider that answers "too many requests" gets more of them than anybody allowed:
//!
//! ```text
//! limiter → retry → send      1 call = 1 counted request, up to 3 sent
//! retry → limiter → send      1 call = up to 3 counted requests, up to 3 sent
//! ```
//!
//! And with the gate inside the retry, a call that waits out a failure gives its place to the next one, which
//! runs into the same failure: a queue of ten calls opens the breaker within one back-off, although each of them
//! would have been answered after it.
//!
//! ```text
//! retry → gate → send         10 waiting calls ask 10 times during the first call's wait
//! gate → retry → send         10 waiting calls wait
//! ```
//!
//! The breaker is asked before each wait as well, so that a call which would be refused does not queue first.
//!
//! # What counts as a failure
//!
//! [`LlmError::is_retryable`](crate::llm::LlmError::is_retryable) decides both whether a call is repeated and
//! whether the breaker counts it. Quota, authorisation, bad requests and the like say nothing about whether the
//! provider is up: they neither count nor reset the count, and a probe that ends with one leaves the circuit half
//! open. The one exception to the kind is the server's own `x-should-retry`, which never covers quota.
//!
//! # Examples
//!
//! ```
//! use std::sync::Arc;
//!
//! use ln_agent_core::clock::SystemClock;
//! use ln_agent_core::guard::{GuardConfig, GuardKey, Guards};
//! use ln_agent_core::llm::ScriptedBackend;
//! use ln_agent_core::types::Circuit;
//!
//! let guards = Guards::new(GuardConfig::default(), Arc::new(SystemClock::default()));
//! let model = Arc::new(ScriptedBackend::replying(["hello"]));
//! let guarded = guards.wrap(model, GuardKey::new("openai", "gpt-x", "the secret"));
//!
//! let report = guarded.guard().expect("it has a guard");
//! assert_eq!((report.provider.as_str(), report.circuit, report.sent), ("openai", Circuit::Closed, 0));
//! ```

mod breaker;
mod config;
mod estimate;
mod file;
mod guarded;
mod guards;
mod key;
mod lane;
mod limiter;
mod schedule;

pub use config::GuardConfig;
pub use estimate::HeuristicTokenEstimator;
pub use guards::Guards;
pub use key::GuardKey;
