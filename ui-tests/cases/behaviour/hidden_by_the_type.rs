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

fn main() {}
