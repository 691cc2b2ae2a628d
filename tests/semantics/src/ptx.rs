//! Snapshots and counts of the PTX of kernels, and ptxas's word on it.

use std::path::Path;

use vyre_runtime::kernel::KernelInfo;
use vyre_test_support::{counts, ptxas, snapshot};

/// Has the PTX of a kernel assembled for the oldest GPU, which takes the least. For the many small
/// kernels of this suite, which on every GPU would take minutes.
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

/// Compares the PTX of every kernel with `folder/MODULE/KERNEL.ptx`. `VYRE_BLESS=1` writes the files.
///
/// # Panics
/// If one differs, or if a file in the folder belongs to no kernel.
pub fn snapshots(folder: impl AsRef<Path>, modules: &[(&str, Vec<&'static KernelInfo>)]) {
    let folder = folder.as_ref();
    let mut files = Vec::new();
    let mut differences = String::new();
    for (module, kernels) in modules {
        for info in kernels {
            let file = folder.join(module).join(format!("{}.ptx", info.name));
            if let Err(difference) = snapshot::compare(&file, info.ptx) {
                differences += &format!("{difference}\n");
            }
            files.push(file);
        }
    }
    for (module, _) in modules {
        for entry in std::fs::read_dir(folder.join(module)).expect("a folder of snapshots") {
            let file = entry.expect("a file").path();
            if !files.contains(&file) {
                differences += &format!("{} belongs to no kernel\n", file.display());
            }
        }
    }
    assert!(differences.is_empty(), "{differences}");
}

/// Compares the counts of kernels with the table in `file`, and has their PTX assembled for every GPU
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

/// Has the PTX of kernels assembled for the oldest GPU and the newest, where the PTX itself is not
/// what a reader would look at.
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
