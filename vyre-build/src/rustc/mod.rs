//! Assertions for rustc to check: vyre decides types and names by itself, and rustc confirms each decision.

pub(crate) mod generic_probe;
pub(crate) mod method_probe;
pub(crate) mod name_probe;
pub(crate) mod source_scan;
pub(crate) mod type_witness;
