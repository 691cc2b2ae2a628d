//! The same kernels with indices of type `usize`, with those of type `u32` by `Slice`, and without checks: the table of
//! counts shows the price of a check and of an index's type.

use vyre::Kernel;
use vyre::prelude::*;
use vyre_algorithms::{Random, bits};
use vyre_semantics::everywhere;

super::kernels! {
    Stencil64 Stencil32 StencilFree Conv64 Conv32 ConvFree Search64 Search32 SearchFree Gather64 Gather32 GatherFree
    Tiled64 Tiled32 TiledFree
}

/// The mean of a cell and its four neighbours, inside the border.
#[vyre::kernel(block = [32, 8])]
fn stencil64(source: &[f32], out: &mut [f32], width: usize, height: usize) {
    let (x, y) = thread::index_2d();
    if x >= 1 && y >= 1 && x + 1 < width && y + 1 < height {
        let i = y * width + x;
        out[i] = 0.2 * (source[i] + source[i - 1] + source[i + 1] + source[i - width] + source[i + width]);
    }
}

#[vyre::kernel(block = [32, 8])]
fn stencil32(source: &Slice<f32>, out: &mut Slice<f32>, width: u32, height: u32) {
    let (x, y) = thread::index_2d();
    let (x, y) = (x as u32, y as u32);
    if x >= 1 && y >= 1 && x + 1 < width && y + 1 < height {
        let i = y * width + x;
        out[i] = 0.2 * (source[i] + source[i - 1] + source[i + 1] + source[i - width] + source[i + width]);
    }
}

#[vyre::kernel(block = [32, 8])]
fn stencil_free(source: &[f32], out: &mut [f32], width: usize, height: usize) {
    let (x, y) = thread::index_2d();
    if x >= 1 && y >= 1 && x + 1 < width && y + 1 < height {
        let i = y * width + x;
        // SAFETY: the test gives slices of `width * height` elements.
        unsafe {
            *out.get_unchecked_mut(i) = 0.2
                * (*source.get_unchecked(i)
                    + *source.get_unchecked(i - 1)
                    + *source.get_unchecked(i + 1)
                    + *source.get_unchecked(i - width)
                    + *source.get_unchecked(i + width));
        }
    }
}

/// A convolution by 7 x 7 weights, inside the border.
#[vyre::kernel(block = [32, 8])]
fn conv64(source: &[f32], weights: &[f32], out: &mut [f32], width: usize, height: usize) {
    let (x, y) = thread::index_2d();
    if x >= 3 && y >= 3 && x + 3 < width && y + 3 < height {
        let mut sum = 0.0;
        for v in 0..7 {
            for u in 0..7 {
                sum += weights[v * 7 + u] * source[(y + v - 3) * width + x + u - 3];
            }
        }
        out[y * width + x] = sum;
    }
}

#[vyre::kernel(block = [32, 8])]
fn conv32(source: &Slice<f32>, weights: &Slice<f32>, out: &mut Slice<f32>, width: u32, height: u32) {
    let (x, y) = thread::index_2d();
    let (x, y) = (x as u32, y as u32);
    if x >= 3 && y >= 3 && x + 3 < width && y + 3 < height {
        let mut sum = 0.0;
        for v in 0..7 {
            for u in 0..7 {
                sum += weights[v * 7 + u] * source[(y + v - 3) * width + x + u - 3];
            }
        }
        out[y * width + x] = sum;
    }
}

#[vyre::kernel(block = [32, 8])]
fn conv_free(source: &[f32], weights: &[f32], out: &mut [f32], width: usize, height: usize) {
    let (x, y) = thread::index_2d();
    if x >= 3 && y >= 3 && x + 3 < width && y + 3 < height {
        let mut sum = 0.0;
        for v in 0..7 {
            for u in 0..7 {
                // SAFETY: the test gives 49 weights, and slices of `width * height` elements.
                sum += unsafe {
                    *weights.get_unchecked(v * 7 + u) * *source.get_unchecked((y + v - 3) * width + x + u - 3)
                };
            }
        }
        // SAFETY: as above.
        unsafe { *out.get_unchecked_mut(y * width + x) = sum };
    }
}

