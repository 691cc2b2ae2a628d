use vyre::prelude::*;

#[vyre::device]
mod shapes {
    #[derive(Clone, Copy)]
    pub struct Square {
        pub side: f32,
    }

    impl Square {
        pub fn area(&self) -> f32 {
            self.side * self.side
        }
    }
}
use shapes::Square;

mod other {
    // Taken by value, it comes before the method of the type.
    pub trait Measured {
        fn area(self) -> f32;
    }

    impl Measured for super::Square {
        fn area(self) -> f32 {
            4.0 * self.side
        }
    }
}
use other::Measured;

#[vyre::kernel]
fn measure(squares: &[Square], #[each] y: &mut f32) {
    *y = squares[thread::index()].area();
}

fn main() {}
