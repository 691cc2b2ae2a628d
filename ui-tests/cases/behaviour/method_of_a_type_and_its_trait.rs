#[vyre::device]
mod geometry {
    #[derive(Clone, Copy)]
    pub struct Vec2 {
        pub x: f32,
        pub y: f32,
    }

    impl Vec2 {
        pub fn size(&self) -> f32 {
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

    pub fn area<T: Area>(of: T) -> f32 {
        of.size()
    }
}

#[vyre::kernel]
fn fill(v: &[geometry::Vec2], y: &mut [f32]) {
    y[0] = geometry::area(v[0]);
}

fn main() {}
