//! Spans of what the runtime does: for subscribers of `tracing`, with the feature of that name, and as NVTX ranges for a
//! profiler, with the feature `nvtx`. Without them they are nothing.

#[cfg(feature = "nvtx")]
mod nvtx;

/// A span, until it is dropped.
#[must_use = "the span ends when this is dropped"]
pub(crate) struct Span {
    #[cfg(feature = "tracing")]
    pub(crate) _entered: tracing::span::EnteredSpan,
    #[cfg(feature = "nvtx")]
    pub(crate) _range: Option<nvtx::Range>,
}

/// Begins a span of a name, with one field: `span!("load", kernel = kernel.name)`.
macro_rules! span {
    ($name:literal, $field:ident = $value:expr) => {
        $crate::trace::Span {
            #[cfg(feature = "tracing")]
            _entered: ::tracing::debug_span!(target: "vyre", $name, $field = $value).entered(),
            #[cfg(feature = "nvtx")]
            _range: $crate::trace::range($name, &$value),
        }
    };
}
pub(crate) use span;

/// Begins an NVTX range, if a profiler listens.
#[cfg(feature = "nvtx")]
pub(crate) fn range(name: &str, detail: &dyn std::fmt::Display) -> Option<nvtx::Range> {
    nvtx::Range::begin(|| format!("vyre: {name} {detail}"))
}
