//! Checks the types that vyre inferred against rustc's inference.
//!
//! Each binding of a kernel is followed by `is::<tag::U8, _>(&binding)`, which compiles only if
//! rustc infers the type named by the tag. The bound is on an associated type, which does not drive
//! inference, so rustc decides freely.

use core::sync::atomic::Ordering;

use crate::Index3;

/// A type of kernels.
#[diagnostic::on_unimplemented(
    message = "V0302: a kernel cannot hold a value of type `{Self}`",
    note = "help: use numbers, `bool`s, tuples and arrays of them"
)]
pub trait Ty {
    /// Its tag.
    type Tag: ?Sized;
}

/// Compiles if `T` is the type with the tag `G`.
#[inline(always)]
pub const fn is<G: ?Sized, T: Ty<Tag = G> + ?Sized>(_: &T) {}

/// Compiles if both are the same function.
#[inline(always)]
pub fn same<F>(_: F, _: F) {}

/// A function twice: each has a type of its own.
#[diagnostic::on_unimplemented(
    message = "V0416: this name leads to something else here than vyre takes it for",
    label = "an item or import hides what Rust or vyre has of this name",
    note = "help: rename what hides it"
)]
pub trait LeadsTo {}
#[diagnostic::do_not_recommend]
impl<F> LeadsTo for (F, F) {}

/// Compiles if a path leads to a function: `thread::index` of a kernel is vyre's own. As a pair, because of two
/// arguments of one type rustc would say that the second is of another type than the first.
#[inline(always)]
pub fn leads_to<P: LeadsTo>(_: P) {}

/// Fails the build if something does not mean what the compiler takes it for.
#[track_caller]
pub const fn meant(holds: bool, message: &str) {
    assert!(holds, "{}", message);
}

/// True if a constant has the type with the tag `G`, and these bits.
pub const fn is_known<G: ?Sized, T: Ty<Tag = G> + Copy>(value: &T, bits: u128) -> bool {
    match size_of::<T>() {
        16 => super::holds(value, 8, &[bits as u64, (bits >> 64) as u64]),
        size => super::holds(value, size, &[bits as u64]),
    }
}

/// True if a constant has the type with the tag `G`, a float whose infinity has these bits, and is a NaN.
pub const fn is_nan<G: ?Sized, T: Ty<Tag = G> + Copy>(value: &T, infinity: u64) -> bool {
    let sign = 1 << (8 * size_of::<T>() - 1);
    super::bits(value, size_of::<T>()) & (sign - 1) > infinity
}

/// True if both are the same order.
pub const fn is_order(order: Ordering, meant: Ordering) -> bool {
    order as u8 == meant as u8
}

/// True if both are the same result of a comparison.
pub const fn is_ordering(found: std::cmp::Ordering, meant: std::cmp::Ordering) -> bool {
    found as i8 == meant as i8
}

/// Compiles if the parameter is vyre's own matrix.
#[inline(always)]
pub fn matrix<T>(_: &vyre_runtime::Slice2<'_, T>) {}

/// Compiles if the parameter is vyre's own mutable matrix.
#[inline(always)]
pub fn matrix_mut<T>(_: &vyre_runtime::SliceMut2<'_, T>) {}

/// Compiles if the type of a struct's field has the tag `G`, and buffers hold it.
pub const fn field<G: ?Sized, T: Ty<Tag = G> + vyre_runtime::Element>() {}

/// A type by a name that vyre takes for the type with the tag `G`.
#[diagnostic::on_unimplemented(
    message = "V0416: this name leads to something else here than vyre takes it for",
    label = "the name of `{Self}` here",
    note = "help: rename what hides the type that vyre knows by this name"
)]
pub trait Means<G: ?Sized> {}
#[diagnostic::do_not_recommend]
impl<G: ?Sized, T: Ty<Tag = G> + ?Sized> Means<G> for T {}

/// Compiles if a name leads to the type with the tag `G`.
pub const fn alias<G: ?Sized, T: Means<G> + ?Sized>() {}

/// Fails the build if a variant does not have the value that the compiler assumed.
pub const fn discriminant(same: bool) {
    assert!(same, "vyre took a variant of this enum for another number");
}

/// The tag of each type.
#[allow(missing_docs, reason = "each stands for the type of its name")]
pub mod tag {
    pub use std::marker::PhantomData;

    macro_rules! tags {
        ($($name:ident)*) => { $(pub struct $name;)* };
    }
    tags!(Bool I8 I16 I32 I64 Isize U8 U16 U32 U64 Usize F16 BF16 F32 F64 U128 I128 Index3 Tf32 Token Ordering);

    pub struct Array<G, const N: usize>(PhantomData<G>);
    pub struct Slice<G>(PhantomData<G>);
    /// vyre's own slice.
    pub struct AnySlice<G>(PhantomData<G>);
    pub struct Ref<G: ?Sized>(PhantomData<G>);
    pub struct Mut<G: ?Sized>(PhantomData<G>);
    pub struct Atomic<G>(PhantomData<G>);
    /// A group of threads.
    pub struct Tile<const N: usize>;
    pub struct A<G, const M: usize, const K: usize>(PhantomData<G>);
    pub struct B<G, const K: usize, const N: usize>(PhantomData<G>);
    pub struct C<G, const M: usize, const N: usize>(PhantomData<G>);
    pub struct Barrier<const ID: usize, const THREADS: usize>;
    pub struct Option<G>(PhantomData<G>);
    pub struct Result<G, E>(PhantomData<(G, E)>);
    /// A type of the user, by a unique number.
    pub struct Own<const KEY: u64>;
    /// An instance of a generic type, with the tags of its arguments; the tag of a length is an
    /// array of that length.
    pub struct Instance<const KEY: u64, G>(PhantomData<G>);
}

