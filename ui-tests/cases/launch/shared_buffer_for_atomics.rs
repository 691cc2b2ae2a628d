//! One call could otherwise pass a buffer both ways.
use core::sync::atomic::{AtomicU32, Ordering};
use vyre::prelude::*;

#[vyre::kernel]
fn count(hits: &[AtomicU32]) {
    hits[0].fetch_add(1, Ordering::Relaxed);
}

fn main() -> vyre::Result<()> {
    let device = Device::cpu();
    let hits = device.upload(&[0u32; 16])?;
    count(&hits).over(16).launch(&device)
}
