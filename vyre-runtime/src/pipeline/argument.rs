//! Arguments of calls.

use std::fmt;

use vyre_core::ir::Constant;

use crate::Element;
use crate::memory::view::RawView;
use crate::{Plain, View, ViewMut};

/// An argument of a call of a [`Pipeline`](crate::Pipeline), for a parameter of any type.
///
/// The methods of [`Call`](crate::Call) make them; [`Device::dispatch`](crate::Device::dispatch) takes a list.
///
/// It is not `Clone`: a buffer that the kernel may write is given once.
pub struct Argument<'a>(pub(super) Given<'a>);

pub(super) enum Given<'a> {
    Value(Constant),
    Bytes(&'a [u8]),
    /// This number of elements.
    Zeroed(usize),
    Resident(Resident<'a>),
}

/// A view of a buffer.
pub(super) struct Resident<'a> {
    pub(super) view: RawView<'a>,
    /// The size of the view's elements, in bytes.
    pub(super) element: usize,
    /// True if the kernel may write it.
    pub(super) mutable: bool,
}

impl<'a> Argument<'a> {
    /// A scalar, of exactly the type of the parameter: a Rust number, `bool`, or a `vyre::ir::Constant`.
    pub fn value(value: impl Into<Constant>) -> Argument<'a> {
        Argument(Given::Value(value.into()))
    }

    /// The elements of a slice, or a struct, tuple or array, as bytes in the layout of C. A slice that the kernel writes
    /// becomes one of the outputs.
    pub fn bytes(bytes: &'a [u8]) -> Argument<'a> {
        Argument(Given::Bytes(bytes))
    }

    /// A slice of this many elements of the parameter's type, all of whose bytes are zero. If the kernel writes it, it
    /// becomes one of the outputs.
    pub fn zeroed(length: usize) -> Argument<'a> {
        Argument(Given::Zeroed(length))
    }

    /// A buffer, or a part of one, that the kernel reads. Its bytes are taken as elements of the parameter's type; those
    /// of a `bool` are 0 or 1, which is checked for bytes of the host alone.
    pub fn resident<T: Element>(view: impl Into<View<'a, T>>) -> Argument<'a> {
        Argument::of(*view.into().raw(), size_of::<T>(), false)
    }

    /// A buffer, or a part of one, that the kernel may write. The borrow lasts for the call, so nothing else that the
    /// call is given is the same memory.
    pub fn resident_mut<T: Plain>(view: impl Into<ViewMut<'a, T>>) -> Argument<'a> {
        Argument::of(*view.into().raw(), size_of::<T>(), true)
    }

    pub(super) fn is_resident(&self) -> bool {
        matches!(self.0, Given::Resident(_))
    }

    fn of(view: RawView<'a>, element: usize, mutable: bool) -> Argument<'a> {
        Argument(Given::Resident(Resident { view, element, mutable }))
    }
}

impl fmt::Debug for Argument<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.describe())
    }
}

impl Given<'_> {
    /// The argument in words.
    pub(super) fn describe(&self) -> String {
        match self {
            Given::Value(value) => format!("a value of type `{}`", value.scalar.name()),
            Given::Bytes(bytes) => format!("{} bytes", bytes.len()),
            Given::Zeroed(length) => format!("a slice of {length} zeros"),
            Given::Resident(resident) => format!("a buffer of {} bytes", resident.bytes()),
        }
    }
}

impl Resident<'_> {
    pub(super) fn bytes(&self) -> u64 {
        self.view.length.saturating_mul(self.element as u64)
    }
}
