//! Values and variables.

use std::fmt;
use std::marker::PhantomData;

use vyre_abi::semantics::Native;

use super::Build;
use crate::ir::builder::BodyBuilder;
use crate::ir::{BinaryOp, Builtin, Constant, ExprId, Handle, Local, Scalar, UnaryOp};

/// A value of a kernel, of the scalar type `T`.
///
/// It was evaluated where it was made and may be used any number of times. The operators `+ - * / %
/// & | ^ << >> !` work between values of one type and between a value and a number, with the
/// semantics of [`BinaryOp`] and [`UnaryOp`]: integers wrap, floats round to nearest.
pub struct Value<'b, T> {
    build: Build<'b>,
    node: Node,
    ty: PhantomData<T>,
}

/// Expressions that yield the same wherever they stand, so that each use has one of its own.
#[derive(Clone, Copy, Debug)]
enum Node {
    Constant(Constant),
    Builtin(Builtin),
    Local(Handle<Local>),
    /// The length of the slice in a parameter.
    Length(Handle<Local>),
}

/// A scalar type with an order and arithmetic: all but `bool`.
pub trait Number: Native {}

macro_rules! numbers {
    ($($ty:ty)+) => { $(impl Number for $ty {})+ };
}

numbers!(i8 i16 i32 i64 u8 u16 u32 u64 f32 f64);

impl<T> Clone for Value<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Value<'_, T> {}

impl<T> fmt::Debug for Value<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Value").field(&self.node).finish()
    }
}

impl<'b, T> Value<'b, T> {
    fn new(build: Build<'b>, node: Node) -> Self {
        let ty = PhantomData;
        Value { build, node, ty }
    }

    pub(super) fn builtin(build: Build<'b>, builtin: Builtin) -> Self {
        Value::new(build, Node::Builtin(builtin))
    }

    pub(super) fn local(build: Build<'b>, local: Handle<Local>) -> Self {
        Value::new(build, Node::Local(local))
    }

    pub(super) fn length(build: Build<'b>, slice: Handle<Local>) -> Self {
        Value::new(build, Node::Length(slice))
    }

    /// The value of an expression built by `make`, evaluated here.
    pub(super) fn bound(build: Build<'b>, make: impl FnOnce(&mut BodyBuilder<'_>) -> ExprId) -> Self {
        let local = build.with(|b| {
            let expr = make(b);
            b.let_("", expr)
        });
        Value::local(build, local)
    }

    /// The body that it belongs to.
    pub(super) fn build(self) -> Build<'b> {
        self.build
    }

    /// An expression of this value, for [`Build::with`]. Each is used in one place.
    pub fn expr(self, b: &mut BodyBuilder<'_>) -> ExprId {
        match self.node {
            Node::Constant(constant) => b.constant(constant),
            Node::Builtin(builtin) => b.builtin(builtin),
            Node::Local(local) => b.get(local),
            Node::Length(slice) => b.length(b.local_place(slice)),
        }
    }

    pub(super) fn unary<R>(self, op: UnaryOp) -> Value<'b, R> {
        Value::bound(self.build, |b| {
            let operand = self.expr(b);
            b.unary(op, operand)
        })
    }

    pub(super) fn binary<U, R>(self, op: BinaryOp, right: Value<'b, U>) -> Value<'b, R> {
        Value::bound(self.build, |b| {
            let (left, right) = (self.expr(b), right.expr(b));
            b.binary(op, left, right)
        })
    }
}

impl<'b, T: Native> Value<'b, T> {
    pub(super) fn constant(build: Build<'b>, value: T) -> Self {
        Value::new(build, Node::Constant(value.constant()))
    }

