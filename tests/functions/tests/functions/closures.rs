//! Closures that kernels pass to functions of another crate, in every place.

use vyre::prelude::*;
use vyre_functions::closures::{fold, for_each, halved, newton};
use vyre_functions::half;
use vyre_semantics::{everywhere, ptx};

/// Captures of every kind: parameters, slices, variables that change, and this thread's element.
#[vyre::kernel(block = 64)]
fn captures(scale: f32, #[each] x: &f32, #[each] y: &mut f32, table: &[f32]) {
    let i = thread::index();
    let weights = [0.5f32, 0.25, 0.125];
    let scaled = |v: f32, k: usize| v * scale + weights[k] + table[i % table.len()];
    let sum = fold(&weights, *x, |sum, w| sum + w * scaled(*x, 1));
    let mut count = 0u32;
    let mut add = |v: f32| {
        *y += v;
        count += 1;
    };
    for_each(table, |k, v| {
        if k % 2 == 0 {
            add(scaled(v, k % 3));
        }
    });
    add(sum);
    *y += count as f32;
}

fn captures_of(i: usize, scale: f32, x: f32, y: f32, table: &[f32]) -> f32 {
    let weights = [0.5f32, 0.25, 0.125];
    let scaled = |v: f32, k: usize| v * scale + weights[k] + table[i % table.len()];
    let sum = weights.iter().fold(x, |sum, w| sum + w * scaled(x, 1));
    let mut y = y;
    let even = table.iter().enumerate().filter(|(k, _)| k % 2 == 0);
    even.clone().for_each(|(k, &v)| y += scaled(v, k % 3));
    y += sum;
    y + (even.count() + 1) as f32
}

/// Functions of other crates by their paths, and closures that call such functions.
#[vyre::kernel]
fn paths(x: &[u32], y: &mut [u32], z: &mut [f64]) {
    let i = thread::index();
    if i < x.len() {
        use vyre_functions::deep::deeper::total as sum;
        y[i] = fold(&[x[i], 7, 9], 1, u32::max)
            + fold(&[x[i] + 1], half(x[i]), |a, b| {
                let both = [a, half(b)];
                sum(&both)
            });
        y[i] += fold(&[3, 4], x[i], plus) + halved(half, x[i]);
        z[i] = newton(x[i] as f64, |v| v * v - 2.0, |v| v + v) + newton(1.0, square_less_three, |v| 2.0 * v);
    }
}

#[vyre::device]
fn plus(a: u32, b: u32) -> u32 {
    a + b
}

#[vyre::device]
fn square_less_three(v: f64) -> f64 {
    v * v - 3.0
}

/// Threads that wait for each other inside of closures, and shared memory that these capture.
#[vyre::kernel(block = 64)]
fn turned(values: &mut [u32]) {
    let tile = shared::<[u32; 64]>();
    let (i, t) = (thread::index(), thread::idx());
    let mut exchange = |value: u32, from: usize| {
        block::sync();
        tile[t.x] = value;
        block::sync();
        tile[from]
    };
    let turned = exchange(values[i], 63 - t.x);
    values[i] = turned * 1000 + exchange(turned, t.x ^ 1);
}

/// The line of the closure in the kernel after it.
const BEYOND: u32 = line!() + 7;

/// A fault inside a closure reports its location.
#[vyre::kernel]
fn faulty(x: &[u32], y: &mut [u32]) {
    let i = thread::index();
    if i < y.len() {
        y[i] = fold(&[1, 2, 3], 0, |sum, v| sum + x[i + v as usize]);
    }
}

#[test]
fn captured() {
    everywhere(|place| {
        let x: Vec<f32> = (0..100).map(|i| i as f32 * 0.37 - 20.0).collect();
        let table = [1.0, 0.1, -3.5, 8.25, 1e-3];
        let (input, read) = (place.device().upload(&x)?, place.device().upload(&table)?);
        let mut y = place.device().upload(&x)?;
        let kernel = Captures {
            scale: 0.3,
            x: (&input).into(),
            y: (&mut y).into(),
            table: (&read).into(),
        };
        place.over(kernel, x.len())?;
        for (i, (x, y)) in x.into_iter().zip(y.download()?).enumerate() {
            let expected = captures_of(i, 0.3, x, x, &table);
            assert_eq!(y.to_bits(), expected.to_bits(), "{i} on {}", place.name());
        }
        Ok(())
    });
}

#[test]
fn by_paths() {
    everywhere(|place| {
        let x: Vec<u32> = (0..70).collect();
        let input = place.device().upload(&x)?;
        let mut y = place.device().zeros::<u32>(x.len())?;
        let mut z = place.device().zeros::<f64>(x.len())?;
        let kernel = Paths {
            x: (&input).into(),
            y: (&mut y).into(),
            z: (&mut z).into(),
        };
        place.over(kernel, x.len())?;
        for ((x, y), z) in x.into_iter().zip(y.download()?).zip(z.download()?) {
            let expected = x.max(9) + half(x) + half(x + 1) + x + 7 + half(x);
            assert_eq!(y, expected, "of {x} on {}", place.name());
            let expected =
                newton(f64::from(x), |v| v * v - 2.0, |v| v + v) + newton(1.0, square_less_three, |v| 2.0 * v);
            assert_eq!(z.to_bits(), expected.to_bits(), "of {x} on {}", place.name());
        }
        Ok(())
    });
}

#[test]
fn with_barriers() {
    everywhere(|place| {
        let values: Vec<u32> = (0..128).collect();
        let mut buffer = place.device().upload(&values)?;
        let kernel = Turned {
            values: (&mut buffer).into(),
        };
        place.over(kernel, values.len())?;
        let turned = |i: u32| i / 64 * 64 + 63 - i % 64;
        let expected: Vec<u32> = values.iter().map(|&i| turned(i) * 1000 + turned(i ^ 1)).collect();
        assert_eq!(buffer.download()?, expected, "on {}", place.name());
        Ok(())
    });
}

#[test]
fn faults() {
    everywhere(|place| {
        let x = place.device().upload(&[1, 2, 3, 4])?;
        let mut y = place.device().zeros::<u32>(2)?;
        let kernel = Faulty {
            x: (&x).into(),
            y: (&mut y).into(),
        };
        let said = place.over(kernel, 2).expect_err("out of bounds").to_string();
        let is_there = said.contains(&format!("functions/closures.rs:{BEYOND}:51"))
            && said.contains("index 4 of `x` is out of bounds");
        assert!(is_there, "{said} on {}", place.name());
        Ok(())
    });
}

#[test]
fn ptxas_accepts_it() {
    use vyre::Kernel as _;
    ptx::assembled(&[Captures::info(), Paths::info(), Turned::info(), Faulty::info()]);
}
