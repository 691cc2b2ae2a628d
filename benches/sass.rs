//! Writes the PTX of the kernels that have a twin in `cuda/kernels.cu`, for `scripts/sass`, which
//! compares the machine code of the two.
//!
//! ```text
//! cargo bench --bench sass -- FOLDER
//! ```
#![allow(unreachable_pub, reason = "a program has no outside")]
#![allow(clippy::duplicate_mod, reason = "the examples have their support in common")]

use std::path::PathBuf;

use vyre::Kernel;

mod cuda {
    pub mod kernels;
}
#[path = "../examples/edges/kernels.rs"]
#[allow(dead_code, reason = "nothing is launched here")]
mod edges;
#[path = "../examples/histogram/main.rs"]
#[allow(dead_code, reason = "nothing is launched here")]
mod histogram;
#[path = "../examples/nbody/kernels.rs"]
#[allow(dead_code, reason = "nothing is launched here")]
mod nbody;
#[path = "../examples/reduce/main.rs"]
#[allow(dead_code, reason = "nothing is launched here")]
mod reduce;

fn main() -> std::io::Result<()> {
    let Some(folder) = std::env::args()
        .skip(1)
        .find(|word| word != "--bench")
        .map(PathBuf::from)
    else {
        println!("give a folder to write to");
        return Ok(());
    };
    std::fs::create_dir_all(&folder)?;
    use cuda::kernels as own;
    for info in [
        own::Saxpy::info(),
        own::MatmulNaive::info(),
        own::MatmulTiled::info(),
        own::Stencil::info(),
        own::RowSums::info(),
        own::Transpose::info(),
        own::Conv7::info(),
        own::Escapes::info(),
        own::Sha256::info(),
        own::Strided::info(),
        own::TileRows::info(),
        own::Exchanges::info(),
        own::Reductions::info(),
        own::Complement::info(),
        own::MatmulRegisters::info(),
        own::Faces::info(),
        own::Triangle::info(),
        own::LowerBounds::info(),
        own::Spmv::info(),
        own::Steps::info(),
        reduce::BlockSums::info(),
        histogram::Histogram::info(),
        nbody::Attract::info(),
        nbody::Kick::info(),
        nbody::Energy::info(),
        edges::Brightness::info(),
        edges::BlurRows::info(),
        edges::BlurColumns::info(),
        edges::Sobel::info(),
    ] {
        // The twins are compiled for `sm_90`.
        let ptx = info.newer.first().map_or(info.ptx, |newer| newer.ptx);
        std::fs::write(folder.join(format!("{}.ptx", info.name)), ptx)?;
    }
    Ok(())
}
