//! Kernels on the CPU beside plain Rust of the same computation, in turns: the median times with one thread, their
//! quotient, and how much faster the kernel is with two threads.
//!
//! ```text
//! cargo bench --bench cpu -- [NAME ..] [PICTURE.svg]
//! ```
//!
//! Measures the kernels whose name contains one of the words, or all.
//!
//! Plain Rust is what one writes first. Where that is another algorithm than the kernel's, a second row has a twin of the
//! same algorithm, and that is the one which counts for the mean. Results that have the same bits are compared. Given a file,
//! draws the speeds.

mod kernels;
mod picture;
mod plain;

use std::hint::black_box;
use std::sync::atomic::AtomicU32;
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

/// A kernel, as far as it has been measured.
struct Row {
    name: String,
    /// The time of plain Rust divided by that of the kernel.
    speed: f64,
    is_twin: bool,
}

/// The pools of one thread and of two, and the rows so far.
struct Table {
    pools: [ThreadPool; 2],
    /// Parts of the names of the kernels to measure; empty for all.
    names: Vec<String>,
    /// True if the last kernel was one of these.
    is_measured: bool,
    rows: Vec<Row>,
}

impl Table {
    /// Measures a kernel, and prints its row.
    fn row(&mut self, name: &str, kernel: &mut (dyn FnMut() + Send), plain: &mut dyn FnMut()) {
        kernel();
        plain();
        self.is_measured = self.is_wanted(name);
        if !self.is_measured {
            return;
        }
        let [one, two] = &self.pools;
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
        self.rows.push(Row {
            name: name.to_owned(),
            speed: plain / one,
            is_twin: false,
        });
    }

    /// The same of a kernel that the last row has beside another algorithm. This row counts.
    fn twin(&mut self, kernel: &mut (dyn FnMut() + Send), plain: &mut dyn FnMut()) {
        if !self.is_measured {
            kernel();
            return plain();
        }
        let Some(other) = self.rows.pop() else { return };
        self.row(&format!("{}, same algorithm", other.name), kernel, plain);
        if let Some(row) = self.rows.last_mut().filter(|_| self.is_measured) {
            (row.name, row.is_twin) = (other.name, true);
        }
    }

    fn is_wanted(&self, name: &str) -> bool {
        self.names.is_empty() || self.names.iter().any(|it| name.contains(it))
    }

    /// Prints the mean of the quotients, and draws the speeds if a file is given.
    fn end(self) -> std::io::Result<()> {
        let logarithms: f64 = self.rows.iter().map(|row| row.speed.ln()).sum();
        let mean = (logarithms / self.rows.len() as f64).exp();
        println!(
            "geometric mean of the quotients of {} kernels: {:.3}",
            self.rows.len(),
            1.0 / mean
        );
        if let Some(file) = std::env::args().skip(1).find(|argument| argument.ends_with(".svg")) {
            let bars: Vec<_> = self
                .rows
                .into_iter()
                .map(|it| (it.name, it.speed, it.is_twin))
                .collect();
            std::fs::write(file, picture::drawn(&bars, mean))?;
        }
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let mut table = Table {
        pools: [pool(1).expect("a thread"), pool(2).expect("two threads")],
        names: std::env::args()
            .skip(1)
            .filter(|it| !it.starts_with('-') && !it.ends_with(".svg"))
            .collect(),
        is_measured: false,
        rows: Vec::new(),
    };
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
            table.row(
                $name,
                &mut || $kernel.over($extent).launch(&device).expect("a launch"),
                &mut || {
                    $plain;
                    black_box((&mut out, &mut counted));
                },
            );
        };
    }
    macro_rules! twin {
        ($kernel:expr, $extent:expr, $plain:expr) => {
            table.twin(
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
    let cells: Vec<AtomicU32> = (0..256).map(|_| AtomicU32::new(0)).collect();
    twin!(
        kernels::histogram(&by, &mut counts),
        LONG,
        plain::twins::histogram(&bytes, black_box(&cells))
    );
    row!(
        "histogram of blocks",
        kernels::histogram_of_blocks(&by, &mut counts),
        64 * 256,
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
    assert_eq!(v.download()?, counted, "scan of blocks");
    twin!(
        kernels::scan(&w, &mut v),
        LONG,
        plain::twins::scan(&words, &mut counted)
    );
    assert_eq!(v.download()?, counted, "the twin of the scan");
    row!(
        "sums of blocks",
        kernels::block_sums(&x, &mut y),
        LONG,
        plain::block_sums(&floats, &mut out[..LONG / 256])
    );
    twin!(
        kernels::block_sums(&x, &mut y),
        LONG,
        plain::twins::block_sums(&floats, &mut out[..LONG / 256])
    );
    assert_eq!(y.download()?[..LONG / 256], out[..LONG / 256], "the twin of the sums");
    row!("dot product", kernels::dot(&x, &x, &mut y), 64 * 256, {
        out[0] = plain::dot(&floats, &floats);
    });
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
    // They are sorted after the first run.
    row!("sort of blocks", kernels::sort_blocks(&mut v), LONG, {
        counted.copy_from_slice(&words);
        plain::sort_blocks(&mut counted)
    });
    twin!(kernels::sort_blocks(&mut v), LONG, {
        counted.copy_from_slice(&words);
        plain::twins::sort_blocks(&mut counted)
    });
    row!(
        "hashes",
        kernels::hashes(7, &mut v),
        LONG,
        plain::hashes(7, &mut counted)
    );
    let mut shades = device.zeros::<f32>(LONG / 3)?;
    row!(
        "brightness",
        kernels::brightness(&by, &mut shades),
        LONG / 3,
        plain::brightness(&bytes, &mut out)
    );
    assert_eq!(shades.download()?, out[..LONG / 3], "brightness");
    row!(
        "sobel",
        kernels::sobel(&x, width, &mut y),
        [width, LONG / width],
        plain::sobel(&floats, width, &mut out)
    );
    assert_eq!(y.download()?, out, "sobel");
    let board: Vec<u8> = bytes.iter().map(|byte| byte % 2).collect();
    let (old, mut new) = (device.upload(&board)?, device.zeros::<u8>(LONG)?);
    let mut next = vec![0u8; LONG];
    row!(
        "life",
        kernels::life(&old, width, &mut new),
        [width, LONG / width],
        plain::life(&board, width, black_box(&mut next))
    );
    assert_eq!(new.download()?, next, "life");
    let mut numbers = device.zeros::<[u32; 4]>(LONG / 4)?;
    let mut generated = vec![[0u32; 4]; LONG / 4];
    row!(
        "random numbers",
        kernels::philox(7, &mut numbers),
        LONG / 4,
        plain::philox(7, black_box(&mut generated))
    );
    assert_eq!(numbers.download()?, generated, "random numbers");
    let messages: Vec<[u32; 16]> = words.as_chunks().0[..1 << 16].to_vec();
    let (given, mut digests) = (device.upload(&messages)?, device.zeros::<[u32; 8]>(messages.len())?);
    let mut digested = vec![[0u32; 8]; messages.len()];
    row!(
        "SHA-256",
        kernels::sha256(&given, &mut digests),
        messages.len(),
        plain::sha256(&messages, black_box(&mut digested))
    );
    assert_eq!(digests.download()?, digested, "SHA-256");
    table.end()?;
    Ok(())
}
