//! The bound of the constructor of a generic kernel, in a form in which rustc reports a missing instance once.
//!
//! The constructor returns `<T as FillInstance<N>>::Launcher<'v>`. So rustc looks for the instance twice at a call: because
//! of the returned type, and because of the bound `T: FillInstance<N>`. Of equal errors at one place it reports one. The
//! error of the type is at the call. The error of a bound is where the first parameter of the bound comes from: at the only
//! argument whose type has it, or in `fill::<f64, 2>(..)` at `f64`; if it comes from neither, at the call. So the bound
//! begins with such a parameter here, the innermost `impl Via`:
//!
//! ```ignore
//! fn fill<'v, T, const N: usize>(
//!     with: T,
//!     y: impl Writes<'v, T>
//!         + Via<(), To = impl Via<(), To = impl Via<T, To = T> + Via<T, To: FillInstance<N>>>>,
//! ) -> <T as FillInstance<N>>::Launcher<'v>
//! ```
//!
//! With `To = T`, `To: FillInstance<N>` is the bound that it was. rustc reports the error that it meets first, and that of the
//! type is shorter: the `Via` between, and the last argument as their place, are a detour for the other.

/// A way from any type to `T`.
pub trait Via<T> {
    /// `T`.
    type To;
}
impl<S, T> Via<T> for S {
    type To = T;
}
