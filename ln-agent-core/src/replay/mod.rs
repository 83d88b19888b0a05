//! Record and replay: what models, tools, people and clocks told a run, and the run again from that alone.
//!
//! A [`Recorder`] stands between a run and everything it asks, and writes each answer to a *cassette*: a file of JSON
//! lines that people can read. A [`Player`] gives the same answers again. A run is a function of them, so the run
//! from the cassette has the same artefacts byte for byte; where it asks something else, the difference is shown.
//!
//! The first line is the [`Header`], the last one says how the run ended; a cassette without it was cut off. Secrets
//! of a known shape never reach the file ([`scrubbed`]).

mod cassette;
mod difference;
mod header;
mod line;
mod play_model;
mod play_tool;
mod play_world;
mod player;
mod recorder;
mod scrub;
mod tap_model;
mod tap_tool;
mod tap_world;
mod tape;

pub use cassette::{Cassette, CassetteError};
pub use difference::{Mismatch, difference};
pub use header::{BackendInfo, FORMAT, Header, Mode};
pub use player::Player;
pub use recorder::Recorder;
pub use scrub::scrubbed;
