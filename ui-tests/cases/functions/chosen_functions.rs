//! A function is no value of a variable. A choice among functions is written in a closure that calls them.

#[vyre::device]
fn up(x: u32) -> u32 {
    x.wrapping_add(1)
}

#[vyre::device]
fn down(x: u32) -> u32 {
    x.wrapping_sub(1)
}

#[vyre::device]
mod shapes {
    #[derive(Clone, Copy)]
    pub struct Side(pub u32);

    impl Side {
        pub fn half(self) -> u32 {
            self.0 / 2
        }

        pub fn third(self) -> u32 {
            self.0 / 3
        }
    }
}

use shapes::Side;

#[vyre::kernel]
fn of_floats(n: u32, y: &mut [f32]) {
    let pick = if n > 3 { f32::max } else { f32::min };
    y[0] = pick(y[1], y[2]);
}

#[vyre::kernel]
fn of_arms(n: u32, y: &mut [f32]) {
    let turned = match n {
        0 => f32::abs,
        1 | 2 => f32::floor,
        _ => f32::ceil,
    };
    y[0] = turned(y[1]);
}

#[vyre::kernel]
fn of_device_functions(n: u32, y: &mut [u32]) {
    let step = if n > 3 { up } else { down };
    y[0] = step(y[1]);
}

#[vyre::kernel]
fn of_methods(n: u32, y: &mut [u32]) {
    let part = if n > 3 { Side::half } else { Side::third };
    y[0] = part(Side(y[1]));
}

#[vyre::kernel(T = [f32])]
fn of_numbers<T: vyre::Float>(n: u32, y: &mut [T]) {
    let pick = if n > 3 { T::max } else { T::min };
    y[0] = pick(y[1], y[2]);
}

#[vyre::kernel]
fn alone(y: &mut [f32]) {
    let root = f32::sqrt;
    y[0] = root(y[1]);
}

#[vyre::kernel]
fn of_the_device(y: &mut [u32]) {
    let step = up;
    y[0] = step(y[1]);
}

#[vyre::kernel]
fn right(n: u32, y: &mut [u32]) {
    let step = |x: u32| if n > 3 { up(x) } else { down(x) };
    y[0] = step(y[1]);
}

fn main() {}
