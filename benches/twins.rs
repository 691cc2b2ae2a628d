//! Times of kernels beside those of CUDA C++ for the same algorithms, in turns in one process, on the same buffers.
//!
//! ```text
//! scripts/sass --twins                          # nvcc's machine code, to target/sass/twins-*.cubin
//! cargo bench --bench twins -- [CUBIN..] [=NAME..]
//! ```
//!
//! The kernels are those of `cuda/`, built by nvcc for the GPU at hand with `-O3 -fmad=false -DINDEX=int`. For each the
//! program holds the results of the two against each other, and prints both medians and their ratio.
#![allow(unreachable_pub, reason = "a program has no outside")]

use std::ffi::{CString, c_void};
use std::fmt::Debug;
use std::time::{Duration, Instant};
use std::{fs, ptr};

use vyre::Element;
use vyre::cudarc::driver::sys::{
    CUfunction, CUresult, CUstream, cuLaunchCooperativeKernel, cuLaunchKernel, cuModuleGetFunction, cuModuleLoadData,
};
use vyre::prelude::*;

mod cuda {
    pub mod collectives;
    pub mod kernels;
}
#[path = "../examples/edges/kernels.rs"]
#[allow(dead_code, reason = "some have no twin")]
mod edges;
#[path = "../examples/nbody/kernels.rs"]
#[allow(dead_code, reason = "some have no twin")]
mod nbody;

use cuda::{collectives, kernels};

/// Samples of each kernel.
const SAMPLES: usize = 15;
/// Time that a sample takes at least.
const SAMPLE: Duration = Duration::from_millis(2);

/// Kernels of nvcc's machine code, on one device.
struct Bench {
    device: Device,
    modules: Vec<Vec<u8>>,
    only: Vec<String>,
}

/// A launch of a kernel of nvcc's.
struct Twin {
    name: &'static str,
    grid: [u32; 3],
    block: [u32; 3],
    /// Each as the low bytes of a word: addresses, 32-bit integers, bits of floats.
    arguments: Vec<u64>,
    is_cooperative: bool,
}

/// A launch of blocks in a row.
fn twin(name: &'static str, blocks: usize, threads: u32, arguments: &[u64]) -> Twin {
    shaped(name, [blocks as u32, 1, 1], [threads, 1, 1], arguments)
}

fn shaped(name: &'static str, grid: [u32; 3], block: [u32; 3], arguments: &[u64]) -> Twin {
    Twin {
        name,
        grid,
        block,
        arguments: arguments.to_vec(),
        is_cooperative: false,
    }
}

impl Bench {
    fn function(&self, name: &str) -> Option<CUfunction> {
        let symbol = CString::new(name).expect("a name without zeros");
        self.modules.iter().find_map(|image| {
            let (mut module, mut function) = (ptr::null_mut(), ptr::null_mut());
            // SAFETY: the context of the device is current, and the pointers are valid for the calls.
            unsafe {
                check(cuModuleLoadData(&mut module, image.as_ptr().cast()));
                (cuModuleGetFunction(&mut function, module, symbol.as_ptr()) == CUresult::CUDA_SUCCESS)
                    .then_some(function)
            }
        })
    }

    /// Times both, and prints a row. `out` is what the two write; it begins as it is given.
    fn compare<T: Element + Debug>(
        &self,
        name: &str,
        out: &mut DeviceBuffer<T>,
        mut ours: impl FnMut(&mut DeviceBuffer<T>) -> vyre::Result<()>,
        twin: &Twin,
        same: fn(&[T], &[T]) -> bool,
    ) -> vyre::Result<()> {
        if !self.only.is_empty() && !self.only.iter().any(|only| only == name) {
            return Ok(());
        }
        let stream = self.device.default_stream();
        let Some(function) = stream.with_raw(|_| self.function(twin.name))? else {
            println!("{name:<28} no kernel {} in the files", twin.name);
            return Ok(());
        };
        let theirs = || stream.with_raw(|stream| twin.launch(function, stream.cast()));

        let start = out.try_clone()?;
        ours(out)?;
        let results = out.download()?;
        out.copy_from(&start)?;
        theirs()?;
        let expected = out.download()?;
        let differs = if same(&results, &expected) {
            ""
        } else {
            "  RESULTS DIFFER"
        };

        let began = Instant::now();
        theirs()?;
        self.device.synchronize()?;
        let runs = (SAMPLE.as_secs_f64() / began.elapsed().as_secs_f64())
            .ceil()
            .clamp(1.0, 200.0) as u32;
        let (mut of_ours, mut of_theirs) = (Vec::new(), Vec::new());
        for _ in 0..SAMPLES {
            of_ours.push(self.time(runs, || ours(out))?);
            of_theirs.push(self.time(runs, theirs)?);
        }
        let (ours, theirs) = (median(of_ours), median(of_theirs));
        println!("{name:<28} {ours:>10.1} {theirs:>10.1} {:>7.3}{differs}", ours / theirs);
        Ok(())
    }

