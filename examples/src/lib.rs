//! Placeholder so that the package has a target; the examples are in `examples/`.
