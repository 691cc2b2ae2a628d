//! Radix sort.

use super::call::{Call, Queue, belongs, equal};
use super::kernels::sort::{
    DIGITS, TILE_OF_32, TILE_OF_64, count_32, count_64, first_places, scatter_32_32, scatter_32_64, scatter_64_32,
    scatter_64_64, threads,
};
use super::scalar::Scalar;
use core::mem::swap;
use core::sync::atomic::{AtomicU32, AtomicU64};
use vyre::{AtomicView, Element, Result, View, ViewMut};
use vyre_runtime::kernel::reinterpret_mut;

/// Sorts keys in ascending order (CUB `DeviceRadixSort::SortKeys`). Floats are in the order of `total_cmp`, where every
/// NaN is the positive one: NaNs come last, and are equal.
///
/// It takes temporary memory for as many keys, and time in proportion to their number and size.
///
/// ```
/// # use vyre::prelude::*;
///
/// # fn main() -> vyre::Result<()> {
/// let device = Device::best()?;
/// let mut keys = device.upload(&[2.0f32, -1.0, f32::INFINITY, -0.0, 0.0])?;
/// vyre_primitives::sort(&mut keys).launch()?;
/// assert_eq!(keys.download()?, [-1.0, -0.0, 0.0, 2.0, f32::INFINITY]);
/// # Ok(())
/// # }
/// ```
#[doc(alias = "SortKeys")]
#[doc(alias = "radix_sort")]
pub fn sort<'c, K: Scalar>(keys: impl Into<ViewMut<'c, K>>) -> Call<'c> {
    keys_only("sort", keys.into(), false)
}

/// Sorts keys in descending order (CUB `DeviceRadixSort::SortKeysDescending`), otherwise as [`sort`].
///
/// ```
/// # use vyre::prelude::*;
///
/// # fn main() -> vyre::Result<()> {
/// let device = Device::best()?;
/// let mut keys = device.upload(&[2, -1, 5])?;
/// vyre_primitives::sort_descending(&mut keys).launch()?;
/// assert_eq!(keys.download()?, [5, 2, -1]);
/// # Ok(())
/// # }
/// ```
#[doc(alias = "SortKeysDescending")]
pub fn sort_descending<'c, K: Scalar>(keys: impl Into<ViewMut<'c, K>>) -> Call<'c> {
    keys_only("sort_descending", keys.into(), true)
}

/// Sorts keys in ascending order, and moves the values with them (CUB `DeviceRadixSort::SortPairs`). The sort is stable:
/// values of equal keys keep their order. Floats are in the order of [`sort`].
///
/// ```
/// # use vyre::prelude::*;
///
/// # fn main() -> vyre::Result<()> {
/// let device = Device::best()?;
/// let (mut keys, mut values) = (device.upload(&[2, 1, 2, 0])?, device.upload(&[0u32, 1, 2, 3])?);
/// vyre_primitives::sort_pairs(&mut keys, &mut values).launch()?;
/// assert_eq!((keys.download()?, values.download()?), (vec![0, 1, 2, 2], vec![3, 1, 0, 2]));
/// # Ok(())
/// # }
/// ```
#[doc(alias = "SortPairs")]
#[doc(alias = "sort_by_key")]
pub fn sort_pairs<'c, K: Scalar, V: Scalar>(
    keys: impl Into<ViewMut<'c, K>>,
    values: impl Into<ViewMut<'c, V>>,
) -> Call<'c> {
    pairs("sort_pairs", keys.into(), values.into(), false)
}

/// Sorts keys in descending order, and moves the values with them (CUB `DeviceRadixSort::SortPairsDescending`),
/// otherwise as [`sort_pairs`]: values of equal keys keep their order.
///
/// ```
/// # use vyre::prelude::*;
///
/// # fn main() -> vyre::Result<()> {
/// let device = Device::best()?;
/// let (mut keys, mut values) = (device.upload(&[0.5, 0.25, 0.5])?, device.upload(&[0u64, 1, 2])?);
/// vyre_primitives::sort_pairs_descending(&mut keys, &mut values).launch()?;
/// assert_eq!((keys.download()?, values.download()?), (vec![0.5, 0.5, 0.25], vec![0, 2, 1]));
/// # Ok(())
/// # }
/// ```
#[doc(alias = "SortPairsDescending")]
pub fn sort_pairs_descending<'c, K: Scalar, V: Scalar>(
    keys: impl Into<ViewMut<'c, K>>,
    values: impl Into<ViewMut<'c, V>>,
) -> Call<'c> {
    pairs("sort_pairs_descending", keys.into(), values.into(), true)
}

