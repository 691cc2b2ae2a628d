//! Extents of blocks that are constants or come from macros, and indices along axes that a block does not have.

use vyre::Kernel as _;
use vyre::prelude::*;
use vyre_semantics::{everywhere, ptx};

#[vyre::device]
const WIDTH: usize = 32;

mod elsewhere {
    #[vyre::device]
    pub(super) const HEIGHT: u32 = 1 << 2;
}

/// The index of the thread in its block, as code that does not know its axes writes it.
#[vyre::device]
fn place_in_block() -> usize {
    let (thread, block) = (thread::idx(), block::dim());
    (thread.z * block.y + thread.y) * block.x + thread.x
}

#[vyre::device]
fn block_in_grid() -> usize {
    (block::idx().z * grid::dim().y + block::idx().y) * grid::dim().x + block::idx().x
}

/// Turns rows of a tile whose extents are constants of this module and of another.
#[vyre::kernel(block = [WIDTH, elsewhere::HEIGHT])]
fn turned(x: &mut [u32]) {
    let tile = shared::<[u32; WIDTH * 4]>();
    let t = place_in_block();
    tile[t] = x[t];
    block::sync();
    x[t] = tile[WIDTH * 4 - 1 - t];
}

/// All axes in a block that has one.
#[vyre::kernel(block = WIDTH)]
fn numbered(y: &mut [usize]) {
    let i = block_in_grid() * WIDTH + place_in_block();
    if i < y.len() {
        y[i] = i + 1000 * thread::idx().y + block::dim().z;
    }
}

/// A block as long as a constant of another crate.
#[vyre::kernel(block = vyre_functions::BLOCK)]
fn lengths(y: &mut [usize]) {
    y[thread::index()] = block::dim().x;
}

/// A block as long as its parameter.
#[vyre::kernel(N = [64, 128], block = N)]
fn sums<const N: usize>(x: &[u32], y: &mut [u32]) {
    let tile = shared::<[u32; N]>();
    let t = thread::idx().x;
    tile[t] = x[thread::index()];
    block::sync();
    if t == 0 {
        y[block::idx().x] = tile.iter().sum();
    }
}

macro_rules! sized {
    ($($name:ident $launcher:ident $block:expr, $one:literal;)*) => { $(
        #[vyre::kernel(launcher = $launcher, block = [$block, $one])]
        fn $name(y: &mut [usize]) {
            y[thread::index()] = block::dim().x * 100 + block::dim().y;
        }
    )* };
}

sized! {
    by_literal ByLiteral 16, 2;
    by_constant ByConstant WIDTH, 1;
}

#[test]
fn constants() {
    everywhere(|place| {
        let x: Vec<u32> = (0..128).collect();
        let mut there = place.device().upload(&x)?;
        place.grid(turned(&mut there), [1, 1, 1])?;
        assert_eq!(
            there.download()?,
            x.into_iter().rev().collect::<Vec<u32>>(),
            "on {}",
            place.name()
        );
        let mut y = place.device().zeros(100)?;
        place.over(numbered(&mut y), 100)?;
        assert_eq!(y.download()?, (1..=100).collect::<Vec<usize>>(), "on {}", place.name());
        let mut y = place.device().zeros(vyre_functions::BLOCK)?;
        place.grid(lengths(&mut y), [1, 1, 1])?;
        assert_eq!(y.download()?, [vyre_functions::BLOCK; vyre_functions::BLOCK]);
        let x = place.device().upload(&[1u32; 256])?;
        let mut y = place.device().zeros(4)?;
        place.over(sums::<64>(&x, &mut y), 256)?;
        assert_eq!(y.download()?, [64; 4]);
        place.over(sums::<128>(&x, &mut y), 256)?;
        assert_eq!(y.download()?, [128, 128, 64, 64]);
        Ok(())
    });
}

#[test]
fn fragments_of_macros() {
    everywhere(|place| {
        let mut y = place.device().zeros(32)?;
        place.grid(by_literal(&mut y), [1, 1, 1])?;
        assert_eq!(y.download()?, [1602; 32], "on {}", place.name());
        place.grid(by_constant(&mut y), [1, 1, 1])?;
        assert_eq!(y.download()?, [3201; 32], "on {}", place.name());
        Ok(())
    });
    let kernels = [
        Turned::info(),
        Numbered::info(),
        SumsN64::info(),
        ByLiteral::info(),
        ByConstant::info(),
    ];
    ptx::assembled(&kernels);
}
