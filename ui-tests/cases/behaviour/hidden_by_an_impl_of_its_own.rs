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

fn main() {}
