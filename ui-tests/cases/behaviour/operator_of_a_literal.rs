#[vyre::device]
mod geometry {
    #[derive(Clone, Copy)]
    pub struct Vec2 {
        pub x: f32,
        pub y: f32,
    }

    impl core::ops::Mul<f32> for Vec2 {
        type Output = f32;
        fn mul(self, by: f32) -> f32 {
            self.x * by
        }
    }

    impl core::ops::Mul<f64> for Vec2 {
        type Output = f32;
        fn mul(self, _: f64) -> f32 {
            self.y
        }
    }
}

#[vyre::kernel]
fn fill(v: &[geometry::Vec2], y: &mut [f32]) {
    y[0] = v[0] * 2.0;
}

fn main() {}
