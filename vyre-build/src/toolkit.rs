//! Finds the programs of the CUDA toolkit.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The program of this name, for example `ptxas`.
///
/// The first of these that is there: the file that `VYRE_PTXAS` names (for other programs `VYRE_` and their name
/// likewise), then the folders `bin` in `VYRE_CUDA`, those of `PATH`, those into which `scripts/ptxas` and
/// `scripts/sass` put programs, in `.cache` of the current folder or of one around it, `bin` in `CUDA_HOME` and
/// `CUDA_PATH`, and `/usr/local/cuda/bin`.
pub fn find(program: &str) -> Option<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    if let Some(named) = variable(&format!("VYRE_{}", program.to_uppercase())) {
        return Some(PathBuf::from(named));
    }
    let file = format!("{program}{}", std::env::consts::EXE_SUFFIX);
    let bin = |name: &str| variable(name).map(|home| Path::new(&home).join("bin"));
    let mut folders: Vec<PathBuf> = bin("VYRE_CUDA").into_iter().collect();
    folders.extend(std::env::split_paths(&variable("PATH").unwrap_or_default()));
    if let Ok(current) = std::env::current_dir() {
        folders.extend(current.ancestors().flat_map(cached));
    }
    folders.extend(["CUDA_HOME", "CUDA_PATH"].into_iter().filter_map(bin));
    folders.push(PathBuf::from("/usr/local/cuda/bin"));
    folders
        .into_iter()
        .map(|folder| folder.join(&file))
        .find(|path| path.is_file())
}

/// Errors of the environment variables that name a program: a sentence for each that leads to no file.
pub fn astray(program: &str) -> Vec<String> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let own = format!("VYRE_{}", program.to_uppercase());
    // A name without a folder is looked up in `PATH`.
    let named = variable(&own)
        .map(PathBuf::from)
        .filter(|path| path.components().count() > 1);
    let home = variable("VYRE_CUDA").map(PathBuf::from);
    let file = format!("{program}{}", std::env::consts::EXE_SUFFIX);
    let inside = home.map(|home| home.join("bin").join(file));
    [(own.as_str(), named), ("VYRE_CUDA", inside)]
        .into_iter()
        .filter_map(|(name, path)| Some((name, path.filter(|path| !path.is_file())?)))
        .map(|(name, path)| format!("{name} leads to {}, which is no file", path.display()))
        .collect()
}

/// The folders below `.cache` of a folder that hold programs.
fn cached(folder: &Path) -> Vec<PathBuf> {
    let cache = folder.join(".cache");
    let mut folders = vec![cache.join("cuda")];
    if let Ok(packages) = std::fs::read_dir(cache.join("cuda-tools").join("nvidia")) {
        folders.extend(packages.filter_map(|package| Some(package.ok()?.path().join("bin"))));
    }
    folders
}

/// The version that a program of the toolkit says it has with `--version`, for example `13.0`.
pub fn version(program: &Path) -> Option<String> {
    let output = std::process::Command::new(program)
        .arg(OsStr::new("--version"))
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let release = text.split("release ").nth(1)?;
    release.split([',', '\n']).next().map(str::to_owned)
}
