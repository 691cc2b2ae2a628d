//! Kernels that deny races: those that are accepted run, and launches that do not keep their conditions are refused.

use vyre::prelude::*;
use vyre::{Error, RaceProblem};

use super::devices::devices;

#[vyre::kernel(deny(races, bounds_checks))]
fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
    let i = thread::index();
    if i < y.len() {
        y[i] += a * x[i];
    }
}

#[vyre::kernel(block = 64, deny(races))]
fn grid_stride(y: &mut [f32]) {
    let step = block::dim().x * grid::dim().x;
    let mut i = thread::index();
    while i < y.len() {
        y[i] += 1.0;
        i += step;
    }
}

/// The sum of the four neighbours, within the border.
#[vyre::kernel(block = [32, 8], deny(races))]
fn stencil(x: &[f32], y: &mut [f32], w: usize, h: usize) {
    let (c, r) = thread::index_2d();
    if c > 0 && r > 0 && c + 1 < w && r + 1 < h {
        let i = r * w + c;
        y[i] = x[i - 1] + x[i + 1] + x[i - w] + x[i + w];
    }
}

/// Transposes a matrix of any shape.
#[vyre::kernel(block = [16, 16], deny(races))]
fn transpose(x: &[f32], y: &mut [f32], w: usize, h: usize) {
    let tile = shared::<[[f32; 17]; 16]>();
    let (tx, ty) = (thread::idx().x, thread::idx().y);
    let (c, r) = thread::index_2d();
    if c < w && r < h {
        tile[ty][tx] = x[r * w + c];
    }
    block::sync();
    let (c, r) = (block::idx().y * 16 + tx, block::idx().x * 16 + ty);
    if c < h && r < w {
        y[r * h + c] = tile[tx][ty];
    }
}

#[vyre::kernel(block = 64, deny(races))]
fn block_sums(x: &[f32], y: &mut [f32]) {
    let tile = shared::<[f32; 64]>();
    let (t, i) = (thread::idx().x, thread::index());
    tile[t] = if i < x.len() { x[i] } else { 0.0 };
    block::sync();
    let mut s = 32;
    while s > 0 {
        if t < s {
            tile[t] += tile[t + s];
        }
        block::sync();
        s /= 2;
    }
    if t == 0 {
        y[block::idx().x] = tile[0];
    }
}

#[vyre::kernel(deny(races))]
fn histogram(x: &[u32], counts: &[AtomicU32]) {
    let i = thread::index();
    if i < x.len() {
        counts[x[i] as usize].fetch_add(1, Ordering::Relaxed);
    }
}

#[vyre::kernel(deny(races))]
fn swap(y: &mut [u32], distance: usize) {
    let i = thread::index();
    let other = i ^ distance;
    if other > i && other < y.len() {
        let (a, b) = (y[i], y[other]);
        y[i] = b;
        y[other] = a;
    }
}

#[vyre::kernel(deny(races))]
fn collect(x: &[u32], count: &[AtomicU32], y: &mut [u32]) {
    let i = thread::index();
    if i < x.len() && x[i].is_multiple_of(3) {
        let slot = count[0].fetch_add(1, Ordering::Relaxed);
        y[slot as usize] = x[i];
    }
}

/// Places that are known to differ; a neighbour's element, of which either value will do.
#[vyre::kernel]
fn permute(to: &[u32], x: &[f32], y: &mut [f32], seen: &mut [f32]) {
    let i = thread::index();
    if i < to.len() {
        store::relaxed(&mut y[to[i] as usize], x[i]);
        seen[i] = load::relaxed(&y[i]);
    }
}

/// All write the same.
#[vyre::kernel(block = 64, allow(races))]
fn allowed(y: &mut [u32]) {
    y[thread::index() / 64] = 7;
}

fn numbers(count: usize) -> Vec<f32> {
    (0..count).map(|i| (i * 7 % 31) as f32).collect()
}

