//! Functions of `f64`.

pub mod error;
pub mod exact;
pub mod exp;
pub mod hyperbolic;
pub mod inverse;
pub mod log;
pub mod pow;
pub mod roots;
pub mod trig;
