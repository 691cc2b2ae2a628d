//! The arguments of a launch: pointers to the fields of a launcher, on the stack.

use std::ffi::c_void;
use std::fmt;

use smallvec::SmallVec;

use crate::backend::{AllocationId, Parameters};
use crate::device::stream::StreamState;
use crate::memory::allocation::{Allocation, Ticket};
use crate::memory::element::bytes_of;
use crate::memory::shape2::Shape2;
use crate::memory::view::RawView;
use crate::{AtomicElement, AtomicView, Element, View, View2, ViewMut, ViewMut2};

/// Pointers to the arguments of a launch, in the order of the parameters: one for a scalar, two for
/// a view (its address and its length).
///
/// The pointers and their targets are on the stack unless there are unusually many, so that a
/// launch does not allocate.
pub struct Arguments<'a> {
    parameters: Parameters,
    uses: SmallVec<[Use<'a>; 20]>,
    /// The allocations that the kernel may write.
    written: SmallVec<[AllocationId; 20]>,
    count: usize,
    /// The values that the parameters point to in place of those of the launcher. Each stays where it is.
    copies: Vec<Box<[u128]>>,
}

/// The address and the length of a slice that is not there. The address is aligned as those of buffers are, and no null
/// pointer, of which Rust makes no slice.
static NO_SLICE: [u64; 2] = [256, 0];

/// A view among the arguments.
#[derive(Clone, Copy)]
pub(crate) struct Use<'a> {
    pub(crate) allocation: &'a Allocation,
    /// The index of the parameter.
    pub(crate) parameter: usize,
    /// True if the kernel may write through it.
    pub(crate) writes: bool,
    /// The uses that the launch is ordered after.
    pub(crate) ticket: Ticket,
}

impl fmt::Debug for Arguments<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Arguments")
            .field("count", &self.count)
            .finish_non_exhaustive()
    }
}

impl<'a> Arguments<'a> {
    /// None yet. For [`Kernel::arguments`](crate::kernel::Kernel::arguments) to push them.
    #[expect(clippy::new_without_default, reason = "nobody wants no arguments")]
    #[inline]
    pub fn new() -> Arguments<'a> {
        Arguments {
            parameters: Parameters::new(),
            uses: SmallVec::new(),
            written: SmallVec::new(),
            count: 0,
            copies: Vec::new(),
        }
    }

    /// A scalar.
    #[inline(always)]
    pub fn value<T: Element>(&mut self, value: &'a T) {
        if T::PADDED {
            return self.padded(value);
        }
        self.parameters.push(&raw const *value);
        self.count += 1;
    }

    /// A value of which some bytes may be uninitialised: a kernel gets a copy in which they are zero.
    fn padded<T: Element>(&mut self, value: &T) {
        let bytes = bytes_of(value);
        let mut copy = vec![0u128; bytes.len().div_ceil(size_of::<u128>())].into_boxed_slice();
        let target = copy.as_mut_ptr().cast::<u8>();
        // SAFETY: the copy has room for so many bytes, and is aligned to 16 bytes, as no element is more.
        unsafe { target.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        self.parameters.push(target.cast_const());
        self.count += 1;
        self.copies.push(copy);
    }

    /// A slice that the kernel reads.
    #[inline]
    pub fn view<T: Element>(&mut self, view: &'a View<'_, T>) {
        self.push(view.raw(), false);
    }

    /// A slice that the kernel writes.
    #[inline]
    pub fn view_mut<T: Element>(&mut self, view: &'a ViewMut<'_, T>) {
        self.push(view.raw(), true);
    }

    /// A slice of atomics.
    #[inline]
    pub fn atomics<A: AtomicElement>(&mut self, view: &'a AtomicView<'_, A>) {
        self.push(view.raw(), true);
    }

    /// A slice that the kernel reads, if it is there.
    #[inline]
    pub fn optional_view<T: Element>(&mut self, view: &'a Option<View<'_, T>>) {
        self.optional(view.as_ref().map(View::raw), false);
    }

    /// A slice that the kernel writes, if it is there.
    #[inline]
    pub fn optional_view_mut<T: Element>(&mut self, view: &'a Option<ViewMut<'_, T>>) {
        self.optional(view.as_ref().map(ViewMut::raw), true);
    }

    /// A slice of atomics, if it is there.
    #[inline]
    pub fn optional_atomics<A: AtomicElement>(&mut self, view: &'a Option<AtomicView<'_, A>>) {
        self.optional(view.as_ref().map(AtomicView::raw), true);
    }

    /// A slice, which is empty where there is none, and a flag that tells whether it is there.
    #[inline]
    fn optional(&mut self, view: Option<&'a RawView<'_>>, writes: bool) {
        match view {
            Some(view) => self.push(view, writes),
            None => {
                self.parameters.push(&raw const NO_SLICE[0]);
                self.parameters.push(&raw const NO_SLICE[1]);
                self.count += 1;
            }
        }
        self.value(if view.is_some() { &true } else { &false });
    }

    /// A matrix that the kernel reads: its elements, then its shape.
    #[inline]
    pub fn view2<T: Element>(&mut self, view: &'a View2<'_, T>) {
        self.view(view.view());
        self.shape(view.shape());
    }

    /// A matrix that the kernel writes.
    #[inline]
    pub fn view2_mut<T: Element>(&mut self, view: &'a ViewMut2<'_, T>) {
        self.view_mut(view.view());
        self.shape(view.shape());
    }

    #[inline]
    fn shape(&mut self, shape: &'a Shape2) {
        self.value(&shape.rows);
        self.value(&shape.cols);
        self.value(&shape.pitch);
    }

    /// A value in memory, of whatever type.
    #[cfg(feature = "programs")]
    pub(crate) fn bytes(&mut self, value: &'a [u8]) {
        self.parameters.push(value.as_ptr());
        self.count += 1;
    }

    /// Inlined always, as the methods that call it: a launcher begins with empty lists, so their lengths are known, and no
    /// check for room is left.
    #[inline(always)]
    pub(crate) fn push(&mut self, view: &'a RawView<'_>, writes: bool) {
        self.parameters.push(&raw const view.address);
        self.parameters.push(&raw const view.length);
        let ticket = Ticket::default();
        self.uses.push(Use {
            allocation: view.allocation,
            parameter: self.count,
            writes,
            ticket,
        });
        if writes {
            self.written.push(view.allocation.id());
        }
        self.count += 1;
    }

    /// The pointers, in the order of the parameters.
    pub fn pointers(&self) -> &[*const c_void] {
        self.parameters.pointers()
    }

    #[inline]
    pub(crate) fn parameters_mut(&mut self) -> &mut Parameters {
        &mut self.parameters
    }

    /// The parameters, to add to, and the allocations that the kernel may write.
    #[inline]
    pub(crate) fn parts(&mut self) -> (&mut Parameters, &[AllocationId]) {
        (&mut self.parameters, &self.written)
    }

    /// True if the memory is used by this stream alone, and such uses of it are noted: there is nothing to order.
    #[inline]
    pub(crate) fn are_noted(&self, stream: &'static StreamState) -> bool {
        self.uses
            .iter()
            .all(|argument| argument.allocation.is_noted(stream, argument.writes))
    }

    #[inline]
    pub(crate) fn uses(&self) -> &[Use<'a>] {
        &self.uses
    }

    #[inline]
    pub(crate) fn uses_mut(&mut self) -> &mut [Use<'a>] {
        &mut self.uses
    }
}

#[cfg(test)]
mod tests;
