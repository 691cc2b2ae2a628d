//! Tensor cores: products of small matrices that the threads of a warp compute together (PTX `mma.sync`).
//!
//! [`multiply_add`] computes `A * B + C`. Each lane of the warp holds a *fragment* of every matrix:
//! `M * N / 32` elements of an `M` by `N` matrix, in a value of type [`A`], [`B`] or [`C`]. Fragments are
//! copied like other values, are elements of arrays, and are passed to device functions.
//!
//! | `A` | `B` | `C` | |
//! |---|---|---|---|
//! | `A<i8, 16, K>` | `B<i8, K, 8>` | `C<i32, 16, 8>` | `K` is 16 or 32 |
//! | `A<u8, 16, K>` | `B<u8, K, 8>` | `C<i32, 16, 8>` | `K` is 16 or 32 |
//! | `A<i8, 16, K>` | `B<u8, K, 8>` | `C<i32, 16, 8>` | `K` is 16 or 32 |
//! | `A<u8, 16, K>` | `B<i8, K, 8>` | `C<i32, 16, 8>` | `K` is 16 or 32 |
//! | `A<f16, 16, K>` | `B<f16, K, 8>` | `C<f32, 16, 8>` or `C<f16, 16, 8>` | `K` is 8 or 16; with the feature `half` |
//! | `A<bf16, 16, K>` | `B<bf16, K, 8>` | `C<f32, 16, 8>` | `K` is 8 or 16; with the feature `half` |
//! | `A<Tf32, 16, K>` | `B<Tf32, K, 8>` | `C<f32, 16, 8>` | `K` is 4 or 8 |
//! | `A<f64, 8, 4>` | `B<f64, 4, 8>` | `C<f64, 8, 8>` | |
//! | `A<f64, 16, K>` | `B<f64, K, 8>` | `C<f64, 16, 8>` | `K` is 4, 8 or 16 |
//!
//! All need a GPU of compute capability 8.0, except `f16` with a `K` of 8, which needs 7.5, and `f64` with 16
//! rows, which needs 9.0. A kernel with them does not load on an older one.
//!
//! ```
//! use vyre::prelude::*;
//!
//! /// d := a * b, of 16 by 32 and 32 by 8 numbers, row after row
//! #[vyre::kernel(block = 32)]
//! fn product(a: &[i8], b: &[i8], d: &mut [i32]) {
//!     let a = mma::A::<i8, 16, 32>::load(a, 0, 32);
//!     let b = mma::B::<i8, 32, 8>::load(b, 0, 8);
//!     let d_part = mma::multiply_add(a, b, mma::C::<i32, 16, 8>::zero());
//!     d_part.store(d, 0, 8);
//! }
//!
//! # fn main() -> vyre::Result<()> {
//! let mut d = [0; 16 * 8];
//! Product::dispatch(&Device::cpu(), 32, &[2; 16 * 32], &[-3; 32 * 8], &mut d)?;
//! assert_eq!(d, [32 * 2 * -3; 16 * 8]);
//! # Ok(())
//! # }
//! ```
//!
//! # Tiles
//! `load` and `load_transposed` take any slice, and each lane loads its elements one by one. With `load_tile`
//! and `load_tile_transposed` the whole warp loads a part of a tile together. A tile is an array or slice of
//! rows `[[T; W]; H]`. In shared memory the load is PTX `ldmatrix`, if the rows of the part are known to begin
//! at multiples of 16 bytes (`W` elements are a multiple of 16 bytes, and so is the column); otherwise the
//! elements are loaded one by one. Rows with an odd number of 16-byte units avoid bank conflicts: 40 is a
//! better `W` for `f16` than 32.
//!
//! | | `load_tile`: rows of the tile are those of the matrix | `load_tile_transposed`: they are its columns |
//! |---|---|---|
//! | `A` | all but `f64` | `f16`, `bf16`, `Tf32` |
//! | `B` | `f16`, `bf16`, `Tf32` | all but `f64` |
//!
//! The hardware transposes elements of 16 bits only. For `Tf32`, lanes load the elements of the other layout
//! one by one, each from the row and column that it passes itself. There are no bank conflicts if `W` is 8 or
//! 24 more than a multiple of 32.
//!
//! All lanes pass the same row and column. If they differ, the values of a lane apply to the row that it loads
//! for the others, as for `ldmatrix`: of matrices of eight rows of 16 bytes, the first eight lanes load the
//! first matrix, the next eight the second; of `A`, matrices below each other come first.
//!
//! ```
//! use vyre::prelude::*;
//!
//! /// c := a * b, of 16 by 32 numbers, row after row, and 32 by 8, column after column
//! #[vyre::kernel(block = 32)]
//! fn product(a: &[[f32; 32]], b: &[[f32; 32]], c: &mut [f32]) {
//!     let left = shared::<[[f32; 36]; 16]>();
//!     let right = shared::<[[f32; 36]; 8]>();
//!     let t = thread::idx().x;
//!     for i in 0..16 {
//!         left[i][t] = a[i][t];
//!         right[i / 2][t] = b[i / 2][t];
//!     }
//!     block::sync();
//!     let mut sum = mma::C::<f32, 16, 8>::zero();
//!     for k in 0..4 {
//!         let left = mma::A::<mma::Tf32, 16, 8>::load_tile(left, 0, k * 8);
//!         let right = mma::B::<mma::Tf32, 8, 8>::load_tile_transposed(right, 0, k * 8);
//!         sum = mma::multiply_add(left, right, sum);
//!     }
//!     sum.store(c, 0, 8);
//! }
//!
//! # fn main() -> vyre::Result<()> {
//! let mut c = [0.0; 16 * 8];
//! Product::dispatch(&Device::cpu(), 32, &[[2.0; 32]; 16], &[[3.0; 32]; 8], &mut c)?;
//! assert_eq!(c, [32.0 * 2.0 * 3.0; 16 * 8]);
//! # Ok(())
//! # }
//! ```
//!
//! # Precision
//! - Integers are exact, and wrap.
//! - A sum of `f64` starts with the element of `C`, to which the products are added by `mul_add`, in the order
//!   of `K`.
//! - A sum of `f32` differs from the exact one by at most `(K + 2) * 2^-23` times the sum of the magnitudes of
//!   the element of `C` and of the products, as long as nothing overflows or is subnormal. Within that bound
//!   the result depends on the device: the order of the additions and their rounding are the hardware's. On the
//!   CPU the sum is computed in `f64` and rounded once.
//! - A sum of `f16` likewise differs by at most `(K + 2) * 2^-10` times those magnitudes.
//!
//! # Convergence
//! All threads of the warp reach a product, or a load from a tile, together, as for [warp
//! shuffles](crate::warp#convergence). Only whole warps multiply and load tiles: the block size is a multiple
//! of 32, and the kernel has no early `return`.
//!
//! # Layout of fragments
//! Let `g` be the lane divided by 4 and `t` the remainder, and let `p` be 4 for `i8` and `u8`, 2 for `f16` and
//! `bf16`, and 1 otherwise. Of `A` a lane has the `p` columns from `p * t` on, in row `g` and, if it exists, in
//! row `g + 8`; then the same of the columns from `p * t + 4 * p` on, if they exist. Of `B` it has the `p` rows
//! from `p * t` on in column `g`, then those from `p * t + 4 * p` on. Of `C` it has columns `2 * t` and
//! `2 * t + 1` of row `g`, then of row `g + 8`, if it exists. `row` and `column` return these positions.

