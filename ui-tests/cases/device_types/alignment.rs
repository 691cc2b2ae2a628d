#[vyre::device]
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line {
    x: [f32; 16],
}

#[vyre::device]
#[derive(Clone, Copy)]
#[repr(C, align(16))]
struct Triple {
    x: f32,
    y: f32,
    z: f32,
}

#[vyre::kernel]
fn fill(lines: &[Line], triples: &[Triple], y: &mut [f32]) {
    y[0] = lines[0].x[0] + triples[0].x;
}

fn main() {}
