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

mod trait_of_another_module {
    #[vyre::device]
    mod squares {
        pub trait Shape {
            fn area(&self) -> f32;
        }

        #[derive(Clone, Copy)]
        pub struct Square {
            pub side: f32,
        }

        impl Shape for Square {
            fn area(&self) -> f32 {
                self.side * self.side
            }
        }
    }

    #[vyre::device]
    mod walls {
        use super::squares::Square;

        pub trait Wall {
            fn area(&self) -> f32;
        }

        impl Wall for Square {
            fn area(&self) -> f32 {
                2.0 * self.side * self.side
            }
        }

        pub fn twice(x: f32) -> f32 {
            2.0 * x
        }
    }

    use squares::Square;
    use walls::Wall;

    #[vyre::kernel]
    fn fill(squares: &[Square], y: &mut [f32]) {
        y[0] = walls::twice(squares[0].area());
    }
}

fn main() {}
