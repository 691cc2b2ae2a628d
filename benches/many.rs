//! All-reduce and copies between GPUs, each beside the same by NCCL or the driver directly, in turns.
//!
//! ```text
//! cargo bench --features nccl --bench many
//! ```
//!
//! Prints medians. Bandwidths of all-reduce are those on the bus, as `nccl-tests` count: the bytes that each GPU sends in a
//! ring, by the time.

use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::{Barrier, Mutex};
use std::time::Instant;

use libloading::Library;
use vyre::cudarc::driver::sys::{
    CUcontext, CUdevice, CUdeviceptr, CUresult, CUstream, CUstream_flags, cuCtxEnablePeerAccess, cuCtxSetCurrent,
    cuDeviceGet, cuDevicePrimaryCtxRetain, cuMemAlloc_v2, cuMemFree_v2, cuMemcpyPeerAsync, cuMemsetD32_v2,
    cuStreamCreate, cuStreamSynchronize,
};
use vyre::many::{Communicator, Reduction, on_each};
use vyre::prelude::*;

/// Samples of each kind, in turns.
const SAMPLES: usize = 15;
/// Operations of a sample, one after another.
const REPEATED: usize = 10;
/// Elements of a message: a latency, and a bandwidth.
const LENGTHS: [usize; 2] = [2, 1 << 28];

type Outcome<T> = std::result::Result<T, Box<dyn std::error::Error>>;

fn main() -> Outcome<()> {
    let devices: Vec<Device> = (0..).map_while(|index| Device::cuda(index).ok()).collect();
    if devices.len() < 2 {
        println!("SKIP-GPU bench many: {} CUDA devices, two are needed", devices.len());
        return Ok(());
    }
    println!("{} of {}; medians of {SAMPLES}", devices.len(), devices[0]);
    let plain = Plain::new(devices.len())?;
    for length in LENGTHS {
        all_reduce(&devices, &plain, length)?;
    }
    peer_copy(&devices, &plain)
}

fn median(mut samples: Vec<f64>) -> f64 {
    samples.sort_by(f64::total_cmp);
    samples[samples.len() / 2]
}

/// Microseconds of an all-reduce of so many `f32`, by vyre and by NCCL. All ranks begin together, and the last one counts.
fn all_reduce(devices: &[Device], plain: &Plain, length: usize) -> Outcome<()> {
    let together = Barrier::new(devices.len());
    let times = Mutex::new([const { Vec::new() }; 2]);
    on_each(devices, |ranks| {
        let mut x = ranks.device().zeros::<f32>(length)?;
        let rank = plain.rank(ranks.rank(), length);
        for sample in 0..=SAMPLES {
            for work in 0..2 {
                together.wait();
                let began = Instant::now();
                match work {
                    0 => by_vyre(ranks, &mut x)?,
                    _ => rank.all_reduce(),
                }
                together.wait();
                // The first sample loads kernels and makes connections.
                if ranks.rank() == 0 && sample > 0 {
                    let took = began.elapsed().as_secs_f64() * 1e6 / REPEATED as f64;
                    times.lock().expect("no thread panics")[work].push(took);
                }
            }
        }
        Ok(())
    })?;
    let [vyre, nccl] = times.into_inner()?.map(median);
    let ranks = devices.len() as f64;
    let bus = |micros: f64| 2.0 * (ranks - 1.0) / ranks * (length * 4) as f64 / micros / 1e3;
    println!(
        "all-reduce of {} bytes: {vyre:.1} us ({:.1} GB/s), by NCCL {nccl:.1} us ({:.1} GB/s), {:.3} of its speed",
        length * 4,
        bus(vyre),
        bus(nccl),
        nccl / vyre
    );
    Ok(())
}

fn by_vyre(ranks: &Communicator, x: &mut DeviceBuffer<f32>) -> vyre::Result<()> {
    for _ in 0..REPEATED {
        ranks.all_reduce(&mut *x, Reduction::Sum)?;
    }
    ranks.device().synchronize()
}

/// A copy of 1 GiB from one GPU to another, by vyre and by the driver.
fn peer_copy(devices: &[Device], plain: &Plain) -> Outcome<()> {
    const LENGTH: usize = 1 << 28;
    let x = devices[0].zeros::<f32>(LENGTH)?;
    let mut y = devices[1].zeros::<f32>(LENGTH)?;
    let [from, to] = [0, 1].map(|index| plain.rank(index, LENGTH));
    from.may_access(&to);
    to.may_access(&from);
    let mut times = [const { Vec::new() }; 2];
    for sample in 0..=SAMPLES {
        for (work, times) in times.iter_mut().enumerate() {
            let began = Instant::now();
            match work {
                0 => {
                    for _ in 0..REPEATED {
                        y.copy_from(&x)?;
                    }
                    devices[1].synchronize()?;
                }
                _ => to.copy_from(&from),
            }
            if sample > 0 {
                times.push(began.elapsed().as_secs_f64() * 1e6 / REPEATED as f64);
            }
        }
    }
    let [vyre, driver] = times.map(median);
    let rate = |micros: f64| (LENGTH * 4) as f64 / micros / 1e3;
    println!(
        "copy of 1 GiB to another GPU: {:.1} GB/s, by cuMemcpyPeerAsync {:.1} GB/s, {:.3} of its speed",
        rate(vyre),
        rate(driver),
        driver / vyre
    );
    Ok(())
}

