//! A fault of the signature: what the body mentions is not unused, and rustc looks for more faults in it.

use std::f32::consts::PI;

#[vyre::kernel]
fn shortest(name: &str, y: &mut [u32]) {
    let rest: u32 = 2.0;
    y[0] = rest + PI as u32;
}

fn main() {}