use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// The type of tf32 factors: the high 19 bits of an `f32`, with its exponent and 10 bits of fraction. A load
/// rounds to nearest, ties away from zero (PTX `cvt.rna.tf32.f32`).
///
/// ```
/// # use vyre::prelude::*;
/// #[vyre::kernel(block = 32)]
/// fn product(a: &[f32], b: &[f32], c: &mut [f32]) {
///     let left = mma::A::<mma::Tf32, 16, 8>::load(a, 0, 8);
///     let right = mma::B::<mma::Tf32, 8, 8>::load(b, 0, 8);
///     mma::multiply_add(left, right, mma::C::<f32, 16, 8>::zero()).store(c, 0, 8);
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let mut c = [0.0; 128];
/// let a = [1.0 + 1.0 / 4096.0; 128]; // is rounded to 1
/// Product::dispatch(&Device::cpu(), 32, &a, &[0.5; 64], &mut c)?;
/// assert_eq!(c, [4.0; 128]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
pub enum Tf32 {}

/// A lane's part of a left factor of `M` rows and `K` columns.
///
/// ```
/// # use vyre::prelude::*;
/// #[vyre::kernel(block = 32)]
/// fn product(a: &[f64], b: &[f64], c: &mut [f64]) {
///     let left = mma::A::<f64, 8, 4>::load(a, 0, 4); // 8 rows of 4
///     let right = mma::B::<f64, 4, 8>::load(b, 0, 8);
///     mma::multiply_add(left, right, mma::C::<f64, 8, 8>::zero()).store(c, 0, 8);
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let mut c = [0.0; 64];
/// Product::dispatch(&Device::cpu(), 32, &[2.0; 32], &[3.0; 32], &mut c)?;
/// assert_eq!(c, [4.0 * 2.0 * 3.0; 64]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct A<T, const M: usize, const K: usize>(PhantomData<T>);

