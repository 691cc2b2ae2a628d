#[vyre::kernel]
fn fill(y: &mut [f32]) {
    let _text = format!("{}", y[0]);
}

fn main() {}
