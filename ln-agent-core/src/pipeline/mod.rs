//! The flow of a run: the four stages in their order and nothing else.
