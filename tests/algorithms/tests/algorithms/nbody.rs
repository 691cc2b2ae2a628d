//! Gravity among bodies, with structs and operators: the bodies are loaded tile by tile into shared
//! memory, where all threads of a block read them.

use vyre::prelude::*;
use vyre_algorithms::Random;
use vyre_semantics::everywhere;

use gravity::{Body, Vec3};

super::kernels! { Accelerate Advance }

#[vyre::device]
mod gravity {
    use core::ops::{Add, AddAssign, Mul, Neg, Sub};

    #[derive(Clone, Copy, Debug, PartialEq)]
    pub(super) struct Vec3 {
        pub(super) x: f32,
        pub(super) y: f32,
        pub(super) z: f32,
    }

    impl Vec3 {
        pub(super) const ZERO: Self = Vec3::new(0.0, 0.0, 0.0);

        pub(super) const fn new(x: f32, y: f32, z: f32) -> Self {
            Self { x, y, z }
        }

        pub(super) fn dot(self, other: Self) -> f32 {
            self.x * other.x + self.y * other.y + self.z * other.z
        }
    }

    impl Add for Vec3 {
        type Output = Self;

        fn add(self, other: Self) -> Self::Output {
            Self::new(self.x + other.x, self.y + other.y, self.z + other.z)
        }
    }

    impl Sub for Vec3 {
        type Output = Self;

        fn sub(self, other: Self) -> Self::Output {
            self + -other
        }
    }

    impl Neg for Vec3 {
        type Output = Self;

        fn neg(self) -> Self::Output {
            Self::new(-self.x, -self.y, -self.z)
        }
    }

    impl Mul<Vec3> for f32 {
        type Output = Vec3;

        fn mul(self, vector: Vec3) -> Vec3 {
            Vec3::new(self * vector.x, self * vector.y, self * vector.z)
        }
    }

    impl AddAssign for Vec3 {
        fn add_assign(&mut self, other: Self) {
            *self = *self + other;
        }
    }

    #[derive(Clone, Copy, Debug, PartialEq)]
    pub(super) struct Body {
        pub(super) place: Vec3,
        pub(super) mass: f32,
    }

    impl Body {
        /// A body without mass.
        pub(super) const NOTHING: Self = Self {
            place: Vec3::ZERO,
            mass: 0.0,
        };

        /// The acceleration by this body at a point. `softening`, a squared length, bounds the
        /// force between close bodies.
        pub(super) fn pull(&self, at: Vec3, softening: f32) -> Vec3 {
            let way = self.place - at;
            let square = softening + way.dot(way);
            self.mass / (square * square.sqrt()) * way
        }

        pub(super) fn go(&mut self, velocity: Vec3, time: f32) {
            self.place += time * velocity;
        }
    }
}

/// Adds to each velocity the acceleration by all bodies over a time.
#[vyre::kernel(block = 64)]
fn accelerate(bodies: &[Body], velocities: &mut [Vec3], time: f32, softening: f32) {
    let tile = shared::<[Body; 64]>();
    let (i, t) = (thread::index(), thread::idx().x);
    let own = if i < bodies.len() { bodies[i].place } else { Vec3::ZERO };
    let mut sum = Vec3::ZERO;
    for first in (0..bodies.len()).step_by(64) {
        tile[t] = if first + t < bodies.len() {
            bodies[first + t]
        } else {
            Body::NOTHING
        };
        block::sync();
        for k in 0..64 {
            sum += tile[k].pull(own, softening);
        }
        block::sync();
    }
    if i < velocities.len() {
        velocities[i] += time * sum;
    }
}

/// Moves each body by its velocity.
#[vyre::kernel]
fn advance(#[each] body: &mut Body, #[each] velocity: &Vec3, time: f32) {
    body.go(*velocity, time);
}

/// The same in plain Rust, number by number.
fn step(bodies: &mut [[f32; 4]], velocities: &mut [[f32; 3]], time: f32, softening: f32) {
    for (own, velocity) in bodies.iter().zip(velocities.iter_mut()) {
        let mut sum = [0.0; 3];
        // The kernel adds zero for bodies past the last one.
        for other in bodies.iter() {
            let way = [0, 1, 2].map(|axis| other[axis] - own[axis]);
            let square = softening + (way[0] * way[0] + way[1] * way[1] + way[2] * way[2]);
            let pull = other[3] / (square * square.sqrt());
            for axis in 0..3 {
                sum[axis] += pull * way[axis];
            }
        }
        for axis in 0..3 {
            velocity[axis] += time * sum[axis];
        }
    }
    for (body, velocity) in bodies.iter_mut().zip(velocities.iter()) {
        for axis in 0..3 {
            body[axis] += time * velocity[axis];
        }
    }
}

fn vector([x, y, z]: [f32; 3]) -> Vec3 {
    Vec3::new(x, y, z)
}

fn body([x, y, z, mass]: [f32; 4]) -> Body {
    Body {
        place: vector([x, y, z]),
        mass,
    }
}

fn bits(vector: Vec3) -> [u32; 3] {
    [vector.x, vector.y, vector.z].map(f32::to_bits)
}

#[test]
fn bodies_move() {
    everywhere(|place| {
        for count in [0, 1, 2, 64, 65] {
            let mut random = Random::new(9);
            let mut bodies: Vec<[f32; 4]> = (0..count).map(|_| [0; 4].map(|_| random.float(0.1, 1.0))).collect();
            let mut velocities: Vec<[f32; 3]> = (0..count).map(|_| [0; 3].map(|_| random.float(-0.5, 0.5))).collect();
            let structs: Vec<Body> = bodies.iter().copied().map(body).collect();
            let mut on_device = place.device().upload(&structs)?;
            let structs: Vec<Vec3> = velocities.iter().copied().map(vector).collect();
            let mut moving = place.device().upload(&structs)?;
            for _ in 0..2 {
                place.over(accelerate(&on_device, &mut moving, 0.01, 0.001), count)?;
                place.over(advance(&mut on_device, &moving, 0.01), count)?;
                step(&mut bodies, &mut velocities, 0.01, 0.001);
            }
            for (found, expected) in on_device.download()?.into_iter().zip(bodies) {
                assert_eq!(bits(found.place), bits(body(expected).place), "{count}");
            }
            for (found, expected) in moving.download()?.into_iter().zip(velocities) {
                assert_eq!(bits(found), bits(vector(expected)), "{count}");
            }
        }
        Ok(())
    });
}
