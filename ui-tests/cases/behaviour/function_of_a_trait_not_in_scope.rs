use vyre::prelude::*;

#[vyre::device]
mod shapes {
    pub trait Shape {
        const CORNERS: u32;

        fn unit() -> Self;
    }

    #[derive(Clone, Copy)]
    pub struct Square {
        pub side: f32,
    }

    impl Shape for Square {
        const CORNERS: u32 = 4;

        fn unit() -> Square {
            Square { side: 1.0 }
        }
    }
}
use shapes::Square;

mod other {
    pub trait Made {
        const CORNERS: u32;

        fn unit() -> Self;
    }

    impl Made for super::Square {
        const CORNERS: u32 = 9;

        fn unit() -> super::Square {
            super::Square { side: 2.0 }
        }
    }
}
use other::Made;

#[vyre::kernel]
fn make(#[each] y: &mut f32, #[each] corners: &mut u32) {
    *y = Square::unit().side;
    *corners = Square::CORNERS;
}

fn main() {}
