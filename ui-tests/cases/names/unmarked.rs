//! Items that lack the attribute, in each place that can mention them.

const SIZE: usize = 4;

#[derive(Clone, Copy)]
struct Plain {
    x: f32,
}

mod helpers {
    pub const SIZE: usize = 4;

    #[derive(Clone, Copy)]
    pub struct Plain {
        pub x: f32,
    }

    pub fn half(x: f32) -> f32 {
        x * 0.5
    }
}

#[vyre::kernel]
fn parameter(p: Plain, y: &mut [f32]) {
    y[0] = p.x;
}

#[vyre::kernel]
fn element(p: &[Plain], y: &mut [f32]) {
    y[0] = p[0].x;
}

#[vyre::kernel]
fn length(all: [f32; SIZE], y: &mut [f32]) {
    y[0] = all[0];
}

#[vyre::kernel]
fn function_by_a_path(y: &mut [f32]) {
    y[0] = helpers::half(y[0]);
}

#[vyre::kernel]
fn parameter_by_a_path(p: helpers::Plain, y: &mut [f32]) {
    y[0] = p.x;
}

#[vyre::kernel]
fn literal_by_a_path(y: &mut [f32]) {
    let p = helpers::Plain { x: 1.0 };
    y[0] = p.x;
}

#[vyre::kernel]
fn length_by_a_path(y: &mut [f32]) {
    let all = [0.0; helpers::SIZE];
    y[0] = all[0];
}

fn main() {}
