//! The PTX of every kernel of the examples, as files in `tests/examples/snapshots`, assembled for
//! every architecture where the vendor's assembler is found.

use std::path::Path;

use vyre::{Kernel, KernelInfo};
use vyre_test_support::{ptxas, snapshot};

use crate::{edges, histogram, nbody, quickstart, reduce, scan};

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
        ("nbody", body::Attract::info()),
        ("nbody", body::Kick::info()),
        ("nbody", body::Drift::info()),
        ("nbody", body::Energy::info()),
        ("histogram", histogram::example::Histogram::info()),
        ("reduce", reduce::example::BlockSums::info()),
        ("reduce", reduce::example::Maximum::info()),
        ("quickstart", quickstart::example::Saxpy::info()),
    ]
}

#[test]
fn ptx_is_as_it_was() {
    let changed: Vec<String> = kernels()
        .iter()
        .filter_map(|(example, kernel)| {
            let file = format!("tests/examples/snapshots/{example}-{}.ptx", kernel.name);
            // Comments name source files as the host's system does.
            snapshot::compare(Path::new(&file), &kernel.ptx.replace('\\', "/")).err()
        })
        .collect();
    assert!(changed.is_empty(), "{}", changed.join("\n"));
    let files = std::fs::read_dir("tests/examples/snapshots").expect("the folder is there");
    assert_eq!(
        files.count(),
        kernels().len(),
        "a snapshot for each kernel and no other"
    );
}

#[test]
fn ptxas_accepts_it() {
    let modules: Vec<(String, String)> = kernels()
        .iter()
        .map(|(_, kernel)| (kernel.name.to_owned(), kernel.ptx.to_owned()))
        .collect();
    match ptxas::find() {
        Some(ptxas) => {
            if let Err(refused) = ptxas::assemble_all(ptxas, &modules, &ptxas::TARGETS) {
                panic!("{refused}");
            }
        }
        None => println!("SKIP-PTXAS {} modules", modules.len()),
    }
}
