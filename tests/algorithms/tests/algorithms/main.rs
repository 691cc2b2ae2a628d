//! Known algorithms, each on every back end: the interpreter, the PTX machine, the CPU and, if
//! present, a GPU.

mod bitonic_sort;
mod black_scholes;
mod breadth_first;
mod conjugate_gradient;
mod fft;
mod floyd_warshall;
mod hash_table;
mod indices;
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

/// PTX and machine code are unchanged.
#[test]
fn ptx_is_as_it_was() {
    let modules = [
        ("bitonic_sort", bitonic_sort::kernels()),
        ("black_scholes", black_scholes::kernels()),
        ("breadth_first", breadth_first::kernels()),
        ("conjugate_gradient", conjugate_gradient::kernels()),
        ("fft", fft::kernels()),
        ("floyd_warshall", floyd_warshall::kernels()),
        ("hash_table", hash_table::kernels()),
        ("indices", indices::kernels()),
        ("keccak", keccak::kernels()),
        ("life", life::kernels()),
        ("lu", lu::kernels()),
        ("mandelbrot", mandelbrot::kernels()),
        ("matrix_product", matrix_product::kernels()),
        ("murmur3", murmur3::kernels()),
        ("nbody", nbody::kernels()),
        ("pipelined_product", pipelined_product::kernels()),
        ("queens", queens::kernels()),
        ("radix_sort", radix_sort::kernels()),
        ("reduce", reduce::kernels()),
        ("scan", scan::kernels()),
        ("sha256", sha256::kernels()),
        ("sparse", sparse::kernels()),
        ("stencil", stencil::kernels()),
        ("tensor_product", tensor_product::kernels()),
        ("transpose", transpose::kernels()),
    ];
    ptx::snapshots("snapshots", &modules);
    ptx::counts("counts.txt", "algorithms", &modules);
}

/// Arrays indexed only by loop counters are in registers.
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
