#[vyre::kernel]
fn show(x: &[f32]) {
    println!("{:#?}", (x[0], x[1]));
}

fn main() {}
