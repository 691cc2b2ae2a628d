//! Slices that integers of every type index.

use std::fmt;
use std::ops::{
    Deref, DerefMut, Index, IndexMut, Range, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive,
};

/// A slice that an integer of any type indexes: `x[i]` with `i: u32`.
///
/// Kernels and device functions take `&Slice<T>` and `&mut Slice<T>` wherever they take `&[T]` and `&mut [T]`, and a launch
/// passes the same. Code that counts in 32 bits, as that from CUDA does, needs no `as usize` at each index then. In
/// everything else it is a `[T]`, to which it dereferences.
///
/// ```
/// # use vyre::prelude::*;
/// #[vyre::kernel]
/// fn running_mean(x: &Slice<f32>, y: &mut Slice<f32>, n: u32) {
///     let i = thread::index() as u32;
///     if i + 2 < n {
///         y[i] = (x[i] + x[i + 1] + x[i + 2]) / 3.0;
///     }
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let mut y = [0.0; 4];
/// RunningMean::dispatch(&Device::best()?, 4, &[1.0, 2.0, 3.0, 7.0], &mut y, 4)?;
/// assert_eq!(y, [2.0, 4.0, 0.0, 0.0]);
/// # Ok(())
/// # }
/// ```
///
/// An index that is negative or too large is out of bounds, as one of a `[T]` is. A range of any integer type yields a
/// `Slice` again. Methods are those of `[T]`: `x.get(i)` takes a `usize`, and `x.iter()`, `x.chunks(n)` and their like
/// yield elements and `[T]`.
///
/// ```
/// # use vyre::Slice;
/// let (x, n) = (Slice::of(&[1, 2, 3, 4]), 2u32);
/// assert_eq!(x[n..].iter().sum::<i32>(), 7);
/// assert_eq!(x[..n][1u8], 2);
/// assert_eq!(x.len(), 4);
/// ```
///
/// An index that nothing else gives a type is an `i32`, as any integer in Rust.
#[repr(transparent)]
pub struct Slice<T>([T]);

impl<T> Slice<T> {
    /// A slice, an array or memory of the block as a `Slice`.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// /// y := the sum of each block of x.
    /// #[vyre::kernel(block = 64)]
    /// fn block_sums(x: &[f32], y: &mut [f32]) {
    ///     let tile = shared::<[f32; 64]>();
    ///     let t = thread::idx().x as u32;
    ///     tile[t as usize] = x[thread::index()];
    ///     block::sync();
    ///     let tile = Slice::of(tile);
    ///     if t == 0 {
    ///         let mut sum = 0.0;
    ///         for i in 0..64u32 {
    ///             sum += tile[i];
    ///         }
    ///         y[block::idx().x] = sum;
    ///     }
    /// }
    ///
    /// # fn main() -> vyre::Result<()> {
    /// let mut y = [0.0; 2];
    /// BlockSums::dispatch(&Device::best()?, 128, &[0.5; 128], &mut y)?;
    /// assert_eq!(y, [32.0; 2]);
    /// # Ok(())
    /// # }
    /// ```
    pub const fn of(elements: &[T]) -> &Slice<T> {
        // SAFETY: the representation is that of the slice.
        unsafe { &*(std::ptr::from_ref(elements) as *const Slice<T>) }
    }

    /// A mutable slice, an array or memory of the block as a `Slice`.
    ///
    /// ```
    /// # use vyre::Slice;
    /// let mut y = [0; 4];
    /// let all = Slice::of_mut(&mut y);
    /// for i in 0..4u32 {
    ///     all[i] = 10 * i;
    /// }
    /// assert_eq!(y, [0, 10, 20, 30]);
    /// ```
    pub const fn of_mut(elements: &mut [T]) -> &mut Slice<T> {
        // SAFETY: the representation is that of the slice.
        unsafe { &mut *(std::ptr::from_mut(elements) as *mut Slice<T>) }
    }
}

impl<T> Deref for Slice<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T> DerefMut for Slice<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.0
    }
}

impl<T: fmt::Debug> fmt::Debug for Slice<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

macro_rules! compared {
    ($([$($length:tt)*] $one:ty, $other:ty;)*) => {
        $(impl<T: PartialEq<U>, U $($length)*> PartialEq<$other> for $one {
            #[inline]
            fn eq(&self, other: &$other) -> bool {
                let (one, other): (&[T], &[U]) = (self, other);
                one == other
            }
        })*
    };
}
compared! {
    [] Slice<T>, Slice<U>;
    [] Slice<T>, [U];
    [, const N: usize] Slice<T>, [U; N];
    [] [T], Slice<U>;
    [, const N: usize] [T; N], Slice<U>;
}

impl<T: Eq> Eq for Slice<T> {}

impl<'a, T> IntoIterator for &'a Slice<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl<'a, T> IntoIterator for &'a mut Slice<T> {
    type Item = &'a mut T;
    type IntoIter = std::slice::IterMut<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter_mut()
    }
}

/// An integer that indexes a [`Slice`].
#[diagnostic::on_unimplemented(
    message = "a `Slice` is not indexed by `{Self}`",
    label = "no integer of up to 64 bits",
    note = "help: write an integer, `x[i as usize]`, or a range of integers"
)]
pub trait Subscript: Copy {
    /// The number as an index. A negative one is larger than the length of any slice.
    fn index(self) -> usize;
}

macro_rules! subscripts {
    ($($integer:ty)*) => {
        $(#[diagnostic::do_not_recommend]
        impl Subscript for $integer {
            #[inline]
            fn index(self) -> usize {
                usize::try_from(self).unwrap_or(usize::MAX)
            }
        })*
    };
}
subscripts!(u8 u16 u32 u64 usize i8 i16 i32 i64 isize);

// One `impl` for all integers: the type of `x[i]` is known before that of `i`.
impl<T, I: Subscript> Index<I> for Slice<T> {
    type Output = T;

    #[inline]
    #[track_caller]
    fn index(&self, index: I) -> &T {
        &self.0[index.index()]
    }
}

impl<T, I: Subscript> IndexMut<I> for Slice<T> {
    #[inline]
    #[track_caller]
    fn index_mut(&mut self, index: I) -> &mut T {
        &mut self.0[index.index()]
    }
}

macro_rules! ranges {
    ($($range:ty: |$from:ident| $to:expr;)*) => {
        $(
            impl<T, I: Subscript> Index<$range> for Slice<T> {
                type Output = Slice<T>;

                #[inline]
                #[track_caller]
                fn index(&self, $from: $range) -> &Slice<T> {
                    Slice::of(&self.0[$to])
                }
            }

            impl<T, I: Subscript> IndexMut<$range> for Slice<T> {
                #[inline]
                #[track_caller]
                fn index_mut(&mut self, $from: $range) -> &mut Slice<T> {
                    Slice::of_mut(&mut self.0[$to])
                }
            }
        )*
    };
}
ranges! {
    Range<I>: |range| range.start.index()..range.end.index();
    RangeFrom<I>: |range| range.start.index()..;
    RangeTo<I>: |range| ..range.end.index();
    RangeInclusive<I>: |range| range.start().index()..=range.end().index();
    RangeToInclusive<I>: |range| ..=range.end.index();
}

impl<T> Index<RangeFull> for Slice<T> {
    type Output = Slice<T>;

    #[inline]
    fn index(&self, _: RangeFull) -> &Slice<T> {
        self
    }
}

impl<T> IndexMut<RangeFull> for Slice<T> {
    #[inline]
    fn index_mut(&mut self, _: RangeFull) -> &mut Slice<T> {
        self
    }
}

#[cfg(test)]
mod tests;
