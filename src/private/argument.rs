//! The arguments of launches, for the messages where they do not fit: a trait for each kind of parameter, whose message
//! says what fits it.

use vyre_runtime::{AtomicElement, AtomicView, Element, View, View2, ViewMut, ViewMut2};

/// An argument of a parameter `&[T]`.
#[diagnostic::on_unimplemented(
    message = "V0220: a parameter `&[{T}]` takes a `&DeviceBuffer<{T}>`, not `{Self}`",
    label = "write `&buffer`, of a buffer of `{T}`",
    note = "help: elements of another type are converted on the host or by a kernel of their own; a slice, array or `Vec` is uploaded first, `&device.upload(&x)?`, or passed to \
            `dispatch`; a `Result` is opened by `?`; of what a guard or `Rc` holds write `&*x`"
)]
pub trait Reads<'v, T> {
    /// The view that the kernel reads.
    fn view(self) -> View<'v, T>;
}
#[diagnostic::do_not_recommend]
impl<'v, T: Element, A: Into<View<'v, T>>> Reads<'v, T> for A {
    fn view(self) -> View<'v, T> {
        self.into()
    }
}

/// An argument of a parameter `&mut [T]`.
#[diagnostic::on_unimplemented(
    message = "V0220: a parameter `&mut [{T}]` takes a `&mut DeviceBuffer<{T}>`, not `{Self}`",
    label = "write `&mut buffer`, of a buffer of `{T}`",
    note = "help: elements of another type are converted on the host or by a kernel of their own; a slice, array or `Vec` is uploaded first, `device.upload(&x)?`, or passed to \
            `dispatch`; a `Result` is opened by `?`; of what a guard or `RefMut` holds write `&mut *x`"
)]
pub trait Writes<'v, T> {
    /// The view that the kernel writes.
    fn view(self) -> ViewMut<'v, T>;
}
#[diagnostic::do_not_recommend]
impl<'v, T: Element, A: Into<ViewMut<'v, T>>> Writes<'v, T> for A {
    fn view(self) -> ViewMut<'v, T> {
        self.into()
    }
}

/// An argument of a parameter of atomics, `&[AtomicU32]`.
#[diagnostic::on_unimplemented(
    message = "V0220: a parameter `&[{A}]` takes a `&mut DeviceBuffer` of what `{A}` holds, not `{Self}`",
    label = "write `&mut buffer`, of a buffer of what `{A}` holds",
    note = "help: `AtomicU32` holds `u32`, `AtomicI32` holds `i32`, and so on; a slice, array or `Vec` is uploaded first, \
            `device.upload(&x)?`, or passed to `dispatch`; of what a guard or `RefMut` holds write `&mut *x`"
)]
pub trait Updates<'v, A> {
    /// The view that the kernel updates atomically.
    fn view(self) -> AtomicView<'v, A>;
}
#[diagnostic::do_not_recommend]
impl<'v, A: AtomicElement, B: Into<AtomicView<'v, A>>> Updates<'v, A> for B {
    fn view(self) -> AtomicView<'v, A> {
        self.into()
    }
}

/// An argument of a parameter `Slice2<'_, T>`.
#[diagnostic::on_unimplemented(
    message = "V0220: a parameter `Slice2<{T}>` takes a `View2<{T}>`, not `{Self}`",
    label = "write `buffer.view2(rows, cols)?`, of a buffer of `{T}`",
    note = "help: a slice, array or `Vec` is uploaded first, `device.upload(&x)?`"
)]
pub trait ReadsMatrix<'v, T> {
    /// The matrix that the kernel reads.
    fn view(self) -> View2<'v, T>;
}
#[diagnostic::do_not_recommend]
impl<'v, T: Element, A: Into<View2<'v, T>>> ReadsMatrix<'v, T> for A {
    fn view(self) -> View2<'v, T> {
        self.into()
    }
}

/// An argument of a parameter `SliceMut2<'_, T>`.
#[diagnostic::on_unimplemented(
    message = "V0220: a parameter `SliceMut2<{T}>` takes a `ViewMut2<{T}>`, not `{Self}`",
    label = "write `buffer.view2_mut(rows, cols)?`, of a buffer of `{T}`",
    note = "help: a slice, array or `Vec` is uploaded first, `device.upload(&x)?`; a matrix that is kept is passed by `&mut matrix`"
)]
pub trait WritesMatrix<'v, T> {
    /// The matrix that the kernel writes.
    fn view(self) -> ViewMut2<'v, T>;
}
#[diagnostic::do_not_recommend]
impl<'v, T: Element, A: Into<ViewMut2<'v, T>>> WritesMatrix<'v, T> for A {
    fn view(self) -> ViewMut2<'v, T> {
        self.into()
    }
}
