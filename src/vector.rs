//! Small vectors, matrices and quaternions, in kernels and on the host with the same bits.
//!
//! Names, fields and methods are those of the crate `glam`. The types are plain data of buffers, shared memory and
//! parameters. Those of two and four numbers are aligned so that a thread loads and stores them by one instruction: a
//! [`Vec4`] is a `float4` of CUDA. A [`Vec3`] is three numbers without padding, and three loads.
//!
//! ```
//! use vyre::prelude::*;
//! use vyre::vector::{Vec3, Vec4};
//!
//! /// The acceleration that a body feels, of all whose place is `xyz` and whose mass is `w`.
//! #[vyre::kernel]
//! fn attract(bodies: &[Vec4], felt: &mut [Vec3]) {
//!     let i = thread::index();
//!     if i < felt.len() {
//!         let mut sum = Vec3::ZERO;
//!         for k in 0..bodies.len() {
//!             let away = bodies[k].xyz() - bodies[i].xyz();
//!             let square = away.length_squared() + 0.01;
//!             sum += away * (bodies[k].w / (square * square.sqrt()));
//!         }
//!         felt[i] = sum;
//!     }
//! }
//!
//! # fn main() -> vyre::Result<()> {
//! let device = Device::best()?;
//! let bodies = device.upload(&[Vec4::new(0.0, 0.0, 0.0, 1.0), Vec4::new(3.0, 0.0, 4.0, 2.0)])?;
//! let mut felt = device.zeros::<Vec3>(2)?;
//! attract(&bodies, &mut felt).over(2).launch(&device)?;
//! let felt = felt.download()?;
//! assert_eq!(felt[0] * -0.5, felt[1]);
//! # Ok(())
//! # }
//! ```
//!
//! | | `f32` | `f64` | `i32` | `u32` |
//! |---|---|---|---|---|
//! | two numbers | [`Vec2`] | [`DVec2`] | [`IVec2`] | [`UVec2`] |
//! | three numbers | [`Vec3`] | [`DVec3`] | [`IVec3`] | [`UVec3`] |
//! | four numbers | [`Vec4`] | [`DVec4`] | [`IVec4`] | [`UVec4`] |
//! | matrices | [`Mat2`], [`Mat3`], [`Mat4`] | | | |
//! | rotations | [`Quat`] | | | |
//!
//! Sums of products, as in [`Vec3::dot`] and products of matrices, are added from the first to the last, each operation
//! rounded. Functions of mathematics are those of [`math`](crate::math). Sums of integers wrap in kernels; on the host an
//! overflow panics where the build checks for it.
//!
//! With the features `glam` and `mint`, vectors convert by `From` to those of these crates and back.

pub use matrices::{Mat2, Mat3, Mat4, Quat};
pub use vectors_f32::{Vec2, Vec3, Vec4, vec2, vec3, vec4};
pub use vectors_f64::{DVec2, DVec3, DVec4, dvec2, dvec3, dvec4};
pub use vectors_i32::{IVec2, IVec3, IVec4, ivec2, ivec3, ivec4};
pub use vectors_u32::{UVec2, UVec3, UVec4, uvec2, uvec3, uvec4};

// Their source is in `vyre-front/src/modules`.
macro_rules! modules {
    ($($name:ident)*) => { $(
        mod $name {
            vyre_macros::own_module!($name);
        }
    )* };
}

modules! { vectors_f32 vectors_f64 vectors_i32 vectors_u32 matrices }

macro_rules! arrays {
    ($($vector:ident: $scalar:ident $count:literal;)*) => { $(
        impl From<$vector> for [$scalar; $count] {
            #[inline]
            fn from(vector: $vector) -> Self {
                vector.to_array()
            }
        }
    )* };
}

arrays! {
    Vec2: f32 2; Vec3: f32 3; Vec4: f32 4;
    DVec2: f64 2; DVec3: f64 3; DVec4: f64 4;
    IVec2: i32 2; IVec3: i32 3; IVec4: i32 4;
    UVec2: u32 2; UVec3: u32 3; UVec4: u32 4;
}
