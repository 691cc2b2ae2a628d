//! The arguments of a launch: pointers to the fields of a launcher, on the stack.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use crate::memory::allocation::{Allocation, Ticket};
use crate::memory::shape2::Shape2;
use crate::memory::view::RawView;
use crate::{AtomicElement, AtomicView, Element, View, View2, ViewMut, ViewMut2};

/// Pointers to the arguments of a launch, in the order of the parameters: one for a scalar, two for
/// a view (its address and its length).
///
/// The pointers lie on the stack unless there are unusually many, and so does what they point at,
/// so that a launch allocates nothing.
pub struct Arguments<'a> {
    pointers: Inline<*const c_void, 48>,
    uses: Inline<Use<'a>, 20>,
    parameters: usize,
}

/// A view among the arguments.
#[derive(Clone, Copy)]
pub(crate) struct Use<'a> {
    pub(crate) allocation: &'a Allocation,
    /// Which parameter it is.
    pub(crate) parameter: usize,
    /// Whether the kernel may write through it.
    pub(crate) writes: bool,
    /// What the launch is ordered after.
    pub(crate) ticket: Ticket,
}

impl<'a> Arguments<'a> {
    /// None yet. For [`Kernel::arguments`](crate::load::kernel::Kernel::arguments) to push them.
    #[expect(clippy::new_without_default, reason = "nobody wants no arguments")]
    pub fn new() -> Arguments<'a> {
        Arguments {
            pointers: Inline::new(),
            uses: Inline::new(),
            parameters: 0,
        }
    }

    /// A scalar.
    #[inline]
    pub fn value<T: Element>(&mut self, value: &'a T) {
        let () = T::DENSE;
        self.pointers.push((&raw const *value).cast());
        self.parameters += 1;
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

    #[inline]
    fn push(&mut self, view: &'a RawView<'_>, writes: bool) {
        self.pointers.push((&raw const view.address).cast());
        self.pointers.push((&raw const view.length).cast());
        let ticket = Ticket::default();
        self.uses.push(Use {
            allocation: view.allocation,
            parameter: self.parameters,
            writes,
            ticket,
        });
        self.parameters += 1;
    }

    /// Appends a pointer that is no parameter of the source.
    pub(crate) fn push_hidden<T>(&mut self, value: *const T) {
        self.pointers.push(value.cast());
    }

    /// The pointers, in the order of the parameters.
    pub fn pointers(&self) -> &[*const c_void] {
        self.pointers.as_slice()
    }

    pub(crate) fn uses(&self) -> &[Use<'a>] {
        self.uses.as_slice()
    }

    pub(crate) fn uses_mut(&mut self) -> &mut [Use<'a>] {
        self.uses.as_mut_slice()
    }
}

/// A vector whose first `N` items lie inline.
struct Inline<T: Copy, const N: usize> {
    items: [MaybeUninit<T>; N],
    length: usize,
    /// All items, once they are more than `N`.
    spilled: Vec<T>,
}

impl<T: Copy, const N: usize> Inline<T, N> {
    #[inline]
    fn new() -> Self {
        Inline {
            items: [const { MaybeUninit::uninit() }; N],
            length: 0,
            spilled: Vec::new(),
        }
    }

    #[inline]
    fn push(&mut self, item: T) {
        if self.length < N {
            self.items[self.length] = MaybeUninit::new(item);
        } else {
            self.spill(item);
        }
        self.length += 1;
    }

    #[cold]
    fn spill(&mut self, item: T) {
        if self.spilled.is_empty() {
            // SAFETY: all `N` items were pushed, for `length` has reached `N`.
            self.spilled
                .extend(self.items.iter().map(|item| unsafe { item.assume_init() }));
        }
        self.spilled.push(item);
    }

    #[inline]
    fn as_slice(&self) -> &[T] {
        if self.length <= N {
            // SAFETY: the first `length` items were pushed.
            unsafe { std::slice::from_raw_parts(self.items.as_ptr().cast(), self.length) }
        } else {
            &self.spilled
        }
    }

    #[inline]
    fn as_mut_slice(&mut self) -> &mut [T] {
        if self.length <= N {
            // SAFETY: the first `length` items were pushed.
            unsafe { std::slice::from_raw_parts_mut(self.items.as_mut_ptr().cast(), self.length) }
        } else {
            &mut self.spilled
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_keep_their_order_past_the_inline_ones() {
        for count in [0, 1, 3, 4, 5, 20] {
            let mut items = Inline::<usize, 4>::new();
            (0..count).for_each(|i| items.push(i));
            assert!(items.as_slice().iter().copied().eq(0..count));
            items.as_mut_slice().iter_mut().for_each(|item| *item += 1);
            assert!(items.as_slice().iter().copied().eq(1..count + 1));
        }
    }

    #[test]
    fn scalars_are_pointed_at_in_place() {
        let (a, b) = (7u32, 0.5f64);
        let mut arguments = Arguments::new();
        arguments.value(&a);
        arguments.value(&b);
        assert_eq!(
            arguments.pointers(),
            [(&raw const a).cast::<c_void>(), (&raw const b).cast()]
        );
    }
}