/// NCCL without vyre: communicators of all devices.
struct Plain {
    library: Library,
    communicators: Vec<*mut c_void>,
}

// SAFETY: NCCL's communicators may be used by any thread, each by one at a time, as `rank` is called.
unsafe impl Sync for Plain {}

impl Plain {
    fn new(count: usize) -> Outcome<Plain> {
        let file = std::env::var("VYRE_NCCL").unwrap_or_else(|_| "libnccl.so.2".to_string());
        // SAFETY: the library is NCCL, whose initialisers may run at any time.
        let library = unsafe { Library::new(file)? };
        let mut communicators = vec![ptr::null_mut(); count];
        let devices: Vec<c_int> = (0..count as c_int).collect();
        // SAFETY: the declaration is that of `nccl.h`, and the arrays have `count` elements.
        unsafe {
            let make = library
                .get::<unsafe extern "C" fn(*mut *mut c_void, c_int, *const c_int) -> u32>(b"ncclCommInitAll\0")?;
            assert_eq!(make(communicators.as_mut_ptr(), count as c_int, devices.as_ptr()), 0);
        }
        Ok(Plain { library, communicators })
    }

    /// A rank with memory of its own, on the calling thread.
    fn rank(&self, index: usize, length: usize) -> Rank<'_> {
        let mut rank = Rank {
            plain: self,
            index,
            length,
            device: 0,
            context: ptr::null_mut(),
            stream: ptr::null_mut(),
            memory: 0,
        };
        let flags = CUstream_flags::CU_STREAM_NON_BLOCKING as u32;
        // SAFETY: the driver is initialised, since devices are open, and the pointers are valid for the calls.
        unsafe {
            check(cuDeviceGet(&mut rank.device, index as c_int));
            check(cuDevicePrimaryCtxRetain(&mut rank.context, rank.device));
            check(cuCtxSetCurrent(rank.context));
            check(cuStreamCreate(&mut rank.stream, flags));
            check(cuMemAlloc_v2(&mut rank.memory, length * 4));
            check(cuMemsetD32_v2(rank.memory, 0, length));
        }
        rank
    }
}

/// A rank of plain NCCL.
struct Rank<'p> {
    plain: &'p Plain,
    index: usize,
    length: usize,
    device: CUdevice,
    context: CUcontext,
    stream: CUstream,
    memory: CUdeviceptr,
}

impl Rank<'_> {
    fn all_reduce(&self) {
        type AllReduce =
            unsafe extern "C" fn(*const c_void, *mut c_void, usize, u32, u32, *mut c_void, *mut c_void) -> u32;
        /// `ncclFloat32` and `ncclSum`.
        const FLOAT: u32 = 7;
        const SUM: u32 = 0;
        let memory = self.memory as *mut c_void;
        let communicator = self.plain.communicators[self.index];
        // SAFETY: the declaration is that of `nccl.h`; the memory has `length` elements and lives until the stream is done.
        unsafe {
            let reduce = self
                .plain
                .library
                .get::<AllReduce>(b"ncclAllReduce\0")
                .expect("NCCL has it");
            check(cuCtxSetCurrent(self.context));
            for _ in 0..REPEATED {
                let code = reduce(
                    memory,
                    memory,
                    self.length,
                    FLOAT,
                    SUM,
                    communicator,
                    self.stream.cast(),
                );
                assert_eq!(code, 0);
            }
            check(cuStreamSynchronize(self.stream));
        }
    }

    fn may_access(&self, other: &Rank<'_>) {
        // SAFETY: both contexts are retained.
        let code = unsafe {
            check(cuCtxSetCurrent(self.context));
            cuCtxEnablePeerAccess(other.context, 0)
        };
        // NCCL may have asked for it already.
        assert!(matches!(
            code,
            CUresult::CUDA_SUCCESS | CUresult::CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED
        ));
    }

    fn copy_from(&self, other: &Rank<'_>) {
        // SAFETY: both memories have the length, and live until the stream is done.
        unsafe {
            check(cuCtxSetCurrent(self.context));
            for _ in 0..REPEATED {
                let bytes = self.length * 4;
                check(cuMemcpyPeerAsync(
                    self.memory,
                    self.context,
                    other.memory,
                    other.context,
                    bytes,
                    self.stream,
                ));
            }
            check(cuStreamSynchronize(self.stream));
        }
    }
}

impl Drop for Rank<'_> {
    fn drop(&mut self) {
        // SAFETY: the memory is this rank's, and its stream is done.
        unsafe {
            check(cuCtxSetCurrent(self.context));
            check(cuMemFree_v2(self.memory));
        }
    }
}

/// # Panics
/// If a call of the driver has failed.
fn check(result: CUresult) {
    assert_eq!(result, CUresult::CUDA_SUCCESS);
}
