//! Kernels on the CPU beside plain Rust of the same computation, in turns: the median times with one thread, their
//! quotient, and how much faster the kernel is with two threads.
//!
//! ```text
//! cargo bench --bench cpu
//! ```

mod kernels;
mod plain;

use std::hint::black_box;
use std::time::Instant;

use rayon::ThreadPool;
use vyre::prelude::*;

/// Runs of each; the median is reported.
const RUNS: usize = 9;
/// Elements of the long vectors.
const LONG: usize = 1 << 22;
/// Rows and columns of the matrices.
const N: usize = 512;

fn milliseconds(run: &mut dyn FnMut()) -> f64 {
    let began = Instant::now();
    run();
    began.elapsed().as_secs_f64() * 1e3
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// The pools of one thread and of two.
struct Pools([ThreadPool; 2]);

impl Pools {
    /// Prints the row of a kernel.
    fn row(&self, name: &str, kernel: &mut (dyn FnMut() + Send), plain: &mut dyn FnMut()) {
        let [one, two] = &self.0;
        kernel();
        plain();
        let mut times = [const { Vec::new() }; 3];
        for _ in 0..RUNS {
            times[0].push(milliseconds(plain));
            times[1].push(one.install(|| milliseconds(&mut || kernel())));
            times[2].push(two.install(|| milliseconds(&mut || kernel())));
        }
        let [plain, one, two] = times.map(median);
        println!(
            "| {name} | {plain:.2} | {one:.2} | {:.2} | {:.2} |",
            one / plain,
            one / two
        );
    }
}

fn main() -> vyre::Result<()> {
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pools = Pools([pool(1).expect("a thread"), pool(2).expect("two threads")]);
    let device = Device::cpu();
    let floats: Vec<f32> = (0..LONG).map(|i| (i % 1013) as f32 * 0.01).collect();
    let words: Vec<u32> = (0..LONG as u32).map(|i| i.wrapping_mul(0x9e37_79b1) >> 7).collect();
    let bytes: Vec<u8> = words.iter().map(|&word| word as u8).collect();
    let matrix = &floats[..N * N];
    let other: Vec<f32> = (0..N * N).map(|i| (i % 97) as f32 * 0.02).collect();
    let positions: Vec<[f32; 4]> = (0..4096)
        .map(|i| [i % 16, i / 16 % 16, i / 256, 1].map(|it| it as f32))
        .collect();
    let (x, w, by) = (device.upload(&floats)?, device.upload(&words)?, device.upload(&bytes)?);
    let (a, b, p) = (
        device.upload(matrix)?,
        device.upload(&other)?,
        device.upload(&positions)?,
    );
    let (mut y, mut v) = (device.zeros::<f32>(LONG)?, device.zeros::<u32>(LONG)?);
    let (mut out, mut counted) = (vec![0.0f32; LONG], vec![0u32; LONG]);
    let width = 2048;
    println!("| kernel | plain Rust, ms | vyre, ms | quotient | two threads |");
    println!("|---|--:|--:|--:|--:|");
    macro_rules! row {
        ($name:literal, $kernel:expr, $extent:expr, $plain:expr) => {
            pools.row(
                $name,
                &mut || $kernel.over($extent).launch(&device).expect("a launch"),
                &mut || {
                    $plain;
                    black_box((&mut out, &mut counted));
                },
            );
        };
    }
    row!(
        "saxpy",
        kernels::saxpy(0.5, &x, &mut y),
        LONG,
        plain::saxpy(0.5, &floats, &mut out)
    );
    row!(
        "blur of rows",
        kernels::blur_rows(&x, width, &mut y),
        LONG,
        plain::blur_rows(&floats, width, &mut out)
    );
    row!(
        "blur of columns",
        kernels::blur_columns(&x, width, &mut y),
        LONG,
        plain::blur_columns(&floats, width, &mut out)
    );
    let mut c = device.zeros::<f32>(N * N)?;
    row!(
        "product",
        kernels::product(&a, &b, N, &mut c),
        [N, N],
        plain::product(matrix, &other, N, &mut out[..N * N])
    );
    row!(
        "product, tiled",
        kernels::product_tiled(&a, &b, N, &mut c),
        [N, N],
        plain::product(matrix, &other, N, &mut out[..N * N])
    );
    let mut counts = device.zeros::<u32>(256)?;
    row!(
        "histogram",
        kernels::histogram(&by, &mut counts),
        LONG,
        plain::histogram(&bytes, &mut counted[..256])
    );
    row!(
        "layer norm",
        kernels::layer_norm(&x, width, &mut y),
        32 * LONG / width,
        plain::layer_norm(&floats, width, &mut out)
    );
    row!(
        "scan of blocks",
        kernels::scan(&w, &mut v),
        LONG,
        plain::scan(&words, &mut counted)
    );
    row!(
        "sums of blocks",
        kernels::block_sums(&x, &mut y),
        LONG,
        plain::block_sums(&floats, &mut out[..LONG / 256])
    );
    row!(
        "transpose",
        kernels::transpose(&x, width, &mut y),
        [width, width / 4],
        plain::transpose(&floats, width, &mut out)
    );
    let mut forces = device.zeros::<[f32; 4]>(positions.len())?;
    let mut accelerations = vec![[0.0f32; 4]; positions.len()];
    row!(
        "n-body",
        kernels::bodies(&p, &mut forces),
        positions.len(),
        plain::bodies(&positions, black_box(&mut accelerations))
    );
    row!(
        "Mandelbrot",
        kernels::mandelbrot(768, &mut v),
        [768, 512],
        plain::mandelbrot(768, &mut counted[..768 * 512])
    );
    row!(
        "softmax",
        kernels::softmax(&x, width, &mut y),
        256 * LONG / width,
        plain::softmax(&floats, width, &mut out)
    );
    row!(
        "stencil",
        kernels::stencil(&x, 160, &mut y),
        [160, 160, 160],
        plain::stencil(&floats, 160, &mut out)
    );
    row!("sort of blocks", kernels::sort_blocks(&mut v), LONG, {
        // It is sorted after the first run.
        counted.copy_from_slice(&words);
        plain::sort_blocks(&mut counted)
    });
    row!(
        "hashes",
        kernels::hashes(7, &mut v),
        LONG,
        plain::hashes(7, &mut counted)
    );
    Ok(())
}
