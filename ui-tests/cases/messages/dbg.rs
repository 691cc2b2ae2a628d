#[vyre::kernel]
fn show(y: &mut [f32]) {
    y[0] = dbg!(y[1]);
}

fn main() {}