    /// Microseconds of each of some launches.
    fn time(&self, runs: u32, mut launch: impl FnMut() -> vyre::Result<()>) -> vyre::Result<f64> {
        self.device.synchronize()?;
        let began = Instant::now();
        for _ in 0..runs {
            launch()?;
        }
        self.device.synchronize()?;
        Ok(began.elapsed().as_secs_f64() * 1e6 / f64::from(runs))
    }
}

impl Twin {
    fn launch(&self, function: CUfunction, stream: CUstream) {
        let mut words = self.arguments.clone();
        let mut arguments: Vec<*mut c_void> = words.iter_mut().map(|word| ptr::from_mut(word).cast()).collect();
        let ([x, y, z], [width, height, depth]) = (self.grid, self.block);
        let list = arguments.as_mut_ptr();
        // SAFETY: the arguments are those of the kernel, and what they point to is alive until the device is idle.
        check(unsafe {
            if self.is_cooperative {
                cuLaunchCooperativeKernel(function, x, y, z, width, height, depth, 0, stream, list)
            } else {
                cuLaunchKernel(
                    function,
                    x,
                    y,
                    z,
                    width,
                    height,
                    depth,
                    0,
                    stream,
                    list,
                    ptr::null_mut(),
                )
            }
        });
    }
}

fn check(result: CUresult) {
    assert_eq!(result, CUresult::CUDA_SUCCESS);
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn equal<T: PartialEq>(a: &[T], b: &[T]) -> bool {
    a == b
}

/// Sums in another order.
fn close(a: &[f32], b: &[f32]) -> bool {
    a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-3 * b.abs() + 1e-3)
}

