//! Launches along one, two and three axes, over domains that blocks do not divide.

use vyre::prelude::*;
use vyre_semantics::everywhere;

super::kernels! { Line Plane Space Geometry Flat OneThread ManyParameters }

#[vyre::kernel]
fn line(y: &mut [u64]) {
    let i = thread::index();
    if i < y.len() {
        y[i] += 1 + i as u64;
    }
}

#[test]
fn along_one_axis() {
    everywhere(|place| {
        for count in [0usize, 1, 255, 256, 257, 1000] {
            let mut y = place.device().zeros::<u64>(count)?;
            place.over(line(&mut y), count)?;
            assert_eq!(y.download()?, (1..=count as u64).collect::<Vec<_>>(), "{count} threads");
        }
        Ok(())
    });
}

#[test]
fn fewer_and_more_threads_than_elements() {
    everywhere(|place| {
        let mut y = place.device().zeros::<u64>(1000)?;
        place.over(line(&mut y), 300)?;
        // Whole blocks run: 300 threads are two blocks of 256.
        let got = y.download()?;
        assert!((0..300).all(|i| got[i] == 1 + i as u64));
        assert!((512..1000).all(|i| got[i] == 0));
        place.grid(line(&mut y), [7, 1, 1])?;
        let got = y.download()?;
        assert!((512..1000).all(|i| got[i] == 1 + i as u64));
        Ok(())
    });
}

#[vyre::kernel]
fn plane(y: &mut [u32], width: usize, height: usize) {
    let (column, row) = thread::index_2d();
    if column < width && row < height {
        y[row * width + column] += (row * 1000 + column) as u32;
    }
}

#[test]
fn along_two_axes() {
    everywhere(|place| {
        for (width, height) in [(1, 1), (32, 8), (33, 9), (100, 3), (3, 100), (31, 7)] {
            let mut y = place.device().zeros::<u32>(width * height)?;
            place.over(plane(&mut y, width, height), [width, height])?;
            let expected: Vec<u32> = (0..height)
                .flat_map(|row| (0..width).map(move |column| (row * 1000 + column) as u32))
                .collect();
            assert_eq!(y.download()?, expected, "{width} x {height}");
        }
        Ok(())
    });
}

#[vyre::kernel(block = [4, 4, 2], allow(races))] // `extents` is small
fn space(y: &mut [u32], extents: u32) {
    let (x, row, layer) = thread::index_3d();
    let n = extents as usize;
    if x < n && row < n + 1 && layer < n + 2 {
        y[(layer * (n + 1) + row) * n + x] += (layer * 10_000 + row * 100 + x) as u32;
    }
}

#[test]
fn along_three_axes() {
    everywhere(|place| {
        for n in [1usize, 3, 4, 7] {
            let mut y = place.device().zeros::<u32>(n * (n + 1) * (n + 2))?;
            place.over(space(&mut y, n as u32), [n, n + 1, n + 2])?;
            let mut expected = Vec::new();
            for layer in 0..n + 2 {
                for row in 0..n + 1 {
                    expected.extend((0..n).map(|x| (layer * 10_000 + row * 100 + x) as u32));
                }
            }
            assert_eq!(y.download()?, expected, "{n}");
        }
        Ok(())
    });
}

/// Everything that a thread can ask about where it is.
#[vyre::kernel(block = [4, 2, 3])]
fn geometry(y: &mut [u32]) {
    let (t, b, d, g) = (thread::idx(), block::idx(), block::dim(), grid::dim());
    let number = ((b.z * g.y + b.y) * g.x + b.x) * (d.x * d.y * d.z) + (t.z * d.y + t.y) * d.x + t.x;
    let (x, row, layer) = thread::index_3d();
    let agrees = x == b.x * d.x + t.x && row == b.y * d.y + t.y && layer == b.z * d.z + t.z;
    if agrees && number == thread::index() {
        y[number] += (t.x + 10 * t.y + 100 * t.z + 1000 * b.x + 10_000 * b.y + 100_000 * b.z) as u32;
    }
}

#[test]
fn places_of_threads() {
    everywhere(|place| {
        let grid = [3u32, 2, 2];
        let mut y = place.device().zeros::<u32>(24 * 12)?;
        place.grid(geometry(&mut y), grid)?;
        let mut expected = Vec::new();
        for block in 0..12 {
            let (bx, by, bz) = (block % 3, block / 3 % 2, block / 6);
            for thread in 0..24 {
                let (tx, ty, tz) = (thread % 4, thread / 4 % 2, thread / 8);
                expected.push(tx + 10 * ty + 100 * tz + 1000 * bx + 10_000 * by + 100_000 * bz);
            }
        }
        assert_eq!(y.download()?, expected);
        Ok(())
    });
}

/// `thread::index()` counts over the whole launch, also where it has two axes.
#[vyre::kernel(block = [8, 4])]
fn flat(y: &mut [u32]) {
    let i = thread::index();
    if i < y.len() {
        y[i] += 1;
    }
}

#[test]
fn linear_index_in_two_dimensions() {
    everywhere(|place| {
        let mut y = place.device().zeros::<u32>(8 * 4 * 6)?;
        place.over(flat(&mut y), [17, 7])?;
        assert_eq!(y.download()?, vec![1; 8 * 4 * 6]);
        Ok(())
    });
}

#[vyre::kernel(block = 1)]
fn one_thread(y: &mut [u32]) {
    for i in 0..y.len() {
        y[i] = if i < 2 { 1 } else { y[i - 1] + y[i - 2] };
    }
}

#[test]
fn a_block_of_one_thread() {
    everywhere(|place| {
        let mut y = place.device().zeros::<u32>(20)?;
        place.over(one_thread(&mut y), 1)?;
        let got = y.download()?;
        assert!(got.windows(3).all(|w| w[0] + w[1] == w[2]) && got[19] == 6765);
        Ok(())
    });
}

#[vyre::kernel]
fn many_parameters(
    a: bool,
    b: i8,
    c: u8,
    d: i16,
    e: u16,
    f: i32,
    g: u32,
    h: i64,
    i: u64,
    j: isize,
    k: usize,
    l: f32,
    m: f64,
    x: &[u8],
    y: &mut [f64],
    z: &mut [u64],
) {
    let at = thread::index();
    if at < y.len() && at < x.len() {
        y[at] = if a { b as f64 } else { c as f64 } + d as f64 + e as f64 + f as f64 + g as f64 + l as f64 + m;
        z[at] = (h as u64).wrapping_add(i).wrapping_add(j as u64).wrapping_add(k as u64) + x[at] as u64;
    }
}

#[test]
fn scalars_of_every_type() {
    everywhere(|place| {
        for a in [true, false] {
            let x = place.device().upload(&[1u8, 2, 250])?;
            let (mut y, mut z) = (place.device().zeros::<f64>(3)?, place.device().zeros::<u64>(3)?);
            let kernel = many_parameters(
                a,
                -5,
                200,
                -300,
                60_000,
                -70_000,
                4_000_000_000,
                -5,
                9,
                -7,
                8,
                0.5,
                0.25,
                &x,
                &mut y,
                &mut z,
            );
            place.over(kernel, 3)?;
            let first = if a { -5.0 } else { 200.0 };
            let sum = first - 300.0 + 60_000.0 - 70_000.0 + 4_000_000_000.0 + 0.5 + 0.25;
            assert_eq!(y.download()?, vec![sum; 3]);
            assert_eq!(z.download()?, [6, 7, 255]);
        }
        Ok(())
    });
}