/// The most keys of a launch, in tiles: counts of a launch lie below 2^30.
const PORTION: usize = (1 << 29) / TILE_OF_32;

fn keys_only<'c, K: Scalar>(name: &'static str, keys: ViewMut<'c, K>, descending: bool) -> Call<'c> {
    Call::new(name, keys.device(), move |queue| {
        let mut none = queue.zeros::<u32>(0)?;
        sort_in_portions::<K, u32>(queue, keys, none.as_view_mut(), descending, PORTION)
    })
}

fn pairs<'c, K: Scalar, V: Scalar>(
    name: &'static str,
    keys: ViewMut<'c, K>,
    values: ViewMut<'c, V>,
    descending: bool,
) -> Call<'c> {
    Call::new(name, keys.device(), move |queue| {
        belongs(name, "values", &values.device(), queue.device)?;
        equal("keys", keys.len(), "values", values.len())?;
        sort_in_portions(queue, keys, values, descending, PORTION)
    })
}

/// Sorts keys of any type and values of any type, if there are some, as words of their size.
fn sort_in_portions<K: Scalar, V: Scalar>(
    queue: &Queue<'_>,
    keys: ViewMut<'_, K>,
    values: ViewMut<'_, V>,
    descending: bool,
    portion: usize,
) -> Result<()> {
    let order = Order {
        masks: K::ORDER.map(|mask| if descending { !mask } else { mask }),
        infinity: K::INFINITY,
    };
    // SAFETY: all bits are values of numbers, and the sizes are the same.
    unsafe {
        match (size_of::<K>(), size_of::<V>()) {
            (4, 4) => words::<u32, u32>(queue, reinterpret_mut(keys), reinterpret_mut(values), order, portion),
            (4, _) => words::<u32, u64>(queue, reinterpret_mut(keys), reinterpret_mut(values), order, portion),
            (_, 4) => words::<u64, u32>(queue, reinterpret_mut(keys), reinterpret_mut(values), order, portion),
            (_, _) => words::<u64, u64>(queue, reinterpret_mut(keys), reinterpret_mut(values), order, portion),
        }
    }
}

/// The order of keys.
#[derive(Clone, Copy)]
struct Order {
    /// The mask of keys with the highest bit set, and that of others.
    masks: [u64; 2],
    /// The bits of infinity: without the sign, those of a NaN are greater.
    infinity: u64,
}

