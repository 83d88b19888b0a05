//! History window and archive of earlier runs.
