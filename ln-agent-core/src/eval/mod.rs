//! Batteries: an agent tested with sentences.
