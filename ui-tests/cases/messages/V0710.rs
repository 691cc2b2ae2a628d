#[vyre::kernel]
fn address(x: &[f32]) {
    println!("{:p}", &x[0]);
}

#[vyre::kernel]
fn no_literal(y: &mut [f32]) {
    println!(y[0]);
    assert!(y[0] > 0.0, concat!("a", "b"));
}

// rustc's own error, once.
#[vyre::kernel]
fn unused_value(y: &mut [f32]) {
    println!("{}", y[0], y[1]);
}

fn main() {}