macro_rules! primitives {
    ($($ty:ident $tag:ident,)*) => {
        $(impl Ty for $ty { type Tag = tag::$tag; })*

        /// Each function is [`is`] of the primitive type of its name.
        #[allow(missing_docs, reason = "they stand for the types of their names")]
        pub mod found {
            use super::{Ty, tag};

            $(
                #[allow(non_snake_case, reason = "one is called as the type `Index3`")]
                #[inline(always)]
                pub const fn $ty<T: Ty<Tag = tag::$tag>>(_: &T) {}
            )*

            #[inline(always)]
            pub const fn f16<T: Ty<Tag = tag::F16>>(_: &T) {}
            #[inline(always)]
            pub const fn bf16<T: Ty<Tag = tag::BF16>>(_: &T) {}
        }
    };
}
primitives! {
    bool Bool, i8 I8, i16 I16, i32 I32, i64 I64, isize Isize, u8 U8, u16 U16, u32 U32, u64 U64, usize Usize,
    f32 F32, f64 F64, u128 U128, i128 I128, Index3 Index3,
}

#[cfg(feature = "half")]
mod half {
    use super::{Ty, tag};

    impl Ty for ::half::f16 {
        type Tag = tag::F16;
    }
    impl Ty for ::half::bf16 {
        type Tag = tag::BF16;
    }
    impl Ty for crate::AtomicF16x2 {
        type Tag = tag::Atomic<tag::F16>;
    }
    impl Ty for crate::AtomicBF16x2 {
        type Tag = tag::Atomic<tag::BF16>;
    }
}

macro_rules! atomics {
    ($($ty:path, $tag:ident;)*) => { $(impl Ty for $ty { type Tag = tag::Atomic<tag::$tag>; })* };
}
atomics! {
    core::sync::atomic::AtomicBool, Bool;
    core::sync::atomic::AtomicI8, I8;
    core::sync::atomic::AtomicI16, I16;
    core::sync::atomic::AtomicU8, U8;
    core::sync::atomic::AtomicU16, U16;
    core::sync::atomic::AtomicI32, I32;
    core::sync::atomic::AtomicI64, I64;
    core::sync::atomic::AtomicIsize, Isize;
    core::sync::atomic::AtomicU32, U32;
    core::sync::atomic::AtomicU64, U64;
    core::sync::atomic::AtomicUsize, Usize;
    crate::AtomicF32, F32;
    crate::AtomicF64, F64;
    // For the compiler it is an atomic cell; its type permits no other use.
    crate::shared::Barrier, U64;
}

impl<T: Ty<Tag: Sized>> Ty for crate::Atomic<T> {
    type Tag = tag::Atomic<T::Tag>;
}

impl Ty for core::cmp::Ordering {
    type Tag = tag::Ordering;
}

impl Ty for crate::shared::Token {
    type Tag = tag::Token;
}

impl<const N: usize> Ty for crate::warp::Tile<N> {
    type Tag = tag::Tile<N>;
}
impl<const ID: usize, const THREADS: usize> Ty for crate::block::Barrier<ID, THREADS> {
    type Tag = tag::Barrier<ID, THREADS>;
}
impl<T: Ty<Tag: Sized>, const N: usize> Ty for [T; N] {
    type Tag = tag::Array<T::Tag, N>;
}
impl Ty for crate::mma::Tf32 {
    type Tag = tag::Tf32;
}
impl<T: Ty<Tag: Sized>, const M: usize, const K: usize> Ty for crate::mma::A<T, M, K> {
    type Tag = tag::A<T::Tag, M, K>;
}
impl<T: Ty<Tag: Sized>, const K: usize, const N: usize> Ty for crate::mma::B<T, K, N> {
    type Tag = tag::B<T::Tag, K, N>;
}
impl<T: Ty<Tag: Sized>, const M: usize, const N: usize> Ty for crate::mma::C<T, M, N> {
    type Tag = tag::C<T::Tag, M, N>;
}
impl<T: Ty<Tag: Sized>> Ty for [T] {
    type Tag = tag::Slice<T::Tag>;
}
impl<T: Ty<Tag: Sized>> Ty for crate::Slice<T> {
    type Tag = tag::AnySlice<T::Tag>;
}
impl<T: Ty<Tag: Sized>> Ty for Option<T> {
    type Tag = tag::Option<T::Tag>;
}
impl<T: Ty<Tag: Sized>> Ty for core::marker::PhantomData<T> {
    type Tag = tag::PhantomData<T::Tag>;
}
impl<T: Ty<Tag: Sized>, E: Ty<Tag: Sized>> Ty for Result<T, E> {
    type Tag = tag::Result<T::Tag, E::Tag>;
}
impl<T: Ty + ?Sized> Ty for &T {
    type Tag = tag::Ref<T::Tag>;
}
impl<T: Ty + ?Sized> Ty for &mut T {
    type Tag = tag::Mut<T::Tag>;
}

macro_rules! tuples {
    ($(($($name:ident)*))*) => { $(impl<$($name: Ty<Tag: Sized>),*> Ty for ($($name,)*) { type Tag = ($($name::Tag,)*); })* };
}
tuples! { () (A) (A B) (A B C) (A B C D) (A B C D E) (A B C D E F) (A B C D E F G) (A B C D E F G H) }
