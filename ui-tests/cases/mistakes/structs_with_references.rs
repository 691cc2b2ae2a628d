//! A struct that holds a reference is no parameter.

use vyre::prelude::*;

struct Signal<'a> {
    values: &'a [f32],
}

#[vyre::kernel]
fn unmarked(signal: Signal<'_>, #[each] y: &mut f32) {
    *y = signal.values[0];
}

#[vyre::kernel]
fn without_a_lifetime(signal: Signal, #[each] y: &mut f32) {
    *y = signal.values[0];
}

fn main() -> vyre::Result<()> {
    let device = Device::best()?;
    let mut y = device.upload(&[0.0f32; 4])?;
    unmarked(Signal { values: &[1.0] }, &mut y).launch(&device)?;
    without_a_lifetime(Signal { values: &[1.0] }, &mut y).launch(&device)
}
