#[vyre::kernel]
fn show(x: &[f32]) {
    println!("{:p}", &x[0]);
}

fn main() {}
