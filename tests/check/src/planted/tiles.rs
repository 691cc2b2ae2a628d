//! Races on tiles in shared memory: of matrices, of bodies, of a cluster, and by named barriers.

use vyre::prelude::*;

super::faults! { "tiles.rs"
    next_tile: Race
    next_bodies: Race
    rods: Race
    full_tile: Race
    lanes_of_a_tile: Race
    row_of_a_matrix: Race
}

/// `tests/algorithms`, `matrix_product.rs`: `tiled`.
#[vyre::kernel(block = [16, 16], allow(races))]
fn product(a: Slice2<'_, f32>, b: Slice2<'_, f32>, mut c: SliceMut2<'_, f32>, planted: bool) {
    const SIDE: usize = 16;
    let left = shared::<[[f32; SIDE]; SIDE]>();
    let right = shared::<[[f32; SIDE]; SIDE]>();
    let (column, row) = thread::index_2d();
    let (x, y) = (thread::idx().x, thread::idx().y);
    let mut sum = 0.0;
    for first in (0..a.cols()).step_by(SIDE) {
        left[y][x] = a[[row, first + x]]; //~ next_tile
        right[y][x] = b[[first + y, column]];
        block::sync();
        for k in 0..SIDE {
            let factor = left[y][k]; //~ next_tile
            sum = factor.mul_add(right[k][x], sum);
        }
        if !planted {
            block::sync();
        }
    }
    c[[row, column]] = sum;
}

fn next_tile(device: &Device, planted: bool) -> vyre::Result<()> {
    let a = device.upload(&[1.0f32; 16 * 32])?;
    let mut c = device.zeros::<f32>(256)?;
    product(a.view2(16, 32)?, a.view2(32, 16)?, c.view2_mut(16, 16)?, planted)
        .grid([1, 1])
        .launch(device)?;
    assert_eq!(c.download()?, [32.0; 256]);
    Ok(())
}

/// `examples/nbody`: `attract`, along one axis.
#[vyre::kernel(block = 64, allow(races))]
fn attract(x: &[f32], ax: &mut [f32], planted: bool) {
    let tile = shared::<[f32; 64]>();
    let (t, i) = (thread::idx().x, thread::index());
    let mut sum = 0.0;
    let mut first = 0;
    while first < x.len() {
        let j = first + t;
        tile[t] = if j < x.len() { x[j] } else { 0.0 }; //~ next_bodies
        block::sync();
        for k in 0..64 {
            let other = tile[k]; //~ next_bodies
            sum += other;
        }
        if !planted {
            block::sync();
        }
        first += 64;
    }
    if i < ax.len() {
        ax[i] = sum;
    }
}

fn next_bodies(device: &Device, planted: bool) -> vyre::Result<()> {
    let mut ax = [0.0; 100];
    Attract::dispatch(device, 100, &[1.0; 100], &mut ax, planted)?;
    assert_eq!(ax, [100.0; 100]);
    Ok(())
}

/// `tests/algorithms`, `distributed.rs`: `heat`, with shorter rods.
#[vyre::kernel(block = 32, cluster = 2, allow(races))]
fn heat(steps: usize, cells: &mut [f32], planted: bool) {
    let states = shared::<[[f32; 32]; 2]>();
    let (i, t, rank) = (thread::index(), thread::idx().x, cluster::block_rank());
    let other = cluster::map_shared(states, 1 - rank);
    states[0][t] = cells[i];
    cluster::sync();
    for step in 0..steps {
        let now = step % 2;
        let own = states[now][t];
        let mut near = own;
        if t == 31 - 31 * rank {
            near = other[now][31 * rank]; //~ rods
        }
        states[1 - now][t] = 0.5 * (own + near); //~ rods
        if planted {
            block::sync();
        } else {
            cluster::sync();
        }
    }
    cells[i] = states[steps % 2][t];
    cluster::sync();
}

fn rods(device: &Device, planted: bool) -> vyre::Result<()> {
    let mut cells = [1.0; 64];
    Heat::dispatch(device, 64, 4, &mut cells, planted)?;
    assert_eq!(cells, [1.0; 64]);
    Ok(())
}

/// The example of named barriers.
#[vyre::kernel(block = 128, allow(races))]
fn sums(values: &[u32], sums: &[AtomicU32], planted: bool) {
    let tile = shared::<[u32; 64]>();
    let (full, empty) = (block::barrier::<1, 128>(), block::barrier::<2, 128>());
    let t = thread::idx().x;
    let mut first = 0;
    while first < values.len() {
        if t < 64 {
            let i = first + t;
            tile[t] = if i < values.len() { values[i] } else { 0 }; //~ full_tile
            full.arrive();
            if planted {
                empty.arrive();
            } else {
                empty.sync();
            }
        } else {
            full.sync();
            let value = tile[t - 64]; //~ full_tile
            empty.arrive();
            sums[0].fetch_add(value, Ordering::Relaxed);
        }
        first += 64;
    }
}

fn full_tile(device: &Device, planted: bool) -> vyre::Result<()> {
    let values = device.upload(&[1; 200])?;
    let mut total = device.zeros::<u32>(1)?;
    sums(&values, &mut total, planted).grid(1).launch(device)?;
    assert_eq!(total.download()?, [200]);
    Ok(())
}

/// Tiles of 8 lanes exchange by memory; a barrier of the tile orders its lanes alone.
#[vyre::kernel(block = 32, allow(races))]
fn neighbours(x: &mut [u32], planted: bool) {
    let all = shared::<[u32; 32]>();
    let t = thread::idx().x;
    all[t] = x[t]; //~ lanes_of_a_tile
    warp::tile::<8>().sync();
    let mask = if planted { 8 } else { 7 };
    x[t] = all[t ^ mask]; //~ lanes_of_a_tile
}

fn lanes_of_a_tile(device: &Device, planted: bool) -> vyre::Result<()> {
    let mut x: Vec<u32> = (0..32).collect();
    Neighbours::dispatch(device, 32, &mut x, planted)?;
    assert_eq!(x[0], 7);
    Ok(())
}

/// `tests/algorithms`, `lu.rs`: `subtract`, which leaves the column of the pivot alone.
#[vyre::kernel(block = [8, 8], allow(races))]
fn subtract(a: &mut [f32], n: usize, planted: bool) {
    let (across, down) = thread::index_2d();
    let (column, row) = (if planted { across } else { across + 1 }, down + 1);
    if column < n && row < n {
        let factor = a[row * n]; //~ row_of_a_matrix
        let upper = a[column];
        a[row * n + column] -= factor * upper; //~ row_of_a_matrix
    }
}

fn row_of_a_matrix(device: &Device, planted: bool) -> vyre::Result<()> {
    let mut a = device.upload(&[1.0f32; 25])?;
    subtract(&mut a, 5, planted).over([5, 5]).launch(device)?;
    assert_eq!(a.download()?[6..10], [0.0; 4]);
    Ok(())
}
