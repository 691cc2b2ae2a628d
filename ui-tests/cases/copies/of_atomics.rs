use std::sync::atomic::AtomicU32;

#[vyre::kernel(block = 32)]
fn fetch(x: &[AtomicU32], y: &mut [u32]) {
    let tile = vyre::shared::<[AtomicU32; 32]>();
    let t = vyre::thread::idx().x;
    vyre::pipeline::copy(&mut tile[t], &x[t]);
    y[t] = 0;
}

fn main() {}
