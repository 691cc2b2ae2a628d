#[vyre::kernel]
fn first(x: &[core::sync::atomic::AtomicU32], y: &mut [u32]) {
    y[0] = vyre::load::volatile(&x[0]);
}

fn main() {}
