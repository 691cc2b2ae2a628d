//! Control flow with memory in it: loops over buffers, early returns, divergent threads.

use vyre::prelude::*;
use vyre_semantics::everywhere;

super::kernels! { Search Primes Mandelbrot Bubble Clamped Matrix Rows Lookup }

/// Binary search, with an early return from inside a loop.
#[vyre::kernel]
fn search(sorted: &[i32], wanted: &[i32], found: &mut [i64]) {
    let i = thread::index();
    if i >= wanted.len() || i >= found.len() {
        return;
    }
    let (mut low, mut high) = (0, sorted.len());
    while low < high {
        let middle = low + (high - low) / 2;
        if sorted[middle] == wanted[i] {
            found[i] = middle as i64;
            return;
        }
        if sorted[middle] < wanted[i] {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    found[i] = -1 - low as i64;
}

#[test]
fn binary_search() {
    everywhere(|place| {
        let sorted: Vec<i32> = (0..200).map(|k| k * 3 - 100).collect();
        let wanted: Vec<i32> = (-110..520).collect();
        let mut found = place.device().zeros::<i64>(wanted.len())?;
        place.over(
            search(
                &place.device().upload(&sorted)?,
                &place.device().upload(&wanted)?,
                &mut found,
            ),
            wanted.len(),
        )?;
        let expected: Vec<i64> = wanted
            .iter()
            .map(|v| sorted.binary_search(v).map_or_else(|at| -1 - at as i64, |at| at as i64))
            .collect();
        assert_eq!(found.download()?, expected);
        Ok(())
    });
}

#[vyre::kernel]
fn primes(y: &mut [bool]) {
    let i = thread::index();
    if i < y.len() {
        let mut prime = i > 1;
        let mut d = 2;
        while d * d <= i {
            if i.is_multiple_of(d) {
                prime = false;
                break;
            }
            d += 1;
        }
        y[i] = prime;
    }
}

#[test]
fn prime_numbers() {
    everywhere(|place| {
        let mut y = place.device().zeros::<bool>(500)?;
        place.over(primes(&mut y), 500)?;
        let expected: Vec<bool> = (0..500u32).map(|n| n > 1 && (2..n).all(|d| n % d != 0)).collect();
        assert_eq!(y.download()?, expected);
        Ok(())
    });
}

#[vyre::kernel(block = [16, 8])]
fn mandelbrot(counts: &mut [u16], width: usize, height: usize) {
    let (column, row) = thread::index_2d();
    if column >= width || row >= height {
        return;
    }
    let cx = column as f32 / width as f32 * 3.0 - 2.0;
    let cy = row as f32 / height as f32 * 2.0 - 1.0;
    let (mut x, mut y) = (0.0, 0.0);
    let mut n = 0;
    while n < 200 && x * x + y * y < 4.0 {
        let next = x * x - y * y + cx;
        y = 2.0 * x * y + cy;
        x = next;
        n += 1;
    }
    counts[row * width + column] = n;
}

#[test]
fn mandelbrot_set() {
    everywhere(|place| {
        let (width, height) = (40, 30);
        let mut counts = place.device().zeros::<u16>(width * height)?;
        place.over(mandelbrot(&mut counts, width, height), [width, height])?;
        let got = counts.download()?;
        for row in 0..height {
            for column in 0..width {
                let (cx, cy) = (
                    column as f32 / width as f32 * 3.0 - 2.0,
                    row as f32 / height as f32 * 2.0 - 1.0,
                );
                let (mut x, mut y, mut n) = (0.0f32, 0.0f32, 0u16);
                while n < 200 && x * x + y * y < 4.0 {
                    (x, y) = (x * x - y * y + cx, 2.0 * x * y + cy);
                    n += 1;
                }
                assert_eq!(got[row * width + column], n, "at {column}, {row}");
            }
        }
        Ok(())
    });
}

/// Each thread sorts its own eight elements, through memory and through a local array.
#[vyre::kernel(block = 32)]
fn bubble(x: &mut [u32]) {
    let i = thread::index() * 8;
    if i + 8 > x.len() {
        return;
    }
    let mut own = [0u32; 8];
    for k in 0..8 {
        own[k] = x[i + k];
    }
    let mut end = 8;
    loop {
        let mut swapped = false;
        for k in 1..end {
            if own[k - 1] > own[k] {
                let t = own[k];
                own[k] = own[k - 1];
                own[k - 1] = t;
                swapped = true;
            }
        }
        end -= 1;
        if !swapped {
            break;
        }
    }
    for k in 0..8 {
        x[i + k] = own[k];
    }
}

#[test]
fn local_arrays() {
    everywhere(|place| {
        let x: Vec<u32> = (0..320u32).map(|k| k.wrapping_mul(2_654_435_761) >> 7).collect();
        let mut y = place.device().upload(&x)?;
        place.over(bubble(&mut y), 40)?;
        let expected: Vec<u32> = x
            .chunks(8)
            .flat_map(|part| {
                let mut part = part.to_vec();
                part.sort_unstable();
                part
            })
            .collect();
        assert_eq!(y.download()?, expected);
        Ok(())
    });
}

/// Reads and writes neighbours at clamped places; every path writes once.
#[vyre::kernel]
fn clamped(x: &[i32], y: &mut [i32], reach: i32) {
    let i = thread::index();
    if i < x.len() && i < y.len() {
        let last = x.len() as i32 - 1;
        let mut largest = i32::MIN;
        for offset in -reach..=reach {
            let at = (i as i32 + offset).clamp(0, last);
            largest = largest.max(x[at as usize]);
        }
        y[i] = largest;
    }
}

#[test]
fn neighbourhoods() {
    everywhere(|place| {
        let x: Vec<i32> = (0..90).map(|k| (k * 37) % 101 - 50).collect();
        let mut y = place.device().zeros::<i32>(90)?;
        place.over(clamped(&place.device().upload(&x)?, &mut y, 3), 90)?;
        let expected: Vec<i32> = (0..90usize)
            .map(|i| *x[i.saturating_sub(3)..(i + 4).min(90)].iter().max().unwrap())
            .collect();
        assert_eq!(y.download()?, expected);
        Ok(())
    });
}

#[vyre::kernel(block = [8, 8])]
fn matrix(a: &[f64], b: &[f64], c: &mut [f64], n: usize) {
    let (column, row) = thread::index_2d();
    if column < n && row < n {
        let mut sum = 0.0;
        for k in 0..n {
            sum = a[row * n + k].mul_add(b[k * n + column], sum);
        }
        c[row * n + column] = sum;
    }
}

#[test]
fn matrix_product() {
    everywhere(|place| {
        let n = 19;
        let a: Vec<f64> = (0..n * n).map(|k| (k as f64 * 0.37).sin()).collect();
        let b: Vec<f64> = (0..n * n).map(|k| (k as f64 * 0.11).cos()).collect();
        let mut c = place.device().zeros::<f64>(n * n)?;
        place.over(
            matrix(&place.device().upload(&a)?, &place.device().upload(&b)?, &mut c, n),
            [n, n],
        )?;
        let got = c.download()?;
        for row in 0..n {
            for column in 0..n {
                let sum = (0..n).fold(0.0, |sum, k| a[row * n + k].mul_add(b[k * n + column], sum));
                assert_eq!(got[row * n + column].to_bits(), sum.to_bits());
            }
        }
        Ok(())
    });
}

/// Loops with labels over rows whose lengths lie in another buffer.
#[vyre::kernel(block = 64)]
fn rows(starts: &[u32], values: &[i32], sums: &mut [i32]) {
    let row = thread::index();
    if row + 1 >= starts.len() || row >= sums.len() {
        return;
    }
    let mut sum = 0;
    'row: for k in starts[row]..starts[row + 1] {
        let mut v = values[k as usize];
        while v != 0 {
            if v < 0 {
                continue 'row;
            }
            if v > 1000 {
                break 'row;
            }
            sum += v % 10;
            v /= 10;
        }
        sum += 1;
    }
    sums[row] = sum;
}

#[test]
fn ragged_rows() {
    everywhere(|place| {
        let mut starts = vec![0u32];
        let mut values = Vec::new();
        for row in 0..70i32 {
            values.extend((0..row % 9).map(|k| (row * 53 + k * 97) % 1300 - 100));
            starts.push(values.len() as u32);
        }
        let mut sums = place.device().zeros::<i32>(70)?;
        place.over(
            rows(
                &place.device().upload(&starts)?,
                &place.device().upload(&values)?,
                &mut sums,
            ),
            70,
        )?;
        let expected: Vec<i32> = starts
            .windows(2)
            .map(|w| {
                let mut sum = 0;
                for &v in &values[w[0] as usize..w[1] as usize] {
                    if v > 1000 {
                        break;
                    }
                    if v >= 0 {
                        sum += v.to_string().bytes().map(|digit| i32::from(digit - b'0')).sum::<i32>() + 1;
                    }
                }
                sum
            })
            .collect();
        assert_eq!(sums.download()?, expected);
        Ok(())
    });
}

/// Follows links from one element to another.
#[vyre::kernel]
fn lookup(next: &[u32], steps: &mut [u32]) {
    let i = thread::index();
    if i < next.len() {
        let mut at = i;
        let mut count = 0;
        while next[at] as usize != at && count < 1000 {
            at = next[at] as usize;
            count += 1;
        }
        steps[i] = count;
    }
}

#[test]
fn linked_lists() {
    everywhere(|place| {
        let next: Vec<u32> = (0..500u32).map(|k| k / 2).collect();
        let mut steps = place.device().zeros::<u32>(500)?;
        place.over(lookup(&place.device().upload(&next)?, &mut steps), 500)?;
        let expected: Vec<u32> = (0..500u32).map(|k| u32::BITS - k.leading_zeros()).collect();
        assert_eq!(steps.download()?, expected);
        Ok(())
    });
}

/// The loop never runs, which is known once it is rotated; its blocks are then reached by its own edge alone.
#[vyre::kernel(block = 32)]
fn never_runs(n: u32, #[each] x: &mut u32) {
    let (mut s, mut t, mut w) = (n, 1u32, 250u32);
    while w < 8 && (t & 1) != 1 {
        w += 2;
        t = (s | t).wrapping_mul(n);
        s ^= 250;
    }
    *x = t;
}

#[test]
fn loops_that_never_run() {
    everywhere(|place| {
        let mut x = place.device().zeros::<u32>(3)?;
        place.over(never_runs(7, &mut x), 3usize)?;
        assert_eq!(x.download()?, [1; 3]);
        Ok(())
    });
}
