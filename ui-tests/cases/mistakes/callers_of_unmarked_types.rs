//! Types that lack the attribute are told once, at the kernel, and not again to those who call it.

use vyre::prelude::*;

struct Scale {
    factor: f32,
}

#[vyre::kernel]
fn by_value(scale: Scale, out: &mut [f32]) {
    let i = thread::index();
    if i < out.len() {
        out[i] *= scale.factor;
    }
}

#[derive(Clone, Copy)]
struct Body {
    mass: f32,
}

#[vyre::kernel]
fn elements(bodies: &[Body]) {
    assert!(bodies[thread::index()].mass > 0.0);
}

#[vyre::kernel]
fn each_of_them(#[each] body: &mut Body) {
    body.mass = 1.0;
}

fn main() -> vyre::Result<()> {
    let device = Device::best()?;
    let mut out = device.upload(&[0.0f32; 4])?;
    by_value(Scale { factor: 1.0 }, &mut out).over(4).launch(&device)?;
    ByValue::dispatch(&device, 4, Scale { factor: 1.0 }, &mut [0.0; 4])?;
    let mut bodies = device.upload(&[Body { mass: 1.0 }])?;
    elements(&bodies).over(1).launch(&device)?;
    Elements::dispatch(&device, 1, &[Body { mass: 2.0 }])?;
    each_of_them(&mut bodies).launch(&device)
}