/// Where each key stands in a sorted list: the first place that holds none smaller.
#[vyre::kernel]
fn search64(sorted: &[u32], keys: &[u32], out: &mut [u32]) {
    let i = thread::index();
    if i < keys.len() {
        let key = keys[i];
        let (mut low, mut high) = (0, sorted.len());
        while low < high {
            let middle = (low + high) / 2;
            if sorted[middle] < key {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        out[i] = low as u32;
    }
}

#[vyre::kernel]
fn search32(sorted: &Slice<u32>, keys: &Slice<u32>, out: &mut Slice<u32>) {
    let i = thread::index() as u32;
    if i < keys.len() as u32 {
        let key = keys[i];
        let (mut low, mut high) = (0, sorted.len() as u32);
        while low < high {
            let middle = (low + high) / 2;
            if sorted[middle] < key {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        out[i] = low;
    }
}

#[vyre::kernel]
fn search_free(sorted: &[u32], keys: &[u32], out: &mut [u32]) {
    let i = thread::index();
    if i < keys.len() {
        // SAFETY: `i` is below the length of `keys`.
        let key = unsafe { *keys.get_unchecked(i) };
        let (mut low, mut high) = (0, sorted.len());
        while low < high {
            let middle = (low + high) / 2;
            // SAFETY: the middle is below `high`, which is at most the length of `sorted`.
            if unsafe { *sorted.get_unchecked(middle) } < key {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        // SAFETY: the test gives as many results as keys.
        unsafe { *out.get_unchecked_mut(i) = low as u32 };
    }
}

/// The sum of every `stride`th element, from the thread's own on.
#[vyre::kernel]
fn gather64(source: &[f32], out: &mut [f32], stride: usize, count: usize) {
    let i = thread::index();
    if i < out.len() {
        let mut sum = 0.0;
        for k in 0..count {
            sum += source[i + k * stride];
        }
        out[i] = sum;
    }
}

#[vyre::kernel]
fn gather32(source: &Slice<f32>, out: &mut Slice<f32>, stride: u32, count: u32) {
    let i = thread::index() as u32;
    if i < out.len() as u32 {
        let mut sum = 0.0;
        for k in 0..count {
            sum += source[i + k * stride];
        }
        out[i] = sum;
    }
}

#[vyre::kernel]
fn gather_free(source: &[f32], out: &mut [f32], stride: usize, count: usize) {
    let i = thread::index();
    if i < out.len() {
        let mut sum = 0.0;
        for k in 0..count {
            // SAFETY: the test gives a slice that ends behind the last one.
            sum += unsafe { *source.get_unchecked(i + k * stride) };
        }
        // SAFETY: `i` is below the length of `out`.
        unsafe { *out.get_unchecked_mut(i) = sum };
    }
}

/// c = a*b with tiles in shared memory; `n` is a multiple of 32.
#[vyre::kernel(block = [32, 32])]
fn tiled64(a: &[f32], b: &[f32], c: &mut [f32], n: usize) {
    let ta = shared::<[[f32; 32]; 32]>();
    let tb = shared::<[[f32; 32]; 32]>();
    let (x, y) = thread::index_2d();
    let (tx, ty) = (thread::idx().x, thread::idx().y);
    let mut sum = 0.0;
    let mut first = 0;
    while first < n {
        ta[ty][tx] = a[y * n + first + tx];
        tb[ty][tx] = b[(first + ty) * n + x];
        block::sync();
        for k in 0..32 {
            sum += ta[ty][k] * tb[k][tx];
        }
        block::sync();
        first += 32;
    }
    c[y * n + x] = sum;
}

#[vyre::kernel(block = [32, 32])]
fn tiled32(a: &Slice<f32>, b: &Slice<f32>, c: &mut Slice<f32>, n: u32) {
    let ta = shared::<[[f32; 32]; 32]>();
    let tb = shared::<[[f32; 32]; 32]>();
    let (x, y) = thread::index_2d();
    let (x, y) = (x as u32, y as u32);
    let (tx, ty) = (thread::idx().x as u32, thread::idx().y as u32);
    let mut sum = 0.0;
    let mut first = 0;
    while first < n {
        ta[ty as usize][tx as usize] = a[y * n + first + tx];
        tb[ty as usize][tx as usize] = b[(first + ty) * n + x];
        block::sync();
        for k in 0..32 {
            sum += ta[ty as usize][k] * tb[k][tx as usize];
        }
        block::sync();
        first += 32;
    }
    c[y * n + x] = sum;
}

#[vyre::kernel(block = [32, 32])]
fn tiled_free(a: &[f32], b: &[f32], c: &mut [f32], n: usize) {
    let ta = shared::<[[f32; 32]; 32]>();
    let tb = shared::<[[f32; 32]; 32]>();
    let (x, y) = thread::index_2d();
    let (tx, ty) = (thread::idx().x, thread::idx().y);
    let mut sum = 0.0;
    let mut first = 0;
    while first < n {
        // SAFETY: the test gives matrices of `n` rows and columns, and threads for each element.
        unsafe {
            ta[ty][tx] = *a.get_unchecked(y * n + first + tx);
            tb[ty][tx] = *b.get_unchecked((first + ty) * n + x);
        }
        block::sync();
        for k in 0..32 {
            sum += ta[ty][k] * tb[k][tx];
        }
        block::sync();
        first += 32;
    }
    // SAFETY: as above.
    unsafe { *c.get_unchecked_mut(y * n + x) = sum };
}

#[test]
fn neighbours_by_each_index() {
    let (width, height) = (45, 37);
    let values = Random::new(3).floats(width * height, -1.0, 1.0);
    let weights = Random::new(4).floats(49, -1.0, 1.0);
    let (mut means, mut sums) = (vec![0.0; values.len()], vec![0.0; values.len()]);
    for y in 0..height {
        for x in 0..width {
            let i = y * width + x;
            if (1..width - 1).contains(&x) && (1..height - 1).contains(&y) {
                means[i] = 0.2 * (values[i] + values[i - 1] + values[i + 1] + values[i - width] + values[i + width]);
            }
            if (3..width - 3).contains(&x) && (3..height - 3).contains(&y) {
                for k in 0..49 {
                    sums[i] += weights[k] * values[(y + k / 7 - 3) * width + x + k % 7 - 3];
                }
            }
        }
    }
    everywhere(|place| {
        let device = place.device();
        let (x, w) = (device.upload(&values)?, device.upload(&weights)?);
        let (over, w32, h32) = ([width, height], width as u32, height as u32);
        let mut out = [(); 3]
            .map(|()| device.zeros::<f32>(values.len()))
            .into_iter()
            .collect::<Result<Vec<_>, _>>()?;
        place.over(stencil64(&x, &mut out[0], width, height), over)?;
        place.over(stencil32(&x, &mut out[1], w32, h32), over)?;
        place.over(stencil_free(&x, &mut out[2], width, height), over)?;
        for out in &out {
            assert_eq!(bits(&out.download()?), bits(&means), "stencil");
        }
        place.over(conv64(&x, &w, &mut out[0], width, height), over)?;
        place.over(conv32(&x, &w, &mut out[1], w32, h32), over)?;
        place.over(conv_free(&x, &w, &mut out[2], width, height), over)?;
        for out in &out {
            let inside = |i: &usize| (3..width - 3).contains(&(i % width)) && (3..height - 3).contains(&(i / width));
            let out = out.download()?;
            for i in (0..out.len()).filter(inside) {
                assert_eq!(out[i].to_bits(), sums[i].to_bits(), "convolution at {i}");
            }
        }
        Ok(())
    });
}

#[test]
fn lists_by_each_index() {
    let mut sorted: Vec<u32> = (0..300).map(|i| i * 7 % 1000).collect();
    sorted.sort_unstable();
    let keys: Vec<u32> = (0..70).map(|i| i * 31 % 1100).collect();
    let expected: Vec<u32> = keys
        .iter()
        .map(|&key| sorted.partition_point(|&other| other < key) as u32)
        .collect();
    let (stride, count) = (13, 21);
    let values = Random::new(5).floats(70 + stride * count, -1.0, 1.0);
    let sums: Vec<f32> = (0..70)
        .map(|i| (0..count).fold(0.0, |sum, k| sum + values[i + k * stride]))
        .collect();
    everywhere(|place| {
        let device = place.device();
        let (sorted, keys) = (device.upload(&sorted)?, device.upload(&keys)?);
        let mut out = [(); 3]
            .map(|()| device.zeros::<u32>(70))
            .into_iter()
            .collect::<Result<Vec<_>, _>>()?;
        place.over(search64(&sorted, &keys, &mut out[0]), 70)?;
        place.over(search32(&sorted, &keys, &mut out[1]), 70)?;
        place.over(search_free(&sorted, &keys, &mut out[2]), 70)?;
        for out in &out {
            assert_eq!(out.download()?, expected, "search");
        }
        let x = device.upload(&values)?;
        let mut out = [(); 3]
            .map(|()| device.zeros::<f32>(70))
            .into_iter()
            .collect::<Result<Vec<_>, _>>()?;
        place.over(gather64(&x, &mut out[0], stride, count), 70)?;
        place.over(gather32(&x, &mut out[1], stride as u32, count as u32), 70)?;
        place.over(gather_free(&x, &mut out[2], stride, count), 70)?;
        for out in &out {
            assert_eq!(bits(&out.download()?), bits(&sums), "gather");
        }
        Ok(())
    });
}

#[test]
fn products_by_each_index() {
    let n = 64;
    let [a, b] = [6, 7].map(|seed| Random::new(seed).floats(n * n, -1.0, 1.0));
    let mut expected = vec![0.0; n * n];
    for (i, sum) in expected.iter_mut().enumerate() {
        for k in 0..n {
            *sum += a[i / n * n + k] * b[k * n + i % n];
        }
    }
    everywhere(|place| {
        let device = place.device();
        let (a, b) = (device.upload(&a)?, device.upload(&b)?);
        let mut out = [(); 3]
            .map(|()| device.zeros::<f32>(n * n))
            .into_iter()
            .collect::<Result<Vec<_>, _>>()?;
        place.over(tiled64(&a, &b, &mut out[0], n), [n, n])?;
        place.over(tiled32(&a, &b, &mut out[1], n as u32), [n, n])?;
        place.over(tiled_free(&a, &b, &mut out[2], n), [n, n])?;
        for out in &out {
            assert_eq!(bits(&out.download()?), bits(&expected), "tiled");
        }
        Ok(())
    });
}

/// The loop over tiles runs without checks where the launch shows that all hold, although the threads wait for each other in
/// it.
#[test]
fn no_check_among_barriers() {
    let of_tiles = |ptx: &'static str| {
        let loops = loops(ptx).into_iter();
        loops.filter(|body| body.contains("bar.sync")).collect::<Vec<_>>()
    };
    let entries: Vec<_> = Tiled64::info().ptx.split(".visible .entry ").skip(1).collect();
    let [checked, assumed] = entries[..] else {
        panic!("it has {} entries", entries.len());
    };
    let checks = |ptx| {
        of_tiles(ptx)
            .iter()
            .map(|body| body.contains("CHECK"))
            .collect::<Vec<_>>()
    };
    assert_eq!((checks(checked), checks(assumed)), (vec![true], vec![false]));
    assert_eq!(checks(TiledFree::info().ptx), [false]);
}

/// The loops of PTX: from each label to a branch back to it.
fn loops(ptx: &str) -> Vec<&str> {
    let branches = ptx.match_indices("bra L");
    let bodies = branches.filter_map(|(end, _)| {
        let label = ptx[end + 4..].split(';').next()?;
        let start = ptx[..end].find(&format!("\n{label}:"))?;
        Some(&ptx[start..end])
    });
    bodies.collect()
}
