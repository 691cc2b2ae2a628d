//! Names that do not exist: one error each, with a suggestion.

mod helpers {
    pub const SIZE: usize = 4;

    #[vyre::device]
    #[derive(Clone, Copy)]
    pub struct Point {
        pub x: f32,
    }
}

#[vyre::device]
#[derive(Clone, Copy)]
struct Meters(f32);

#[vyre::device]
const WIDTH: usize = 4;

#[vyre::kernel]
fn length(y: &mut [f32]) {
    let all = [0.0; WIDHT];
    y[0] = all[0];
}

#[vyre::kernel]
fn constructor(y: &mut [f32]) {
    y[0] = Metres(1.0).0;
}

#[vyre::kernel]
fn associated(y: &mut [f32]) {
    y[0] = Meter::ONE;
}

#[vyre::kernel]
fn type_by_a_path(y: &mut [f32]) {
    let p = helpers::Pont { x: 1.0 };
    y[0] = p.x;
}

#[vyre::kernel]
fn length_by_a_path(y: &mut [f32]) {
    let all = [0.0; helpers::SIZ];
    y[0] = all[0];
}

fn main() {}
