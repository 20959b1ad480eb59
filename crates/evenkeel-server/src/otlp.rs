//! Spans of statements, sent to a collector by OpenTelemetry's protocol over HTTP (`otlp_endpoint`): one of a statement from its beginning until its answer has
//! left, and two in it, of its run and of what followed: until the log and the standbys that were asked for had it, and the client got it.
//!
//! Invariants:
//! 1. No session waits for a collector: spans go into a bounded queue that one thread empties, and what finds it full is dropped and counted by the library.
//! 2. Without the feature `otlp` the setting is refused; nothing of it is taken and dropped.
//!
//! Must not know: how statements are timed.

use crate::listener::StartError;
use crate::settings::{Id, ServerSettings};
use evenkeel_sql::TellSpans;

/// Who takes spans, if the settings name somebody.
pub(crate) fn start(settings: &ServerSettings) -> Result<Option<Box<dyn TellSpans>>, StartError> {
    let endpoint = settings.text(Id::OtlpEndpoint).trim().to_owned();
    if endpoint.is_empty() {
        return Ok(None);
    }
    #[cfg(feature = "otlp")]
    {
        let rate = settings.number(Id::OtlpSampleRate) as f64 / 100.0;
        sending::Sender::start(&endpoint, rate).map(|s| Some(Box::new(s) as Box<dyn TellSpans>))
    }
    #[cfg(not(feature = "otlp"))]
    Err(StartError::Spans(format!(
        "otlp_endpoint = {endpoint}: this program was built without the feature that sends spans; \
         build it by cargo install --path crates/evenkeel-cli --features otlp, or leave the setting empty"
    )))
}

#[cfg(feature = "otlp")]
mod sending {
    use super::StartError;
    use evenkeel_sql::{StatementSpan, TellSpans, TraceParent};
    use opentelemetry::trace::{
        Span, SpanContext, SpanKind, Status, TraceContextExt, TraceFlags, TraceState, Tracer, TracerProvider,
    };
    use opentelemetry::{Context, KeyValue, SpanId, TraceId};
    use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig};
    use opentelemetry_sdk::Resource;
    use opentelemetry_sdk::trace::{SdkTracer, SdkTracerProvider};
    use std::time::{Duration, UNIX_EPOCH};

    /// 2000-01-01 UTC after the Unix epoch.
    const EPOCH_US: i64 = 946_684_800_000_000;

    /// Sends spans by a thread of the library's.
    pub(super) struct Sender {
        provider: SdkTracerProvider,
        tracer: SdkTracer,
        rate: f64,
    }

    impl Sender {
        pub(super) fn start(endpoint: &str, rate: f64) -> Result<Sender, StartError> {
            // The library takes the whole address of what takes spans.
            let address = match endpoint.trim_end_matches('/') {
                whole if whole.ends_with("/v1/traces") => whole.to_owned(),
                base => format!("{base}/v1/traces"),
            };
            // The client takes the process's; another may have been faster.
            let _ = rustls::crypto::ring::default_provider().install_default();
            let exporter = SpanExporter::builder()
                .with_http()
                .with_protocol(Protocol::HttpBinary)
                .with_endpoint(&address)
                .build()
                .map_err(|e| StartError::Spans(format!("otlp_endpoint = {endpoint}: {e}")))?;
            let resource = Resource::builder()
                .with_attribute(KeyValue::new("service.version", env!("CARGO_PKG_VERSION")));
            // OTEL_SERVICE_NAME says otherwise.
            let resource = match std::env::var_os("OTEL_SERVICE_NAME") {
                Some(_) => resource,
                None => resource.with_service_name("evenkeel"),
            };
            let provider = SdkTracerProvider::builder()
                .with_batch_exporter(exporter)
                .with_resource(resource.build())
                .build();
            let tracer = provider.tracer("evenkeel");
            Ok(Sender { provider, tracer, rate })
        }
    }

    fn context_of(parent: Option<TraceParent>) -> Context {
        let Some(p) = parent else { return Context::new() };
        let flags = if p.is_sampled { TraceFlags::SAMPLED } else { TraceFlags::default() };
        let (trace, span) = (TraceId::from(p.trace), SpanId::from(p.span));
        Context::new().with_remote_span_context(SpanContext::new(trace, span, flags, true, TraceState::NONE))
    }

    impl TellSpans for Sender {
        fn rate(&self) -> f64 {
            self.rate
        }

        fn tell(&self, s: StatementSpan) {
            let began = UNIX_EPOCH + Duration::from_micros((s.began_us + EPOCH_US).max(0) as u64);
            let (ran, answered) = (began + s.ran, began + s.answered.max(s.ran));
            let mut attributes = vec![
                KeyValue::new("db.system.name", "postgresql"),
                KeyValue::new("db.namespace", s.database),
                KeyValue::new("db.operation.name", s.operation.clone()),
                KeyValue::new("db.query.text", s.text),
                KeyValue::new("db.response.returned_rows", s.rows as i64),
                KeyValue::new("db.user", s.user),
                KeyValue::new("evenkeel.application_name", s.application_name),
                KeyValue::new("evenkeel.pid", i64::from(s.pid)),
            ];
            attributes.extend(s.number.map(|n| KeyValue::new("evenkeel.query_id", n)));
            if let Some(code) = &s.error {
                attributes.push(KeyValue::new("db.response.status_code", code.clone()));
                attributes.push(KeyValue::new("error.type", code.clone()));
            }
            let name = if s.operation.is_empty() { "statement".to_owned() } else { s.operation };
            let mut whole = self
                .tracer
                .span_builder(name)
                .with_kind(SpanKind::Server)
                .with_start_time(began)
                .with_attributes(attributes)
                .start_with_context(&self.tracer, &context_of(s.parent));
            if let Some(code) = s.error {
                whole.set_status(Status::error(code));
            }
            let inside = Context::new().with_remote_span_context(whole.span_context().clone());
            for (name, from, to) in [("run", began, ran), ("answer", ran, answered)] {
                let part = self.tracer.span_builder(name).with_start_time(from);
                part.start_with_context(&self.tracer, &inside).end_with_timestamp(to);
            }
            whole.end_with_timestamp(answered);
        }
    }

    impl Drop for Sender {
        fn drop(&mut self) {
            // What is left is sent, as far as somebody takes it.
            let _ = self.provider.shutdown();
        }
    }
}
