#[vyre::device]
mod geometry {
    #[derive(Clone, Copy)]
    pub struct Vec2 {
        pub x: f32,
        pub y: f32,
    }

    impl Vec2 {
        pub fn map(self, f: impl Fn(f32) -> f32) -> Self {
            Self { x: f(self.x), y: f(self.y) }
        }
    }
}

#[vyre::kernel]
fn wrong(v: &[geometry::Vec2], y: &mut [f32]) {
    y[0] = v[0].map(|x: u32| x).x;
    y[1] = v[0].map(|x, y| x + y).x;
}

#[vyre::kernel]
fn missing(v: &[geometry::Vec2], y: &mut [f32]) {
    y[0] = v[0].each(|x| x + 1.0).x;
}

fn main() {}