/// A lane's part of a right factor of `K` rows and `N` columns.
///
/// ```
/// # use vyre::prelude::*;
/// /// c := a * b, where `b` lies column after column.
/// #[vyre::kernel(block = 32)]
/// fn product(a: &[i8], b: &[i8], c: &mut [i32]) {
///     let left = mma::A::<i8, 16, 16>::load(a, 0, 16);
///     let right = mma::B::<i8, 16, 8>::load_transposed(b, 0, 16);
///     mma::multiply_add(left, right, mma::C::<i32, 16, 8>::zero()).store(c, 0, 8);
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let b: Vec<i8> = (0..128).map(|i| (i / 16) as i8).collect(); // column `j` has `j` everywhere
/// let mut c = [0; 128];
/// Product::dispatch(&Device::cpu(), 32, &[1; 256], &b, &mut c)?;
/// assert_eq!(c[..8], [0, 16, 32, 48, 64, 80, 96, 112]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct B<T, const K: usize, const N: usize>(PhantomData<T>);

/// A lane's part of an addend, or of a result, of `M` rows and `N` columns: `c[i]` is one of its elements.
///
/// ```
/// # use vyre::prelude::*;
/// /// Twice a matrix, by the elements that each lane holds.
/// #[vyre::kernel(block = 32)]
/// fn twice(x: &mut [f32]) {
///     let mut part = mma::C::<f32, 16, 8>::load(x, 0, 8);
///     for i in 0..part.len() {
///         part[i] = 2.0 * part[i];
///     }
///     part.store(x, 0, 8);
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let mut x = [1.5; 128];
/// Twice::dispatch(&Device::cpu(), 32, &mut x)?;
/// assert_eq!(x, [3.0; 128]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct C<T, const M: usize, const N: usize>(PhantomData<T>);

/// Element types and shapes that fragments have.
#[diagnostic::on_unimplemented(
    message = "V0718: there are no fragments `{Self}`",
    label = "no product of matrices has this type and these sizes",
    note = "help: the table of `vyre::mma` lists the types and sizes, `mma::A<f64, 8, 4>` and its like; of `f32` it is \
            `mma::Tf32`"
)]
pub trait Fragment: sealed::Sealed {
    /// The type of its elements in memory.
    type Element: Copy;
}

