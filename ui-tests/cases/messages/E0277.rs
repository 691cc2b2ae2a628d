//! rustc's own errors, each once.
#[vyre::kernel]
fn hexadecimal_float(y: &mut [f32]) {
    println!("{:x}", y[0]);
}

#[vyre::kernel]
fn tuple_by_display(y: &mut [f32]) {
    println!("{}", (y[0], y[1]));
}

fn main() {}
