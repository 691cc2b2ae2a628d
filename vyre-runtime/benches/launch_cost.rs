//! What a launch costs the host: through this crate, and by `cuLaunchKernel` alone with the same
//! function, stream order and arguments, in turns.
//!
//! ```text
//! cargo bench -p vyre-runtime --bench launch_cost
//! ```

mod raw;
#[path = "../tests/support/mod.rs"]
mod support;

use std::ffi::CString;
use std::time::Instant;

use raw::Raw;
use support::*;
use vyre_core::fault::FaultChannel;
use vyre_runtime::{Device, DeviceBuffer};

/// Launches of a batch; fewer than the driver queues before it makes the host wait.
const BATCH: u32 = 256;
const ROUNDS: usize = 400;

fn main() {
    let Some(device) = cuda("launch_cost") else { return };
    let ptx = CString::new(SAXPY_PTX).unwrap();
    let raw = Raw::load(&ptx, c"saxpy");
    let x = device.upload(&[1.0f32; 256]).unwrap();
    let mut y = device.upload(&[2.0f32; 256]).unwrap();
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for round in 0..2 * ROUNDS {
        let per_launch = match round % 2 {
            0 => time(|| launch(&device, &x, &mut y), || device.synchronize().unwrap()),
            _ => time(|| launch_raw(&raw, &x, &mut y), || raw.synchronize()),
        };
        // The first rounds load the kernel and warm up.
        if round >= 20 {
            if round % 2 == 0 { &mut ours } else { &mut theirs }.push(per_launch);
        }
    }
    let (ours, theirs) = (median(ours), median(theirs));
    println!(
        "saxpy of 256 elements on {device}, {BATCH} launches a batch, median of {} batches",
        ROUNDS - 10
    );
    println!("cuLaunchKernel        {theirs:8.1} ns a launch");
    println!(
        "Launch::launch        {ours:8.1} ns a launch, {:.3} times",
        ours / theirs
    );
}

/// Nanoseconds that one call of `launch` takes the host.
fn time(mut launch: impl FnMut(), wait: impl Fn()) -> f64 {
    wait();
    let start = Instant::now();
    (0..BATCH).for_each(|_| launch());
    let taken = start.elapsed();
    wait();
    taken.as_nanos() as f64 / f64::from(BATCH)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn launch(device: &Device, x: &DeviceBuffer<f32>, y: &mut DeviceBuffer<f32>) {
    saxpy(0.5, x, y).over(256).launch(device).unwrap();
}

/// The same by the driver's function.
fn launch_raw(raw: &Raw, x: &DeviceBuffer<f32>, y: &mut DeviceBuffer<f32>) {
    let (x, y) = (x.as_view(), y.as_view_mut());
    let a = 0.5f32;
    let (x, x_length, y, y_length) = (x.address(), x.len() as u64, y.address(), y.len() as u64);
    // Nothing faults here, so the channel leads nowhere.
    let channel = FaultChannel {
        control: 0,
        launch: 0,
        kernel: 0,
    };
    let mut parameters = [
        (&raw const a).cast_mut().cast(),
        (&raw const x).cast_mut().cast(),
        (&raw const x_length).cast_mut().cast(),
        (&raw const y).cast_mut().cast(),
        (&raw const y_length).cast_mut().cast(),
        (&raw const channel).cast_mut().cast(),
    ];
    // SAFETY: the kernel takes these parameters, and `synchronize` comes before the buffers are used
    // otherwise.
    unsafe { raw.launch_block([BLOCK, 1, 1], &mut parameters) };
}
