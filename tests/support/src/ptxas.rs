//! Runs PTX through `ptxas`, NVIDIA's assembler.
//!
//! It is searched by [`toolkit::find`], in `VYRE_PTXAS` first. Tests that need it skip with a
//! message if there is none, and fail instead if `CI` or `VYRE_REQUIRE_PTXAS` is set.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use vyre_build::toolkit;

/// The target architectures of the tests.
pub const TARGETS: [&str; 7] = ["sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120"];

/// The assembler.
///
/// # Panics
/// If there is none and `CI` or `VYRE_REQUIRE_PTXAS` requires one.
pub fn find() -> Option<&'static Path> {
    static FOUND: OnceLock<Option<PathBuf>> = OnceLock::new();
    let found = FOUND.get_or_init(|| toolkit::find("ptxas")).as_deref();
    assert!(
        found.is_some() || !is_required(),
        "no ptxas: run scripts/ptxas, or set VYRE_PTXAS to one (CI or VYRE_REQUIRE_PTXAS demands it)"
    );
    found
}

/// True if tests fail without an assembler.
fn is_required() -> bool {
    ["CI", "VYRE_REQUIRE_PTXAS"]
        .iter()
        .any(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()))
}

/// The version that `scripts/ptxas` installs, whose machine code the tables of counts describe.
pub fn pinned_version() -> &'static str {
    let script = include_str!("../../../scripts/ptxas");
    let mut lines = script.lines();
    let version = lines.find_map(|line| line.strip_prefix("version="));
    version.expect("scripts/ptxas names a version")
}

/// True if an assembler has the pinned version.
///
/// # Panics
/// If it does not, and `CI` or `VYRE_REQUIRE_PTXAS` requires it.
pub fn is_pinned(ptxas: &Path) -> bool {
    static FOUND: OnceLock<String> = OnceLock::new();
    let said = FOUND.get_or_init(|| {
        let output = Command::new(ptxas).arg("--version").output();
        output.map_or_else(
            |error| error.to_string(),
            |output| String::from_utf8_lossy(&output.stdout).into_owned(),
        )
    });
    let is_pinned = said
        .split_whitespace()
        .any(|word| word.strip_prefix('V') == Some(pinned_version()));
    assert!(
        is_pinned || !is_required(),
        "{} is not version {}, which the counts of machine code are of: run scripts/ptxas and name it in \
         VYRE_PTXAS (CI or VYRE_REQUIRE_PTXAS demands it)\n{said}",
        ptxas.display(),
        pinned_version()
    );
    is_pinned
}

/// The result of assembling a module.
#[derive(Debug)]
pub struct Assembled {
    /// The machine code, an ELF file.
    pub cubin: Vec<u8>,
    /// The resources of each kernel, as printed by `ptxas -v`.
    pub report: String,
}

/// Assembles `ptx` for one architecture, or for the one that it requires if that is newer.
///
/// # Errors
/// The messages of the assembler.
pub fn assemble(ptxas: &Path, ptx: &str, target: &str) -> Result<Assembled, String> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let name = format!("vyre-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
    let source = std::env::temp_dir().join(format!("{name}.ptx"));
    let output = std::env::temp_dir().join(format!("{name}.cubin"));
    let run = || -> std::io::Result<Result<Assembled, String>> {
        std::fs::write(&source, ptx)?;
        let result = Command::new(ptxas)
            .arg("-v")
            .arg(format!("-arch=sm_{}", number(target).max(needed(ptx))))
            .arg(&source)
            .arg("-o")
            .arg(&output)
            .output()?;
        let report = String::from_utf8_lossy(&result.stderr).into_owned();
        if result.status.success() {
            let cubin = std::fs::read(&output)?;
            Ok(Ok(Assembled { cubin, report }))
        } else {
            Ok(Err(report))
        }
    };
    let result = run().unwrap_or_else(|error| Err(format!("{}: {error}", ptxas.display())));
    // Leftovers in the temporary folder are harmless.
    let _ = std::fs::remove_file(&source);
    let _ = std::fs::remove_file(&output);
    result
}

/// True if PTX runs on an architecture: its `.target` is that one or an older one.
pub fn runs_on(ptx: &str, target: &str) -> bool {
    needed(ptx) <= number(target)
}

/// The number of an architecture: 75 of `sm_75`.
pub fn number(target: &str) -> u32 {
    target.trim_start_matches("sm_").parse().unwrap_or(0)
}

/// The architecture required by a module.
fn needed(ptx: &str) -> u32 {
    ptx.lines()
        .find_map(|line| line.strip_prefix(".target "))
        .map_or(0, number)
}

/// Assembles each module, a name and its PTX, for each of `targets`, several at a time. Yields for each
/// module the result for each target on which it runs.
///
/// # Errors
/// The assembler's messages about each module that it refused, with the module's name and the target.
pub fn assemble_all(
    ptxas: &Path,
    modules: &[(String, String)],
    targets: &[&str],
) -> Result<Vec<Vec<Option<Assembled>>>, String> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut results = Vec::new();
        loop {
            let job = next.fetch_add(1, Ordering::Relaxed);
            let Some((_, ptx)) = modules.get(job / targets.len().max(1)) else {
                return results;
            };
            let target = targets[job % targets.len()];
            if runs_on(ptx, target) {
                results.push((job, assemble(ptxas, ptx, target)));
            }
        }
    };
    let results: Vec<(usize, Result<Assembled, String>)> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..available()).map(|_| scope.spawn(work)).collect();
        workers
            .into_iter()
            .flat_map(|worker| worker.join().expect("a worker does not panic"))
            .collect()
    });
    let mut refused = String::new();
    let mut all: Vec<Vec<Option<Assembled>>> = Vec::new();
    all.resize_with(modules.len(), || targets.iter().map(|_| None).collect());
    for (job, result) in results {
        let (module, target) = (job / targets.len(), job % targets.len());
        match result {
            Ok(assembled) => all[module][target] = Some(assembled),
            Err(said) => refused += &format!("{} for {}:\n{said}\n", modules[module].0, targets[target]),
        }
    }
    if refused.is_empty() { Ok(all) } else { Err(refused) }
}

fn available() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
