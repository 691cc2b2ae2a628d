//! rustc says of an argument that it lacks the trait of a bound, where it is passed.

#[vyre::device]
mod shapes {
    pub trait Area: Copy {
        fn area(&self) -> f32;
    }

    impl Area for f32 {
        fn area(&self) -> f32 {
            self * self
        }
    }

    pub fn double<S: Area>(s: S) -> f32 {
        2.0 * s.area()
    }
}

#[vyre::kernel]
fn areas(#[each] n: &u32, #[each] out: &mut f32) {
    *out = shapes::double(*n);
}

fn main() {}