#[test]
fn kernels_without_races_run() -> vyre::Result<()> {
    for device in devices("races::kernels_without_races_run") {
        let (x, mut y) = (numbers(1000), vec![1.0; 1000]);
        Saxpy::dispatch(&device, 1000, 2.0, &x, &mut y)?;
        assert!(y.iter().zip(&x).all(|(y, x)| *y == 2.0 * x + 1.0));

        let mut y = vec![1.0f32; 1000];
        let mut on_device = device.upload(&y)?;
        grid_stride(&mut on_device).grid(3).launch(&device)?;
        on_device.download_into(&mut y)?;
        assert_eq!(y, [2.0; 1000]);

        let (w, h) = (45, 21);
        let (x, mut y) = (numbers(w * h), vec![0.0; w * h]);
        Stencil::dispatch(&device, [w, h], &x, &mut y, w, h)?;
        for (i, &sum) in y.iter().enumerate() {
            let (c, r) = (i % w, i / w);
            let is_inside = c > 0 && r > 0 && c + 1 < w && r + 1 < h;
            let expected = if is_inside {
                x[i - 1] + x[i + 1] + x[i - w] + x[i + w]
            } else {
                0.0
            };
            assert_eq!(sum, expected, "row {r}, column {c}");
        }

        Transpose::dispatch(&device, [w, h], &x, &mut y, w, h)?;
        assert!((0..w * h).all(|i| y[i % w * h + i / w] == x[i]));

        let mut sums = vec![0.0; 15];
        BlockSums::dispatch(&device, 15 * 64, &x, &mut sums)?;
        let expected: Vec<f32> = x.chunks(64).map(|chunk| chunk.iter().sum()).collect();
        assert_eq!(sums, expected);

        let values: Vec<u32> = (0..1000).map(|i| i * 13 % 7).collect();
        let mut counts = vec![0; 7];
        Histogram::dispatch(&device, 1000, &values, &mut counts)?;
        for (value, &count) in (0..7).zip(&counts) {
            assert_eq!(count as usize, values.iter().filter(|&&it| it == value).count());
        }

        let mut swapped: Vec<u32> = (0..100).collect();
        Swap::dispatch(&device, 100, &mut swapped, 4)?;
        assert!((0..96).all(|i| swapped[i ^ 4] == i as u32) && swapped[96..] == [96, 97, 98, 99]);

        let to: Vec<u32> = (0..1000).map(|i| i * 7 % 1000).collect();
        let (x, mut y, mut seen) = (numbers(1000), vec![-1.0; 1000], vec![0.0; 1000]);
        Permute::dispatch(&device, 1000, &to, &x, &mut y, &mut seen)?;
        for (i, &to) in to.iter().enumerate() {
            assert_eq!(y[to as usize], x[i]);
            assert!(seen[i] == y[i] || seen[i] == -1.0);
        }

        let mut y = [0; 2];
        Allowed::dispatch(&device, 64, &mut y)?;
        assert_eq!(y, [7, 0]);

        let (mut count, mut found) = ([0], vec![0; 1000]);
        Collect::dispatch(&device, 1000, &values, &mut count, &mut found)?;
        let expected = values.iter().filter(|&&it| it % 3 == 0);
        assert_eq!(count[0] as usize, expected.clone().count());
        assert_eq!(found.iter().sum::<u32>(), expected.sum::<u32>());
    }
    Ok(())
}

