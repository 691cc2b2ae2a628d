//! Constants that get their values while a program runs.

use std::marker::PhantomData;

use vyre_abi::semantics::Native;

use super::{Build, Value};
use crate::ir::{self, Handle, Program, Span};

/// A constant of a program that gets its value when the program is compiled.
pub struct External<T> {
    handle: Handle<ir::External>,
    ty: PhantomData<T>,
}

impl<T> Clone for External<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for External<T> {}

impl<T> std::fmt::Debug for External<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("External").field(&self.handle).finish()
    }
}

/// Adds a constant to a program, whose value [`externals::give`](crate::transform::externals::give) sets by its name. Its kernels
/// read it by [`Build::external`].
pub fn external<T: Native>(program: &mut Program, name: &str) -> External<T> {
    let handle = program.externals.push(ir::External {
        name: name.to_owned(),
        scalar: T::SCALAR,
        value: None,
        span: Span::default(),
    });
    External {
        handle,
        ty: PhantomData,
    }
}

impl<'b> Build<'b> {
    /// The value of a constant of the same program.
    pub fn external<T: Native>(self, external: External<T>) -> Value<'b, T> {
        Value::bound(self, |b| b.external(external.handle))
    }
}
