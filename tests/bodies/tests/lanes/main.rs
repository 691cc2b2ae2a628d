//! Kernels on the CPU whose threads run several at a time, beside one after the other: same results, same faults.

mod borders;
mod stores;
mod tiles;
mod warps;

use std::process::Command;

use vyre::prelude::*;

#[vyre::kernel]
fn columns(x: &[f32], width: usize, y: &mut [f32]) {
    let i = thread::index();
    if i < y.len() {
        let (row, column) = (i / width, i % width);
        let mut sum = 0.0;
        for d in 0..5 {
            sum += x[(row + d).saturating_sub(2).min(y.len() / width - 1) * width + column];
        }
        y[i] = sum;
    }
}

#[vyre::kernel]
fn rows(x: &[f32], width: usize, y: &mut [f32]) {
    let i = thread::index();
    if i < y.len() {
        let (row, column) = (i / width, i % width);
        let mut sum = 0.0;
        for d in 0..5 {
            sum += x[row * width + (column + d).saturating_sub(2).min(width - 1)];
        }
        y[i] = sum;
    }
}

#[vyre::kernel(block = [16, 16])]
fn product(a: &[f32], b: &[f32], n: usize, c: &mut [f32]) {
    let (column, row) = thread::index_2d();
    if row < n && column < n {
        let mut sum = 0.0;
        for k in 0..n {
            sum += a[row * n + k] * b[k * n + column];
        }
        c[row * n + column] = sum;
    }
}

/// A block of 40 has a tail of eight.
#[vyre::kernel(block = 40)]
fn powers(x: &[u32], count: u32, y: &mut [u32]) {
    let i = thread::index();
    if i >= y.len() {
        return;
    }
    let mut power = y[i];
    for step in 0..count {
        power = power.wrapping_mul(x[i]) ^ (i as u32 + step);
    }
    y[i] = power;
}

/// Element 20 of `x` is the last, so that a lane in the middle faults in the first chunk.
#[vyre::kernel]
fn reaching(x: &[u32], y: &mut [u32]) {
    let i = thread::index();
    let mut sum = 0;
    for step in 0..3 {
        sum += x[i + step];
    }
    y[i] = sum;
}

/// Threads read what others write, so they keep their order.
#[vyre::kernel(block = 64, allow(races))]
fn running(y: &mut [u32]) {
    let i = thread::index();
    let mut sum = 0;
    for back in 0..3 {
        if i >= back {
            sum += y[i - back];
        }
    }
    y[i] = sum;
}

/// A thread reads its element again after it has stored it.
#[vyre::kernel(block = 64)]
fn again(count: u32, y: &mut [u32]) {
    let i = thread::index();
    y[i] += 1;
    let mut sum = 0;
    for step in 0..count {
        sum += y[i] * step;
    }
    y[i] = sum;
}

/// Lanes of warps that no chunk begins with.
#[vyre::kernel(block = 48)]
fn lane_numbers(count: u32, y: &mut [u32]) {
    let (i, lane) = (thread::index(), lane::index() as u32);
    let mut sum = 0;
    for step in 0..count {
        sum += lane * step;
    }
    y[i] = sum;
}

/// Branches that vary, with a store in one of them, and stores in a loop.
#[vyre::kernel(block = 64)]
fn branches(x: &[u32], y: &mut [u32], z: &mut [u32]) {
    let i = thread::index();
    let mut sum = 0;
    for step in 0..4 {
        if x[i] % 3 == step {
            sum += x[i] + step;
            z[i] = step;
        } else if x[i] > 50 {
            sum ^= i as u32;
        }
        y[step as usize * 128 + i] = sum;
    }
}

#[vyre::kernel(block = [32, 2])]
fn stencil(x: &[f32], width: usize, y: &mut [f32]) {
    let (i, j) = thread::index_2d();
    if i > 0 && i < width - 1 && j > 0 && (j + 1) * width < x.len() {
        let at = j * width + i;
        y[at] = 0.25 * (x[at - 1] + x[at + 1] + x[at - width] + x[at + width]);
    }
}

#[vyre::kernel(block = [16, 16])]
fn tiled(a: &[f32], b: &[f32], n: usize, c: &mut [f32]) {
    let left = shared::<[[f32; 16]; 16]>();
    let right = shared::<[[f32; 16]; 16]>();
    let (column, row) = thread::index_2d();
    let (x, y) = (thread::idx().x, thread::idx().y);
    let mut sum = 0.0;
    for tile in 0..n.div_ceil(16) {
        let (across, down) = (tile * 16 + x, tile * 16 + y);
        left[y][x] = if row < n && across < n {
            a[row * n + across]
        } else {
            0.0
        };
        right[y][x] = if down < n && column < n {
            b[down * n + column]
        } else {
            0.0
        };
        block::sync();
        for k in 0..16 {
            sum += left[y][k] * right[k][x];
        }
        block::sync();
    }
    if row < n && column < n {
        c[row * n + column] = sum;
    }
}

