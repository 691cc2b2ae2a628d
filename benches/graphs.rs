//! Sequences, graphs, loops, copies and waits, each beside what bounds it: the time of the kernels alone, the same graph or
//! copy by the driver directly.
//!
//! ```text
//! cargo bench --bench graphs
//! ```
//!
//! Prints medians.

use std::ffi::{CString, c_void};
use std::future::Future;
use std::pin::pin;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;
use std::time::{Duration, Instant};

use vyre::cudarc::driver::sys::{
    CUresult, CUstreamCaptureMode, cuGraphInstantiateWithFlags, cuGraphLaunch, cuLaunchKernel, cuMemcpyDtoHAsync_v2,
    cuMemcpyHtoDAsync_v2, cuModuleGetFunction, cuModuleLoadData, cuStreamBeginCapture_v2, cuStreamEndCapture,
    cuStreamSynchronize,
};
use vyre::prelude::*;
use vyre::{Graph, Kernel, Pinned, Readback, Sequence, Transfer};

/// Does nothing.
#[vyre::kernel]
fn empty(#[each] x: &mut u32) {
    let _ = x;
}

/// Keeps a multiprocessor busy for a number of its cycles.
#[vyre::kernel]
fn spin(cycles: u64, #[each] x: &mut u32) {
    let start = thread::clock();
    while thread::clock() - start < cycles {}
    *x += 1;
}

/// Elements: one block of the kernels.
const COUNT: usize = 32;
/// Samples of each kind.
const SAMPLES: usize = 21;
/// Cycles of a kernel that takes 20 us on an H200, and of one that takes 2 us.
const LONG: u64 = 39_600;
const SHORT: u64 = 3_960;
/// Bytes of a copy.
const COPIED: usize = 256 << 20;

type Outcome<T> = std::result::Result<T, Box<dyn std::error::Error>>;

fn main() -> Outcome<()> {
    let device = match Device::cuda(0) {
        Ok(device) => device,
        Err(error) => {
            println!("SKIP-GPU bench graphs: {error}");
            return Ok(());
        }
    };
    println!("device: {device}; medians of {SAMPLES}");
    chain(&device)?;
    loops(&device)?;
    empties(&device)?;
    copies(&device)?;
    overlap(&device)?;
    allocations(&device)?;
    wakes(&device)
}

fn median<T: PartialOrd + Copy>(mut samples: Vec<T>) -> T {
    samples.sort_by(|a, b| a.partial_cmp(b).expect("times are ordered"));
    samples[samples.len() / 2]
}

