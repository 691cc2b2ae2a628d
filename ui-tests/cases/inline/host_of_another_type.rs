//! rustc's own error, once.
use vyre::prelude::*;

#[vyre::kernel]
fn set(a: u32, y: &mut [u32]) {
    y[0] = unsafe { ptx!("mov.b32 {result}, {0};", a => u32 { a as u64 }) };
}

fn main() {}
