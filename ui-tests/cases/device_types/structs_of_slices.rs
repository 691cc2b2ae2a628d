//! Fields that a struct of slices does not have.

use vyre::prelude::*;

#[vyre::device]
struct OneReference<'a> {
    x: &'a [f32],
    factor: &'a f32,
}

#[vyre::device]
struct Optional<'a> {
    x: &'a [f32],
    bias: Option<&'a [f32]>,
    limit: Option<f32>,
}

#[vyre::device]
struct Inner<'a> {
    x: &'a [f32],
}

#[vyre::device]
struct Outer<'a> {
    inner: Inner<'a>,
    y: &'a mut [f32],
}

#[vyre::device]
struct Generic<'a, T> {
    x: &'a [T],
}

#[vyre::device]
struct Unnamed<'a>(&'a [f32], u32);

#[vyre::device]
struct OfRows<'a> {
    rows: &'a [&'a [f32]],
}

#[vyre::device]
struct OfStrings<'a> {
    x: &'a [f32],
    names: &'a [String],
}

#[vyre::device]
struct Whole<'a> {
    x: &'a [f32],
    table: &'static [f32],
}

#[vyre::device]
struct Unmarked {
    inner: NotMarked,
}

struct NotMarked {
    x: f32,
}

/// A kernel and a launch of one that was refused are no other faults.
#[vyre::kernel]
fn scale(of: OneReference<'_>, #[each] y: &mut f32) {
    *y *= of.x[0] * *of.factor;
}

fn main() -> vyre::Result<()> {
    let device = Device::best()?;
    let (x, mut y) = (device.zeros::<f32>(1)?, device.zeros(1)?);
    scale(OneReferenceViews { x: &x, factor: 3.0 }, &mut y).over(1).launch(&device)
}
