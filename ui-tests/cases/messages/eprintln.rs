//! Standard error is the host's.
#[vyre::kernel]
fn show(y: &mut [f32]) {
    eprintln!("{}", y[0]);
}

fn main() {}
