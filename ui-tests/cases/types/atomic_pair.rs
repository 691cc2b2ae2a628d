#[vyre::kernel]
fn add(sums: &[AtomicF16x2]) {
    let _ = sums.len();
}

fn main() {}
