fn main() -> Result<(), vyre_build::Error> {
    vyre_build::compile("src/kernels.rs")
}
