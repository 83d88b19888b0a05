//! What may be done: the safety gate, limits, certificates.
