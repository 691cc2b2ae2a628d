#[vyre::device]
mod geometry {
    #[derive(Clone, Copy)]
    pub struct Vec2 {
        pub x: f32,
        pub y: f32,
    }

    impl core::ops::Index<usize> for Vec2 {
        type Output = f32;
        fn index(&self, _: usize) -> &f32 {
            &self.x
        }
    }
}

#[vyre::kernel]
fn fill(v: &[geometry::Vec2], y: &mut [f32]) {
    y[0] = v[0].x;
}

fn main() {}