/// A product by tiles without a guard, for matrices whose width is a multiple of the tile's.
#[vyre::kernel(block = [32, 32], deny(races))]
fn product(a: &[f32], b: &[f32], c: &mut [f32], n: usize) {
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

/// A transposition without a guard.
#[vyre::kernel(block = [32, 32], deny(races))]
fn transpose_whole(x: &[f32], y: &mut [f32], width: usize) {
    let tile = shared::<[[f32; 33]; 32]>();
    let (tx, ty) = (thread::idx().x, thread::idx().y);
    let (bx, by) = (block::idx().x * 32, block::idx().y * 32);
    tile[ty][tx] = x[(by + ty) * width + bx + tx];
    block::sync();
    y[(bx + ty) * width + by + tx] = tile[tx][ty];
}

#[track_caller]
fn refused(result: vyre::Result<()>) -> RaceProblem {
    match result {
        Err(Error::MayRace { problem, .. }) => *problem,
        other => panic!("{other:?}"),
    }
}

#[test]
fn launches_that_race_are_refused() -> vyre::Result<()> {
    for device in devices("races::launches_that_race_are_refused") {
        // More memory than the right launches need, so that no fault ends the others.
        let a = device.upload(&numbers(128 * 128))?;
        let mut c = device.zeros::<f32>(128 * 128)?;
        product(&a, &a, &mut c, 64).over([64, 64]).launch(&device)?;
        let sum: f32 = (0..64)
            .map(|k| numbers(64 * 64)[64 + k] * numbers(64 * 64)[k * 64 + 2])
            .sum();
        assert_eq!(c.download()?[64 + 2], sum);

        let problem = refused(product(&a, &a, &mut c, 64).grid([3, 3]).launch(&device));
        assert_eq!(problem.condition, "32 * grid.x <= n");
        assert_eq!((problem.sides, problem.blocks), (Some((96, 64)), [3, 3, 1]));
        assert_eq!(problem.most_blocks, [Some(2), None, None]);
        let launch = product(&a, &a, &mut c, 48).over([48, 48]);
        assert!(matches!(launch.fits(&device), Err(Error::MayRace { .. })));
        let error = launch.launch(&device).unwrap_err().to_string();
        let (place, rest) = error.split_once(" unless ").unwrap_or_else(|| panic!("{error}"));
        assert!(
            place.starts_with("`product` may race at tests/cooperation/races.rs:"),
            "{error}"
        );
        assert_eq!(
            rest,
            "`32 * grid.x <= n`, and for a grid of 2 x 2 x 1 blocks 64 is more than 48; launch at most 1 block along x, 32 \
             threads, or guard the access"
        );
        // The launch has not run.
        assert_eq!(c.download()?[64 + 2], sum);

        let problem = refused(transpose_whole(&a, &mut c, 48).over([48, 48]).launch(&device));
        assert_eq!(
            (&*problem.condition, problem.sides),
            ("32 * grid.y <= width", Some((64, 48)))
        );
        assert_eq!(problem.most_blocks, [None, Some(1), None]);
        transpose_whole(&a, &mut c, 64).over([64, 64]).launch(&device)?;
        assert_eq!(c.download()?[5 * 64 + 2], numbers(64 * 64)[2 * 64 + 5]);
        // An empty domain runs no thread, and has no race.
        transpose_whole(&a, &mut c, 48).over([0, 48]).launch(&device)?;
    }
    Ok(())
}

#[cfg(feature = "graphs")]
#[test]
fn recorded_launches_that_race_are_refused() -> vyre::Result<()> {
    use vyre::Sequence;
    for device in devices("races::recorded_launches_that_race_are_refused") {
        let a = device.upload(&numbers(128 * 128))?;
        let (mut b, mut c) = (device.zeros::<f32>(128 * 128)?, device.zeros::<f32>(128 * 128)?);
        let mut steps = Sequence::new(&device);
        refused(steps.launch(transpose_whole(&a, &mut b, 48).over([48, 48])));
        let node = steps.node(transpose_whole(&a, &mut b, 64).over([64, 64]))?;
        let mut graph = steps.into_graph()?;
        refused(graph.set(&node, transpose_whole(&a, &mut c, 48).over([48, 48])));
        refused(graph.set(&node, transpose_whole(&a, &mut c, 64).grid([2, 3])));
        graph.set(&node, transpose_whole(&a, &mut c, 96).over([96, 96]))?;
        graph.run()?;
        assert_eq!(c.download()?[5 * 96 + 2], numbers(128 * 128)[2 * 96 + 5]);
        assert_eq!(b.download()?, vec![0.0; 128 * 128]);
    }
    Ok(())
}

/// Rows as long as the grid, which has to have as many blocks as a row has threads.
#[cfg(feature = "programs")]
#[vyre::kernel(block = [8, 8], deny(races))]
fn rows_of_the_grid(y: &mut [u32]) {
    if block::idx().x == 0 && block::idx().y == 0 {
        let (column, row) = (thread::idx().x, thread::idx().y);
        y[row * grid::dim().x + column] = 1;
    }
}

/// No launch races.
#[cfg(feature = "programs")]
#[vyre::kernel(block = 32, deny(races))]
fn own_elements(y: &mut [u32]) {
    let i = thread::index();
    if i < y.len() {
        y[i] += 1;
    }
}

#[cfg(feature = "programs")]
#[test]
fn extents_on_the_device_are_held_against_the_largest() -> vyre::Result<()> {
    use vyre::Sequence;
    for device in devices("races::extents_on_the_device_are_held_against_the_largest") {
        let a = device.upload(&numbers(128 * 128))?;
        let mut c = device.zeros::<f32>(128 * 128)?;
        let extent = device.upload(&[32u32, 32])?;
        // The extent would do; the host knows the largest one.
        refused(
            transpose_whole(&a, &mut c, 48)
                .over([48, 48])
                .over_device(&extent)
                .launch(&device),
        );
        let mut steps = Sequence::new(&device);
        refused(steps.launch(transpose_whole(&a, &mut c, 48).over([48, 48]).over_device(&extent)));
        transpose_whole(&a, &mut c, 64)
            .over([64, 64])
            .over_device(&extent)
            .launch(&device)?;
        let found = c.download()?;
        assert_eq!(found[5 * 64 + 2], numbers(64 * 64)[2 * 64 + 5]);
        // Blocks past the extent have ended.
        assert_eq!(found[40 * 64 + 2], 0.0);

        let mut y = device.zeros::<u32>(64)?;
        let problem = refused(
            rows_of_the_grid(&mut y)
                .grid([8, 1])
                .over_device(&extent)
                .launch(&device),
        );
        assert_eq!((&*problem.condition, problem.is_on_device), ("8 <= grid.x", true));
        let error = rows_of_the_grid(&mut y)
            .grid([7, 1])
            .launch(&device)
            .unwrap_err()
            .to_string();
        assert!(error.contains("8 is more than 7; launch more blocks"), "{error}");
        rows_of_the_grid(&mut y).grid([8, 1]).launch(&device)?;
        assert_eq!(y.download()?, [1; 64]);
        let one = device.upload(&[20u32])?;
        own_elements(&mut y).over(64).over_device(&one).launch(&device)?;
        assert_eq!(y.download()?, [[2; 32], [1; 32]].concat());
    }
    Ok(())
}
