//! A misspelt name of vyre's own vocabulary.
use vyre::prelude::*;

#[vyre::kernel]
fn fill(y: &mut [f32]) {
    let i = thread::idnex();
    y[i] = 1.0;
}

fn main() {}