/// Medians of several works, in microseconds, in turns.
fn alternated<const N: usize>(mut sample: impl FnMut(usize) -> Outcome<f64>) -> Outcome<[f64; N]> {
    let mut times = [const { Vec::new() }; N];
    for run in 0..=SAMPLES {
        for (work, times) in times.iter_mut().enumerate() {
            let time = sample(work)?;
            // The first run loads kernels, and grows pools.
            if run > 0 {
                times.push(time);
            }
        }
    }
    Ok(times.map(median))
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

/// Microseconds on the device and to launch it, for each launch of a graph.
fn timed(graph: &mut Graph) -> Outcome<[f64; 2]> {
    let mut values = Readback::new();
    let mut times = [Vec::new(), Vec::new()];
    graph.run()?;
    for _ in 0..SAMPLES {
        let timing = graph.run_timed(&mut values)?;
        times[0].push(micros(timing.device.ok_or("a GPU has times")?));
        times[1].push(micros(timing.enqueue));
    }
    Ok(times.map(median))
}

/// The cycles of all kernels in one, without gaps between them: the device time that bounds a chain of them.
fn spinning(device: &Device, x: &mut DeviceBuffer<u32>, cycles: u64) -> Outcome<f64> {
    let mut times = Vec::new();
    for _ in 0..5 {
        let timing = spin(cycles, &mut *x).over(COUNT).launch_timed(device)?;
        times.push(micros(timing.device.ok_or("a GPU has times")?));
    }
    Ok(median(times))
}

/// 1,000 launches and one read.
fn chain(device: &Device) -> Outcome<()> {
    let mut x = device.zeros::<u32>(COUNT)?;
    let bound = spinning(device, &mut x, 1000 * LONG)?;
    let mut record = || -> Outcome<Sequence> {
        let mut steps = Sequence::new(device);
        for _ in 0..1000 {
            steps.launch(spin(LONG, &mut x).over(COUNT))?;
        }
        steps.read(&x, ..1)?;
        Ok(steps)
    };
    let (mut steps, mut graph) = (record()?, record()?.into_graph()?);
    let mut values = Readback::new();
    let [sequence, graph] = alternated(|work| {
        let began = Instant::now();
        match work {
            0 => steps.run_into(&mut values)?,
            _ => {
                graph.launch(&device.default_stream())?;
                graph.wait_into(&mut values)?;
            }
        }
        Ok(micros(began.elapsed()))
    })?;
    println!(
        "1,000 kernels of {:.1} us and a read, from the host, beside the cycles of the kernels alone:",
        bound / 1e3
    );
    println!("  sequence {sequence:.0} us, {:.3} of {bound:.0} us", sequence / bound);
    println!("  graph    {graph:.0} us, {:.3}", graph / bound);
    Ok(())
}

/// `repeat` beside a plain graph of as many launches.
fn loops(device: &Device) -> Outcome<()> {
    const TURNS: usize = 8192;
    let mut x = device.zeros::<u32>(COUNT)?;
    for cycles in [0, SHORT, LONG] {
        let mut one = |steps: &mut Sequence| match cycles {
            0 => steps.launch(empty(&mut x).over(COUNT)),
            _ => steps.launch(spin(cycles, &mut x).over(COUNT)),
        };
        let mut plain = Sequence::new(device);
        (0..TURNS).try_for_each(|_| one(&mut plain))?;
        let mut repeated = Sequence::new(device);
        repeated.repeat(TURNS, |body| one(body))?;
        let began = Instant::now();
        let mut plain = plain.into_graph()?;
        let made_plain = began.elapsed();
        let began = Instant::now();
        let mut repeated = repeated.into_graph()?;
        let made = began.elapsed();
        let before = device.stats();
        let ([plain, _], [looped, launched]) = (timed(&mut plain)?, timed(&mut repeated)?);
        let turns = device.stats().since(&before).graph_turns;
        println!(
            "repeat of {TURNS}, {cycles} cycles each: {:.4} us a kernel, {:.3} of a plain graph's {:.4}; \
             host {launched:.1} us, {:.5} of the device; made in {made:.1?}, the plain one in {made_plain:.1?}; \
             {turns} turns by the host",
            looped / TURNS as f64,
            looped / plain,
            plain / TURNS as f64,
            launched / looped,
        );
    }
    Ok(())
}

/// A graph of 1,000 empty kernels beside one that the driver has captured.
fn empties(device: &Device) -> Outcome<()> {
    let mut x = device.zeros::<u32>(COUNT)?;
    let mut steps = Sequence::new(device);
    (0..1000).try_for_each(|_| steps.launch(empty(&mut x).over(COUNT)))?;
    let mut graph = steps.into_graph()?;
    let stream = device.stream()?;
    let info = Empty::info();
    let entry = info.entries.last().ok_or("the kernel has no entry")?;
    let (ptx, symbol) = (CString::new(info.ptx)?, CString::new(entry.symbol)?);
    let (mut address, mut length) = (x.as_view().address(), COUNT as u64);
    let mut parameters: [*mut c_void; 2] = [(&raw mut address).cast(), (&raw mut length).cast()];
    let [width, height, depth] = info.block;
    // SAFETY: the pointers are valid for the calls, and the parameters are those of the kernel.
    let (executable, raw) = unsafe {
        let (mut module, mut function) = (ptr::null_mut(), ptr::null_mut());
        check(cuModuleLoadData(&mut module, ptx.as_ptr().cast()));
        check(cuModuleGetFunction(&mut function, module, symbol.as_ptr()));
        let raw = stream.with_raw(|raw| raw.cast())?;
        let (mut captured, mut executable) = (ptr::null_mut(), ptr::null_mut());
        let mode = CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
        check(cuStreamBeginCapture_v2(raw, mode));
        for _ in 0..1000 {
            let parameters = parameters.as_mut_ptr();
            check(cuLaunchKernel(
                function,
                1,
                1,
                1,
                width,
                height,
                depth,
                0,
                raw,
                parameters,
                ptr::null_mut(),
            ));
        }
        check(cuStreamEndCapture(raw, &mut captured));
        check(cuGraphInstantiateWithFlags(&mut executable, captured, 0));
        (executable, raw)
    };
    let mut values = Readback::new();
    let [own, direct] = alternated(|work| {
        let began = Instant::now();
        match work {
            0 => {
                graph.launch(&stream)?;
                graph.wait_into(&mut values)?;
            }
            // SAFETY: both are live.
            _ => unsafe {
                check(cuGraphLaunch(executable, raw));
                check(cuStreamSynchronize(raw));
            },
        }
        Ok(micros(began.elapsed()))
    })?;
    let [device_time, host] = timed(&mut graph)?;
    println!(
        "graph of 1,000 empty kernels: {own:.0} us from launch to wait, {:.3} of a captured one's {direct:.0}; \
         {:.4} us a kernel on the device; {host:.1} us to launch",
        own / direct,
        device_time / 1e3
    );
    Ok(())
}

/// Copies from and to pinned memory, beside those of the driver.
fn copies(device: &Device) -> Outcome<()> {
    let mut buffer = device.zeros::<u8>(COPIED)?;
    let mut pinned = Some(device.pinned::<u8>(COPIED)?);
    let stream = device.stream()?;
    let raw = stream.with_raw(|raw| raw.cast())?;
    device.synchronize()?;
    let [up, raw_up, down, raw_down] = alternated(|work| {
        let host = pinned.take().ok_or("the memory came back")?;
        let address = buffer.as_view().address();
        let began = Instant::now();
        let host = match work {
            0 => buffer.write_from(host)?.wait()?,
            2 => buffer.read_into(host)?.wait()?,
            _ => {
                let at = host.as_ptr().cast_mut().cast::<c_void>();
                // SAFETY: both have this many bytes, and the copy is waited for.
                unsafe {
                    match work {
                        1 => check(cuMemcpyHtoDAsync_v2(address, at, COPIED, raw)),
                        _ => check(cuMemcpyDtoHAsync_v2(at, address, COPIED, raw)),
                    }
                    check(cuStreamSynchronize(raw));
                }
                host
            }
        };
        let time = micros(began.elapsed());
        pinned = Some(host);
        Ok(time)
    })?;
    let rate = |time: f64| COPIED as f64 / time / 1e3;
    println!("copies of {} MiB, beside cuMemcpyAsync:", COPIED >> 20);
    println!("  from Pinned {:.1} GB/s, {:.3}", rate(up), raw_up / up);
    println!("  to Pinned   {:.1} GB/s, {:.3}", rate(down), raw_down / down);
    Ok(())
}

/// Chunks that are written, worked on and read back on three streams.
fn overlap(device: &Device) -> Outcome<()> {
    const CHUNKS: usize = 24;
    const WORDS: usize = (16 << 20) / 4;
    // 16 waves of blocks on an H200, which take about as long as a copy.
    const CYCLES: u64 = LONG;
    struct Lane {
        stream: Stream,
        buffer: DeviceBuffer<u32>,
        /// The memory of the host for both ways, or the copy that has it.
        host: [Option<Pinned<u32>>; 2],
        copies: [Option<Transfer<u32>>; 2],
    }
    impl Lane {
        /// The memory for one way, once the last copy is done.
        fn host(&mut self, way: usize) -> Outcome<Pinned<u32>> {
            if let Some(copy) = self.copies[way].take() {
                return Ok(copy.wait()?);
            }
            Ok(self.host[way].take().ok_or("the memory came back")?)
        }
    }
    let lane = || -> Outcome<Lane> {
        let (stream, mut buffer) = (device.stream()?, device.zeros::<u32>(WORDS)?);
        // Copies of it are on this stream then.
        spin(0, &mut buffer).over(WORDS).on(&stream).launch(device)?;
        Ok(Lane {
            stream,
            buffer,
            host: [Some(device.pinned(WORDS)?), Some(device.pinned(WORDS)?)],
            copies: [None, None],
        })
    };
    let mut lanes = [lane()?, lane()?, lane()?];
    let mut run = |stages: [bool; 3]| -> Outcome<f64> {
        device.synchronize()?;
        let began = Instant::now();
        for chunk in 0..CHUNKS {
            let lane = &mut lanes[chunk % 3];
            if stages[0] {
                let host = lane.host(0)?;
                lane.copies[0] = Some(lane.buffer.write_from(host)?);
            }
            if stages[1] {
                let kernel = spin(CYCLES, &mut lane.buffer);
                kernel.over(WORDS).on(&lane.stream).launch(device)?;
            }
            if stages[2] {
                let host = lane.host(1)?;
                lane.copies[1] = Some(lane.buffer.read_into(host)?);
            }
        }
        for lane in &mut lanes {
            for way in 0..2 {
                lane.host[way] = Some(lane.host(way)?);
            }
        }
        device.synchronize()?;
        Ok(micros(began.elapsed()))
    };
    let [all, up, work, down] = alternated(|kind| match kind {
        0 => run([true; 3]),
        1 => run([true, false, false]),
        2 => run([false, true, false]),
        _ => run([false, false, true]),
    })?;
    // The slowest stage for all chunks, and the others for one.
    let slowest = up.max(work).max(down);
    let ideal = slowest + (up + work + down - slowest) / CHUNKS as f64;
    println!(
        "{CHUNKS} chunks of 16 MiB written, worked on and read on three streams: {all:.0} us, ideal {ideal:.0} us \
         ({:.3} of it); the stages alone {up:.0}, {work:.0} and {down:.0} us",
        ideal / all
    );
    Ok(())
}

fn allocations(device: &Device) -> Outcome<()> {
    const TIMES: usize = 1000;
    let [time] = alternated(|_| {
        device.synchronize()?;
        let began = Instant::now();
        for _ in 0..TIMES {
            drop(device.uninit::<u32>(1024)?);
        }
        Ok(micros(began.elapsed()) / TIMES as f64)
    })?;
    println!("allocate and free 4 KiB: {time:.3} us");
    Ok(())
}

/// The time from the end of the work to the next line after `.await`, and after a wait. A thread that sleeps until its task
/// is woken has the time that the system takes to wake it, which is measured beside; one that looks has not.
fn wakes(device: &Device) -> Outcome<()> {
    let mut x = device.zeros::<u32>(COUNT)?;
    let mut steps = Sequence::new(device);
    steps.launch(spin(50 * LONG, &mut x).over(COUNT))?;
    let mut values = Readback::new();
    steps.run()?;
    let mut on_device = Vec::new();
    for _ in 0..SAMPLES {
        on_device.push(micros(steps.run_timed(&mut values)?.device.ok_or("a GPU has times")?));
    }
    let on_device = median(on_device);
    let [waited, awaited, looked, unparked] = alternated(|work| {
        if work == 3 {
            return Ok(unpark(Duration::from_secs_f64(on_device / 1e6)));
        }
        let began = Instant::now();
        let started = steps.start()?;
        match work {
            0 => drop(started.wait()?),
            1 => drop(block_on(started, std::thread::park)?),
            _ => drop(block_on(started, std::hint::spin_loop)?),
        }
        Ok(micros(began.elapsed()))
    })?;
    println!(
        "from the start of a run of {on_device:.0} us on the device to its result, without that: {:.1} us by wait(), \
         {:.1} us by .await, {:.1} us if the executor looks; a thread that sleeps is woken in {unparked:.1} us",
        waited - on_device,
        awaited - on_device,
        looked - on_device
    );
    Ok(())
}

/// Microseconds from the end of another thread's spin to the next line of this one, which sleeps meanwhile.
fn unpark(time: Duration) -> f64 {
    let (sleeper, woken) = (std::thread::current(), Arc::new(AtomicBool::new(false)));
    let seen = Arc::clone(&woken);
    let spinner = std::thread::spawn(move || {
        let began = Instant::now();
        while began.elapsed() < time {
            std::hint::spin_loop();
        }
        let end = Instant::now();
        woken.store(true, Ordering::Release);
        sleeper.unpark();
        end
    });
    while !seen.load(Ordering::Acquire) {
        std::thread::park();
    }
    let now = Instant::now();
    micros(now - spinner.join().expect("it does not panic"))
}

/// Runs a future on this thread, which idles by `idle` until the task is woken.
fn block_on<F: Future>(future: F, idle: fn()) -> F::Output {
    struct Woken(Thread, AtomicBool);
    impl Wake for Woken {
        fn wake(self: Arc<Self>) {
            self.1.store(true, Ordering::Release);
            self.0.unpark();
        }
    }
    let woken = Arc::new(Woken(std::thread::current(), AtomicBool::new(false)));
    let waker = Waker::from(Arc::clone(&woken));
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(output) => return output,
            Poll::Pending => {
                while !woken.1.swap(false, Ordering::Acquire) {
                    idle();
                }
            }
        }
    }
}

/// # Panics
/// If a call of the driver has failed.
fn check(result: CUresult) {
    assert_eq!(result, CUresult::CUDA_SUCCESS);
}
