//! The two histograms of model calls.

use opentelemetry::metrics::Histogram;
use opentelemetry::{KeyValue, global};

use super::names;

/// Instruments of the global meter.
#[derive(Debug)]
pub(super) struct Metrics {
    tokens: Histogram<u64>,
    duration: Histogram<f64>,
}

impl Metrics {
    /// Instruments of the provider that is installed now.
    pub(super) fn installed() -> Self {
        let meter = global::meter(env!("CARGO_PKG_NAME"));
        Self {
            tokens: meter
                .u64_histogram(names::TOKEN_USAGE)
                .with_unit("{token}")
                .with_description("Tokens of a model call")
                .with_boundaries(names::TOKEN_BUCKETS.to_vec())
                .build(),
            duration: meter
                .f64_histogram(names::OPERATION_DURATION)
                .with_unit("s")
                .with_description("Duration of a model call")
                .with_boundaries(names::DURATION_BUCKETS.to_vec())
                .build(),
        }
    }

    pub(super) fn duration(&self, seconds: f64, attributes: &[KeyValue]) {
        self.duration.record(seconds, attributes);
    }

    /// Counts the tokens of one side, `input` or `output`.
    pub(super) fn tokens(&self, count: u64, side: &'static str, attributes: &[KeyValue]) {
        let mut attributes = attributes.to_vec();
        attributes.push(KeyValue::new(names::TOKEN_TYPE, side));
        self.tokens.record(count, &attributes);
    }
}
