#[vyre::device]
mod algebra {
    pub trait Algebra: Copy {
        fn of(x: f64) -> Self;
    }

    impl Algebra for f64 {
        fn of(x: f64) -> f64 {
            x
        }
    }
}

#[vyre::kernel]
fn fill(y: &mut [f64]) {
    y[0] = algebra::Algebra::of(2.0);
}

fn main() {}
