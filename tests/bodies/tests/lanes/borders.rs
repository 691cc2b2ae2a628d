//! Threads at the borders of pictures, which take another branch than their neighbours, and exchanges of whole blocks.

use vyre::prelude::*;

use super::digest;

/// A cross of five; the frame of the picture stays as it is.
#[vyre::kernel(block = [32, 4])]
fn cross(x: &[f32], width: usize, frame: usize, y: &mut [f32]) {
    let (i, j) = thread::index_2d();
    let height = x.len() / width;
    if i >= frame && i + frame < width && j >= frame && j + frame < height {
        let at = j * width + i;
        y[at] = x[at - 1] + x[at + 1] + x[at - width] + x[at + width] - 4.0 * x[at];
    }
}

/// A frame of zeros. The stores take place at once, those of lanes that give up too.
#[vyre::kernel(block = [32, 4])]
fn framed(x: &[f32], width: usize, frame: usize, y: &mut [f32]) {
    let (i, j) = thread::index_2d();
    if i < width && j < x.len() / width {
        let at = j * width + i;
        y[at] = 0.0;
        if i >= frame && i + frame < width {
            y[at] = x[at - frame] + x[at + frame];
        }
    }
}

/// Element 331 of `x` is missing. Threads [30, 3] and [31, 3] read past the end.
#[vyre::kernel(block = [32, 4])]
fn short(x: &[f32], width: usize, y: &mut [f32]) {
    let (i, j) = thread::index_2d();
    if i > 0 && i + 1 < width {
        let at = j * width + i;
        y[at] = x[at - 1] + x[at + 1];
    }
}

/// Cells of bytes, doubles and arrays, each the thread's own.
#[vyre::kernel(block = [16, 8])]
fn cells(x: Slice2<'_, f32>, mut a: SliceMut2<'_, u8>, mut b: SliceMut2<'_, f64>, mut c: SliceMut2<'_, [u16; 3]>) {
    let (i, j) = thread::index_2d();
    if i < a.cols() && j < a.rows() {
        let value = x[[j, i]];
        a[[j, i]] = value as u8;
        b[[j, i]] += value as f64 * 0.5;
        c[[j, i]] = [i as u16, j as u16, value as u16];
    }
}

/// Neighbours store to one element, the same value.
#[vyre::kernel(block = 64, allow(races))]
fn doubled(x: &[u32], y: &mut [u32]) {
    let i = thread::index();
    for k in 0..3 {
        y[i + k] = x[i + k] * 2;
    }
}

#[vyre::kernel(block = 96)]
fn ballots(x: &[u32], bits: &mut [u32], sums: &mut [u32]) {
    let i = thread::index();
    let odd = warp::ballot(x[i] % 2 == 1);
    let own = warp::ballot(odd >> (i % 32) & 1 == 1 && x[i] > 40);
    bits[i] = odd ^ own << 1;
    let (sum, most) = (block::sum(x[i]), block::max(x[i]));
    let before = block::exclusive_sum(x[i]);
    sums[i] = sum ^ most ^ before;
}

/// The same of a block whose last warp is not whole.
#[vyre::kernel(block = 72)]
fn parts(x: &[u32], sums: &mut [u32]) {
    let i = thread::index();
    sums[i] = block::sum(x[i]) + block::inclusive_sum(x[i]);
}