/// Fragments that a whole warp loads from the rows of a tile: the rows of the matrix or, if `TRANSPOSED`, its
/// columns.
#[diagnostic::on_unimplemented(
    message = "V0718: `{Self}` is not loaded from rows of a tile that lie this way round",
    label = "elements of 8 bits are not turned round",
    note = "help: of elements of 8 bits `A` has `load_tile`, `B` has `load_tile_transposed`; `load` takes any slice"
)]
pub trait LoadTile<const TRANSPOSED: bool>: Fragment {}

/// Supported products: left factors of this type by right factors of type `U`, with sums of type `S`.
#[diagnostic::on_unimplemented(
    message = "V0718: the tensor cores do not multiply `A<{Self}, {M}, {K}>` by `B<{U}, {K}, {N}>` to sums of `{S}`",
    label = "there is no such product",
    note = "help: the table of `vyre::mma` lists the products"
)]
pub trait Multiply<U, S, const M: usize, const N: usize, const K: usize>: sealed::Sealed {}

mod sealed {
    pub trait Sealed {}
}

macro_rules! fragment {
    ($fragment:ty, $element:ty) => {
        impl sealed::Sealed for $fragment {}
        impl Fragment for $fragment {
            type Element = $element;
        }
    };
}

macro_rules! products {
    ($($factor:ty: $element:ty, $sum:ty, $m:literal $n:literal $($k:literal)*;)*) => { $($(
        fragment! { A<$factor, $m, $k>, $element }
        fragment! { B<$factor, $k, $n>, $element }
        impl Multiply<$factor, $sum, $m, $n, $k> for $factor {}
    )*)* };
}
products! {
    i8: i8, i32, 16 8 16 32;
    u8: u8, i32, 16 8 16 32;
    Tf32: f32, f32, 16 8 4 8;
    f64: f64, f64, 8 8 4;
    f64: f64, f64, 16 8 8 16;
}

// Its right factor is that of the product of eight rows.
fragment! { A<f64, 16, 4>, f64 }
impl Multiply<f64, f64, 16, 8, 4> for f64 {}

// Their factors are those of the products of one type.
impl Multiply<u8, i32, 16, 8, 16> for i8 {}
impl Multiply<u8, i32, 16, 8, 32> for i8 {}
impl Multiply<i8, i32, 16, 8, 16> for u8 {}
impl Multiply<i8, i32, 16, 8, 32> for u8 {}

macro_rules! tiles {
    ($($factor:ty, $($k:literal)*;)*) => { $($(
        impl LoadTile<false> for A<$factor, 16, $k> {}
        impl LoadTile<true> for B<$factor, $k, 8> {}
    )*)* };
}
tiles! {
    i8, 16 32;
    u8, 16 32;
    Tf32, 4 8;
}

#[cfg(feature = "half")]
tiles! {
    crate::f16, 8 16;
    crate::bf16, 8 16;
}

macro_rules! turned_tiles {
    ($($factor:ty, $($k:literal)*;)*) => { $($(
        impl LoadTile<true> for A<$factor, 16, $k> {}
        impl LoadTile<false> for B<$factor, $k, 8> {}
    )*)* };
}
turned_tiles! {
    Tf32, 4 8;
}
#[cfg(feature = "half")]
turned_tiles! {
    crate::f16, 8 16;
    crate::bf16, 8 16;
}

#[cfg(feature = "half")]
products! {
    crate::f16: crate::f16, f32, 16 8 8 16;
    crate::bf16: crate::bf16, f32, 16 8 8 16;
}
#[cfg(feature = "half")]
impl Multiply<crate::f16, crate::f16, 16, 8, 8> for crate::f16 {}
#[cfg(feature = "half")]
impl Multiply<crate::f16, crate::f16, 16, 8, 16> for crate::f16 {}

