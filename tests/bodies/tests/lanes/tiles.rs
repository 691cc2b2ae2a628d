//! Matrices, tiles in shared memory that are wider than the block, and choices among values.

use vyre::prelude::*;

/// Coordinates outside of the matrix are clamped, so that the chunks at both ends of a row give up.
#[vyre::kernel(block = [32, 4])]
fn blur(source: Slice2<'_, f32>, weights: &[f32], mut out: SliceMut2<'_, f32>) {
    let (x, y) = thread::index_2d();
    if x < out.cols() && y < out.rows() {
        let radius = weights.len() / 2;
        let mut sum = 0.0;
        for k in 0..weights.len() {
            let column = ((x + k).max(radius) - radius).min(source.cols() - 1);
            let row = ((y + k).max(radius) - radius).min(source.rows() - 1);
            sum += weights[k] * source[[y, column]] + source[[row, x]];
        }
        out[[y, x]] = sum;
    }
}

/// Reads a column further than the matrix goes.
#[vyre::kernel(block = [32, 2])]
fn beyond(source: Slice2<'_, u32>, mut out: SliceMut2<'_, u32>) {
    let (x, y) = thread::index_2d();
    let mut sum = 0;
    for k in 0..3 {
        sum += source[[y, x + k]];
    }
    out[[y, x]] = sum;
}

/// A tile with a halo of one element, of a picture without any outside. Blocks whose flag is zero return.
#[vyre::kernel(block = [32, 8], allow(races))] // threads write the same to what their strides share
fn halo(marks: &[AtomicU32], flags: &[AtomicU32], width: usize, height: usize, sums: &mut [u32], any: &mut [u32]) {
    let (tx, ty) = (thread::idx().x, thread::idx().y);
    let number = block::idx().y * grid::dim().x + block::idx().x;
    if number > 0 && flags[number - 1].load(Ordering::Relaxed) == 0 {
        return;
    }
    let tile = shared::<[[u32; 35]; 34]>();
    let (left, top) = (32 * block::idx().x, 32 * block::idx().y);
    let mut last = 7;
    let mut clear = false;
    let mut row = ty;
    while row < 34 {
        let mut column = tx;
        while 35 > column {
            let (x, y) = (left + column, top + row);
            let mut mark = 0;
            if x > 0 && y > 0 && x <= width && y <= height {
                mark = marks[(y - 1) * width + x - 1].load(Ordering::Relaxed);
            }
            tile[row][column] = mark;
            clear |= mark == 9;
            last = last * 3 + mark;
            column += 16 + 16 * (row % 2);
        }
        row += 8;
    }
    let is_clear = block::sync_or(clear);
    let (x, mut y) = (left + tx, top + ty);
    while y < top + 32 {
        if x < width && y < height {
            let mut sum = last;
            for down in 0..3 {
                for across in 0..4 {
                    sum = sum * 5 + tile[y - top + down][tx + across];
                }
            }
            sums[y * width + x] = sum;
        }
        y += 8;
    }
    if thread::idx().x == 0 && ty == 0 {
        any[number] = if is_clear { 1 } else { 2 };
    }
}

/// A variable that all lanes share, and that lives on after a loop which they leave one by one.
#[vyre::kernel(block = 64)]
fn rounds(x: &[u32], y: &mut [u32]) {
    let cells = shared::<[u32; 64]>();
    let t = thread::idx().x;
    let mut at = t;
    let mut round = 0u32;
    let mut sum = 0;
    for _ in 0..2 {
        while at < 150 {
            sum += x[at] * (round + 1);
            at += 64;
            round += 1;
        }
        at -= 100;
    }
    cells[t] = sum;
    block::sync();
    y[thread::index()] = cells[63 - t] + 1000 * round + at as u32;
}

