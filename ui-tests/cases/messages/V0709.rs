#[vyre::kernel]
fn dbg(y: &mut [f32]) {
    y[0] = dbg!(y[1]);
}

// Standard error is the host's.
#[vyre::kernel]
fn eprintln(y: &mut [f32]) {
    eprintln!("{}", y[0]);
}

fn main() {}
