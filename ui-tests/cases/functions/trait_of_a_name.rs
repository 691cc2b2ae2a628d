//! A trait that is called like one of vyre's.

trait Float: Copy {
    fn sqrt(self) -> Self;
}

impl Float for f32 {
    fn sqrt(self) -> Self {
        -1.0
    }
}

#[vyre::device]
fn root<T: Float>(x: T) -> T {
    x.sqrt()
}

#[vyre::kernel]
fn roots(y: &mut [f32]) {
    y[0] = root(y[0]);
}

fn main() {}