/// Threads past the end return before the barriers.
#[vyre::kernel(block = 64)]
fn scan(x: &[u32], y: &mut [u32]) {
    let cells = shared::<[u32; 64]>();
    let (i, t) = (thread::index(), thread::idx().x);
    if i >= x.len() {
        return;
    }
    cells[t] = x[i];
    block::sync();
    let mut distance = 1;
    while distance < 64 {
        let below = if t >= distance { cells[t - distance] } else { 0 };
        block::sync();
        cells[t] += below;
        block::sync();
        distance *= 2;
    }
    y[i] = cells[t];
}

/// Rows that are no multiple of a block.
#[vyre::kernel(block = 64)]
fn softmax(x: &[f32], width: usize, y: &mut [f32]) {
    let (row, t) = (block::idx().x, thread::idx().x);
    let mut most = f32::NEG_INFINITY;
    let mut i = t;
    while i < width {
        most = most.max(x[row * width + i]);
        i += 64;
    }
    let most = block::max(most);
    let mut sum = 0.0;
    let mut i = t;
    while i < width {
        sum += (x[row * width + i] - most).exp();
        i += 64;
    }
    let scale = 1.0 / block::sum(sum);
    let mut i = t;
    while i < width {
        y[row * width + i] = (x[row * width + i] - most).exp() * scale;
        i += 64;
    }
}

/// All exchanges, in warps that are cut by the end of the block; a variable that only some threads change.
#[vyre::kernel(block = 80)]
fn exchanges(x: &[u32], y: &mut [u32]) {
    let i = thread::index();
    let mut value = x[i];
    let mut steps = i;
    for round in 0..3u32 {
        let up = warp::shuffle_up(value, 3);
        let other = warp::shuffle_xor(value, (round + 1) as usize);
        let any = warp::shuffle(value, i * 7 + round as usize);
        let odd = warp::ballot(value % 2 == 1);
        let most = block::sync_count(value > 40) as u32;
        value = value.wrapping_mul(5) ^ up.rotate_left(3) ^ other.rotate_left(9) ^ any ^ odd ^ most;
        if value.is_multiple_of(3) {
            steps += 100;
        }
        value ^= warp::sum(value) ^ steps as u32;
    }
    y[i] = value;
}

/// A tree, in which the first chunk gives up late.
#[vyre::kernel(block = 128)]
fn tree(x: &[u32], y: &mut [u32]) {
    let cells = shared::<[u32; 128]>();
    let t = thread::idx().x;
    cells[t] = x[thread::index()];
    block::sync();
    let mut half = 64;
    while half > 0 {
        if t < half {
            cells[t] = cells[t] * 3 + cells[t + half];
        }
        block::sync();
        half /= 2;
    }
    if t == 0 {
        y[block::idx().x] = cells[0];
    }
}

/// Thread 45 of block 1 reads past the end in the first round, after stores of the lanes before it.
#[vyre::kernel(block = 64)]
fn faulting(x: &[u32], y: &mut [u32]) {
    let cells = shared::<[u32; 64]>();
    let (i, t) = (thread::index(), thread::idx().x);
    let mut sum = 0;
    for round in 0..4 {
        cells[t] = i as u32 + round;
        block::sync();
        for back in 0..4 {
            sum += cells[(t + back) % 64] + x[i + 8 * round as usize];
            y[i] = sum;
        }
        block::sync();
    }
}

/// The results of the kernels whose twin in plain Rust would be as long, as a line.
fn digest(name: &str, words: impl IntoIterator<Item = u32>) {
    let digest = words.into_iter().fold(0xcbf2_9ce4_8422_2325u64, |digest, word| {
        (digest ^ u64::from(word)).wrapping_mul(0x100_0000_01b3)
    });
    println!("digest {name} {digest:016x}");
}

