//! Chapters of tests that cross rooms.
#![expect(clippy::needless_pass_by_value, reason = "test helpers take json! literals")]

#[cfg(test)]
mod acceptance;
#[cfg(test)]
mod actors;
#[cfg(test)]
mod certificate;
#[cfg(test)]
mod evidence;
#[cfg(test)]
mod executor;
#[cfg(test)]
mod floors;
#[cfg(test)]
mod guard;
#[cfg(test)]
mod history;
#[cfg(test)]
mod known_faults;
#[cfg(test)]
#[cfg(feature = "mcp")]
mod mcp_client;
#[cfg(test)]
mod offline;
#[cfg(test)]
mod pipeline;
#[cfg(test)]
mod plan_mutation;
#[cfg(test)]
mod planner;
#[cfg(test)]
#[cfg(feature = "providers")]
mod providers;
#[cfg(test)]
mod replay;
#[cfg(test)]
mod schema;
#[cfg(test)]
mod summarizer;
#[cfg(test)]
mod tasks;
#[cfg(test)]
#[cfg(feature = "otel")]
mod telemetry;
#[cfg(test)]
mod toolbox;
#[cfg(test)]
mod translator;
#[cfg(test)]
mod verify;
