//! Placeholder so that the package has a target; the benches are in `benches/`.
