//! Compiles the kernels.

fn main() -> Result<(), vyre_build::Error> {
    vyre_build::Kernels::new()
        .file("src/kernels.rs")
        .file("src/more/kernels.rs")
        .compile()
}
