//! The PTX of the examples: snapshots of some kernels, and the counts of all.

use std::path::Path;

use vyre::{Kernel, KernelInfo};
use vyre_test_support::{counts, snapshot};

use crate::{edges, histogram, kmeans, life, mandelbrot, nbody, options, quickstart, reduce, scan, search, softmax};

fn kernels() -> Vec<(&'static str, &'static KernelInfo)> {
    use edges::example::kernels as edge;
    use nbody::example::kernels as body;
    vec![
        ("edges", edge::Brightness::info()),
        ("edges", edge::BlurRows::info()),
        ("edges", edge::BlurColumns::info()),
        ("edges", edge::Sobel::info()),
        ("edges", edge::Thin::info()),
        ("edges", edge::Link::info()),
        ("edges", edge::Paint::info()),
        ("scan", scan::example::kernels::CountMatches::info()),
        ("kmeans", kmeans::example::kernels::Assign::info()),
        ("kmeans", kmeans::example::kernels::Gather::info()),
        ("life", life::example::kernels::Evolve::info()),
        ("life", life::example::kernels::Glow::info()),
        ("mandelbrot", mandelbrot::example::kernels::Sample::info()),
        ("mandelbrot", mandelbrot::example::kernels::Paint::info()),
        ("search", search::example::kernels::Score::info()),
        ("search", search::example::kernels::Best::info()),
        ("nbody", body::Attract::info()),
        ("nbody", body::Kick::info()),
        ("nbody", body::Drift::info()),
        ("nbody", body::Energy::info()),
        ("options", options::example::kernels::Price::info()),
        ("options", options::example::kernels::Trace::info()),
        ("softmax", softmax::example::Softmax::info()),
        ("softmax", softmax::example::SoftmaxOfLongRows::info()),
        ("histogram", histogram::example::Histogram::info()),
        ("reduce", reduce::example::BlockSums::info()),
        ("reduce", reduce::example::Maximum::info()),
        ("quickstart", quickstart::example::Saxpy::info()),
    ]
}

#[test]
fn ptx_is_as_it_was() {
    let named: Vec<(String, &str)> = kernels()
        .iter()
        .map(|(example, kernel)| (format!("{example}/{}", kernel.name), kernel.ptx))
        .collect();
    if let Err(differences) = snapshot::compare_listed(Path::new("tests/examples/snapshots"), &named) {
        panic!("{differences}");
    }
}

#[test]
fn counts_are_as_they_were() {
    let kernels = kernels();
    let modules: Vec<counts::Module<'_>> = kernels
        .iter()
        .map(|(example, kernel)| counts::Module {
            path: format!("examples/{example}"),
            ptx: kernel.ptx,
        })
        .collect();
    if let Err(differences) = counts::check(Path::new("tests/examples/counts.txt"), &modules) {
        panic!("{differences}");
    }
}
