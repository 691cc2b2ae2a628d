//! Compiles the kernels, and asks for machine code of those that attributes compile.

use vyre_build::Kernels;
use vyre_build::ir::{Program, build};

fn main() -> Result<(), vyre_build::Error> {
    vyre_build::targets(["sm_86", "sm_90a"])?;
    vyre_build::compile("src/configured.rs")?;
    let fused = fused(&[2.0, -1.0, 0.5]);
    Kernels::new()
        .file("src/kernels.rs")
        .file("src/more/kernels.rs")
        .program("fused", &fused)
        .targets(["sm_80", "sm_90"])
        .report(true)
        .compile()
}

/// A kernel that computes a polynomial, whose coefficients are constants.
fn fused(coefficients: &[f32]) -> Program {
    let mut program = Program::default();
    let parameters = (build::slice::<f32>("x"), build::slice_mut::<f32>("y"));
    build::kernel(&mut program, "polynomial", &[256], parameters, |k, (x, y)| {
        let i = k.linear_index();
        k.if_(i.lt(y.len()), || {
            let value = coefficients
                .iter()
                .rev()
                .fold(k.constant(0.0), |sum, &factor| sum * x.at(i) + factor);
            y.set(i, value);
        });
    });
    program
}
