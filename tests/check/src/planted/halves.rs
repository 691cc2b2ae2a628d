//! Elements of less than a word, and structs: fields and neighbours are apart.

use vyre::f16;
use vyre::prelude::*;

super::faults! { "halves.rs"
    neighbour: Race
    field: Race
    flags: Race
}

/// Two halves of a word belong to two threads.
#[vyre::kernel(block = 32, allow(races))]
fn scale(x: &mut [f16], planted: bool) {
    let t = thread::idx().x;
    let at = if planted { t / 2 * 2 } else { t };
    let value = x[at]; //~ neighbour
    x[at] = value + value; //~ neighbour
}

fn neighbour(device: &Device, planted: bool) -> vyre::Result<()> {
    let mut x = device.upload(&[f16::from_f32(1.5); 32])?;
    scale(&mut x, planted).over(32).launch(device)?;
    assert_eq!(x.download()?, [f16::from_f32(3.0); 32]);
    Ok(())
}

#[vyre::device]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Body {
    place: [f32; 2],
    mass: f32,
}

/// `tests/algorithms`, `nbody.rs`: threads write their own bodies and read the masses of others.
#[vyre::kernel(block = 32, allow(races))]
fn advance(bodies: &mut [Body], planted: bool) {
    let t = thread::idx().x;
    let other = bodies[(t + 1) % 32].mass; //~ field
    if planted {
        bodies[t].mass += 1.0; //~ field
    }
    bodies[t].place[1] = other;
}

fn field(device: &Device, planted: bool) -> vyre::Result<()> {
    let body = Body {
        place: [0.0; 2],
        mass: 1.0,
    };
    let mut bodies = device.upload(&[body; 32])?;
    advance(&mut bodies, planted).over(32).launch(device)?;
    assert_eq!(bodies.download()?[0].place, [0.0, 1.0]);
    Ok(())
}

/// Bytes of a word in shared memory.
#[vyre::kernel(block = 32, allow(races))]
fn any(x: &mut [u8], planted: bool) {
    let seen = shared::<[bool; 32]>();
    let t = thread::idx().x;
    seen[t] = x[t] > 0; //~ flags
    let at = if planted { 31 - t } else { t };
    x[t] = if seen[at] { 2 } else { 0 }; //~ flags
}

fn flags(device: &Device, planted: bool) -> vyre::Result<()> {
    let mut x = device.upload(&[1u8; 32])?;
    any(&mut x, planted).over(32).launch(device)?;
    assert_eq!(x.download()?, [2; 32]);
    Ok(())
}
