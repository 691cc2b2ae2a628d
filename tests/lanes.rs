//! Kernels on the CPU whose threads run several at a time, beside one after the other: same results, same faults.

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
#[vyre::kernel(block = 64)]
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

fn results() {
    let device = Device::cpu();
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
    for lanes in ["0", "1"] {
        let program = std::env::current_exe().expect("the program");
        let mut command = Command::new(program);
        command.env("VYRE_CPU_LANES", lanes);
        let output = command
            .args(["--exact", "lanes_have_the_results_of_threads"])
            .output()
            .expect("a process");
        assert!(
            output.status.success(),
            "lanes {lanes}: {}",
            String::from_utf8_lossy(&output.stdout)
        );
    }
}
