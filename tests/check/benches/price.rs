//! The time of kernels in checking mode beside that of their CPU bodies, on one thread.
//!
//! ```sh
//! RAYON_NUM_THREADS=1 cargo bench -p vyre-check-tests
//! ```

use std::time::{Duration, Instant};

use vyre::prelude::*;

/// `examples/quickstart`.
#[vyre::kernel]
fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
    let i = thread::index();
    if i < y.len() {
        y[i] += a * x[i];
    }
}

/// `tests/algorithms`, `reduce.rs`.
#[vyre::kernel(block = 128)]
fn by_halves(x: &[f32], sums: &mut [f32]) {
    let partial = shared::<[f32; 128]>();
    let (i, t) = (thread::index(), thread::idx().x);
    partial[t] = if i < x.len() { x[i] } else { 0.0 };
    block::sync();
    let mut half = 64;
    while half > 0 {
        if t < half {
            partial[t] += partial[t + half];
        }
        block::sync();
        half /= 2;
    }
    if t == 0 {
        sums[block::idx().x] = partial[0];
    }
}

/// `tests/algorithms`, `bitonic_sort.rs`.
#[vyre::kernel(block = 256)]
fn sort_chunks(keys: &mut [u32]) {
    let chunk = shared::<[u32; 256]>();
    let (i, t) = (thread::index(), thread::idx().x);
    let mut key = keys[i];
    let mut size = 2;
    while size <= 256 {
        let mut mask = size - 1;
        let mut distance = size / 2;
        while distance > 0 {
            chunk[t] = key;
            block::sync();
            let other = chunk[t ^ mask];
            key = if t & distance == 0 {
                key.min(other)
            } else {
                key.max(other)
            };
            block::sync();
            distance /= 2;
            mask = distance;
        }
        size *= 2;
    }
    keys[i] = key;
}

/// `tests/algorithms`, `matrix_product.rs`.
#[vyre::kernel(block = [16, 16])]
fn product(a: Slice2<'_, f32>, b: Slice2<'_, f32>, mut c: SliceMut2<'_, f32>) {
    const SIDE: usize = 16;
    let left = shared::<[[f32; SIDE]; SIDE]>();
    let right = shared::<[[f32; SIDE]; SIDE]>();
    let (column, row) = thread::index_2d();
    let (x, y) = (thread::idx().x, thread::idx().y);
    let mut sum = 0.0;
    for first in (0..a.cols()).step_by(SIDE) {
        left[y][x] = a[[row, first + x]];
        right[y][x] = b[[first + y, column]];
        block::sync();
        for k in 0..SIDE {
            sum = left[y][k].mul_add(right[k][x], sum);
        }
        block::sync();
    }
    c[[row, column]] = sum;
}

/// `examples/histogram`.
#[vyre::kernel(block = 256)]
fn histogram(bytes: &[u8], bins: &[AtomicU32]) {
    let counts = shared::<[AtomicU32; 256]>();
    let t = thread::idx().x;
    counts[t].store(0, Ordering::Relaxed);
    block::sync();
    let mut i = thread::index();
    while i < bytes.len() {
        counts[bytes[i] as usize].fetch_add(1, Ordering::Relaxed);
        i += grid::dim().x * block::dim().x;
    }
    block::sync();
    bins[t].fetch_add(counts[t].load(Ordering::Relaxed), Ordering::Relaxed);
}

/// `tests/algorithms`, `mandelbrot.rs`: arithmetic in a loop, and one access.
#[vyre::kernel]
fn escape_times(times: &mut [u32], width: usize, step: f32, limit: u32) {
    let i = thread::index();
    if i < times.len() {
        let (x, y) = ((i % width) as f32 * step - 2.0, (i / width) as f32 * step - 1.0);
        let (mut re, mut im, mut time) = (0.0f32, 0.0f32, 0);
        while time < limit && re * re + im * im < 4.0 {
            let next = re * re - im * im + x;
            im = 2.0 * re * im + y;
            re = next;
            time += 1;
        }
        times[i] = time;
    }
}

type Run = fn(&Device, usize) -> vyre::Result<()>;

const KERNELS: [(&str, Run); 6] = [
    ("saxpy", |device, n| {
        let x = device.zeros::<f32>(16 * n)?;
        let mut y = device.zeros::<f32>(16 * n)?;
        saxpy(2.0, &x, &mut y).over(16 * n).launch(device)?;
        y.download().map(drop)
    }),
    ("by_halves", |device, n| {
        let x = device.zeros::<f32>(4 * n)?;
        let mut sums = device.zeros::<f32>(4 * n / 128)?;
        by_halves(&x, &mut sums).over(4 * n).launch(device)?;
        sums.download().map(drop)
    }),
    ("sort_chunks", |device, n| {
        let mut keys = device.zeros::<u32>(n)?;
        sort_chunks(&mut keys).over(n).launch(device)?;
        keys.download().map(drop)
    }),
    ("product", |device, n| {
        let a = device.zeros::<f32>(n)?;
        let side = n.isqrt();
        let mut c = device.zeros::<f32>(n)?;
        let blocks = side as u32 / 16;
        product(a.view2(side, side)?, a.view2(side, side)?, c.view2_mut(side, side)?)
            .grid([blocks, blocks])
            .launch(device)?;
        c.download().map(drop)
    }),
    ("histogram", |device, n| {
        let bytes = device.zeros::<u8>(64 * n)?;
        let mut bins = device.zeros::<u32>(256)?;
        histogram(&bytes, &mut bins).grid(n as u32 / 1024).launch(device)?;
        bins.download().map(drop)
    }),
    ("escape_times", |device, n| {
        let mut times = device.zeros::<u32>(n)?;
        escape_times(&mut times, 64, 0.03, 100).over(n).launch(device)?;
        times.download().map(drop)
    }),
];

/// The time of this thread on a processor: other programs of the machine are none of it. Elsewhere than on Linux all time.
fn spent(begin: Instant) -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let first = text.split(' ').next().and_then(|nanoseconds| nanoseconds.parse().ok());
    first.map_or_else(|| begin.elapsed(), Duration::from_nanos)
}

/// The mean time of as many runs as take a while.
fn time(run: impl Fn() -> vyre::Result<()>) -> Duration {
    let (origin, mut runs) = (Instant::now(), 0);
    let begin = spent(origin);
    while runs == 0 || spent(origin) - begin < Duration::from_millis(200) {
        run().unwrap_or_else(|error| panic!("{error}"));
        runs += 1;
    }
    (spent(origin) - begin) / runs
}

fn main() {
    let wanted = std::env::args().nth(1).filter(|name| !name.starts_with('-'));
    let n = 1 << 12;
    println!("{:14} {:>12} {:>12} {:>8}", "kernel", "CPU", "checked", "times");
    let mut product = 1.0;
    let mut count = 0;
    for (name, run) in KERNELS {
        if wanted.as_ref().is_some_and(|wanted| wanted != name) {
            continue;
        }
        let [cpu, checked] = [Device::cpu(), Device::checked()].map(|device| time(|| run(&device, n)));
        let times = checked.as_secs_f64() / cpu.as_secs_f64();
        println!("{name:14} {cpu:>12.1?} {checked:>12.1?} {times:>8.1}");
        product *= times;
        count += 1;
    }
    println!("geometric mean: {:.1}", f64::powf(product, 1.0 / f64::from(count)));
}
