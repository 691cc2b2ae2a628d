mod method_outside_of_the_module {
    #[vyre::device]
    mod geometry {
        #[derive(Clone, Copy)]
        pub struct Vec2 {
            pub x: f32,
            pub y: f32,
        }
    }

    impl geometry::Vec2 {
        fn sum(self) -> f32 {
            self.x + self.y
        }
    }

    #[vyre::kernel]
    fn fill(v: &[geometry::Vec2], y: &mut [f32]) {
        y[0] = v[0].sum();
    }
}

mod operator_outside_of_the_module {
    #[vyre::device]
    mod geometry {
        #[derive(Clone, Copy)]
        pub struct Vec2 {
            pub x: f32,
            pub y: f32,
        }
    }

    impl core::ops::Neg for geometry::Vec2 {
        type Output = Self;
        fn neg(self) -> Self {
            self
        }
    }

    #[vyre::kernel]
    fn fill(v: &[geometry::Vec2], y: &mut [f32]) {
        y[0] = (-v[0]).x;
    }
}

fn main() {}
