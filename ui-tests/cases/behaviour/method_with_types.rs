#[vyre::device]
mod geometry {
    #[derive(Clone, Copy)]
    pub struct Vec2 {
        pub x: f32,
        pub y: f32,
    }

    impl Vec2 {
        pub fn times<T: vyre::Float>(self, by: T) -> T {
            by * T::from_f32(self.x)
        }
    }
}

#[vyre::kernel]
fn fill(v: &[geometry::Vec2], y: &mut [f32]) {
    y[0] = v[0].times::<f32, f32>(2.0);
    y[1] = v[0].times::<f64>(y[0]) as f32;
    y[2] = y[0].max::<f32>(1.0);
}

fn main() {}
