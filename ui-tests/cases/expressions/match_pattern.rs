#[vyre::kernel]
fn fill(n: u32, y: &mut [u32]) {
    y[0] = match n {
        ref m => *m,
    };
}

fn main() {}
