//! Functions of `f64`.

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