/// Random words.
fn words(count: usize) -> Vec<u32> {
    let mix = |i: usize| {
        let word = (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        ((word ^ (word >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 32) as u32
    };
    (0..count).map(mix).collect()
}

/// Random numbers from 0 to 1.
fn floats(count: usize) -> Vec<f32> {
    words(count)
        .into_iter()
        .map(|word| (word >> 8) as f32 / (1 << 24) as f32)
        .collect()
}

fn bits(number: f32) -> u64 {
    number.to_bits().into()
}

fn main() -> vyre::Result<()> {
    let device = match Device::cuda(0) {
        Ok(device) => device,
        Err(error) => {
            println!("SKIP-GPU bench twins: {error}");
            return Ok(());
        }
    };
    let (mut modules, mut only) = (Vec::new(), Vec::new());
    for word in std::env::args().skip(1).filter(|word| word != "--bench") {
        match word.strip_prefix('=') {
            Some(name) => only.push(name.to_owned()),
            None => modules.push(fs::read(&word).unwrap_or_else(|error| panic!("{word}: {error}"))),
        }
    }
    if modules.is_empty() {
        println!("give the files of nvcc's machine code; `scripts/sass --twins` makes them");
        return Ok(());
    }
    println!("device: {device}");
    println!("{:<28} {:>10} {:>10} {:>7}", "microseconds", "vyre", "nvcc", "ratio");
    let bench = Bench { device, modules, only };
    memory(&bench)?;
    products(&bench)?;
    arithmetic(&bench)?;
    warps(&bench)?;
    blocks(&bench)
}

/// Kernels that memory bounds.
fn memory(bench: &Bench) -> vyre::Result<()> {
    let device = &bench.device;
    let count = 1 << 26;
    let x = device.upload(&floats(count))?;
    let mut y = x.try_clone()?;
    let [at_x, at_y] = [x.as_view().address(), y.as_view().address()];
    bench.compare(
        "saxpy",
        &mut y,
        |y| kernels::saxpy(0.5, &x, y).over(count).launch(device),
        &twin("saxpy", count / 256, 256, &[bits(0.5), at_x, at_y, count as u64]),
        equal,
    )?;
    let side = 8192;
    bench.compare(
        "transpose, constants",
        &mut y,
        |y| {
            kernels::transpose(&x, y, side)
                .grid([side as u32 / 32, side as u32 / 32])
                .launch(device)
        },
        &shaped(
            "transpose",
            [side as u32 / 32, side as u32 / 32, 1],
            [32, 8, 1],
            &[at_x, at_y, side as u64],
        ),
        equal,
    )?;
    let tiled = [side as u32 / 32, side as u32 / 8, 1];
    bench.compare(
        "stencil",
        &mut y,
        |y| kernels::stencil(&x, y, side, side).over([side, side]).launch(device),
        &shaped("stencil", tiled, [32, 8, 1], &[at_x, at_y, side as u64, side as u64]),
        equal,
    )?;
    let weights = device.upload(&floats(49))?;
    let at_weights = weights.as_view().address();
    bench.compare(
        "conv7",
        &mut y,
        |y| {
            kernels::conv7(&x, &weights, y, side, side)
                .over([side, side])
                .launch(device)
        },
        &shaped(
            "conv7",
            tiled,
            [32, 8, 1],
            &[at_x, at_weights, at_y, side as u64, side as u64],
        ),
        equal,
    )?;
    let taps = weights.slice(..13)?;
    bench.compare(
        "blur_columns",
        &mut y,
        |y| {
            edges::blur_columns(x.view2(side, side)?, taps, y.view2_mut(side, side)?)
                .over([side, side])
                .launch(device)
        },
        &shaped(
            "blur_columns",
            tiled,
            [32, 8, 1],
            &[at_x, at_weights, 13, at_y, side as u64, side as u64],
        ),
        equal,
    )?;
    bench.compare(
        "blur_rows",
        &mut y,
        |y| {
            edges::blur_rows(x.view2(side, side)?, taps, y.view2_mut(side, side)?)
                .over([side, side])
                .launch(device)
        },
        &shaped(
            "blur_rows",
            tiled,
            [32, 8, 1],
            &[at_x, at_weights, 13, at_y, side as u64, side as u64],
        ),
        equal,
    )?;

    let (rows, width) = (1 << 17, 512);
    let mut sums = device.zeros::<f32>(rows)?;
    let at_sums = sums.as_view().address();
    bench.compare(
        "row_sums",
        &mut sums,
        |sums| kernels::row_sums(&x, sums, width).over(rows).launch(device),
        &twin("row_sums", rows / 256, 256, &[at_x, at_sums, rows as u64, width as u64]),
        equal,
    )?;
    bench.compare(
        "tile_rows",
        &mut sums,
        |sums| kernels::tile_rows(&x, sums, width).over(rows * 8).launch(device),
        &twin("tile_rows", rows / 32, 256, &[at_x, at_sums, rows as u64, width as u64]),
        equal,
    )?;

    let image: Vec<[u8; 4]> = words(1 << 26).into_iter().map(u32::to_le_bytes).collect();
    let image = device.upload(image.as_flattened())?;
    let mut out = device.zeros::<u8>(image.len())?;
    let pixels = image.len();
    let arguments = [image.as_view().address(), out_address(&out), 200, pixels as u64];
    bench.compare(
        "u8 image, #[each]",
        &mut out,
        |out| kernels::complement(&image, out, 200).launch(device),
        &twin("complement", pixels / 256, 256, &arguments),
        equal,
    )?;

    let rows = 1 << 20;
    let lengths = words(rows);
    let mut starts = vec![0u32];
    starts.extend(lengths.iter().scan(0, |at, &word| {
        *at += 8 + word % 48;
        Some(*at)
    }));
    let entries = starts[rows] as usize;
    let columns: Vec<u32> = words(entries).iter().map(|word| word % rows as u32).collect();
    let (starts, columns) = (device.upload(&starts)?, device.upload(&columns)?);
    let (values, vector) = (x.slice(..entries)?, x.slice(..rows)?);
    let mut product = device.zeros::<f32>(rows)?;
    let arguments = [
        starts.as_view().address(),
        columns.as_view().address(),
        at_x,
        at_x,
        out_address(&product),
        rows as u64,
    ];
    bench.compare(
        "spmv, row a thread",
        &mut product,
        |product| {
            kernels::spmv(&starts, &columns, values, vector, product)
                .over(rows)
                .launch(device)
        },
        &twin("spmv", rows / 256, 256, &arguments),
        equal,
    )?;

    let mut sorted = words(1 << 22);
    sorted.sort_unstable();
    let (sorted, keys) = (device.upload(&sorted)?, device.upload(&words(1 << 24))?);
    let mut places = device.zeros::<u32>(keys.len())?;
    let arguments = [
        sorted.as_view().address(),
        sorted.len() as u64,
        keys.as_view().address(),
        keys.len() as u64,
        out_address(&places),
    ];
    bench.compare(
        "binary search",
        &mut places,
        |places| {
            kernels::lower_bounds(&sorted, &keys, places)
                .over(keys.len())
                .launch(device)
        },
        &twin("lower_bounds", keys.len() / 256, 256, &arguments),
        equal,
    )
}

fn out_address<T: Element>(buffer: &DeviceBuffer<T>) -> u64 {
    buffer.as_view().address()
}

/// Products of matrices.
fn products(bench: &Bench) -> vyre::Result<()> {
    let device = &bench.device;
    let n = 2048;
    let (a, b) = (device.upload(&floats(n * n))?, device.upload(&floats(n * n))?);
    let mut c = device.zeros::<f32>(n * n)?;
    let arguments = [a.as_view().address(), b.as_view().address(), out_address(&c), n as u64];
    let side = n as u32;
    bench.compare(
        "matmul, naive",
        &mut c,
        |c| kernels::matmul_naive(&a, &b, c, n).over([n, n]).launch(device),
        &shaped("matmul_naive", [side / 32, side / 8, 1], [32, 8, 1], &arguments),
        equal,
    )?;
    bench.compare(
        "matmul, tiled",
        &mut c,
        |c| kernels::matmul_tiled(&a, &b, c, n).over([n, n]).launch(device),
        &shaped("matmul_tiled", [side / 32, side / 32, 1], [32, 32, 1], &arguments),
        equal,
    )?;
    bench.compare(
        "matmul, register tiles",
        &mut c,
        |c| {
            kernels::matmul_registers(&a, &b, c, n)
                .grid(side * side / (128 * 128))
                .launch(device)
        },
        &twin("matmul_registers", n * n / (128 * 128), 256, &arguments),
        equal,
    )
}

/// Kernels that arithmetic bounds, and those with tables.
fn arithmetic(bench: &Bench) -> vyre::Result<()> {
    let device = &bench.device;
    let count = 1 << 22;
    let random = words(count * 16);
    let messages: Vec<[u32; 16]> = random.as_chunks().0.to_vec();
    let messages = device.upload(&messages)?;
    let mut digests = device.zeros::<[u32; 8]>(count)?;
    let arguments = [messages.as_view().address(), out_address(&digests), count as u64];
    bench.compare(
        "SHA-256",
        &mut digests,
        |digests| kernels::sha256(&messages, digests).over(count).launch(device),
        &twin("sha256", count / 128, 128, &arguments),
        equal,
    )?;
    let side = 4096;
    let mut image = device.zeros::<u32>(side * side)?;
    let scale = 2.5 / side as f32;
    let arguments = [out_address(&image), side as u64, side as u64, bits(scale), 500];
    bench.compare(
        "Mandelbrot",
        &mut image,
        |image| {
            kernels::escapes(image, side, side, scale, 500)
                .over([side, side])
                .launch(device)
        },
        &shaped(
            "escapes",
            [side as u32 / 32, side as u32 / 8, 1],
            [32, 8, 1],
            &arguments,
        ),
        equal,
    )?;

    let (values, list) = (device.upload(&floats(1 << 22))?, device.upload(&floats(256))?);
    let mut greatest = device.zeros::<f32>(256 * 528)?;
    let arguments = [
        values.as_view().address(),
        values.len() as u64,
        list.as_view().address(),
        list.len() as u64,
        out_address(&greatest),
    ];
    bench.compare(
        "strided loops",
        &mut greatest,
        |greatest| kernels::strided(&values, &list, greatest).grid(528).launch(device),
        &twin("strided", 528, 256, &arguments),
        equal,
    )?;

    let corners: Vec<[f32; 8]> = floats(count * 8).as_chunks().0.to_vec();
    let corners = device.upload(&corners)?;
    let mut sums = device.zeros::<f32>(count)?;
    let arguments = [corners.as_view().address(), out_address(&sums), count as u64];
    bench.compare(
        "table of faces",
        &mut sums,
        |sums| kernels::faces(&corners, sums).over(count).launch(device),
        &twin("faces", count / 256, 256, &arguments),
        equal,
    )?;
    let doubles: Vec<f64> = floats(count * 14).into_iter().map(|x| f64::from(x) + 0.5).collect();
    let (rows, right) = doubles.split_at(count * 10);
    let rows = device.upload(rows.as_chunks::<10>().0)?;
    let right = device.upload(right.as_chunks::<4>().0)?;
    let mut solved = device.zeros::<[f64; 4]>(count)?;
    let arguments = [
        rows.as_view().address(),
        right.as_view().address(),
        out_address(&solved),
        count as u64,
    ];
    bench.compare(
        "triangle of f64",
        &mut solved,
        |solved| kernels::triangle(&rows, &right, solved).over(count).launch(device),
        &twin("triangle", count / 256, 256, &arguments),
        equal,
    )?;

    let bodies = 1 << 15;
    let at = [0, 1, 2, 3].map(|axis| floats((axis + 1) * bodies)[axis * bodies..].to_vec());
    let [x, y, z, mass] = [
        device.upload(&at[0])?,
        device.upload(&at[1])?,
        device.upload(&at[2])?,
        device.upload(&at[3])?,
    ];
    let [mut ax, mut ay, mut az] = [device.zeros(bodies)?, device.zeros(bodies)?, device.zeros(bodies)?];
    let buffers = [&x, &y, &z, &mass, &ax, &ay, &az];
    let mut arguments: Vec<u64> = buffers.iter().map(|buffer| out_address(buffer)).collect();
    arguments.extend([bodies as u64, bits(1e-3)]);
    bench.compare(
        "n-body",
        &mut ax,
        |ax| {
            nbody::attract(&x, &y, &z, &mass, ax, &mut ay, &mut az, 1e-3)
                .over(bodies)
                .launch(device)
        },
        &twin("attract", bodies / 256, 256, &arguments),
        equal,
    )
}

/// Exchanges in warps, and barriers of the grid.
fn warps(bench: &Bench) -> vyre::Result<()> {
    let device = &bench.device;
    let count = 256 * 1056;
    let mut values = device.upload(&words(count))?;
    let address = out_address(&values);
    bench.compare(
        "exchanges, with a tile",
        &mut values,
        |values| kernels::exchanges(values, 500).over(count).launch(device),
        &twin("exchanges", count / 256, 256, &[address, 500]),
        equal,
    )?;
    bench.compare(
        "reductions of warps",
        &mut values,
        |values| kernels::reductions(values, 200).over(count).launch(device),
        &twin("reductions", count / 256, 256, &[address, 200]),
        equal,
    )?;
    let cells = 256 * 132;
    let (mut a, mut b) = (device.upload(&floats(cells))?, device.upload(&floats(cells))?);
    let mut twin = twin(
        "steps",
        cells / 256,
        256,
        &[out_address(&a), out_address(&b), cells as u64, 200],
    );
    twin.is_cooperative = true;
    bench.compare(
        "200 barriers of the grid",
        &mut a,
        |a| kernels::steps(a, &mut b, 200).over(cells).launch(device),
        &twin,
        equal,
    )
}

/// Sums, scans and sorts of blocks.
fn blocks(bench: &Bench) -> vyre::Result<()> {
    let device = &bench.device;
    let count = 256 * 1056;
    let mut values = device.upload(&floats(count))?;
    let address = out_address(&values);
    for (name, by) in [
        ("block::sum, by shuffles", "shuffled_sums"),
        ("block::sum, by CUB", "cub_sums"),
    ] {
        bench.compare(
            name,
            &mut values,
            |values| collectives::sums(values, 500).over(count).launch(device),
            &twin(by, count / 256, 256, &[address, 500]),
            close,
        )?;
    }
    bench.compare(
        "sum by hand, by shuffles",
        &mut values,
        |values| collectives::sums_by_hand(values, 500).over(count).launch(device),
        &twin("shuffled_sums", count / 256, 256, &[address, 500]),
        close,
    )?;
    let mut values = device.upload(&words(count))?;
    let address = out_address(&values);
    for (name, by) in [
        ("block scan, by shuffles", "shuffled_scans"),
        ("block scan, by CUB", "cub_scans"),
    ] {
        bench.compare(
            name,
            &mut values,
            |values| collectives::scans(values, 500).over(count).launch(device),
            &twin(by, count / 256, 256, &[address, 500]),
            equal,
        )?;
    }
    bench.compare(
        "scan by hand, by shuffles",
        &mut values,
        |values| collectives::scans_by_hand(values, 500).over(count).launch(device),
        &twin("shuffled_scans", count / 256, 256, &[address, 500]),
        equal,
    )?;
    for (name, by) in [
        ("block::sort, by CUB's merge", "cub_merge_sorts"),
        ("block::sort, by CUB's radix", "cub_radix_sorts"),
    ] {
        bench.compare(
            name,
            &mut values,
            |values| collectives::sorts(values, 50).over(count).launch(device),
            &twin(by, count / 256, 256, &[address, 50]),
            equal,
        )?;
    }
    let fours: Vec<[u32; 4]> = words(4 * count).as_chunks().0.to_vec();
    let mut values = device.upload(&fours)?;
    let address = out_address(&values);
    bench.compare(
        "sort of four, by CUB's merge",
        &mut values,
        |values| collectives::sorts_of_four(values, 50).over(count).launch(device),
        &twin("cub_merge_sorts_of_four", count / 256, 256, &[address, 50]),
        equal,
    )
}
