//! A thread that arrives and never waits gets a warning.
#![deny(warnings)]
use vyre::shared;

#[vyre::kernel(block = 64)]
fn unused(y: &mut [u32]) {
    let all = shared::barriers::<1, 64>();
    all[0].arrive();
    let token = all[0].arrive();
    let _ = all[0].arrive();
    y[0] = 1;
}

fn main() {}
