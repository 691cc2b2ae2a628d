use vyre::prelude::*;

#[vyre::device]
mod geometry {
    use core::ops::Mul;

    #[derive(Clone, Copy)]
    pub struct Vector {
        pub x: f32,
    }

    impl Mul<f32> for Vector {
        type Output = Vector;

        fn mul(self, by: f32) -> Vector {
            Vector { x: self.x * by }
        }
    }
}
use geometry::Vector;

// With two `impl`s, rustc takes that of `f64` for a literal without a type.
impl core::ops::Mul<f64> for Vector {
    type Output = Vector;

    fn mul(self, by: f64) -> Vector {
        Vector { x: (f64::from(self.x) * by) as f32 }
    }
}

#[vyre::kernel]
fn scale(vectors: &[Vector], #[each] y: &mut f32) {
    *y = (vectors[thread::index()] * 0.1).x;
}

fn main() {}
