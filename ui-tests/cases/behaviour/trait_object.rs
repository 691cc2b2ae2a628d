#[vyre::device]
mod geometry {
    #[derive(Clone, Copy)]
    pub struct Vec2 {
        pub x: f32,
        pub y: f32,
    }

    pub trait Sum {
        fn sum(&self) -> f32;
    }

    impl Sum for Vec2 {
        fn sum(&self) -> f32 {
            self.x + self.y
        }
    }

    pub fn twice(of: &dyn Sum) -> f32 {
        of.sum() * 2.0
    }
}

#[vyre::kernel]
fn fill(v: &[geometry::Vec2], y: &mut [f32]) {
    y[0] = v[0].x;
}

fn main() {}
