//! Functions of `f32`, in `f32` arithmetic: the fast paths have no `f64`, which costs 64 times as much on many GPUs.

pub mod erf_inv;
pub mod error;
pub mod exact;
pub mod exp;
pub mod gamma;
pub mod gelu;
pub mod hyperbolic;
pub mod inverse;
pub mod log;
pub mod pow;
pub mod roots;
pub mod trig;