/// Loads behind conditions, one of which would be out of bounds, and a chain of choices.
#[vyre::kernel(block = [32, 2])]
fn choices(kinds: &[u8], x: &[f32], width: usize, y: &mut [f32]) {
    let (i, j) = thread::index_2d();
    let at = j * width + i;
    if at > 0 && at + 1 < kinds.len() {
        let step = if kinds[at] == 0 {
            1
        } else if kinds[at] == 1 {
            width
        } else if kinds[at - 1] == 2 {
            width + 1
        } else {
            0
        };
        let mut best = 0.0;
        if at >= step && (x[at] > x[at - step] || at + step < x.len() && x[at] >= x[at + step]) {
            best = if x[at] > 20.0 { x[at] } else { -x[at + 1] };
        }
        y[at] = best;
    }
}

/// Loads atomically for the check of the index alone.
#[vyre::kernel(block = 32)]
fn touch(x: &[u32], n: usize, cells: &[AtomicU32], y: &mut [u32]) {
    let i = thread::index();
    let mut sum = 0;
    for k in 0..n {
        sum += x[i + k];
    }
    cells[i].load(Ordering::Relaxed);
    let _ = cells[sum as usize % 20].load(Ordering::Relaxed);
    y[i] = sum;
}

fn touches(device: &Device) {
    let x = device.upload(&(0..40).collect::<Vec<u32>>()).expect("memory");
    let launch = |cells: usize| {
        let mut cells = device.zeros::<u32>(cells)?;
        let mut y = device.zeros::<u32>(32)?;
        touch(&x, 8, &mut cells, &mut y).over(32).launch(device)?;
        y.download()
    };
    let expected: Vec<u32> = (0..32).map(|i| 8 * i + 28).collect();
    assert_eq!(launch(32).expect("results"), expected);
    let fault = launch(20).expect_err("a fault").to_string();
    assert!(
        fault.contains("thread [20, 0, 0]") && fault.contains("`cells`"),
        "{fault}"
    );
}

pub(super) fn results(device: &Device) {
    matrices(device);
    touches(device);
    halos(device);
    let x: Vec<u32> = (0..150).map(|i| i * i % 91).collect();
    let mut y = device.zeros::<u32>(128).expect("memory");
    rounds(&device.upload(&x).expect("memory"), &mut y)
        .over(128)
        .launch(device)
        .expect("a launch");
    let (mut sums, mut rests) = (vec![0; 64], vec![0; 64]);
    for t in 0..64 {
        let (mut at, mut round) = (t, 0);
        for _ in 0..2 {
            while at < 150 {
                sums[t] += x[at] * (round + 1);
                at += 64;
                round += 1;
            }
            at -= 100;
        }
        rests[t] = 1000 * round + at as u32;
    }
    let found = y.download().expect("results");
    for (i, found) in found.into_iter().enumerate() {
        assert_eq!(found, sums[63 - i % 64] + rests[i % 64], "rounds {i}");
    }

    let (width, height) = (77, 9);
    let kinds: Vec<u8> = (0..width * height).map(|i| (i * i % 5 % 4) as u8).collect();
    let x: Vec<f32> = (0..width * height).map(|i| (i * 37 % 101) as f32 * 0.41).collect();
    let mut y = device.zeros::<f32>(x.len()).expect("memory");
    choices(
        &device.upload(&kinds).expect("memory"),
        &device.upload(&x).expect("memory"),
        width,
        &mut y,
    )
    .over([width, height])
    .launch(device)
    .expect("a launch");
    let found = y.download().expect("results");
    for at in 0..x.len() {
        let mut best = 0.0;
        if at > 0 && at + 1 < x.len() {
            let step = match (kinds[at], kinds[at - 1]) {
                (0, _) => 1,
                (1, _) => width,
                (_, 2) => width + 1,
                _ => 0,
            };
            if at >= step && (x[at] > x[at - step] || at + step < x.len() && x[at] >= x[at + step]) {
                best = if x[at] > 20.0 { x[at] } else { -x[at + 1] };
            }
        }
        assert_eq!(found[at].to_bits(), f32::to_bits(best), "choice {at}");
    }
}

