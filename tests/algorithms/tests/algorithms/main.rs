//! Known algorithms, each in every place: the interpreter, a machine that runs PTX, the CPU and, where
//! there is one, a GPU.

mod bitonic_sort;
mod black_scholes;
mod breadth_first;
mod conjugate_gradient;
mod fft;
mod floyd_warshall;
mod hash_table;
mod keccak;
mod life;
mod lu;
mod mandelbrot;
mod matrix_product;
mod murmur3;
mod nbody;
mod pipelined_product;
mod queens;
mod radix_sort;
mod reduce;
mod scan;
mod sha256;
mod sparse;
mod stencil;
mod tensor_halves;
mod tensor_kernels;
mod tensor_product;
mod transpose;

use vyre_semantics::{kernels, ptx};

/// The PTX of some kernels is in the tree, under `snapshots/`.
#[test]
fn ptx_is_as_it_was() {
    let modules = [
        ("hash_table", hash_table::kernels()),
        ("transpose", transpose::kernels()),
    ];
    ptx::snapshots("snapshots", &modules);
}

/// That of the others is assembled.
#[test]
fn ptxas_accepts_it() {
    let kernels = [
        bitonic_sort::kernels(),
        black_scholes::kernels(),
        breadth_first::kernels(),
        conjugate_gradient::kernels(),
        fft::kernels(),
        floyd_warshall::kernels(),
        keccak::kernels(),
        life::kernels(),
        lu::kernels(),
        mandelbrot::kernels(),
        matrix_product::kernels(),
        murmur3::kernels(),
        nbody::kernels(),
        pipelined_product::kernels(),
        queens::kernels(),
        radix_sort::kernels(),
        reduce::kernels(),
        scan::kernels(),
        sha256::kernels(),
        sparse::kernels(),
        stencil::kernels(),
        tensor_product::kernels(),
    ];
    ptx::assembled(&kernels.concat());
}

/// An array whose elements only counters pick is in registers.
#[test]
fn arrays_are_in_registers() {
    let kernels = [
        black_scholes::kernels(),
        keccak::kernels(),
        matrix_product::kernels(),
        nbody::kernels(),
        pipelined_product::kernels(),
        scan::kernels(),
        sha256::kernels(),
        stencil::kernels(),
    ];
    for kernel in kernels.concat() {
        assert!(!kernel.ptx.contains(".local"), "{}", kernel.name);
    }
}
