//! Finds and repairs the one JSON value in a model's prose.
