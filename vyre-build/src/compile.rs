//! Kernels for build scripts: whole files, compiled ahead of the crate.

mod error;
pub(crate) mod file;
mod folder;
mod module_name;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

pub use self::error::{Complaint, Error};
use self::file::{Compiler, printed};
use self::folder::{Build, Folder};
use self::module_name::module_name;

/// Compiles the kernels of a file, given from the crate's folder: a [`Kernels`] of this file alone.
///
/// ```no_run
/// // build.rs
/// fn main() -> Result<(), vyre_build::Error> {
///     vyre_build::compile("src/kernels.rs")
/// }
/// ```
///
/// # Errors
/// Those of [`Kernels::compile`].
pub fn compile(path: impl AsRef<Path>) -> Result<(), Error> {
    Kernels::new().file(path).compile()
}

/// Kernels that a build script compiles ahead of its crate.
///
/// ```no_run
/// // build.rs
/// fn main() -> Result<(), vyre_build::Error> {
///     vyre_build::Kernels::new().file("src/filters/blur.rs").file("src/filters/median.rs").compile()
/// }
/// ```
///
/// Each file becomes a module of its name, which is its path without `src` and extension. The crate takes it in by
/// ```ignore
/// mod blur {
///     vyre::include_kernels!("filters/blur");
/// }
/// ```
///
/// The module has the items of the file, with launchers in place of its kernels. It lies in `OUT_DIR/vyre`, as
/// `filters/blur.rs`, with the PTX of each kernel `rows` beside it in `filters/blur/rows.ptx`. Files that an earlier
/// build has left there are removed.
///
/// A kernel may use the constants of the file, its functions, structs and enums that are marked
/// `#[vyre::device]`, its type aliases, and the items of a `#[vyre::device] mod`; others are
/// refused, because rustc, which could resolve them, has not run yet. Inner attributes of the file
/// (`#![..]` and `//!`) are removed, because `include!` does not accept them. The generated module
/// has `unsafe` code.
#[derive(Debug, Default)]
#[must_use = "nothing is compiled before `compile`"]
pub struct Kernels {
    files: Vec<PathBuf>,
}

impl Kernels {
    /// No kernels yet.
    pub fn new() -> Kernels {
        Kernels::default()
    }

    /// Adds the kernels of a file, given from the crate's folder.
    pub fn file(mut self, path: impl AsRef<Path>) -> Kernels {
        self.files.push(path.as_ref().to_owned());
        self
    }

    /// Compiles the kernels.
    ///
    /// # Errors
    /// Errors in the kernels, or of reading and writing the files.
    pub fn compile(self) -> Result<(), Error> {
        let [root, out] = ["CARGO_MANIFEST_DIR", "OUT_DIR"].map(|name| match std::env::var_os(name) {
            Some(value) => Ok(PathBuf::from(value)),
            None => Err(Error::NotInBuildScript { variable: name }),
        });
        static BUILD: Mutex<Build> = Mutex::new(Build::new());
        let mut build = BUILD.lock().unwrap_or_else(PoisonError::into_inner);
        self.compile_in(&root?, &out?, &mut build)
    }

    /// Compiles what lies in the folder `root` into `out`. All is compiled before anything is written.
    fn compile_in(self, root: &Path, out: &Path, build: &mut Build) -> Result<(), Error> {
        let mut folder = Folder::new(out, build);
        let (mut modules, mut complaints) = (Vec::new(), Vec::new());
        for path in &self.files {
            println!("cargo:rerun-if-changed={}", path.display());
            let name = module_name(root, path)?;
            folder.name(&name, path.display().to_string())?;
            let source = root.join(path);
            let text = std::fs::read_to_string(&source).map_err(|error| Error::File { path: source, error })?;
            let mut compiler = Compiler::new(path, name.rsplit('/').next().unwrap_or_default());
            let file = compiler.file(&text);
            complaints.extend(compiler.complaints);
            modules.push((name, file, compiler.modules));
        }
        if !complaints.is_empty() {
            return Err(Error::Kernels(complaints));
        }
        for (name, file, kernels) in modules {
            for (kernel, ptx) in kernels {
                folder.write(&format!("{name}/{kernel}"), ptx.as_bytes())?;
            }
            folder.write(&format!("{name}.rs"), printed(file).as_bytes())?;
        }
        folder.remove_stale()
    }
}

#[cfg(test)]
mod tests;
