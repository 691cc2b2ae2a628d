#[vyre::device]
mod geometry {
    #[derive(Clone, Copy)]
    pub struct Vec2 {
        pub x: f32,
        pub y: f32,
    }

    impl Vec2 {
        pub fn sum(self) -> f32 {
            super::added(self.x, self.y)
        }
    }
}

fn added(a: f32, b: f32) -> f32 {
    a + b
}

#[vyre::kernel]
fn fill(v: &[geometry::Vec2], y: &mut [f32]) {
    y[0] = v[0].x;
}

fn main() {}
