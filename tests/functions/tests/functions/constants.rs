//! A constant is the same to the optimiser wherever it is written: beside the kernel, in another module or crate, as a
//! parameter of the kernel, or inside it.

use vyre::prelude::*;
use vyre::{Kernel, KernelInfo};
use vyre_functions as library;
use vyre_semantics::everywhere;

#[vyre::device]
const SIDE: usize = 32;

#[vyre::device]
const ROWS: usize = SIDE / 4;

mod sizes {
    #[vyre::device]
    pub(super) const SIDE: usize = 4 * ROWS;

    #[vyre::device]
    pub(super) const ROWS: usize = 8;
}

/// No device constant, so the compiler sees its name alone.
const HIDDEN: usize = 32;

/// Kernels that transpose by a tile of this side, of which each thread copies one element in as many rows.
macro_rules! transpose {
    ($($(#[$attribute:meta])* fn $name:ident { $($inside:item)* } by $side:expr, $rows:expr;)*) => {$(
        #[vyre::kernel(block = [32, 8], allow(races))] // one side is a constant that vyre does not see
        $(#[$attribute])*
        fn $name(source: Slice2<'_, f32>, mut target: SliceMut2<'_, f32>) {
            $($inside)*
            let tile = shared::<[[f32; 33]; 32]>();
            let (across, down) = (thread::idx().x, thread::idx().y);
            let (left, top) = (block::idx().x * $side, block::idx().y * $side);
            for k in (0..$side).step_by($rows) {
                let row = down + k;
                if left + across < source.cols() && top + row < source.rows() {
                    tile[row][across] = source[[top + row, left + across]];
                }
            }
            block::sync();
            for k in (0..$side).step_by($rows) {
                let row = down + k;
                if top + across < target.cols() && left + row < target.rows() {
                    target[[left + row, top + across]] = tile[across][row];
                }
            }
        }
    )*};
}

transpose! {
    fn by_literals {} by 32, 8;
    fn by_own_constants { const SIDE: usize = 32; const ROWS: usize = SIDE / 4; } by SIDE, ROWS;
    fn by_constants_beside {} by SIDE, ROWS;
    fn by_constants_of_a_module {} by sizes::SIDE, self::sizes::ROWS;
    fn by_constants_of_a_crate {} by library::SIDE, library::SIDE / 4;
    fn by_an_expression { const ALL: usize = SIDE * ROWS; } by ALL / ROWS, SIDE - 3 * ROWS;
    fn by_a_hidden_constant {} by HIDDEN, HIDDEN / 4;
}

/// The instructions of a kernel, without its name and the places in the source.
fn instructions(kernel: &KernelInfo) -> String {
    let lines = kernel
        .ptx
        .lines()
        .filter(|line| !line.trim_start().starts_with(".loc "));
    let lines: Vec<_> = lines.map(|line| line.replace(kernel.name, "kernel")).collect();
    lines.join("\n")
}

#[test]
fn a_constant_is_the_same_wherever_it_is_written() {
    let by_literals = instructions(ByLiterals::info());
    for kernel in [
        ByOwnConstants::info(),
        ByConstantsBeside::info(),
        ByConstantsOfAModule::info(),
        ByConstantsOfACrate::info(),
        ByAnExpression::info(),
    ] {
        assert_eq!(instructions(kernel), by_literals, "{}", kernel.name);
    }
    assert_ne!(instructions(ByAHiddenConstant::info()), by_literals);
}

#[test]
fn transposes() {
    const EXTENT: [usize; 2] = [40, 33];
    let [rows, cols] = EXTENT;
    let source: Vec<f32> = (0..rows * cols).map(|i| i as f32).collect();
    let expected: Vec<f32> = (0..rows * cols).map(|i| source[i % rows * cols + i / rows]).collect();
    everywhere(|place| {
        let source = place.device().upload(&source)?;
        macro_rules! each {
            ($($kernel:ident)*) => {$(
                let mut target = place.device().zeros::<f32>(rows * cols)?;
                place.grid($kernel(source.view2(rows, cols)?, target.view2_mut(cols, rows)?), [2, 2, 1])?;
                assert_eq!(target.download()?, expected, stringify!($kernel));
            )*};
        }
        each! { by_constants_beside by_constants_of_a_module by_an_expression by_a_hidden_constant }
        Ok(())
    });
}

/// Constants inside the function around a kernel, and deprecated ones.
#[test]
fn constants_beside_kernels_in_functions() {
    const HIDDEN: u32 = 5;
    #[vyre::device]
    const MARKED: u32 = 7;
    #[vyre::kernel]
    fn sum(y: &mut [u32]) {
        let i = thread::index();
        if i < y.len() {
            y[i] = HIDDEN + MARKED;
        }
    }
    everywhere(|place| {
        let mut y = place.device().zeros::<u32>(3)?;
        place.over(sum(&mut y), [3, 1])?;
        assert_eq!(y.download()?, [12; 3]);
        Ok(())
    });
}
