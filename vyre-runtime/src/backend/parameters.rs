//! The parameters of an entry, as a queue passes them.

use std::ffi::c_void;

use smallvec::SmallVec;

/// Pointers to the parameters of an entry, in order. They lie on the stack unless there are unusually many,
/// so that a launch allocates nothing.
pub(crate) struct Parameters(SmallVec<[*const c_void; 48]>);

impl Parameters {
    #[inline]
    pub(crate) fn new() -> Parameters {
        Parameters(SmallVec::new())
    }

    /// These pointers, which may become more.
    pub(crate) fn of(pointers: &[*const c_void]) -> Parameters {
        Parameters(SmallVec::from_slice(pointers))
    }

    #[inline]
    pub(crate) fn push<T>(&mut self, parameter: *const T) {
        self.0.push(parameter.cast());
    }

    #[inline]
    pub(crate) fn pointers(&self) -> &[*const c_void] {
        &self.0
    }
}
