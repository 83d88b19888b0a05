//! Stage 3 of 4: plan to results, without any model.
