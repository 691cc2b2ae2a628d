//! Threads that work together: barriers, tiles of threads, clusters and grids.

mod arrivals;
mod barriers;
mod clusters;
mod collectives;
mod grids;
mod reductions;
mod regions;
mod sorts;
mod tiles;
mod tokens;

/// PTX and machine code are as they were.
#[test]
fn ptx() {
    let modules = [
        ("arrivals", arrivals::kernels()),
        ("barriers", barriers::kernels()),
        ("clusters", clusters::kernels()),
        ("collectives", collectives::kernels()),
        ("grids", grids::kernels()),
        ("reductions", reductions::kernels()),
        ("regions", regions::kernels()),
        ("sorts", sorts::kernels()),
        ("tiles", tiles::kernels()),
        ("tokens", tokens::kernels()),
    ];
    vyre_semantics::ptx::counts("counts/cooperation.txt", "semantics", &modules);
}
