use vyre::prelude::*;

#[vyre::kernel]
fn double(#[each] x: &mut f32) {
    *x *= 2.0;
}

fn run(device: &Device, x: &DeviceBuffer<f32>) -> vyre::Result<()> {
    double(x).launch(device)
}

#[vyre::kernel]
fn total(x: &[f32], sum: &[AtomicU32]) {
    sum[0].fetch_add(x[thread::index()] as u32, Ordering::Relaxed);
}

fn others(device: &Device) -> vyre::Result<()> {
    let host = vec![1.0f32; 16];
    let mut x = device.upload(&host)?;
    let mut wide = device.upload(&[1.0f64; 16])?;
    let mut sum = device.zeros::<i32>(1)?;
    let guarded = std::cell::RefCell::new(device.zeros::<f32>(16)?);

    // A `Vec`, a slice and an array.
    double(host.clone());
    double(&mut [1.0f32; 16][..]);
    total(&[1.0f32; 16], &mut x);
    // A buffer by value, another type of element, a guard.
    double(x);
    double(&mut wide);
    double(guarded.borrow_mut());
    total(&wide, &mut sum);
    Ok(())
}

fn main() {}
