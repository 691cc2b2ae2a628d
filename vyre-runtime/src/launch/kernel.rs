//! The trait of launchers.

use vyre_abi::kernel::LaunchCondition;

use super::arguments::Arguments;
use crate::error::Result;
use crate::load::kernel::KernelInfo;

/// A launcher: a kernel with its arguments.
///
/// # Safety
/// `arguments` pushes what the entries and the host body of `info` take: for each parameter in
/// order, a pointer to the scalar, the two pointers of a view, or
/// those of a view and three more of a matrix. The pointers lead into the launcher itself, whose fields are plain
/// values and views. The PTX and the host body of
/// `info` read and write nothing but these arguments, within their lengths, and treat as read-only
/// what was passed as such.
pub unsafe trait Kernel {
    /// The kernel, a static.
    fn info() -> &'static KernelInfo
    where
        Self: Sized;

    /// Pushes the arguments.
    #[doc(hidden)]
    fn arguments<'a>(&'a self, arguments: &mut Arguments<'a>);

    /// The first entry whose predicate holds for these arguments.
    #[doc(hidden)]
    fn entry(&self) -> usize {
        0
    }

    /// The number of elements, if all slices have one for each thread and threads past the end do nothing: a launch that
    /// covers them all may use a coarsened entry.
    #[doc(hidden)]
    fn elements(&self) -> Option<usize> {
        None
    }

    /// Checks what the types of the arguments cannot: that the lengths of `#[each]` parameters are
    /// equal. Called before a launch.
    #[doc(hidden)]
    fn check(&self) -> Result<()> {
        Ok(())
    }

    /// The conditions that each launch has to keep, if the kernel denies races.
    #[doc(hidden)]
    fn conditions(&self) -> &'static [LaunchCondition<'static>] {
        &[]
    }
}
