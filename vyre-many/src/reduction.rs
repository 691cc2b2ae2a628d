//! How values of several ranks become one.

use super::kernels::combine;
use vyre::{Device, Element, Number, Result, Stream, View, ViewMut};

/// How the values of all ranks become one.
///
/// ```
/// use vyre_many::Reduction;
/// use vyre::prelude::*;
///
/// # fn main() -> vyre::Result<()> {
/// let greatest = vyre_many::on_each(&Device::cpus(3), |ranks| {
///     let mut x = ranks.device().upload(&[10 * ranks.rank() as u32])?;
///     ranks.all_reduce(&mut x, Reduction::Max)?;
///     Ok(x.download()?[0])
/// })?;
/// assert_eq!(greatest, [20, 20, 20]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reduction {
    /// Their sum; integers wrap.
    Sum,
    /// Their product; integers wrap.
    Product,
    /// The least one. A number is preferred to a NaN, and of values that are equal the first.
    Min,
    /// The greatest one, likewise.
    Max,
}

impl Reduction {
    /// The number by which kernels, frames and NCCL (`ncclRedOp_t`: `ncclSum`, `ncclProd`, and `ncclMax` before `ncclMin`)
    /// know it.
    pub(super) fn code(self) -> u32 {
        match self {
            Reduction::Sum => 0,
            Reduction::Product => 1,
            Reduction::Max => 2,
            Reduction::Min => 3,
        }
    }

    pub(super) fn of_code(code: u32) -> Option<Reduction> {
        let all = [Reduction::Sum, Reduction::Product, Reduction::Max, Reduction::Min];
        all.get(code as usize).copied()
    }
}

/// The numbers that ranks add up: `i32`, `u32`, `i64`, `u64`, `f32` and `f64`.
///
/// ```
/// use vyre_many::{Communicator, Reducible, Reduction};
/// use vyre::prelude::*;
///
/// /// The sum of a value of each rank.
/// fn total<T: Reducible>(ranks: &Communicator, own: T) -> vyre::Result<T> {
///     let mut x = ranks.device().upload(&[own])?;
///     ranks.all_reduce(&mut x, Reduction::Sum)?;
///     Ok(x.download()?[0])
/// }
///
/// # fn main() -> vyre::Result<()> {
/// assert_eq!(vyre_many::on_each(&Device::cpus(2), |ranks| total(ranks, 1.5))?, [3.0, 3.0]);
/// # Ok(())
/// # }
/// ```
pub trait Reducible: Element + Number + sealed::Combines {}

pub(super) mod sealed {
    use super::*;

    pub trait Combines: Sized {
        /// The `ncclDataType_t`, as `nccl.h` numbers it.
        const NCCL: u32;

        /// Combines parts of the same length that follow each other: those of the first rank with those of the second, the
        /// result with those of the third, and so on.
        fn combine(
            stream: &Stream,
            device: &Device,
            reduction: Reduction,
            parts: View<'_, Self>,
            out: ViewMut<'_, Self>,
        ) -> Result<()>;
    }
}

macro_rules! reducible {
    ($($type:ident = $nccl:literal),*) => { $(
        impl Reducible for $type {}

        impl sealed::Combines for $type {
            const NCCL: u32 = $nccl;

            fn combine(
                stream: &Stream,
                device: &Device,
                reduction: Reduction,
                parts: View<'_, $type>,
                out: ViewMut<'_, $type>,
            ) -> Result<()> {
                let length = out.len();
                combine(reduction.code(), parts, out).over(length).on(stream).launch(device)
            }
        }
    )* };
}

reducible!(i32 = 2, u32 = 3, i64 = 4, u64 = 5, f32 = 7, f64 = 8);
