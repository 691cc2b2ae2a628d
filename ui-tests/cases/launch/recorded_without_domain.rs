//! A launch without a domain cannot be recorded.

use vyre::Sequence;
use vyre::prelude::*;

#[vyre::kernel]
fn double(x: &mut [u32]) {
    let i = thread::index();
    if i < x.len() {
        x[i] *= 2;
    }
}

fn main() -> vyre::Result<()> {
    let device = Device::cpu();
    let mut x = device.zeros(8)?;
    let mut steps = Sequence::new(&device);
    steps.launch(double(&mut x))
}
