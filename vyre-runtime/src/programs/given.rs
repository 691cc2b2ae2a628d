//! Programs as they are given to be compiled.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use vyre_core::ir::Program;

/// A program to compile, from a `&Program`, a `Program`, an `Arc<Program>` or a `&Arc<Program>`.
///
/// A pipeline keeps its program. It keeps an `Arc` as it is, and copies a borrowed program when it was not compiled before.
///
/// ```
/// use std::sync::Arc;
/// use vyre_core::{build, ir::Program};
///
/// # fn main() -> vyre_runtime::Result<()> {
/// let mut program = Program::default();
/// build::kernel(&mut program, "one", &[32], build::slice_mut::<f32>("y"), |k, y| y.set(k.linear_index(), 1.0));
/// let program = Arc::new(program);
/// let pipeline = vyre_runtime::Device::cpu().compile(&program)?;
/// assert!(std::ptr::eq(pipeline.program(), &*program));
/// # Ok(())
/// # }
/// ```
pub struct GivenProgram<'p>(Given<'p>);

enum Given<'p> {
    Borrowed(&'p Program),
    Shared(Arc<Program>),
}

impl GivenProgram<'_> {
    /// The program in an `Arc`.
    pub(crate) fn share(&self) -> Arc<Program> {
        match &self.0 {
            Given::Borrowed(program) => Arc::new((*program).clone()),
            Given::Shared(program) => Arc::clone(program),
        }
    }
}

impl Deref for GivenProgram<'_> {
    type Target = Program;

    fn deref(&self) -> &Program {
        match &self.0 {
            Given::Borrowed(program) => program,
            Given::Shared(program) => program,
        }
    }
}

impl<'p> From<&'p Program> for GivenProgram<'p> {
    fn from(program: &'p Program) -> GivenProgram<'p> {
        GivenProgram(Given::Borrowed(program))
    }
}

impl From<Program> for GivenProgram<'_> {
    fn from(program: Program) -> Self {
        GivenProgram(Given::Shared(Arc::new(program)))
    }
}

impl From<Arc<Program>> for GivenProgram<'_> {
    fn from(program: Arc<Program>) -> Self {
        GivenProgram(Given::Shared(program))
    }
}

impl From<&Arc<Program>> for GivenProgram<'_> {
    fn from(program: &Arc<Program>) -> Self {
        GivenProgram(Given::Shared(Arc::clone(program)))
    }
}

impl fmt::Debug for GivenProgram<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}
