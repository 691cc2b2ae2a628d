//! Expressions of the types that a kernel uses. Generated code uses them to check with rustc which
//! method a call resolves to. They are never evaluated.

/// The result of a probe method: no other method takes precedence.
pub struct Alone;

/// The trait of a probe's result if it found no other method.
#[diagnostic::on_unimplemented(
    message = "V0721: rustc takes another method here than vyre",
    label = "by a trait that is in scope, or an `impl` that vyre does not see",
    note = "help: call it by what it is of: `Type::method(&x)`, `Trait::method(&x)`"
)]
pub trait IsAlone {}
impl IsAlone for Alone {}

/// Compiles if a probe has found no other method.
pub fn alone<T: IsAlone>(_: T) {}

/// The trait of a method's path if no `impl` shadows it.
#[diagnostic::on_unimplemented(
    message = "V0721: rustc takes another method here than vyre",
    label = "this type has one of the same name itself, by an `impl` that vyre does not see",
    note = "help: give them different names, or put that `impl` into the module"
)]
pub trait Meant<F> {}
impl<F> Meant<F> for F {}

/// A method named by the path of its trait.
pub struct OfTrait<F>(std::marker::PhantomData<F>);

/// Wraps the method for comparison.
pub fn of_trait<F>(_: F) -> OfTrait<F> {
    OfTrait(std::marker::PhantomData)
}

impl<F> OfTrait<F> {
    /// Compiles if this is the same method.
    pub fn is<G: Meant<F>>(self, _: G) {}
}

/// A placeholder for a type of the user.
pub struct Key<const KEY: u64>;

/// Maps a key and its arguments to a type; the argument for a length is an array of that length.
pub trait Made<T, Arguments> {}

/// A value of the type of a key.
pub fn own<const KEY: u64, T, Arguments>(_: Key<KEY>, _: Arguments) -> T
where
    Key<KEY>: Made<T, Arguments>,
{
    super::any()
}

/// An array.
pub fn array<T, const N: usize>(_: T) -> [T; N] {
    super::any()
}

/// A slice.
pub fn slice<'a, T>(_: T) -> &'a [T] {
    super::any()
}

/// A mutable slice.
pub fn slice_mut<'a, T>(_: T) -> &'a mut [T] {
    super::any()
}

/// One that integers of all types index.
pub fn any_slice<'a, T>(_: T) -> &'a crate::Slice<T> {
    super::any()
}

/// A mutable one.
pub fn any_slice_mut<'a, T>(_: T) -> &'a mut crate::Slice<T> {
    super::any()
}

/// An `Option`.
pub fn option<T>(_: T) -> Option<T> {
    super::any()
}

/// A `Result`.
pub fn result<T, E>(_: T, _: E) -> Result<T, E> {
    super::any()
}

/// An `Ordering`.
pub fn ordering() -> std::cmp::Ordering {
    super::any()
}

/// `Atomic` of a value.
pub fn atomic<T>(_: T) -> vyre_runtime::Atomic<T> {
    super::any()
}

/// A `PhantomData`.
pub fn phantomdata<T>(_: T) -> std::marker::PhantomData<T> {
    super::any()
}

/// A pair of values, to which rustc assigns no type if it finds none for the second.
pub struct Both<A, B>(A, B);

/// Both of them.
pub fn both<A, B>(_: A, _: B) -> Both<A, B> {
    super::any()
}

impl<A, B> std::ops::Deref for Both<A, B> {
    type Target = A;

    fn deref(&self) -> &A {
        let Both(first, _) = self;
        first
    }
}