fragment! { C<i32, 16, 8>, i32 }
fragment! { C<f32, 16, 8>, f32 }
fragment! { C<f64, 8, 8>, f64 }
fragment! { C<f64, 16, 8>, f64 }
#[cfg(feature = "half")]
fragment! { C<crate::f16, 16, 8>, crate::f16 }

macro_rules! factors {
    ($($ty:ty)*) => { $(
        impl sealed::Sealed for $ty {}
    )* };
}
factors! { i8 u8 Tf32 f64 }
#[cfg(feature = "half")]
factors! { crate::f16 crate::bf16 }

/// The functions of all fragments.
macro_rules! fragments {
    ($($name:ident $matrix:literal;)*) => { $(
        #[allow(clippy::len_without_is_empty, reason = "no fragment is empty")]
        impl<T, const ROWS: usize, const COLUMNS: usize> $name<T, ROWS, COLUMNS>
        where
            Self: Fragment,
        {
            #[doc = concat!("The part of the ", $matrix, " that begins at `source[start]`, whose rows lie `stride` elements apart.")]
            ///
            /// ```
            /// # use vyre::prelude::*;
            /// /// The second 16 columns of a matrix of 32.
            /// #[vyre::kernel(block = 32)]
            /// fn half(a: &[i8], b: &[i8], c: &mut [i32]) {
            ///     let left = mma::A::<i8, 16, 16>::load(a, 16, 32);
            ///     let right = mma::B::<i8, 16, 8>::load(b, 0, 8);
            ///     let sum = mma::C::<i32, 16, 8>::load(c, 0, 8);
            ///     mma::multiply_add(left, right, sum).store(c, 0, 8);
            /// }
            ///
            /// # fn main() -> vyre::Result<()> {
            /// let a: Vec<i8> = (0..512).map(|i| if i % 32 < 16 { 100 } else { 1 }).collect();
            /// let mut c = [5; 128];
            /// Half::dispatch(&Device::cpu(), 32, &a, &[2; 128], &mut c)?;
            /// assert_eq!(c, [5 + 16 * 2; 128]);
            /// # Ok(())
            /// # }
            /// ```
            #[track_caller]
            pub fn load(source: &[<Self as Fragment>::Element], start: usize, stride: usize) -> Self {
                let _ = (source, start, stride);
                crate::outside(concat!("mma::", stringify!($name), "::load()"))
            }

            #[doc = concat!("The part of the ", $matrix, " that begins at `source[start]`, whose columns lie `stride` elements apart.")]
            ///
            /// ```
            /// # use vyre::prelude::*;
            /// /// c := c + a * b, all of them column after column.
            /// #[vyre::kernel(block = 32)]
            /// fn product(a: &[i8], b: &[i8], c: &mut [i32]) {
            ///     let left = mma::A::<i8, 16, 16>::load_transposed(a, 0, 16);
            ///     let right = mma::B::<i8, 16, 8>::load_transposed(b, 0, 16);
            ///     let sum = mma::C::<i32, 16, 8>::load_transposed(c, 0, 16);
            ///     mma::multiply_add(left, right, sum).store_transposed(c, 0, 16);
            /// }
            ///
            /// # fn main() -> vyre::Result<()> {
            /// let a: Vec<i8> = (0..256).map(|i| (i % 16) as i8).collect(); // row `i` has `i` everywhere
            /// let mut c = [0; 128];
            /// Product::dispatch(&Device::cpu(), 32, &a, &[1; 128], &mut c)?;
            /// assert_eq!((c[0], c[1], c[15], c[16]), (0, 16, 240, 0));
            /// # Ok(())
            /// # }
            /// ```
            #[track_caller]
            pub fn load_transposed(source: &[<Self as Fragment>::Element], start: usize, stride: usize) -> Self {
                let _ = (source, start, stride);
                crate::outside(concat!("mma::", stringify!($name), "::load_transposed()"))
            }

            /// The row in the matrix of an element of this lane.
            ///
            /// ```
            /// # use vyre::prelude::*;
            /// /// Adds its row to each element.
            /// #[vyre::kernel(block = 32)]
            /// fn add_rows(x: &mut [i32]) {
            ///     let mut part = mma::C::<i32, 16, 8>::load(x, 0, 8);
            ///     for i in 0..part.len() {
            ///         part[i] = part[i] + part.row(i) as i32;
            ///     }
            ///     part.store(x, 0, 8);
            /// }
            ///
            /// # fn main() -> vyre::Result<()> {
            /// let mut x = [0; 128];
            /// AddRows::dispatch(&Device::cpu(), 32, &mut x)?;
            /// assert!((0..128).all(|i| x[i] == i as i32 / 8));
            /// # Ok(())
            /// # }
            /// ```
            #[track_caller]
            pub fn row(&self, element: usize) -> usize {
                let _ = element;
                crate::outside(concat!("mma::", stringify!($name), "::row()"))
            }

            /// The column in the matrix of an element of this lane.
            ///
            /// ```
            /// # use vyre::prelude::*;
            /// /// Keeps what is above the diagonal.
            /// #[vyre::kernel(block = 32)]
            /// fn upper(x: &mut [i32]) {
            ///     let mut part = mma::C::<i32, 16, 8>::load(x, 0, 8);
            ///     for i in 0..part.len() {
            ///         part[i] = if part.column(i) > part.row(i) { part[i] } else { 0 };
            ///     }
            ///     part.store(x, 0, 8);
            /// }
            ///
            /// # fn main() -> vyre::Result<()> {
            /// let mut x = [1; 128];
            /// Upper::dispatch(&Device::cpu(), 32, &mut x)?;
            /// assert_eq!((x[..8].iter().sum::<i32>(), x[8..16].iter().sum::<i32>()), (7, 6));
            /// # Ok(())
            /// # }
            /// ```
            #[track_caller]
            pub fn column(&self, element: usize) -> usize {
                let _ = element;
                crate::outside(concat!("mma::", stringify!($name), "::column()"))
            }

            /// The number of elements of a lane: a 32nd of the matrix.
            ///
            /// ```
            /// # use vyre::prelude::*;
            /// /// The sum of the elements that each lane holds.
            /// #[vyre::kernel(block = 32)]
            /// fn parts(x: &[i32], y: &mut [i32]) {
            ///     let part = mma::C::<i32, 16, 8>::load(x, 0, 8);
            ///     let mut sum = 0;
            ///     for i in 0..part.len() {
            ///         sum += part[i];
            ///     }
            ///     y[thread::index()] = sum;
            /// }
            ///
            /// # fn main() -> vyre::Result<()> {
            /// let mut y = [0; 32];
            /// Parts::dispatch(&Device::cpu(), 32, &[1; 128], &mut y)?;
            /// assert_eq!(y, [16 * 8 / 32; 32]);
            /// # Ok(())
            /// # }
            /// ```
            pub const fn len(&self) -> usize {
                ROWS * COLUMNS / 32
            }
        }
    )* };
}
fragments! {
    A "left factor";
    B "right factor";
    C "matrix";
}

