//! Compiles the kernels on types of the user, as a build script does.

fn main() -> Result<(), vyre_build::Error> {
    vyre_build::compile("tests/types/kernels.rs")?;
    vyre_build::compile("tests/types/vectors.rs")
}
