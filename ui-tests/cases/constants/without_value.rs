//! Statics that the host is meant to set, without a value to begin with.
/// With docs, which are an attribute.
#[vyre::constant]
static FILTER: [f32; 3];

#[vyre::constant]
pub static TABLE: [u32; 2];

/// A constant with docs.
#[vyre::constant]
const SCALE: [f32; 2] = [2.0; 2];

fn main() {}
