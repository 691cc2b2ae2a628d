//! The part of the standard library that the tests of editors need, in place of its sources: rust-analyzer would install
//! those beside rustc, whose messages they change.

#![no_core]
#![feature(no_core, lang_items)]

pub mod marker {
    #[lang = "sized"]
    pub trait Sized {}
    #[lang = "unsize"]
    pub trait Unsize<T: ?Sized> {}
    #[lang = "copy"]
    pub trait Copy: Clone {}
    #[rustc_builtin_macro]
    pub macro Copy($item:item) {}
    use crate::clone::Clone;
}

pub mod clone {
    #[lang = "clone"]
    pub trait Clone: Sized {
        fn clone(&self) -> Self;
    }
    #[rustc_builtin_macro]
    pub macro Clone($item:item) {}
    use crate::marker::Sized;
}

pub mod convert {
    pub trait From<T>: Sized {
        fn from(value: T) -> Self;
    }
    pub trait Into<T>: Sized {
        fn into(self) -> T;
    }
    impl<T, U: From<T>> Into<U> for T {
        fn into(self) -> U {
            U::from(self)
        }
    }
    use crate::marker::Sized;
}

pub mod option {
    #[lang = "Option"]
    pub enum Option<T> {
        #[lang = "None"]
        None,
        #[lang = "Some"]
        Some(T),
    }
}

pub mod iter {
    use crate::option::Option;
    #[lang = "iterator"]
    pub trait Iterator {
        type Item;
        #[lang = "next"]
        fn next(&mut self) -> Option<Self::Item>;
    }
    pub trait IntoIterator {
        type Item;
        type IntoIter: Iterator<Item = Self::Item>;
        #[lang = "into_iter"]
        fn into_iter(self) -> Self::IntoIter;
    }
}

pub mod slice {
    use crate::iter::{IntoIterator, Iterator};
    use crate::option::Option;
    pub struct Iter<'a, T> {
        slice: &'a [T],
    }
    impl<'a, T> Iterator for Iter<'a, T> {
        type Item = &'a T;
        fn next(&mut self) -> Option<&'a T> {
            loop {}
        }
    }
    impl<'a, T> IntoIterator for &'a [T] {
        type Item = &'a T;
        type IntoIter = Iter<'a, T>;
        fn into_iter(self) -> Iter<'a, T> {
            Iter { slice: self }
        }
    }
}

pub mod ops {
    use crate::marker::{Sized, Unsize};
    #[lang = "add"]
    pub trait Add<Rhs = Self> {
        type Output;
        fn add(self, rhs: Rhs) -> Self::Output;
    }
    #[lang = "mul"]
    pub trait Mul<Rhs = Self> {
        type Output;
        fn mul(self, rhs: Rhs) -> Self::Output;
    }
    #[lang = "mul_assign"]
    pub trait MulAssign<Rhs = Self> {
        fn mul_assign(&mut self, rhs: Rhs);
    }
    macro_rules! arithmetic {
        ($($ty:ident)*) => { $(
            impl Add for $ty {
                type Output = $ty;
                fn add(self, rhs: $ty) -> $ty {
                    loop {}
                }
            }
            impl Mul for $ty {
                type Output = $ty;
                fn mul(self, rhs: $ty) -> $ty {
                    loop {}
                }
            }
            impl MulAssign for $ty {
                fn mul_assign(&mut self, rhs: $ty) {}
            }
        )* };
    }
    arithmetic! { u32 usize f32 f64 }
    #[lang = "coerce_unsized"]
    pub trait CoerceUnsized<T: ?Sized> {}
    impl<'a, T: ?Sized + Unsize<U>, U: ?Sized> CoerceUnsized<&'a U> for &'a T {}
    #[lang = "index"]
    pub trait Index<Idx: ?Sized> {
        type Output: ?Sized;
        fn index(&self, index: Idx) -> &Self::Output;
    }
    impl<T> Index<usize> for [T] {
        type Output = T;
        fn index(&self, index: usize) -> &T {
            loop {}
        }
    }
    #[lang = "deref"]
    pub trait Deref {
        #[lang = "deref_target"]
        type Target: ?Sized;
        fn deref(&self) -> &Self::Target;
    }
    impl<T: ?Sized> Deref for &T {
        type Target = T;
        fn deref(&self) -> &T {
            loop {}
        }
    }
    impl<T: ?Sized> Deref for &mut T {
        type Target = T;
        fn deref(&self) -> &T {
            loop {}
        }
    }
}

pub mod primitive {
    pub use f32;
}

#[macro_export]
macro_rules! assert {
    ($($argument:tt)*) => {};
}

#[rustc_builtin_macro]
#[macro_export]
macro_rules! compile_error {
    ($message:expr $(,)?) => {{}};
}

pub mod prelude {
    pub mod v1 {
        pub use crate::clone::Clone;
        pub use crate::convert::{From, Into};
        pub use crate::iter::{IntoIterator, Iterator};
        pub use crate::marker::{Copy, Sized};
        pub use crate::option::Option::{self, None, Some};
        #[rustc_builtin_macro]
        pub macro derive($item:item) {}
    }
    pub mod rust_2024 {
        pub use super::v1::*;
    }
}
