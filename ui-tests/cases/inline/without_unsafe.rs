//! rustc's own error, once.
use vyre::prelude::*;

#[vyre::kernel]
fn set(y: &mut [u32]) {
    y[0] = ptx!("mov.b32 {result}, 7;" => u32 { 7 });
}

fn main() {}
