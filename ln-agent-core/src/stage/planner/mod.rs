//! Stage 2 of 4: intent to plan.
