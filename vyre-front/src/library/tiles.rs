//! The methods of tiles of a warp that are made of others.

use super::methods::on::TILE;
use super::{Row, row};

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    row(TILE, "fn elect<const N: usize>(this: Tile<N>) -> bool { this.lane() == this.active_mask().trailing_zeros() as usize }"),
    // The lanes that are there are the first ones. Those whose number is a multiple of twice the distance have the result of a step.
    row(TILE, "fn reduce<const N: usize, T: Copy>(this: Tile<N>, value: T, combine: impl Fn(T, T) -> T + Copy) -> T { let lanes = this.active_mask().count_ones() as usize; let mut value = value; let mut distance = 1; while distance < N { let next = this.shuffle_down(value, distance); if this.lane() + distance < lanes { value = combine(value, next); } distance *= 2; } this.shuffle(value, 0) }"),
];