/// The loads from tiles.
macro_rules! tile_loads {
    ($($name:ident $matrix:literal;)*) => { $(
        impl<T, const ROWS: usize, const COLUMNS: usize> $name<T, ROWS, COLUMNS>
        where
            Self: Fragment,
        {
            #[doc = concat!("The part of the ", $matrix, " that begins at `tile[row][column]`, loaded by the whole warp ([how](self#tiles)).")]
            ///
            /// ```
            /// # use vyre::prelude::*;
            /// #[vyre::kernel(block = 32)]
            /// fn product(a: &[[f32; 8]], b: &[[f32; 8]], c: &mut [f32]) {
            ///     let left = mma::A::<mma::Tf32, 16, 8>::load_tile(a, 0, 0);
            ///     let right = mma::B::<mma::Tf32, 8, 8>::load_tile(b, 0, 0);
            ///     mma::multiply_add(left, right, mma::C::<f32, 16, 8>::zero()).store(c, 0, 8);
            /// }
            ///
            /// # fn main() -> vyre::Result<()> {
            /// let mut c = [0.0; 128];
            /// Product::dispatch(&Device::cpu(), 32, &[[2.0; 8]; 16], &[[3.0; 8]; 8], &mut c)?;
            /// assert_eq!(c, [48.0; 128]);
            /// # Ok(())
            /// # }
            /// ```
            #[track_caller]
            pub fn load_tile<const W: usize>(tile: &[[<Self as Fragment>::Element; W]], row: usize, column: usize) -> Self
            where
                Self: LoadTile<false>,
            {
                let _ = (tile, row, column);
                crate::outside(concat!("mma::", stringify!($name), "::load_tile()"))
            }

            #[doc = concat!("The same where the rows of the tile are columns of the ", $matrix, ".")]
            ///
            /// ```
            /// # use vyre::prelude::*;
            /// /// c := a * b, where the rows of both slices are columns of the matrices.
            /// #[vyre::kernel(block = 32)]
            /// fn product(a: &[[f32; 16]], b: &[[f32; 8]], c: &mut [f32]) {
            ///     let left = mma::A::<mma::Tf32, 16, 8>::load_tile_transposed(a, 0, 0);
            ///     let right = mma::B::<mma::Tf32, 8, 8>::load_tile_transposed(b, 0, 0);
            ///     mma::multiply_add(left, right, mma::C::<f32, 16, 8>::zero()).store(c, 0, 8);
            /// }
            ///
            /// # fn main() -> vyre::Result<()> {
            /// let mut c = [0.0; 128];
            /// Product::dispatch(&Device::cpu(), 32, &[[2.0; 16]; 8], &[[3.0; 8]; 8], &mut c)?;
            /// assert_eq!(c, [48.0; 128]);
            /// # Ok(())
            /// # }
            /// ```
            #[track_caller]
            pub fn load_tile_transposed<const W: usize>(tile: &[[<Self as Fragment>::Element; W]], row: usize, column: usize) -> Self
            where
                Self: LoadTile<true>,
            {
                let _ = (tile, row, column);
                crate::outside(concat!("mma::", stringify!($name), "::load_tile_transposed()"))
            }
        }
    )* };
}
tile_loads! {
    A "left factor";
    B "right factor";
}

