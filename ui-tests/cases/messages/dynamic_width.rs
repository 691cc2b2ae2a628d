//! Width and precision are numbers.
#[vyre::kernel]
fn show(n: u32, digits: usize, y: &mut [f32]) {
    if n > 4 {
        panic!("{n:>digits$} is too large");
    }
    println!("{:.*}", digits, y[0]);
}

fn main() {}