fn results_of_regions(device: &Device) {
    let x: Vec<f32> = (0..3700).map(|i| (i * 7 % 101) as f32 * 0.37).collect();
    let words: Vec<u32> = (0..320u32).map(|i| i.wrapping_mul(0x9e37_79b1) >> 25).collect();
    let (floats, up) = (
        device.upload(&x).expect("memory"),
        device.upload(&words).expect("memory"),
    );

    let mut numbers = device.zeros::<u32>(96).expect("memory");
    lane_numbers(3, &mut numbers).over(96).launch(device).expect("a launch");
    let expected: Vec<u32> = (0..96).map(|i| i % 48 % 32 * 3).collect();
    assert_eq!(numbers.download().expect("results"), expected);

    let (mut all, mut last) = (
        device.zeros::<u32>(512).expect("memory"),
        device.zeros::<u32>(128).expect("memory"),
    );
    branches(&up, &mut all, &mut last)
        .over(128)
        .launch(device)
        .expect("a launch");
    let (mut sums, mut steps) = (vec![0; 512], vec![0; 128]);
    for i in 0..128 {
        let mut sum = 0;
        for step in 0..4 {
            if words[i] % 3 == step {
                sum += words[i] + step;
                steps[i] = step;
            } else if words[i] > 50 {
                sum ^= i as u32;
            }
            sums[step as usize * 128 + i] = sum;
        }
    }
    assert_eq!(all.download().expect("results"), sums);
    assert_eq!(last.download().expect("results"), steps);

    let mut out = device.zeros::<f32>(3700).expect("memory");
    stencil(&floats, 100, &mut out)
        .over([100, 37])
        .launch(device)
        .expect("a launch");
    let found = out.download().expect("results");
    for (at, &found) in found.iter().enumerate() {
        let (i, j) = (at % 100, at / 100);
        let inner = i > 0 && i < 99 && j > 0 && j < 36;
        let mean = |at: usize| 0.25 * (x[at - 1] + x[at + 1] + x[at - 100] + x[at + 100]);
        let expected = if inner { mean(at) } else { 0.0 };
        assert_eq!(found.to_bits(), expected.to_bits(), "stencil {at}");
    }

    let n = 37;
    tiled(&floats, &floats, n, &mut out)
        .over([n, n])
        .launch(device)
        .expect("a launch");
    let found = out.download().expect("results");
    for i in 0..n * n {
        let sum = (0..n).fold(0.0, |sum, k| sum + x[i / n * n + k] * x[k * n + i % n]);
        assert_eq!(found[i].to_bits(), sum.to_bits(), "tiled {i}");
    }

    let short = device.upload(&words[..300]).expect("memory");
    let mut sums = device.zeros::<u32>(320).expect("memory");
    scan(&short, &mut sums).over(320).launch(device).expect("a launch");
    let found = sums.download().expect("results");
    for i in 0..300 {
        assert_eq!(found[i], words[i / 64 * 64..=i].iter().sum(), "scan {i}");
    }

    let (width, rows) = (150, 8);
    softmax(&floats, width, &mut out)
        .over(64 * rows)
        .launch(device)
        .expect("a launch");
    let found = out.download().expect("results");
    for row in 0..rows {
        let x = &x[row * width..][..width];
        let most = x.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let sum: f64 = x.iter().map(|&x| f64::from(x - most).exp()).sum();
        for (column, &x) in x.iter().enumerate() {
            let (found, expected) = (f64::from(found[row * width + column]), f64::from(x - most).exp() / sum);
            assert!(
                (found - expected).abs() <= 1e-6 * expected.max(1e-30),
                "softmax {row} {column}: {found} {expected}"
            );
        }
    }
    digest("softmax", found[..width * rows].iter().map(|it| it.to_bits()));

    let mut exchanged = device.zeros::<u32>(320).expect("memory");
    exchanges(&up, &mut exchanged)
        .over(320)
        .launch(device)
        .expect("a launch");
    digest("exchanges", exchanged.download().expect("results"));

    let mut roots = device.zeros::<u32>(2).expect("memory");
    tree(&up, &mut roots).over(256).launch(device).expect("a launch");
    let root = |words: &[u32]| {
        let mut cells = words.to_vec();
        for half in [64, 32, 16, 8, 4, 2, 1] {
            for t in 0..half {
                cells[t] = cells[t] * 3 + cells[t + half];
            }
        }
        cells[0]
    };
    let expected = vec![root(&words[..128]), root(&words[128..256])];
    assert_eq!(roots.download().expect("results"), expected);

    // Thread 45 of block 1 is the first that reads element 109.
    let short = device.upload(&words[..109]).expect("memory");
    let mut stored = device.zeros::<u32>(128).expect("memory");
    let launched = faulting(&short, &mut stored).over(128).launch(device);
    let fault = launched.map(drop).and_then(|()| device.synchronize());
    let fault = fault.expect_err("a fault").to_string();
    assert!(
        fault.contains("block [1, 0, 0]") && fault.contains("thread [45, 0, 0]"),
        "{fault}"
    );
    digest("fault", fault.bytes().map(u32::from));
}

