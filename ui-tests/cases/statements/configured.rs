//! Mistakes in kernels with `cfg` inside: each at its place.

#[vyre::kernel]
fn wrong_type(y: &mut [u32]) {
    #[cfg(any())]
    missing(y);
    #[cfg(all())]
    let one = 1.0f32;
    y[0] = one;
}

#[vyre::kernel]
fn refused(y: &mut [u32]) {
    #[cfg(all())]
    let text = vec![1];
    y[0] = 1;
}

#[vyre::device]
fn twice(x: u32) -> u32 {
    #[cfg(any())]
    let x = 1;
    x.sine()
}

#[vyre::kernel]
fn undefined(y: &mut [u32]) {
    #[cfg(any())]
    let factor = 2;
    y[0] = factor;
}

fn main() {}
