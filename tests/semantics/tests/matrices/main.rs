//! Matrices: views, fragments and tensor cores.

mod mma;
mod mma_mixed;
mod mma_sums;
mod mma_tiles;
mod views;

/// PTX and machine code are as they were.
#[test]
fn ptx() {
    let modules = [
        ("mma", mma::kernels()),
        ("mma_mixed", mma_mixed::kernels()),
        ("mma_sums", mma_sums::kernels()),
        ("mma_tiles", mma_tiles::kernels()),
        ("views", views::kernels()),
    ];
    vyre_semantics::ptx::counts("counts/matrices.txt", "semantics", &modules);
}
