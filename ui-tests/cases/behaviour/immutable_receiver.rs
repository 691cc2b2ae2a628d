#[vyre::device]
mod geometry {
    #[derive(Clone, Copy)]
    pub struct Vec2 {
        pub x: f32,
        pub y: f32,
    }

    impl Vec2 {
        pub fn grow(&mut self) {
            self.x *= 2.0;
        }
    }
}

#[vyre::kernel]
fn fill(v: &[geometry::Vec2], y: &mut [f32]) {
    let w = v[0];
    w.grow();
    y[0] = w.x;
}

fn main() {}
