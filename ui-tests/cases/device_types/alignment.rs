#[vyre::device]
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line {
    x: [f32; 16],
}

#[vyre::kernel]
fn fill(lines: &[Line], y: &mut [f32]) {
    y[0] = lines[0].x[0];
}

fn main() {}
