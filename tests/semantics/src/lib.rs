//! What the semantic suite stands on: the back ends to run a kernel on, edge values, and the
//! comparison of what each back end gives with what rustc makes of the same source.
//!
//! - [`places`]: the interpreter, a machine that runs PTX, the CPU and, where there is one, a CUDA
//!   device, behind one door;
//! - [`agree!`]: functions that are at once a kernel and the plain function it must agree with;
//! - [`values`], [`halves`]: the values to try them on;
//! - [`ptx`]: snapshots of the PTX in the tree, and ptxas's word on it.

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
