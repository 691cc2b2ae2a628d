//! Slices of global memory: the parameters of kernels.

use std::fmt;
use std::marker::PhantomData;

use vyre_abi::semantics::Native;

use super::value::IntoValue;
use super::{Build, Value};
use crate::ir::{AtomicOp, Handle, Local};

/// A slice that the kernel reads.
pub struct Slice<'b, T>(Memory<'b, T>);

/// A slice that the kernel reads and writes.
pub struct SliceMut<'b, T>(Memory<'b, T>);

/// A slice of atomic cells. Accesses are relaxed and observed by the threads of the device.
pub struct Atomics<'b, T>(Memory<'b, T>);

struct Memory<'b, T> {
    build: Build<'b>,
    parameter: Handle<Local>,
    ty: PhantomData<T>,
}

macro_rules! common {
    ($($name:ident)+) => {$(
        impl<T> Clone for $name<'_, T> {
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<T> Copy for $name<'_, T> {}

        impl<T> fmt::Debug for $name<'_, T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_tuple(stringify!($name)).field(&self.0.parameter).finish()
            }
        }

        impl<'b, T: Native> $name<'b, T> {
            pub(super) fn new(build: Build<'b>, parameter: Handle<Local>) -> Self {
                let ty = PhantomData;
                $name(Memory { build, parameter, ty })
            }

            /// The number of elements.
            #[allow(clippy::len_without_is_empty, reason = "a value of the kernel, not of the host")]
            pub fn len(self) -> Value<'b, u64> {
                Value::length(self.0.build, self.0.parameter)
            }

            /// The local that holds the slice, for [`Build::with`].
            pub fn parameter(self) -> Handle<Local> {
                self.0.parameter
            }
        }
    )+};
}

impl<T> Clone for Memory<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Memory<'_, T> {}

common!(Slice SliceMut Atomics);

impl<'b, T: Native> Memory<'b, T> {
    fn load(self, index: impl IntoValue<'b, u64>) -> Value<'b, T> {
        let index = index.into_value(self.build);
        Value::bound(self.build, |b| {
            let index = index.expr(b);
            let element = b.index(b.local_place(self.parameter), index);
            b.load(element)
        })
    }

    fn atomic<const N: usize>(
        self,
        op: AtomicOp,
        index: impl IntoValue<'b, u64>,
        operands: [Value<'b, T>; N],
    ) -> Handle<Local> {
        let index = index.into_value(self.build);
        self.build.with(|b| {
            let index = index.expr(b);
            let cell = b.index(b.local_place(self.parameter), index);
            let operands = operands.map(|operand| operand.expr(b));
            b.atomic(op, cell, operands.to_vec())
        })
    }

    fn update(self, op: AtomicOp, index: impl IntoValue<'b, u64>, operand: impl IntoValue<'b, T>) -> Value<'b, T> {
        let operand = operand.into_value(self.build);
        Value::local(self.build, self.atomic(op, index, [operand]))
    }
}

impl<'b, T: Native> Slice<'b, T> {
    /// The element at an index, which faults out of bounds.
    pub fn at(self, index: impl IntoValue<'b, u64>) -> Value<'b, T> {
        self.0.load(index)
    }
}

impl<'b, T: Native> SliceMut<'b, T> {
    /// The current element at an index; faults out of bounds.
    pub fn at(self, index: impl IntoValue<'b, u64>) -> Value<'b, T> {
        self.0.load(index)
    }

    /// Writes an element; faults out of bounds.
    pub fn set(self, index: impl IntoValue<'b, u64>, value: impl IntoValue<'b, T>) {
        let build = self.0.build;
        let (index, value) = (index.into_value(build), value.into_value(build));
        build.with(|b| {
            let index = index.expr(b);
            let element = b.index(b.local_place(self.0.parameter), index);
            let value = value.expr(b);
            b.store(element, value);
        });
    }
}

impl<'b, T: Native> Atomics<'b, T> {
    /// Reads a cell; faults out of bounds, as all accesses do.
    pub fn load(self, index: impl IntoValue<'b, u64>) -> Value<'b, T> {
        Value::local(self.0.build, self.0.atomic(AtomicOp::Load, index, []))
    }

    /// Writes a cell.
    pub fn store(self, index: impl IntoValue<'b, u64>, value: impl IntoValue<'b, T>) {
        let value = value.into_value(self.0.build);
        self.0.atomic(AtomicOp::Store, index, [value]);
    }

    /// Writes a cell; yields the old value.
    pub fn swap(self, index: impl IntoValue<'b, u64>, value: impl IntoValue<'b, T>) -> Value<'b, T> {
        self.0.update(AtomicOp::Exchange, index, value)
    }

    /// Adds to a cell; yields the old value.
    pub fn fetch_add(self, index: impl IntoValue<'b, u64>, value: impl IntoValue<'b, T>) -> Value<'b, T> {
        self.0.update(AtomicOp::Add, index, value)
    }

    /// Takes the minimum; yields the old value.
    pub fn fetch_min(self, index: impl IntoValue<'b, u64>, value: impl IntoValue<'b, T>) -> Value<'b, T> {
        self.0.update(AtomicOp::Min, index, value)
    }

    /// Takes the maximum; yields the old value.
    pub fn fetch_max(self, index: impl IntoValue<'b, u64>, value: impl IntoValue<'b, T>) -> Value<'b, T> {
        self.0.update(AtomicOp::Max, index, value)
    }

    /// Writes `new` if the cell has the bits of `expected`; yields the old value.
    pub fn compare_exchange(
        self,
        index: impl IntoValue<'b, u64>,
        expected: impl IntoValue<'b, T>,
        new: impl IntoValue<'b, T>,
    ) -> Value<'b, T> {
        let build = self.0.build;
        let operands = [expected.into_value(build), new.into_value(build)];
        Value::local(build, self.0.atomic(AtomicOp::CompareExchange, index, operands))
    }
}
