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
use shapes::Square;

mod other {
    use super::Square;

    #[vyre::device]
    pub mod measured {
        use super::Square;

        pub trait Measured {
            fn area(&self) -> f32;
        }

        impl Measured for Square {
            fn area(&self) -> f32 {
                4.0 * self.side
            }
        }
    }
}
// The kernel mentions nothing of this module.
use other::measured::Measured;

#[vyre::kernel]
fn measure(squares: &[Square], #[each] y: &mut f32) {
    *y = squares[thread::index()].area();
}

fn main() {}
