//! Stage 4 of 4: results to answer.