    /// `self as U`.
    pub fn cast<U: Native>(self) -> Value<'b, U> {
        Value::bound(self.build, |b| {
            let operand = self.expr(b);
            b.cast(operand, U::SCALAR)
        })
    }

    /// The same bits as a type of equal width.
    pub fn bitcast<U: Native>(self) -> Value<'b, U> {
        Value::bound(self.build, |b| {
            let operand = self.expr(b);
            b.bitcast(operand, U::SCALAR)
        })
    }

    /// The scalar type.
    pub const fn scalar(self) -> Scalar {
        T::SCALAR
    }

    /// `self == other`.
    pub fn eq(self, other: impl IntoValue<'b, T>) -> Value<'b, bool> {
        self.binary(BinaryOp::Eq, other.into_value(self.build))
    }

    /// `self != other`.
    pub fn ne(self, other: impl IntoValue<'b, T>) -> Value<'b, bool> {
        self.binary(BinaryOp::Ne, other.into_value(self.build))
    }
}

impl<'b, T: Number> Value<'b, T> {
    /// `self < other`.
    pub fn lt(self, other: impl IntoValue<'b, T>) -> Value<'b, bool> {
        self.binary(BinaryOp::Lt, other.into_value(self.build))
    }

    /// `self <= other`.
    pub fn le(self, other: impl IntoValue<'b, T>) -> Value<'b, bool> {
        self.binary(BinaryOp::Le, other.into_value(self.build))
    }

    /// `self > other`.
    pub fn gt(self, other: impl IntoValue<'b, T>) -> Value<'b, bool> {
        self.binary(BinaryOp::Gt, other.into_value(self.build))
    }

    /// `self >= other`.
    pub fn ge(self, other: impl IntoValue<'b, T>) -> Value<'b, bool> {
        self.binary(BinaryOp::Ge, other.into_value(self.build))
    }

    /// The smaller of two values; see [`BinaryOp::Min`].
    pub fn min(self, other: impl IntoValue<'b, T>) -> Value<'b, T> {
        self.binary(BinaryOp::Min, other.into_value(self.build))
    }

    /// The larger of two values; see [`BinaryOp::Max`].
    pub fn max(self, other: impl IntoValue<'b, T>) -> Value<'b, T> {
        self.binary(BinaryOp::Max, other.into_value(self.build))
    }
}

macro_rules! float_methods {
    ($($ty:ty)+) => {$(
        impl<'b> Value<'b, $ty> {
            /// The square root.
            pub fn sqrt(self) -> Self {
                self.unary(UnaryOp::Sqrt)
            }

            /// The absolute value.
            pub fn abs(self) -> Self {
                self.unary(UnaryOp::Abs)
            }

            /// `self * a + b`, rounded once.
            pub fn mul_add(self, a: impl IntoValue<'b, $ty>, b: impl IntoValue<'b, $ty>) -> Self {
                let (factor, summand) = (a.into_value(self.build), b.into_value(self.build));
                Value::bound(self.build, |b| {
                    let [x, y, z] = [self, factor, summand].map(|value| value.expr(b));
                    b.mul_add(x, y, z)
                })
            }
        }
    )+};
}

float_methods!(f32 f64);

impl<'b> Value<'b, bool> {
    /// `if self { then } else { otherwise }` of already evaluated values.
    pub fn select<T: Native>(self, then: impl IntoValue<'b, T>, otherwise: impl IntoValue<'b, T>) -> Value<'b, T> {
        let (then, otherwise) = (then.into_value(self.build), otherwise.into_value(self.build));
        Value::bound(self.build, |b| {
            let (condition, then, otherwise) = (self.expr(b), then.expr(b), otherwise.expr(b));
            b.select(condition, then, otherwise)
        })
    }
}

/// A value, or a number that becomes a constant.
pub trait IntoValue<'b, T> {
    /// The value in this body.
    fn into_value(self, build: Build<'b>) -> Value<'b, T>;
}

impl<'b, T> IntoValue<'b, T> for Value<'b, T> {
    fn into_value(self, _: Build<'b>) -> Value<'b, T> {
        self
    }
}

impl<'b, T: Native> IntoValue<'b, T> for T {
    fn into_value(self, build: Build<'b>) -> Value<'b, T> {
        Value::constant(build, self)
    }
}

/// A variable of a kernel, private to each thread.
pub struct Var<'b, T> {
    build: Build<'b>,
    local: Handle<Local>,
    ty: PhantomData<T>,
}

impl<T> Clone for Var<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Var<'_, T> {}

impl<T> fmt::Debug for Var<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Var").field(&self.local).finish()
    }
}

impl<'b, T: Native> Var<'b, T> {
    pub(super) fn local(self) -> Handle<Local> {
        self.local
    }

    /// Its current value.
    pub fn get(self) -> Value<'b, T> {
        Value::bound(self.build, |b| b.get(self.local))
    }

    /// Writes a value to it.
    pub fn set(self, value: impl IntoValue<'b, T>) {
        let value = value.into_value(self.build);
        self.build.with(|b| {
            let value = value.expr(b);
            b.set(self.local, value);
        });
    }
}

impl<'b> Build<'b> {
    /// A new variable.
    pub fn var<T: Native>(self, name: &str, initial: impl IntoValue<'b, T>) -> Var<'b, T> {
        let initial = initial.into_value(self);
        let local = self.with(|b| {
            let initial = initial.expr(b);
            b.let_(name, initial)
        });
        Var {
            build: self,
            local,
            ty: PhantomData,
        }
    }
}
