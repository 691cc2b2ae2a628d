//! Snapshots and counts of PTX, and validation by ptxas.

use std::path::Path;

use vyre_runtime::kernel::KernelInfo;
use vyre_test_support::{counts, ptxas, snapshot};

/// The PTX of a kernel up to the entry for launches that keep conditions, which has most instructions once more.
pub fn checked(info: &KernelInfo) -> &'static str {
    without_assumed(info.ptx)
}

/// PTX up to that entry.
pub fn without_assumed(ptx: &str) -> &str {
    ptx.split_once("__assumed(").map_or(ptx, |(before, _)| before)
}

/// Assembles the PTX of a kernel for the oldest GPU, which accepts the least. For the many small
/// kernels of this suite, which would take minutes for every GPU.
///
/// # Panics
/// If ptxas refuses it.
pub fn assemble_quickly(info: &KernelInfo) {
    let Some(ptxas) = ptxas::find() else { return };
    let mut targets = ptxas::TARGETS.into_iter();
    let oldest = targets
        .find(|target| ptxas::runs_on(info.ptx, target))
        .expect("a GPU that runs it");
    if let Err(said) = ptxas::assemble(ptxas, info.ptx, oldest) {
        panic!("ptxas refuses `{}` for {oldest}: {said}\n{}", info.name, info.ptx);
    }
}

/// Compares the PTX of the kernels listed in the index of `folder` with their snapshots there.
///
/// # Panics
/// If one differs, or if the index and the files do not agree.
pub fn snapshots(folder: &str, modules: &[(&str, Vec<&'static KernelInfo>)]) {
    let mut named = Vec::new();
    for (module, kernels) in modules {
        named.extend(kernels.iter().map(|info| (format!("{module}/{}", info.name), info.ptx)));
    }
    if let Err(differences) = snapshot::compare_listed(Path::new(folder), &named) {
        panic!("{differences}");
    }
}

/// Compares the counts of kernels with the table in `file`, and assembles their PTX for every GPU
/// since Turing. Rows begin with the names of the package and the module.
///
/// # Panics
/// If one differs or ptxas refuses one.
pub fn counts(file: &str, package: &str, modules: &[(&str, Vec<&'static KernelInfo>)]) {
    let mut counted = Vec::new();
    for (module, kernels) in modules {
        counted.extend(kernels.iter().map(|info| counts::Module {
            path: format!("{package}/{module}"),
            ptx: info.ptx,
        }));
    }
    if let Err(differences) = counts::check(Path::new(file), &counted) {
        panic!("{differences}");
    }
}

/// Assembles the PTX of kernels for the oldest and the newest GPU, if the PTX itself is not of
/// interest to a reader.
///
/// # Panics
/// If ptxas refuses one.
pub fn assembled(kernels: &[&KernelInfo]) {
    let modules: Vec<(String, String)> = (kernels.iter())
        .map(|info| (info.name.to_owned(), info.ptx.to_owned()))
        .collect();
    let [oldest, .., newest] = ptxas::TARGETS;
    assemble(&modules, &[oldest, newest]);
}

fn assemble(modules: &[(String, String)], targets: &[&str]) {
    match ptxas::find() {
        Some(ptxas) => {
            if let Err(refused) = ptxas::assemble_all(ptxas, modules, targets) {
                panic!("{refused}");
            }
        }
        None => println!("SKIP-PTXAS {} modules", modules.len()),
    }
}
