//! Which cryptography TLS uses.

/// Chooses ring, unless the embedding program has chosen before. Must come before any HTTP client is made.
pub(crate) fn choose_provider() {
    let _ = rustls::crypto::ring::default_provider().install_default();
}
