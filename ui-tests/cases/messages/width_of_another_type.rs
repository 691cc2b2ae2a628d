//! rustc says what a width is.
#[vyre::kernel]
fn show(n: u32, digits: u32, y: &mut [f32]) {
    println!("{n:>digits$} {:.*}", y[0], n);
}

fn main() {}
