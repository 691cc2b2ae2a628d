// For type parameters rustc prefers the `impl` of a trait for all types with their bounds.
mod not_among_the_bounds {
    use vyre::prelude::*;

    trait Signed: Sized {
        const BITS: f32;

        fn signum(self) -> Self;

        fn area(self) -> f32 {
            1.0
        }
    }

    impl<T> Signed for T {
        const BITS: f32 = 7.0;

        fn signum(self) -> T {
            self
        }
    }

    #[vyre::device]
    mod spaces {
        pub trait Space: Copy {
            type Point: Copy;

            fn point(self) -> Self::Point;
        }
    }
    use spaces::Space;

    #[vyre::device]
    fn method<T: Float>(x: T) -> T {
        x.signum()
    }

    #[vyre::device]
    fn path<T: Float>(x: T) -> T {
        T::signum(x)
    }

    #[vyre::device]
    fn constant<T: Integer>(x: T) -> f32 {
        if x > T::ZERO { T::BITS } else { 0.0 }
    }

    #[vyre::device]
    fn output<T: core::ops::Add + Copy>(x: T) -> f32 {
        (x + x).area()
    }

    #[vyre::device]
    fn associated<T: Space>(x: T) -> f32 {
        x.point().area()
    }

    #[vyre::kernel(T = [f32])]
    fn generic<T: Float>(#[each] y: &mut T) {
        *y = (*y).signum();
    }
}

fn main() {}
