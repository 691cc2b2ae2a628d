mod hidden_by_an_impl_of_its_own {
    use vyre::prelude::*;

    #[vyre::device]
    mod shapes {
        use vyre::Float;

        #[derive(Clone, Copy)]
        pub struct Pair<T>(pub T, pub T);

        pub trait Area: Copy {
            fn area(self) -> f32;

            fn twice(self) -> f32 {
                2.0 * self.area()
            }
        }

        impl<T: Float> Area for Pair<T> {
            fn area(self) -> f32 {
                1.0
            }
        }
    }
    use shapes::{Area, Pair};

    impl<T: Float> Pair<T> {
        fn twice(self) -> f32 {
            5.0
        }
    }

    #[vyre::device]
    fn of_pair<T: Float>(x: T) -> f32 {
        Pair(x, x).twice()
    }
}

mod hidden_by_the_type {
    use vyre::prelude::*;

    #[vyre::device]
    mod shapes {
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
    use shapes::{Shape, Square};

    impl Square {
        fn area(&self) -> f32 {
            4.0 * self.side
        }
    }

    #[vyre::kernel]
    fn measure(squares: &[Square], #[each] y: &mut f32) {
        *y = squares[thread::index()].area();
    }
}

fn main() {}
