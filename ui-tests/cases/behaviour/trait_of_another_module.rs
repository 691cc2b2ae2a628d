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

fn main() {}
