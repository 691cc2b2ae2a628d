#[vyre::device]
mod geometry {
    #[derive(Clone, Copy)]
    pub struct Vec2 {
        pub x: f32,
        pub y: f32,
    }

    pub trait Twice {
        fn twice(self) -> Self;
    }

    impl<T: core::ops::Add<Output = T> + Copy> Twice for T {
        fn twice(self) -> T {
            self + self
        }
    }
}

#[vyre::kernel]
fn fill(v: &[geometry::Vec2], y: &mut [f32]) {
    y[0] = v[0].x;
}

fn main() {}
