//! A macro that a refused kernel calls is no unused one.
#![warn(unused_macros)]

macro_rules! square {
    ($x:expr) => {
        $x * $x
    };
}

#[vyre::kernel]
fn squares(#[each] y: &mut f32) {
    *y = square!(*y);
}

fn main() {}