fn results() {
    let device = Device::cpu();
    results_of_regions(&device);
    borders::results(&device);
    stores::results(&device);
    tiles::results(&device);
    warps::results(&device);
    let (width, height) = (100, 37);
    let x: Vec<f32> = (0..width * height).map(|i| (i * 7 % 101) as f32 * 0.37).collect();
    let up = device.upload(&x).expect("memory");
    let mut out = device.zeros::<f32>(x.len()).expect("memory");

    columns(&up, width, &mut out)
        .over(x.len())
        .launch(&device)
        .expect("a launch");
    let found = out.download().expect("results");
    for (i, &found) in found.iter().enumerate() {
        let taps = (0..5).map(|d| x[(i / width + d).saturating_sub(2).min(height - 1) * width + i % width]);
        assert_eq!(
            found.to_bits(),
            taps.fold(0.0, |sum, x| sum + x).to_bits(),
            "column {i}"
        );
    }
    rows(&up, width, &mut out)
        .over(x.len())
        .launch(&device)
        .expect("a launch");
    let found = out.download().expect("results");
    for (i, &found) in found.iter().enumerate() {
        let taps = (0..5).map(|d| x[i / width * width + (i % width + d).saturating_sub(2).min(width - 1)]);
        assert_eq!(found.to_bits(), taps.fold(0.0, |sum, x| sum + x).to_bits(), "row {i}");
    }

    let n = 37;
    product(&up, &up, n, &mut out)
        .over([n, n])
        .launch(&device)
        .expect("a launch");
    let found = out.download().expect("results");
    for i in 0..n * n {
        let sum = (0..n).fold(0.0, |sum, k| sum + x[i / n * n + k] * x[k * n + i % n]);
        assert_eq!(found[i].to_bits(), sum.to_bits(), "product {i}");
    }

    let words: Vec<u32> = (0..110).map(|i| i * 0x9e37 + 3).collect();
    let mut own = device.upload(&words).expect("memory");
    powers(&device.upload(&words).expect("memory"), 7, &mut own)
        .over(words.len())
        .launch(&device)
        .expect("a launch");
    let found = own.download().expect("results");
    for (i, &word) in words.iter().enumerate() {
        let power = (0..7).fold(word, |power, step| power.wrapping_mul(word) ^ (i as u32 + step));
        assert_eq!(found[i], power, "power {i}");
    }

    // Thread 19 reads elements 19, 20 and 21.
    let short = device.upload(&words[..21]).expect("memory");
    let mut stored = device.zeros::<u32>(64).expect("memory");
    let launched = reaching(&short, &mut stored).over(64).launch(&device);
    let fault = launched.map(drop).and_then(|()| device.synchronize());
    let fault = fault.expect_err("a fault").to_string();
    assert!(fault.contains("thread [19, 0, 0]"), "{fault}");
    assert!(fault.contains("21"), "{fault}");

    let mut sums = device.upload(&words[..64]).expect("memory");
    running(&mut sums).over(64).launch(&device).expect("a launch");
    let mut expected = words[..64].to_vec();
    for i in 0..64 {
        expected[i] = (0..3)
            .filter(|&back| i >= back)
            .map(|back| expected[i - back])
            .fold(0, u32::wrapping_add);
    }
    assert_eq!(sums.download().expect("results"), expected);

    let mut sums = device.upload(&words[..64]).expect("memory");
    again(4, &mut sums).over(64).launch(&device).expect("a launch");
    let expected: Vec<u32> = words[..64].iter().map(|word| (word + 1).wrapping_mul(6)).collect();
    assert_eq!(sums.download().expect("results"), expected);
}

#[test]
fn lanes_have_the_results_of_threads() {
    if std::env::var_os("VYRE_CPU_LANES").is_some() {
        return results();
    }
    let digests = ["0", "1"].map(|lanes| {
        let program = std::env::current_exe().expect("the program");
        let mut command = Command::new(program);
        command.env("VYRE_CPU_LANES", lanes);
        let output = command
            .args(["--exact", "--nocapture", "lanes_have_the_results_of_threads"])
            .output()
            .expect("a process");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "lanes {lanes}: {text}{errors}");
        let digests = text.lines().filter(|line| line.contains("digest"));
        digests.map(str::to_owned).collect::<Vec<_>>()
    });
    assert!(digests[0].len() >= 3, "{digests:?}");
    assert_eq!(digests[0], digests[1]);
}
