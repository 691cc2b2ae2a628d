//! The element types of primitives, with the kernels of each.

use super::call::Queue;
use super::kernels::reduce::{maximum, minimum, product, sum};
use super::kernels::scan::{scan_of_32, scan_of_64};
use super::kernels::segments::{segment_maxima, segment_minima, segment_sums};
use super::kernels::select::{run_starts, unique};
use super::value::Value;
use core::sync::atomic::AtomicU64;
use vyre::{AtomicView, Element, Result, View, ViewMut};
use vyre_runtime::kernel::{reinterpret, reinterpret_mut};

/// The numbers that primitives take: `u32`, `i32`, `f32`, `u64`, `i64` and `f64`.
///
/// ```
/// use vyre::prelude::*;
/// use vyre_primitives::Scalar;
///
/// /// The greatest and the least value of a buffer.
/// fn extent<T: Scalar>(x: &DeviceBuffer<T>) -> vyre::Result<[T; 2]> {
///     let mut found = x.device().zeros::<T>(2)?;
///     vyre_primitives::min(x, found.slice_mut(..1)?).launch()?;
///     vyre_primitives::max(x, found.slice_mut(1..)?).launch()?;
///     let found = found.download()?;
///     Ok([found[0], found[1]])
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let device = Device::best()?;
/// assert_eq!(extent(&device.upload(&[3, -7, 5])?)?, [-7, 5]);
/// assert_eq!(extent(&device.upload(&[3.5, 0.25])?)?, [0.25, 3.5]);
/// # Ok(())
/// # }
/// ```
pub trait Scalar: Element + Value + sealed::Kernels {}

/// The kernels of each type.
pub(super) mod sealed {
    use super::*;

    /// The operation of a reduction.
    #[derive(Clone, Copy, Debug)]
    pub enum Operation {
        /// a + b
        Sum,
        /// a * b
        Product,
        /// The minimum.
        Min,
        /// The maximum.
        Max,
    }

    pub trait Kernels: Sized {
        /// The greatest value, which is the minimum of nothing.
        const GREATEST: Self;
        /// The least value, which is the maximum of nothing.
        const LEAST: Self;
        /// A mask for the bits of numbers with the highest bit set, and one for the others. XOR with it gives an unsigned
        /// number of the same order.
        const ORDER: [u64; 2];
        /// The bits of infinity, and of integers all but the highest one. Those of a NaN without its sign are above.
        const INFINITY: u64;

