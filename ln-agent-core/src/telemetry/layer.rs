//! From `tracing` to OpenTelemetry.

use opentelemetry::trace::{Tracer, TracerProvider};
use tracing::Subscriber;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::{FilterExt, filter_fn};
use tracing_subscriber::registry::LookupSpan;

/// The layer that hands spans over to a provider, for a `tracing_subscriber` registry.
///
/// It takes spans up to `INFO` from everybody, so that those of an embedder's server are parents of ours. Log lines
/// do not become events of spans: they are not written with other readers in mind.
pub fn layer<S, P>(provider: &P) -> impl Layer<S>
where
    S: Subscriber + for<'span> LookupSpan<'span>,
    P: TracerProvider,
    P::Tracer: Tracer + Send + Sync + 'static,
    <P::Tracer as Tracer>::Span: Send + Sync,
{
    let spans = filter_fn(|metadata| metadata.is_span()).and(LevelFilter::INFO);
    tracing_opentelemetry::layer()
        .with_tracer(provider.tracer(env!("CARGO_PKG_NAME")))
        .with_location(false)
        .with_threads(false)
        .with_target(false)
        .with_level(false)
        .with_tracked_inactivity(false)
        .with_filter(spans)
}
