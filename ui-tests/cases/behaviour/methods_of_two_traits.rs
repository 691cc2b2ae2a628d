#[vyre::device]
mod geometry {
    #[derive(Clone, Copy)]
    pub struct Vec2 {
        pub x: f32,
        pub y: f32,
    }

    pub trait Length {
        fn size(&self) -> f32;
    }

    impl Length for Vec2 {
        fn size(&self) -> f32 {
            self.x
        }
    }

    pub trait Area {
        fn size(&self) -> f32;
    }

    impl Area for Vec2 {
        fn size(&self) -> f32 {
            self.x * self.y
        }
    }
}

#[vyre::kernel]
fn fill(v: &[geometry::Vec2], y: &mut [f32]) {
    use geometry::Area;
    y[0] = v[0].size();
}

fn main() {}
