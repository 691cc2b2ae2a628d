//! Host-side cost of a launch: the generated launcher against `cuLaunchKernel` with the same
//! function, arguments and geometry, interleaved in one process.
//!
//! ```text
//! cargo bench --bench launch
//! ```
//!
//! Prints the medians and their ratio. With `--features programs` also a call of the same program, as a pipeline that was
//! compiled at run time.

mod raw;

use std::ffi::{CString, c_void};
use std::time::{Duration, Instant};

use raw::Raw;
use vyre::Kernel;
use vyre::prelude::*;

/// Small enough that the host never waits for the device.
#[vyre::kernel]
fn axpy(a: f32, x: &[f32], y: &mut [f32]) {
    let i = thread::index();
    if i < y.len() {
        y[i] += a * x[i];
    }
}

/// Launches per sample; fewer than a stream queues before it blocks the host.
const LAUNCHES: u32 = 500;
/// Samples of each kind.
const SAMPLES: usize = 101;
/// Elements: one block of the kernel.
const COUNT: usize = 256;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let device = match Device::cuda(0) {
        Ok(device) => device,
        Err(error) => {
            println!("SKIP-GPU bench launch: {error}");
            return Ok(());
        }
    };
    let x = device.upload(&[1.0f32; COUNT])?;
    let mut y = device.upload(&[0.0f32; COUNT])?;
    // Loads the kernel, and makes the device's context current on this thread.
    axpy(1.0, &x, &mut y).over(COUNT).launch(&device)?;
    device.synchronize()?;
    let info = Axpy::info();
    // The entry with one index per thread, as in the geometry of the launch below.
    let entry = info.entries.last().ok_or("the kernel has no entry")?;
    let raw = Raw::load(&CString::new(info.ptx)?, &CString::new(entry.symbol)?);
    // Control block, where a fault would be recorded: zeros, which stay zero.
    let control = device.upload(&[0u64; 32])?;
    let arguments = arguments(
        x.as_view().address(),
        y.as_view().address(),
        control.as_view().address(),
    );
    launch_raw(&raw, &arguments);
    raw.synchronize();
    assert_eq!(y.download()?, [2.0; COUNT], "both launches have run");

    #[cfg(feature = "programs")]
    let pipeline = pipeline(&device)?;
    #[cfg(feature = "programs")]
    let mut called = Vec::new();
    let (mut generated, mut direct) = (Vec::new(), Vec::new());
    for _ in 0..SAMPLES {
        let started = Instant::now();
        for _ in 0..LAUNCHES {
            axpy(1.0, &x, &mut y).over(COUNT).launch(&device)?;
        }
        generated.push(started.elapsed() / LAUNCHES);
        device.synchronize()?;

        let started = Instant::now();
        for _ in 0..LAUNCHES {
            launch_raw(&raw, &arguments);
        }
        direct.push(started.elapsed() / LAUNCHES);
        raw.synchronize();

        #[cfg(feature = "programs")]
        {
            let started = Instant::now();
            let call = pipeline.call().value(1.0f32).resident(&x);
            let mut call = call.resident_mut(&mut y).over(COUNT);
            for _ in 0..LAUNCHES {
                call.launch()?;
            }
            called.push(started.elapsed() / LAUNCHES);
            device.synchronize()?;
        }
    }

    let (generated, direct) = (median(generated), median(direct));
    println!("device: {device}");
    println!("generated launcher: {:>6.3} us a launch", generated.as_secs_f64() * 1e6);
    println!("cuLaunchKernel:     {:>6.3} us a launch", direct.as_secs_f64() * 1e6);
    #[cfg(feature = "programs")]
    println!(
        "pipeline:           {:>6.3} us a launch",
        median(called).as_secs_f64() * 1e6
    );
    println!(
        "ratio:              {:>6.3}",
        generated.as_secs_f64() / direct.as_secs_f64()
    );
    Ok(())
}

/// The same kernel, compiled at run time.
#[cfg(feature = "programs")]
fn pipeline(device: &Device) -> Result<vyre::Pipeline, Box<dyn std::error::Error>> {
    let program = vyre::ir::text::parse(Axpy::info().program)?;
    // SAFETY: the calls pass what the launcher would.
    Ok(unsafe { device.compile_trusted(program)? })
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

/// The parameters of the kernel as the driver sees them.
fn arguments(x: u64, y: u64, control: u64) -> Vec<Box<[u64]>> {
    let length = COUNT as u64;
    let a = u64::from(1.0f32.to_bits());
    let mut arguments: Vec<Box<[u64]>> = [a, x, length, y, length].map(|word| Box::from([word])).into();
    if !Axpy::info().sites.is_empty() {
        arguments.push(Box::from([control, 1, 0]));
    }
    arguments
}

/// The same launch through the driver.
fn launch_raw(raw: &Raw, arguments: &[Box<[u64]>]) {
    let mut parameters = [std::ptr::null_mut::<c_void>(); 8];
    for (parameter, argument) in parameters.iter_mut().zip(arguments) {
        *parameter = argument.as_ptr().cast_mut().cast();
    }
    // SAFETY: the kernel takes these parameters, and its slices lie in living buffers.
    unsafe { raw.launch_block(Axpy::info().block, &mut parameters) };
}
