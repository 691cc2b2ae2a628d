//! Code in the place of refused code keeps to the lints of a crate.
#![forbid(unused)]
#![deny(warnings)]

#[vyre::kernel]
pub fn vector(y: &mut [f32], x: Vec<f32>, unused: u32) {
    let twice = 2.0 * x[0];
    y[0] = x[0];
}

#[vyre::kernel]
pub fn nested(y: &mut [f32], unused: u32) {
    let _: Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<
        Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<
        Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<
        Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<
        Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<
        Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<
        Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<
        Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<
        Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<
        Option<Option<Option<Option<u32>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>
        >>>>>>>>>>>>>>>>>>>>>>>>>>>>>> = None;
}

fn main() {}
