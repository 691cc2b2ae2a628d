//! A reference in a struct is refused where the struct is defined, and not again at the kernel.

use vyre::prelude::*;

#[vyre::device]
#[derive(Clone, Copy)]
struct Signal<'a> {
    values: &'a [f32],
}

#[vyre::kernel]
fn named(signal: Signal<'_>, #[each] y: &mut f32) {
    *y = signal.values[0];
}

#[vyre::kernel]
fn elided(signal: Signal, #[each] y: &mut f32) {
    *y = signal.values[0];
}

fn main() -> vyre::Result<()> {
    let device = Device::best()?;
    let mut y = device.upload(&[0.0f32; 4])?;
    named(Signal { values: &[1.0] }, &mut y).launch(&device)?;
    elided(Signal { values: &[1.0] }, &mut y).launch(&device)
}
