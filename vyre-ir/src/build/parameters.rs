//! Declarations of parameters.

use std::marker::PhantomData;

use vyre_abi::semantics::Native;

use super::{Atomics, Build, Slice, SliceMut, Value};
use crate::ir::{Handle, Local, Type, TypeId, Types};

/// A declared parameter, passed to the body as a `G`.
#[derive(Clone, Debug)]
pub struct Declared<G> {
    name: String,
    given: PhantomData<G>,
}

fn declared<G>(name: &str) -> Declared<G> {
    Declared {
        name: name.to_owned(),
        given: PhantomData,
    }
}

/// A scalar, passed to the body as a [`Value`].
pub fn value<T: Native>(name: &str) -> Declared<Value<'static, T>> {
    declared(name)
}

/// A slice to read, passed to the body as a [`Slice`].
pub fn slice<T: Native>(name: &str) -> Declared<Slice<'static, T>> {
    declared(name)
}

/// A slice to write, passed to the body as a [`SliceMut`].
pub fn slice_mut<T: Native>(name: &str) -> Declared<SliceMut<'static, T>> {
    declared(name)
}

/// A slice of atomic cells, passed to the body as [`Atomics`].
pub fn atomics<T: Native>(name: &str) -> Declared<Atomics<'static, T>> {
    declared(name)
}

/// One or more declared parameters, or `()`: up to eight in a tuple, and tuples of tuples.
pub trait Parameters {
    /// The type passed to the body.
    type Given<'b>;

    /// Appends their names and types.
    fn declare(&self, types: &mut Types, to: &mut Vec<(String, TypeId)>);

    /// Takes the declared number of locals, and returns the values for the body.
    fn give<'b>(build: Build<'b>, locals: &mut dyn Iterator<Item = Handle<Local>>) -> Self::Given<'b>;
}

macro_rules! declare {
    ($($given:ident, |$types:ident, $element:ident| $ty:expr, $make:expr;)+) => {$(
        impl<T: Native> Parameters for Declared<$given<'static, T>> {
            type Given<'b> = $given<'b, T>;

            fn declare(&self, $types: &mut Types, to: &mut Vec<(String, TypeId)>) {
                let $element = $types.scalar(T::SCALAR);
                to.push((self.name.clone(), $ty));
            }

            fn give<'b>(build: Build<'b>, locals: &mut dyn Iterator<Item = Handle<Local>>) -> $given<'b, T> {
                let local = locals.next().expect("each declared parameter is a local");
                $make(build, local)
            }
        }
    )+};
}

declare! {
    Value, |types, element| element, Value::local;
    Slice, |types, element| types.slice(element, false), Slice::new;
    SliceMut, |types, element| types.slice(element, true), SliceMut::new;
    Atomics, |types, element| {
        let cell = types.intern(Type::Atomic(types.as_scalar(element).unwrap_or(T::SCALAR)));
        types.slice(cell, false)
    }, Atomics::new;
}

impl Parameters for () {
    type Given<'b> = ();

    fn declare(&self, _: &mut Types, _: &mut Vec<(String, TypeId)>) {}

    fn give<'b>(_: Build<'b>, _: &mut dyn Iterator<Item = Handle<Local>>) {}
}

macro_rules! tuples {
    ($($($name:ident)*;)+) => {$(
        impl<$($name: Parameters),*> Parameters for ($($name,)*) {
            type Given<'b> = ($($name::Given<'b>,)*);

            #[allow(non_snake_case, reason = "one name for the type and the part")]
            fn declare(&self, types: &mut Types, to: &mut Vec<(String, TypeId)>) {
                let ($($name,)*) = self;
                $($name.declare(types, to);)*
            }

            fn give<'b>(build: Build<'b>, locals: &mut dyn Iterator<Item = Handle<Local>>) -> Self::Given<'b> {
                ($($name::give(build, locals),)*)
            }
        }
    )+};
}

tuples! {
    A;
    A B;
    A B C;
    A B C D;
    A B C D E;
    A B C D E F;
    A B C D E F G;
    A B C D E F G H;
}
