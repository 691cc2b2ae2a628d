#[vyre::device]
mod geometry {
    #[derive(Clone, Copy)]
    pub struct Vec2 {
        pub x: f32,
        pub y: f32,
    }

    impl Vec2 {
        pub fn name(self) -> f32 {
            let name = "vector";
            self.x
        }

        pub fn list(self) -> f32 {
            let list: Vec<f32> = Vec::new();
            self.x
        }
    }
}

#[vyre::kernel]
fn fill(v: &[geometry::Vec2], y: &mut [f32]) {
    y[0] = v[0].x;
}

fn main() {}
