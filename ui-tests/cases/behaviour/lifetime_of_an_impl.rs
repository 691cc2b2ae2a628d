#[vyre::device]
mod geometry {
    #[derive(Clone, Copy)]
    pub struct Vec2 {
        pub x: f32,
        pub y: f32,
    }

    pub trait Sum<'a> {
        fn sum(&'a self) -> f32;
    }

    impl<'a> Sum<'a> for Vec2 {
        fn sum(&'a self) -> f32 {
            self.x + self.y
        }
    }
}

#[vyre::kernel]
fn fill(v: &[geometry::Vec2], y: &mut [f32]) {
    y[0] = v[0].x;
}

fn main() {}
