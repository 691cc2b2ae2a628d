//! Foundations of the semantic suite: the back ends, edge values, and the comparison of each back
//! end's results with rustc's for the same source.
//!
//! - [`places`]: one interface to the interpreter, the PTX machine, the CPU and, if present, a CUDA
//!   device;
//! - [`agree!`]: functions compiled both as a kernel and as the plain function it must agree with;
//! - [`values`], [`halves`]: input values;
//! - [`ptx`]: snapshots of the PTX, and validation by ptxas.

mod agree;
mod given;
pub mod halves;
mod interpreter;
mod machine;
pub mod places;
pub mod ptx;
pub mod values;

pub use agree::agreement;
pub use places::{Place, everywhere};

/// Lists the kernels of a module by the names of their launchers.
#[macro_export]
macro_rules! kernels {
    ($($launcher:ident)*) => {
        /// The kernels of this module.
        pub(crate) fn kernels() -> Vec<&'static vyre::KernelInfo> {
            vec![$(<$launcher<'_> as vyre::Kernel>::info()),*]
        }
    };
}