impl<T, const M: usize, const N: usize> C<T, M, N>
where
    Self: Fragment<Element = T>,
{
    /// A matrix of zeros.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// #[vyre::kernel(block = 32)]
    /// fn clear(x: &mut [f32]) {
    ///     mma::C::<f32, 16, 8>::zero().store(x, 0, 8);
    /// }
    ///
    /// # fn main() -> vyre::Result<()> {
    /// let mut x = [1.0; 128];
    /// Clear::dispatch(&Device::cpu(), 32, &mut x)?;
    /// assert_eq!(x, [0.0; 128]);
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn zero() -> Self {
        crate::outside("mma::C::zero()")
    }

    /// A matrix with this value in every element.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// /// c := a * b + 1
    /// #[vyre::kernel(block = 32)]
    /// fn product(a: &[u8], b: &[u8], c: &mut [i32]) {
    ///     let left = mma::A::<u8, 16, 16>::load(a, 0, 16);
    ///     let right = mma::B::<u8, 16, 8>::load(b, 0, 8);
    ///     mma::multiply_add(left, right, mma::C::<i32, 16, 8>::fill(1)).store(c, 0, 8);
    /// }
    ///
    /// # fn main() -> vyre::Result<()> {
    /// let mut c = [0; 128];
    /// Product::dispatch(&Device::cpu(), 32, &[3; 256], &[2; 128], &mut c)?;
    /// assert_eq!(c, [97; 128]);
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn fill(value: T) -> Self {
        let _ = value;
        crate::outside("mma::C::fill()")
    }

    /// Writes the lane's elements to the matrix that begins at `target[start]` and whose rows are `stride`
    /// elements apart.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// /// Writes a matrix beside another one, into rows of 16 elements.
    /// #[vyre::kernel(block = 32)]
    /// fn place(x: &mut [f32]) {
    ///     mma::C::<f32, 16, 8>::fill(1.0).store(x, 0, 16);
    ///     mma::C::<f32, 16, 8>::fill(2.0).store(x, 8, 16);
    /// }
    ///
    /// # fn main() -> vyre::Result<()> {
    /// let mut x = [0.0; 256];
    /// Place::dispatch(&Device::cpu(), 32, &mut x)?;
    /// assert_eq!((x[7], x[8], x[16]), (1.0, 2.0, 1.0));
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn store(&self, target: &mut [T], start: usize, stride: usize) {
        let _ = (target, start, stride);
        crate::outside("mma::C::store()")
    }

    /// Writes the lane's elements to the matrix that begins at `target[start]` and whose columns are `stride`
    /// elements apart.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// #[vyre::kernel(block = 32)]
    /// fn transpose(x: &[f32], y: &mut [f32]) {
    ///     mma::C::<f32, 16, 8>::load(x, 0, 8).store_transposed(y, 0, 16);
    /// }
    ///
    /// # fn main() -> vyre::Result<()> {
    /// let x: Vec<f32> = (0..128).map(|i| i as f32).collect();
    /// let mut y = [0.0; 128];
    /// Transpose::dispatch(&Device::cpu(), 32, &x, &mut y)?;
    /// assert_eq!(y[..3], [0.0, 8.0, 16.0]);
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn store_transposed(&self, target: &mut [T], start: usize, stride: usize) {
        let _ = (target, start, stride);
        crate::outside("mma::C::store_transposed()")
    }
}

