//! What a launch costs on the host: the generated launcher against `cuLaunchKernel` with the same
//! function, arguments and geometry, in turns, in one process.
//!
//! ```text
//! cargo bench --bench launch
//! ```
//!
//! Prints the medians and their ratio.

use std::ffi::{CString, c_void};
use std::time::{Duration, Instant};

use cudarc::driver::sys;
use vyre::Kernel;
use vyre::prelude::*;

/// Small enough that the device is never what is waited for.
#[vyre::kernel]
fn axpy(a: f32, x: &[f32], y: &mut [f32]) {
    let i = thread::index();
    if i < y.len() {
        y[i] += a * x[i];
    }
}

/// Launches of a sample; fewer than a stream takes before it makes the host wait.
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
    let raw = Raw::new(x.as_view().address(), y.as_view().address())?;
    raw.launch()?;
    raw.wait()?;
    assert_eq!(y.download()?, [2.0; COUNT], "both launches have run");

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
            raw.launch()?;
        }
        direct.push(started.elapsed() / LAUNCHES);
        raw.wait()?;
    }

    let (generated, direct) = (median(generated), median(direct));
    println!("device: {device}");
    println!("generated launcher: {:>6.3} us a launch", generated.as_secs_f64() * 1e6);
    println!("cuLaunchKernel:     {:>6.3} us a launch", direct.as_secs_f64() * 1e6);
    println!(
        "ratio:              {:>6.3}",
        generated.as_secs_f64() / direct.as_secs_f64()
    );
    Ok(())
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

/// The same kernel as the driver sees it.
struct Raw {
    function: sys::CUfunction,
    stream: sys::CUstream,
    arguments: Vec<Box<[u64]>>,
}

impl Raw {
    /// Loads the kernel's PTX a second time.
    fn new(x: u64, y: u64) -> Result<Raw, Box<dyn std::error::Error>> {
        let info = Axpy::info();
        // The entry that covers one index a thread, as the launcher's geometry below.
        let entry = info.entries.last().ok_or("the kernel has no entry")?;
        let (ptx, symbol) = (CString::new(info.ptx)?, CString::new(entry.symbol)?);
        let (mut module, mut function, mut stream) = (std::ptr::null_mut(), std::ptr::null_mut(), std::ptr::null_mut());
        // SAFETY: the context is current, and the pointers are good for the calls.
        unsafe {
            sys::cuModuleLoadData(&mut module, ptx.as_ptr().cast()).result()?;
            sys::cuModuleGetFunction(&mut function, module, symbol.as_ptr()).result()?;
            sys::cuStreamCreate(&mut stream, sys::CUstream_flags::CU_STREAM_NON_BLOCKING as u32).result()?;
        }
        let length = COUNT as u64;
        let mut arguments: Vec<Box<[u64]>> = [u64::from(1.0f32.to_bits()), x, length, y, length]
            .into_iter()
            .map(|word| Box::from([word]))
            .collect();
        if !info.sites.is_empty() {
            // Where a fault would be noted: zeros, which stay so.
            let mut control = 0;
            // SAFETY: as above; the memory is large enough for what a fault writes.
            unsafe {
                sys::cuMemAlloc_v2(&mut control, 256).result()?;
                sys::cuMemsetD8_v2(control, 0, 256).result()?;
            }
            arguments.push(Box::from([control, 1, 0]));
        }
        Ok(Raw {
            function,
            stream,
            arguments,
        })
    }

    fn launch(&self) -> Result<(), cudarc::driver::DriverError> {
        let mut pointers = [std::ptr::null_mut::<c_void>(); 8];
        for (pointer, argument) in pointers.iter_mut().zip(&self.arguments) {
            *pointer = argument.as_ptr().cast_mut().cast();
        }
        let [width, height, depth] = Axpy::info().block;
        // SAFETY: the function takes these arguments, and its slices lie in living buffers.
        unsafe {
            sys::cuLaunchKernel(
                self.function,
                1,
                1,
                1,
                width,
                height,
                depth,
                0,
                self.stream,
                pointers.as_mut_ptr(),
                std::ptr::null_mut(),
            )
            .result()
        }
    }

    fn wait(&self) -> Result<(), cudarc::driver::DriverError> {
        // SAFETY: the stream is of the current context.
        unsafe { sys::cuStreamSynchronize(self.stream).result() }
    }
}
