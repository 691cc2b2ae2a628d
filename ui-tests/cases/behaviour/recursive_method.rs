#[vyre::device]
mod geometry {
    #[derive(Clone, Copy)]
    pub struct Vec2 {
        pub x: f32,
        pub y: f32,
    }

    impl Vec2 {
        pub fn halved(self) -> f32 {
            if self.x > 1.0 { self.shorter() } else { self.x }
        }

        fn shorter(mut self) -> f32 {
            self.x /= 2.0;
            self.halved()
        }
    }
}

#[vyre::kernel]
fn fill(v: &[geometry::Vec2], y: &mut [f32]) {
    y[0] = v[0].halved();
}

fn main() {}
