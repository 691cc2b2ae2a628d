//! Gravity among bodies: block by block the bodies come into shared memory, where all threads of a
//! block read them.

use vyre::prelude::*;
use vyre_algorithms::{Random, bits};
use vyre_semantics::everywhere;

super::kernels! { Accelerate Advance }

/// Adds to each velocity what all bodies pull in a time. A body is four numbers, its place and its
/// mass; a velocity is three. `softening`, a squared length, keeps near bodies from flinging each
/// other away.
#[vyre::kernel(block = 64)]
fn accelerate(bodies: &[f32], velocities: &mut [f32], time: f32, softening: f32) {
    let tile = shared::<[[f32; 4]; 64]>();
    let (i, t) = (thread::index(), thread::idx().x);
    let count = bodies.len() / 4;
    let mut own = [0.0f32; 3];
    if i < count {
        for axis in 0..3 {
            own[axis] = bodies[i * 4 + axis];
        }
    }
    let mut sum = [0.0f32; 3];
    for first in (0..count).step_by(64) {
        for part in 0..4 {
            // Past the last body: something without mass.
            tile[t][part] = if first + t < count {
                bodies[(first + t) * 4 + part]
            } else {
                0.0
            };
        }
        block::sync();
        for k in 0..64 {
            let mut way = [0.0f32; 3];
            let mut square = softening;
            for axis in 0..3 {
                way[axis] = tile[k][axis] - own[axis];
                square += way[axis] * way[axis];
            }
            let pull = tile[k][3] / (square * square.sqrt());
            for axis in 0..3 {
                sum[axis] += way[axis] * pull;
            }
        }
        block::sync();
    }
    if i < count {
        for axis in 0..3 {
            velocities[i * 3 + axis] += sum[axis] * time;
        }
    }
}

/// Moves each body by its velocity.
#[vyre::kernel]
fn advance(bodies: &mut [f32], velocities: &[f32], time: f32) {
    let i = thread::index();
    if i < bodies.len() / 4 {
        for axis in 0..3 {
            bodies[i * 4 + axis] += velocities[i * 3 + axis] * time;
        }
    }
}

/// The same in plain Rust.
fn step(bodies: &mut [f32], velocities: &mut [f32], time: f32, softening: f32) {
    for (own, velocity) in bodies.chunks(4).zip(velocities.chunks_mut(3)) {
        let mut sum = [0.0; 3];
        for other in bodies.chunks(4) {
            let way = [0, 1, 2].map(|axis| other[axis] - own[axis]);
            let square = way.iter().fold(softening, |square, part| square + part * part);
            let pull = other[3] / (square * square.sqrt());
            for axis in 0..3 {
                sum[axis] += way[axis] * pull;
            }
        }
        for axis in 0..3 {
            velocity[axis] += sum[axis] * time;
        }
    }
    for (body, velocity) in bodies.chunks_mut(4).zip(velocities.chunks(3)) {
        for axis in 0..3 {
            body[axis] += velocity[axis] * time;
        }
    }
}

#[test]
fn bodies_move() {
    everywhere(|place| {
        for count in [0, 1, 2, 64, 65] {
            let mut random = Random::new(9);
            let mut bodies = random.floats(count * 4, 0.1, 1.0);
            let mut velocities = random.floats(count * 3, -0.5, 0.5);
            let mut on_device = place.device().upload(&bodies)?;
            let mut moving = place.device().upload(&velocities)?;
            for _ in 0..2 {
                place.over(accelerate(&on_device, &mut moving, 0.01, 0.001), count)?;
                place.over(advance(&mut on_device, &moving, 0.01), count)?;
                step(&mut bodies, &mut velocities, 0.01, 0.001);
            }
            assert_eq!(bits(&on_device.download()?), bits(&bodies), "{count}");
            assert_eq!(bits(&moving.download()?), bits(&velocities), "{count}");
        }
        Ok(())
    });
}
