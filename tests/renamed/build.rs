//! Compiles a file of kernels.

fn main() -> Result<(), vyre_build::Error> {
    vyre_build::Kernels::new()
        .file("src/kernels.rs")
        .targets(["sm_80"])
        .compile()
}
