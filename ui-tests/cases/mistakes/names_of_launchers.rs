//! Kernels whose launchers, or who themselves, have the name of something beside them.
mod structs {
    pub struct Scale {
        pub factor: f32,
    }

    #[vyre::kernel]
    pub fn scale(#[each] y: &mut f32) {
        *y *= 2.0;
    }
}

mod traits {
    /// With an attribute.
    #[allow(dead_code)]
    trait Scale {
        fn scaled(&self) -> f32;
    }

    #[vyre::kernel]
    pub fn scale(#[each] y: &mut f32) {
        *y *= 2.0;
    }
}

mod kernels {
    #[vyre::kernel]
    pub fn scale(#[each] y: &mut f32) {
        *y *= 2.0;
    }

    #[vyre::kernel]
    pub fn scale(#[each] y: &mut f32) {
        *y *= 3.0;
    }
}

mod parameters {
    use vyre::prelude::*;

    #[vyre::kernel(T = [f32, f64])]
    pub fn t<T: Float>(#[each] x: &T, #[each] y: &mut T) {
        *y = *x + *x;
    }
}

fn main() {}
