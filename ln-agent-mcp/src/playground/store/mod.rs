//! What survives a restart: every acknowledged change, committed at once.