        fn reduce(queue: &Queue<'_>, with: Operation, x: View<'_, Self>, y: ViewMut<'_, Self>) -> Result<()>;
        fn scan(
            queue: &Queue<'_>,
            x: View<'_, Self>,
            y: ViewMut<'_, Self>,
            exclusive: bool,
            state: AtomicView<'_, AtomicU64>,
        ) -> Result<()>;
        fn segments(
            queue: &Queue<'_>,
            with: Operation,
            x: View<'_, Self>,
            offsets: View<'_, u64>,
            y: ViewMut<'_, Self>,
        ) -> Result<()>;
        fn unique(
            queue: &Queue<'_>,
            x: View<'_, Self>,
            y: ViewMut<'_, Self>,
            count: ViewMut<'_, u64>,
            state: AtomicView<'_, AtomicU64>,
        ) -> Result<()>;
        fn run_starts(
            queue: &Queue<'_>,
            x: View<'_, Self>,
            starts: ViewMut<'_, u64>,
            count: ViewMut<'_, u64>,
            state: AtomicView<'_, AtomicU64>,
        ) -> Result<()>;
    }
}

pub(super) use sealed::Operation;

/// Views of numbers as those of the type of the same size that has kernels: signed integers are unsigned ones there, whose sums,
/// products and comparisons for equality have the same bits.
macro_rules! as_words {
    ($x:ident, $y:ident: $word:ident) => {
        // SAFETY: both are numbers of the same size, of which all bits are values.
        let ($x, $y): (View<'_, $word>, ViewMut<'_, $word>) = unsafe { (reinterpret($x), reinterpret_mut($y)) };
    };
}

macro_rules! scalars {
    ($($type:ident as $word:ident, $scan:ident, $greatest:expr, $least:expr, $order:expr, $infinity:expr;)*) => { $(
        impl Scalar for $type {}

        impl sealed::Kernels for $type {
            const GREATEST: $type = $greatest;
            const LEAST: $type = $least;
            const ORDER: [u64; 2] = $order;
            const INFINITY: u64 = $infinity;

            fn reduce(queue: &Queue<'_>, with: Operation, x: View<'_, $type>, y: ViewMut<'_, $type>) -> Result<()> {
                let threads = super::kernels::reduce::threads(x.len());
                match with {
                    Operation::Min => return queue.launch(minimum(x, y).over(threads)),
                    Operation::Max => return queue.launch(maximum(x, y).over(threads)),
                    Operation::Sum | Operation::Product => {}
                }
                as_words!(x, y: $word);
                match with {
                    Operation::Product => queue.launch(product(x, y).over(threads)),
                    _ => queue.launch(sum(x, y).over(threads)),
                }
            }

            fn scan(
                queue: &Queue<'_>,
                x: View<'_, $type>,
                y: ViewMut<'_, $type>,
                exclusive: bool,
                state: AtomicView<'_, AtomicU64>,
            ) -> Result<()> {
                let threads = super::kernels::scan::threads::<$type>(x.len());
                as_words!(x, y: $word);
                let initial = if exclusive { 0 as $word } else { <$word as Value>::NO_SUM };
                queue.launch($scan(x, y, initial, exclusive, state).over(threads))
            }

            fn segments(
                queue: &Queue<'_>,
                with: Operation,
                x: View<'_, $type>,
                offsets: View<'_, u64>,
                y: ViewMut<'_, $type>,
            ) -> Result<()> {
                let threads = super::kernels::segments::threads(y.len());
                match with {
                    Operation::Min => queue.launch(segment_minima(x, offsets, y, $greatest).over(threads)),
                    Operation::Max => queue.launch(segment_maxima(x, offsets, y, $least).over(threads)),
                    _ => {
                        as_words!(x, y: $word);
                        queue.launch(segment_sums(x, offsets, y).over(threads))
                    }
                }
            }

            fn unique(
                queue: &Queue<'_>,
                x: View<'_, $type>,
                y: ViewMut<'_, $type>,
                count: ViewMut<'_, u64>,
                state: AtomicView<'_, AtomicU64>,
            ) -> Result<()> {
                let blocks = super::kernels::select::blocks(x.len(), queue.device.multiprocessors());
                as_words!(x, y: $word);
                queue.launch(unique(x, y, count, state).grid(blocks))
            }

            fn run_starts(
                queue: &Queue<'_>,
                x: View<'_, $type>,
                starts: ViewMut<'_, u64>,
                count: ViewMut<'_, u64>,
                state: AtomicView<'_, AtomicU64>,
            ) -> Result<()> {
                let blocks = super::kernels::select::blocks(x.len(), queue.device.multiprocessors());
                // SAFETY: as for `as_words`.
                let x: View<'_, $word> = unsafe { reinterpret(x) };
                queue.launch(run_starts(x, starts, count, state).grid(blocks))
            }
        }
    )* };
}

/// The bit of the sign.
const SIGN_32: u64 = 1 << 31;
const SIGN_64: u64 = 1 << 63;

scalars! {
    u32 as u32, scan_of_32, u32::MAX, 0, [0, 0], i32::MAX as u64;
    i32 as u32, scan_of_32, i32::MAX, i32::MIN, [SIGN_32, SIGN_32], i32::MAX as u64;
    f32 as f32, scan_of_32, f32::INFINITY, f32::NEG_INFINITY, [u32::MAX as u64, SIGN_32], f32::INFINITY.to_bits() as u64;
    u64 as u64, scan_of_64, u64::MAX, 0, [0, 0], i64::MAX as u64;
    i64 as u64, scan_of_64, i64::MAX, i64::MIN, [SIGN_64, SIGN_64], i64::MAX as u64;
    f64 as f64, scan_of_64, f64::INFINITY, f64::NEG_INFINITY, [u64::MAX, SIGN_64], f64::INFINITY.to_bits();
}
