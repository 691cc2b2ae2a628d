#[vyre::device]
#[derive(Clone, Copy)]
struct Range {
    low: f32,
    high: f32,
}

#[vyre::kernel]
fn order(range: Range, y: &mut [f32]) {
    Range { low: y[0], high: y[1] } = range;
}

fn main() {}
