//! rustc finds the method in vyre's trait `Float`, and then the type by the result.
use vyre::prelude::*;

#[vyre::kernel]
fn root(#[each] y: &mut f32) {
    *y = 2.0.sqrt();
}

fn main() {}
