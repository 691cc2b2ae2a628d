//! How long a step takes: `cargo bench`. Without `--bench`, as `cargo test` starts it, it runs once on a small plate.

use std::time::Instant;

use heat::Plate;
use vyre::Device;

fn main() -> vyre::Result<()> {
    let measured = std::env::args().any(|argument| argument == "--bench");
    let (side, steps) = if measured { (2048, 100) } else { (64, 1) };
    for device in Device::all() {
        let mut plate = Plate::new(&device, &vec![1.0; side * side], side)?;
        // The first step loads the kernel.
        plate.run(1)?;
        device.synchronize()?;
        let started = Instant::now();
        plate.run(steps)?;
        device.synchronize()?;
        let took = started.elapsed() / steps as u32;
        // A step reads and writes each cell.
        let rate = (8 * side * side) as f64 / took.as_secs_f64() / 1e9;
        println!("{side} x {side} on {device}: {took:.2?} a step, {rate:.1} GB/s");
    }
    Ok(())
}
