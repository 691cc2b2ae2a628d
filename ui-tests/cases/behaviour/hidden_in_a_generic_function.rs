//! In a generic function rustc chooses methods by what the bounds say, and by the traits that are in scope.
use vyre::prelude::*;

#[vyre::device]
mod shapes {
    use super::other::Measured;
    use vyre::Float;

    #[derive(Clone, Copy)]
    pub struct Pair<T> {
        pub a: T,
        pub b: T,
    }

    impl<T: Float> Pair<T> {
        pub fn sum(&self) -> T {
            self.a + self.b
        }

        pub fn twice(self) -> T {
            self.sum() + self.sum()
        }
    }

    pub trait Named: Copy {
        fn number(&self) -> f32;
    }

    pub trait Area: Named {
        fn area(&self) -> f32;

        fn double(&self) -> f32 {
            2.0 * self.area()
        }
    }
}
use shapes::{Area, Pair};

mod other {
    use vyre::Float;

    // A method that takes the value precedes one that takes a reference to it.
    pub trait Measured: Sized {
        fn area(self) -> f32 {
            1.0
        }
        fn number(self) -> f32 {
            2.0
        }
        fn len(self) -> usize {
            3
        }
        fn is_some(self) -> bool {
            true
        }
    }
    impl<T> Measured for T {}

    pub trait Summed<T> {
        fn sum(self) -> T;
    }
    impl<T: Float> Summed<T> for super::Pair<T> {
        fn sum(self) -> T {
            T::ZERO
        }
    }

    pub trait Root {
        fn sqrt(self) -> f32;
    }
    impl<T: Float> Root for &T {
        fn sqrt(self) -> f32 {
            4.0
        }
    }

    pub trait Power {
        fn exp(self) -> f32;
    }
    impl<T: Float> Power for &T {
        fn exp(self) -> f32 {
            5.0
        }
    }
}
use other::{Measured, Power, Root, Summed};

#[vyre::device]
fn of_bounds<T: Area>(x: T) -> f32 {
    x.area() + x.number()
}

#[vyre::device]
fn of_numbers<T: Float>(x: &T) -> T {
    let y = x.sqrt();
    *x
}

#[vyre::device]
fn of_mathematics<T: Float>(x: &T) -> T {
    let y = x.exp();
    *x
}

#[vyre::device]
fn of_core<T: Float, const N: usize>(x: [T; N]) -> bool {
    let first = if x.len() > 0 { Some(x[0]) } else { None };
    first.is_some()
}

#[vyre::device]
fn of_types<T: Float>(x: T, next: impl Fn(T) -> T) -> T {
    Pair { a: x, b: next(x) }.sum()
}

fn main() {}
