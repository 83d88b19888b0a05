//! Stage 1 of 4: prompt to intent.