fn matrices(device: &Device) {
    let (width, height, pitch) = (93, 13, 101);
    let x: Vec<f32> = (0..pitch * height).map(|i| (i * 7 % 113) as f32 * 0.3).collect();
    let weights = [0.1, 0.2, 0.4, 0.25, 0.05];
    let up = device.upload(&x).expect("memory");
    let source = up.view2(height, pitch).expect("a matrix");
    let source = source.part(.., ..width).expect("columns");
    let mut out = device.zeros::<f32>(width * height).expect("memory");
    blur(
        source,
        &device.upload(&weights).expect("memory"),
        out.view2_mut(height, width).expect("a matrix"),
    )
    .over([width, height])
    .launch(device)
    .expect("a launch");
    let found = out.download().expect("results");
    for (at, found) in found.into_iter().enumerate() {
        let (column, row) = (at % width, at / width);
        let mut sum = 0.0;
        for (k, weight) in weights.into_iter().enumerate() {
            let across = (column + k).saturating_sub(2).min(width - 1);
            let down = (row + k).saturating_sub(2).min(height - 1);
            sum += weight * x[row * pitch + across] + x[down * pitch + column];
        }
        assert_eq!(found.to_bits(), f32::to_bits(sum), "blur {at}");
    }

    // Thread 30 of the second row is the first that reads column 32 of it, but that of the first row comes before.
    let words = device.upload(&[3u32; 64]).expect("memory");
    let mut out = device.zeros::<u32>(64).expect("memory");
    let launched = beyond(
        words.view2(2, 32).expect("a matrix"),
        out.view2_mut(2, 32).expect("a matrix"),
    )
    .over([32, 2])
    .launch(device);
    let fault = launched.map(drop).and_then(|()| device.synchronize());
    let fault = fault.expect_err("a fault").to_string();
    assert!(fault.contains("thread [30, 0, 0]") && fault.contains("32"), "{fault}");
}

fn halos(device: &Device) {
    let (width, height) = (75, 50);
    let marks: Vec<u32> = (0..width * height).map(|i| (i * i % 11) as u32).collect();
    let flags = [1u32, 0, 1, 3, 1];
    let mut up = device.upload(&marks).expect("memory");
    let mut flags_up = device.upload(&flags).expect("memory");
    let mut sums = device.zeros::<u32>(marks.len()).expect("memory");
    let mut any = device.zeros::<u32>(6).expect("memory");
    halo(&mut up, &mut flags_up, width, height, &mut sums, &mut any)
        .grid([3, 2])
        .launch(device)
        .expect("a launch");
    let (sums, any) = (sums.download().expect("results"), any.download().expect("results"));
    let mut expected = vec![0; marks.len()];
    for number in 0..6 {
        if number > 0 && flags[number - 1] == 0 {
            assert_eq!(any[number], 0);
            continue;
        }
        let (left, top) = (32 * (number % 3), 32 * (number / 3));
        let mark = |row: usize, column: usize| {
            let (x, y) = (left + column, top + row);
            let is_inside = x > 0 && y > 0 && x <= width && y <= height;
            if is_inside { marks[(y - 1) * width + x - 1] } else { 0 }
        };
        let mut clear = false;
        for ty in 0..8 {
            for tx in 0..32 {
                let mut last = 7u32;
                for row in (ty..34).step_by(8) {
                    for column in (tx..35).step_by(16 + 16 * (row % 2)) {
                        let mark = mark(row, column);
                        clear |= mark == 9;
                        last = last.wrapping_mul(3).wrapping_add(mark);
                    }
                }
                for y in (top + ty..top + 32).step_by(8) {
                    let x = left + tx;
                    if x < width && y < height {
                        let mut sum = last;
                        for down in 0..3 {
                            for across in 0..4 {
                                sum = sum.wrapping_mul(5).wrapping_add(mark(y - top + down, tx + across));
                            }
                        }
                        expected[y * width + x] = sum;
                    }
                }
            }
        }
        assert_eq!(any[number], if clear { 1 } else { 2 }, "block {number}");
    }
    assert_eq!(sums, expected);
}