pub(crate) fn results(device: &Device) {
    for width in [3usize, 8, 9, 16, 31, 32, 33, 40, 41, 64, 65, 100] {
        let x: Vec<f32> = (0..width * 21).map(|i| (i * 7 % 101) as f32 * 0.37).collect();
        let up = device.upload(&x).expect("memory");
        for frame in 1..4 {
            let mut y = device.upload(&x).expect("memory");
            cross(&up, width, frame, &mut y)
                .over([width + 5, 22])
                .launch(device)
                .expect("a launch");
            let mut expected = x.clone();
            for j in frame..21 - frame {
                for i in frame..width.saturating_sub(frame) {
                    let at = j * width + i;
                    expected[at] = x[at - 1] + x[at + 1] + x[at - width] + x[at + width] - 4.0 * x[at];
                }
            }
            assert_eq!(y.download().expect("results"), expected, "{width} wide, frame {frame}");

            framed(&up, width, frame, &mut y)
                .over([width, 21])
                .launch(device)
                .expect("a launch");
            for (at, value) in expected.iter_mut().enumerate() {
                let i = at % width;
                let is_inside = i >= frame && i + frame < width;
                *value = if is_inside { x[at - frame] + x[at + frame] } else { 0.0 };
            }
            assert_eq!(
                y.download().expect("results"),
                expected,
                "{width} wide, zeros of {frame}"
            );
        }
    }

    let x = device.upload(&vec![1.0; 331]).expect("memory");
    let mut y = device.zeros::<f32>(400).expect("memory");
    let launched = short(&x, 100, &mut y).over([32, 4]).launch(device);
    let fault = launched.map(drop).and_then(|()| device.synchronize());
    let fault = fault.expect_err("a fault").to_string();
    assert!(fault.contains("331") && fault.contains("thread [30, 3, 0]"), "{fault}");

    let (cols, rows) = (45, 19);
    let x: Vec<f32> = (0..cols * rows).map(|i| (i % 251) as f32).collect();
    let up = device.upload(&x).expect("memory");
    let mut a = device.zeros::<u8>(cols * rows).expect("memory");
    let mut b = device.upload(&vec![2.0f64; cols * rows]).expect("memory");
    let mut c = device.zeros::<[u16; 3]>(cols * rows).expect("memory");
    cells(
        up.view2(rows, cols).expect("a matrix"),
        a.view2_mut(rows, cols).expect("a matrix"),
        b.view2_mut(rows, cols).expect("a matrix"),
        c.view2_mut(rows, cols).expect("a matrix"),
    )
    .over([cols, rows])
    .launch(device)
    .expect("a launch");
    let (a, b, c) = (a.download(), b.download(), c.download());
    let (a, b, c) = (a.expect("results"), b.expect("results"), c.expect("results"));
    for (i, &value) in x.iter().enumerate() {
        assert_eq!((a[i], b[i]), (value as u8, 2.0 + f64::from(value) * 0.5), "cell {i}");
        assert_eq!(c[i], [(i % cols) as u16, (i / cols) as u16, value as u16], "cell {i}");
    }

    let words: Vec<u32> = (0..290u32).map(|i| i.wrapping_mul(0x9e37_79b1) >> 25).collect();
    let up = device.upload(&words).expect("memory");
    let mut y = device.zeros::<u32>(258).expect("memory");
    doubled(&up, &mut y).over(256).launch(device).expect("a launch");
    let expected: Vec<u32> = words[..258].iter().map(|word| word * 2).collect();
    assert_eq!(y.download().expect("results"), expected);

    let (mut bits, mut sums) = (
        device.zeros::<u32>(288).expect("memory"),
        device.zeros::<u32>(288).expect("memory"),
    );
    ballots(&up, &mut bits, &mut sums)
        .over(288)
        .launch(device)
        .expect("a launch");
    let sums = sums.download().expect("results");
    for (i, &found) in sums.iter().enumerate() {
        let block = &words[i / 96 * 96..][..96];
        let before: u32 = block[..i % 96].iter().sum();
        let most = block.iter().max().copied().expect("a block");
        assert_eq!(found, block.iter().sum::<u32>() ^ most ^ before, "sum {i}");
    }
    let bits = bits.download().expect("results");
    for (i, &found) in bits.iter().enumerate() {
        let warp = &words[i / 32 * 32..][..32];
        let of = |is: &dyn Fn(u32) -> bool| (0..32).fold(0, |bits, lane| bits | u32::from(is(warp[lane])) << lane);
        let expected = of(&|it| it % 2 == 1) ^ of(&|it| it % 2 == 1 && it > 40) << 1;
        assert_eq!(found, expected, "ballot {i}");
    }
    digest("ballots", bits);

    let mut sums = device.zeros::<u32>(288).expect("memory");
    parts(&up, &mut sums).over(288).launch(device).expect("a launch");
    for (i, &found) in sums.download().expect("results").iter().enumerate() {
        let block = &words[i / 72 * 72..][..72];
        let expected = block.iter().sum::<u32>() + block[..=i % 72].iter().sum::<u32>();
        assert_eq!(found, expected, "sum {i}");
    }
}