impl<T, const M: usize, const N: usize> Index<usize> for C<T, M, N>
where
    Self: Fragment<Element = T>,
{
    type Output = T;

    #[track_caller]
    fn index(&self, element: usize) -> &T {
        let _ = element;
        crate::outside("an element of a fragment")
    }
}

impl<T, const M: usize, const N: usize> IndexMut<usize> for C<T, M, N>
where
    Self: Fragment<Element = T>,
{
    #[track_caller]
    fn index_mut(&mut self, element: usize) -> &mut T {
        let _ = element;
        crate::outside("an element of a fragment")
    }
}

/// `a * b + c`; each lane of the warp gets its part (PTX `mma.sync`).
///
/// ```
/// # use vyre::prelude::*;
/// /// c := a * b + c
/// #[vyre::kernel(block = 32)]
/// fn step(a: &[f64], b: &[f64], c: &mut [f64]) {
///     let (left, right) = (mma::A::<f64, 8, 4>::load(a, 0, 4), mma::B::<f64, 4, 8>::load(b, 0, 8));
///     let sum = mma::multiply_add(left, right, mma::C::<f64, 8, 8>::load(c, 0, 8));
///     sum.store(c, 0, 8);
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let mut c = [0.25; 64];
/// Step::dispatch(&Device::cpu(), 32, &[0.5; 32], &[1.0; 32], &mut c)?;
/// assert_eq!(c, [2.25; 64]);
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn multiply_add<T, U, S, const M: usize, const N: usize, const K: usize>(
    a: A<T, M, K>,
    b: B<U, K, N>,
    c: C<S, M, N>,
) -> C<S, M, N>
where
    T: Multiply<U, S, M, N, K>,
{
    let _ = (a, b, c);
    crate::outside("mma::multiply_add()")
}