fn words<K: Word + Pass<V>, V: Word>(
    queue: &Queue<'_>,
    keys: ViewMut<'_, K>,
    values: ViewMut<'_, V>,
    order: Order,
    portion: usize,
) -> Result<()> {
    let (n, places) = (keys.len(), size_of::<K>());
    if n <= 1 {
        return Ok(());
    }
    let mut starts = queue.zeros::<u64>(places * DIGITS)?;
    K::count(queue, keys.as_view(), order, starts.as_atomics())?;
    queue.launch(first_places(&mut starts).grid(places as u32))?;

    let portion = portion * K::TILE;
    // A counter of claimed tiles for each launch, and a word for each tile and digit.
    let state_of = |keys: usize| 1 + keys.div_ceil(K::TILE) * DIGITS;
    let state_words: usize = (0..n)
        .step_by(portion)
        .map(|from| state_of(portion.min(n - from)))
        .sum();
    let mut state = queue.zeros::<u32>(places * state_words)?;
    let mut next = queue.zeros::<u64>(DIGITS)?;
    // SAFETY: each pass writes all elements before the next one reads them.
    let (mut other_keys, mut other_values) =
        unsafe { (queue.uninitialized::<K>(n)?, queue.uninitialized::<V>(values.len())?) };
    let (mut keys, mut values) = (keys, values);
    let (mut other_keys, mut other_values) = (other_keys.as_view_mut(), other_values.as_view_mut());
    let mut used = 0;
    // An even number of passes, so that the last one ends where the keys came from.
    for place in 0..places {
        let mut starts = starts.slice_mut(place * DIGITS..(place + 1) * DIGITS)?;
        let mut next = next.as_view_mut();
        for from in (0..n).step_by(portion) {
            let range = from..n.min(from + portion);
            let words = state_of(range.len());
            let values_range = if values.is_empty() { 0..0 } else { range.clone() };
            K::pass(
                queue,
                Portion {
                    keys: keys.slice(range)?,
                    to: other_keys.reborrow(),
                    values: values.slice(values_range)?,
                    to_values: other_values.reborrow(),
                    shift: 8 * place as u32,
                    // The first pass leaves the same bits for all NaNs.
                    order: Order {
                        infinity: if place == 0 { order.infinity } else { K::NO_NAN },
                        ..order
                    },
                    starts: starts.as_view(),
                    next: next.reborrow(),
                    state: state.as_atomics().slice(used..used + words)?,
                },
            )?;
            used += words;
            swap(&mut starts, &mut next);
        }
        swap(&mut keys, &mut other_keys);
        swap(&mut values, &mut other_values);
    }
    Ok(())
}

/// The arguments of a launch that sorts keys by one digit.
struct Portion<'p, K, V> {
    keys: View<'p, K>,
    to: ViewMut<'p, K>,
    values: View<'p, V>,
    to_values: ViewMut<'p, V>,
    shift: u32,
    order: Order,
    starts: View<'p, u64>,
    next: ViewMut<'p, u64>,
    state: AtomicView<'p, AtomicU32>,
}

/// The bits of a number.
trait Word: Element {
    /// The infinity of keys without NaNs: all bits but the highest one.
    const NO_NAN: u64;

    fn count(queue: &Queue<'_>, keys: View<'_, Self>, order: Order, counts: AtomicView<'_, AtomicU64>) -> Result<()>;
}

/// The kernel for values of a size.
trait Pass<V>: Sized {
    const TILE: usize;

    fn pass(queue: &Queue<'_>, portion: Portion<'_, Self, V>) -> Result<()>;
}

macro_rules! words {
    ($($key:ident: $count:ident, [$($value:ident: $scatter:ident $tile:ident,)*];)*) => { $(
        impl Word for $key {
            const NO_NAN: u64 = ($key::MAX >> 1) as u64;

            fn count(
                queue: &Queue<'_>,
                keys: View<'_, $key>,
                order: Order,
                counts: AtomicView<'_, AtomicU64>,
            ) -> Result<()> {
                let blocks = keys.len().div_ceil(DIGITS * 64).min(2048) as u32;
                let [negative, positive] = order.masks.map(|mask| mask as $key);
                let launch = $count(keys, order.infinity as $key, negative, positive, counts).grid(blocks);
                queue.launch(launch)
            }
        }

        $(
            impl Pass<$value> for $key {
                const TILE: usize = $tile;

                fn pass(queue: &Queue<'_>, it: Portion<'_, $key, $value>) -> Result<()> {
                    let threads = threads(it.keys.len(), $tile);
                    let [negative, positive] = it.order.masks.map(|mask| mask as $key);
                    let infinity = it.order.infinity as $key;
                    let kernel = $scatter(
                        it.keys, it.to, it.values, it.to_values, it.shift, infinity, negative, positive, it.starts,
                        it.next, it.state,
                    );
                    queue.launch(kernel.over(threads))
                }
            }
        )*
    )* };
}

words! {
    u32: count_32, [u32: scatter_32_32 TILE_OF_32, u64: scatter_32_64 TILE_OF_64,];
    u64: count_64, [u32: scatter_64_32 TILE_OF_64, u64: scatter_64_64 TILE_OF_64,];
}

#[cfg(test)]
mod tests;
