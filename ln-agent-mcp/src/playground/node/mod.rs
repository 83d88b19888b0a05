//! One real Lightning node built on LDK.
