//! A typed builder: kernels written as Rust closures over values with operators.
//!
//! ```
//! use vyre_ir::build::{self, slice, slice_mut, value};
//! use vyre_ir::ir::Program;
//!
//! let mut program = Program::default();
//! let parameters = (value::<f32>("a"), slice::<f32>("x"), slice_mut::<f32>("y"));
//! build::kernel(&mut program, "saxpy", &[256], parameters, |k, (a, x, y)| {
//!     let i = k.linear_index();
//!     k.if_(i.lt(y.len()), || y.set(i, a * x.at(i) + y.at(i)));
//! });
//! assert!(vyre_ir::validate::validate(&program).is_ok());
//! ```
//!
//! **Values** ([`Value`]) are evaluated where they are written and may be used any number of times: every
//! operation is bound to a local, which costs nothing once the program is compiled. **Variables** ([`Var`])
//! change. **Slices** ([`Slice`], [`SliceMut`], [`Atomics`]) are the parameters of kernels. Indices are
//! `u64`, as `usize` is in kernels written in Rust, and checked.
//!
//! Types that do not agree do not compile. Anything that has no typed form here is built by
//! [`Build::with`] on the [`BodyBuilder`] below, which has a method for each construct of the IR.

mod control;
mod external;
mod operators;
mod parameters;
mod slices;
mod value;

use std::cell::RefCell;
use std::fmt;

pub use external::{External, external};
pub use parameters::{Declared, Parameters, atomics, slice, slice_mut, value};
pub use slices::{Atomics, Slice, SliceMut};
pub use value::{IntoValue, Number, Value, Var};

use crate::ir::builder::BodyBuilder;
use crate::ir::{Axis, Builtin, Handle, Kernel, Program};

/// Adds a kernel with one entry of the same name to a program.
///
/// `block` has the number of threads along each axis that the kernel uses, one to three. `body` gets
/// the values and slices that `parameters` declares, in the same shape: nothing, one, or a tuple.
pub fn kernel<P: Parameters>(
    program: &mut Program,
    name: &str,
    block: &[u32],
    parameters: P,
    body: impl for<'b> FnOnce(Build<'b>, P::Given<'b>),
) -> Handle<Kernel> {
    let mut declared = Vec::new();
    parameters.declare(&mut program.types, &mut declared);
    let named: Vec<_> = declared.iter().map(|(name, ty)| (name.as_str(), *ty)).collect();
    program.build_kernel(name, block, &named, |builder, locals| {
        let shared = RefCell::new(builder);
        let build = Build { body: &shared };
        body(build, P::give(build, &mut locals.iter().copied()));
    })
}

/// The body of a kernel while it is built.
#[derive(Clone, Copy)]
pub struct Build<'b> {
    body: &'b dyn Shared,
}

/// A builder that the values made from it share.
trait Shared {
    fn with(&self, f: &mut dyn FnMut(&mut BodyBuilder<'_>));
}

impl Shared for RefCell<&mut BodyBuilder<'_>> {
    fn with(&self, f: &mut dyn FnMut(&mut BodyBuilder<'_>)) {
        f(&mut self.borrow_mut());
    }
}

impl<'b> Build<'b> {
    /// Does something with the untyped builder: the way to what has no typed form.
    ///
    /// # Panics
    /// If `f` itself calls a method of this type or of a value made from it: one at a time.
    pub fn with<R>(self, f: impl FnOnce(&mut BodyBuilder<'_>) -> R) -> R {
        let (mut f, mut result) = (Some(f), None);
        self.body.with(&mut |builder| result = f.take().map(|f| f(builder)));
        result.expect("a shared builder calls the function that it is given")
    }

    /// The index of this thread in the launch; see [`Builtin::LinearIndex`].
    pub fn linear_index(self) -> Value<'b, u64> {
        Value::builtin(self, Builtin::LinearIndex)
    }

    /// The index of this thread in the launch along an axis; see [`Builtin::GlobalIndex`].
    pub fn global_index(self, axis: Axis) -> Value<'b, u64> {
        Value::builtin(self, Builtin::GlobalIndex(axis))
    }

    /// The index of this thread in its block along an axis (CUDA `threadIdx`).
    pub fn thread_index(self, axis: Axis) -> Value<'b, u32> {
        Value::builtin(self, Builtin::ThreadIndex(axis))
    }

    /// The index of the block in the grid along an axis (CUDA `blockIdx`).
    pub fn block_index(self, axis: Axis) -> Value<'b, u32> {
        Value::builtin(self, Builtin::BlockIndex(axis))
    }

    /// Blocks of the grid along an axis (CUDA `gridDim`).
    pub fn grid_size(self, axis: Axis) -> Value<'b, u32> {
        Value::builtin(self, Builtin::GridSize(axis))
    }

    /// A constant, where an operator has no value beside it that would make one.
    pub fn constant<T: vyre_abi::semantics::Native>(self, value: T) -> Value<'b, T> {
        Value::constant(self, value)
    }
}

impl fmt::Debug for Build<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.with(|builder| f.debug_tuple("Build").field(builder).finish())
    }
}
