#[vyre::device]
mod geometry {
    pub trait Depth {
        fn depth(&self) -> u32;

        fn deeper(&self) -> u32 {
            self.depth() + 1
        }
    }

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

    impl Depth for Vec2 {
        fn depth(&self) -> u32 {
            total(*self, 3)
        }
    }

    pub fn total(v: Vec2, n: u32) -> u32 {
        if n == 0 { 0 } else { self::total(v, n - 1) + v.depth() }
    }
}

#[vyre::kernel]
fn fill(v: &[geometry::Vec2], y: &mut [f32]) {
    y[0] = v[0].halved();
}

fn main() {}
