// Kernels do not launch kernels.
#[vyre::kernel]
fn fill(y: &mut [u32]) {
    y[0] = 1;
}

#[vyre::kernel]
fn fill_twice(y: &mut [u32]) {
    fill(y);
}

// A function that is not there.
#[vyre::kernel]
fn missing(y: &mut [f32]) {
    y[0] = half(y[0]);
}

// Functions of types that do not stand in a module of the device.
mod of_a_type {
    struct Other;

    impl Other {
        fn new() -> f32 {
            1.0
        }
    }

    #[vyre::device]
    #[derive(Clone, Copy, Default)]
    struct Point {
        x: f32,
        y: f32,
    }

    #[vyre::kernel]
    fn fill(y: &mut [f32], points: &mut [Point]) {
        y[0] = Other::new();
        points[0] = Point::default();
        points[1] = Point { x: 1.0, ..Default::default() };
    }
}

// A function without the attribute.
mod unmarked {
    use vyre::prelude::*;

    fn half(x: f32) -> f32 {
        x * 0.5
    }

    #[vyre::kernel]
    fn halve(y: &mut [f32]) {
        let i = thread::index();
        y[i] = half(y[i]);
    }

    fn main() {
        let device = Device::cpu();
        let mut y = device.zeros(1).unwrap();
        halve(&mut y).over(1).launch(&device).unwrap();
    }
}

// The file has the function in a call alone, and neither defines nor imports it by name.
mod unmarked_by_a_glob {
    use std::hint::*;

    #[vyre::kernel]
    fn copy(x: &[f32], y: &mut [f32]) {
        y[0] = black_box(x[0]);
    }
}

fn main() {}
