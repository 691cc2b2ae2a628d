//! Constants that are not there: rustc's own errors, each once, with what there is instead.

#[vyre::device]
const WIDTH: usize = 4;

#[vyre::kernel]
fn in_an_array(y: &mut [f32]) {
    let all = [0.0; WIDHT];
    y[0] = all[0];
}

#[vyre::kernel]
fn of_a_parameter(all: [f32; WIDHT], y: &mut [f32]) {
    y[0] = all[0];
}

#[vyre::device]
fn in_a_function(x: f32) -> f32 {
    let all = [x; WIDHT];
    all[0] * WIDHT as f32
}

#[vyre::device]
const AREA: usize = WIDHT * WIDHT;

#[vyre::kernel]
fn uses(y: &mut [f32]) {
    y[0] = in_a_function(AREA as f32);
}

fn main() {}
