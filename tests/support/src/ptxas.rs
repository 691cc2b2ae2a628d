//! Finds the vendor's assembler and runs PTX through it.
//!
//! `ptxas` is looked for in `VYRE_PTXAS`, on `PATH`, and where `scripts/ptxas` puts it. Tests that
//! want it skip with a message where there is none, and fail instead where `CI` or
//! `VYRE_REQUIRE_PTXAS` is set.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// The architectures that every snapshot is assembled for.
pub const TARGETS: [&str; 7] = ["sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120"];

/// The assembler.
///
/// # Panics
/// If there is none and `CI` or `VYRE_REQUIRE_PTXAS` says that there must be.
pub fn find() -> Option<&'static Path> {
    static FOUND: OnceLock<Option<PathBuf>> = OnceLock::new();
    let found = FOUND.get_or_init(look).as_deref();
    let required = ["CI", "VYRE_REQUIRE_PTXAS"]
        .iter()
        .any(|name| std::env::var_os(name).is_some_and(|v| !v.is_empty()));
    assert!(
        found.is_some() || !required,
        "no ptxas: run scripts/ptxas, or set VYRE_PTXAS to one (CI or VYRE_REQUIRE_PTXAS demands it)"
    );
    found
}

fn look() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("VYRE_PTXAS") {
        return Some(PathBuf::from(named));
    }
    let on_path = std::env::var_os("PATH").and_then(|path| {
        std::env::split_paths(&path)
            .map(|folder| folder.join("ptxas"))
            .find(|file| file.is_file())
    });
    on_path.or_else(|| {
        let cached = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.cache/cuda/ptxas");
        cached.is_file().then_some(cached)
    })
}

/// Assembles `ptx` for one architecture, or for the one that it needs where that is newer, and returns
/// the machine code.
///
/// # Errors
/// What the assembler said.
pub fn assemble(ptxas: &Path, ptx: &str, target: &str) -> Result<Vec<u8>, String> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let name = format!("vyre-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
    let source = std::env::temp_dir().join(format!("{name}.ptx"));
    let output = std::env::temp_dir().join(format!("{name}.cubin"));
    let run = || -> std::io::Result<Result<Vec<u8>, String>> {
        std::fs::write(&source, ptx)?;
        let result = Command::new(ptxas)
            .arg(format!("-arch=sm_{}", number(target).max(needed(ptx))))
            .arg(&source)
            .arg("-o")
            .arg(&output)
            .output()?;
        if result.status.success() {
            Ok(Ok(std::fs::read(&output)?))
        } else {
            Ok(Err(String::from_utf8_lossy(&result.stderr).into_owned()))
        }
    };
    let result = run().unwrap_or_else(|error| Err(format!("{}: {error}", ptxas.display())));
    // Leftovers in the temporary folder harm nobody.
    let _ = std::fs::remove_file(&source);
    let _ = std::fs::remove_file(&output);
    result
}

/// Whether PTX runs on an architecture: its `.target` is that one or an older one.
pub fn runs_on(ptx: &str, target: &str) -> bool {
    needed(ptx) <= number(target)
}

/// The number of an architecture: 75 of `sm_75`.
fn number(target: &str) -> u32 {
    target.trim_start_matches("sm_").parse().unwrap_or(0)
}

/// The architecture that a module names.
fn needed(ptx: &str) -> u32 {
    ptx.lines()
        .find_map(|line| line.strip_prefix(".target "))
        .map_or(0, number)
}

/// Assembles each module, a name and its PTX, for each of `targets` on which it runs, several at a time.
///
/// # Errors
/// What the assembler said of each module that it refused, with the module's name and the target.
pub fn assemble_all(ptxas: &Path, modules: &[(String, String)], targets: &[&str]) -> Result<(), String> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut refused = String::new();
        loop {
            let job = next.fetch_add(1, Ordering::Relaxed);
            let Some((name, ptx)) = modules.get(job / targets.len().max(1)) else {
                return refused;
            };
            let target = targets[job % targets.len()];
            if runs_on(ptx, target)
                && let Err(said) = assemble(ptxas, ptx, target)
            {
                refused += &format!("{name} for {target}:\n{said}\n");
            }
        }
    };
    let refused: String = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..available()).map(|_| scope.spawn(work)).collect();
        workers
            .into_iter()
            .map(|worker| worker.join().expect("a worker does not panic"))
            .collect()
    });
    if refused.is_empty() { Ok(()) } else { Err(refused) }
}

fn available() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
