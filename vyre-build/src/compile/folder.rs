//! The folder of generated modules in `OUT_DIR`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::{fs, io};

use super::error::Error;
use super::report::Row;
use crate::report::Report;

/// The files that a build script has made so far, in all its calls: what else lies in `OUT_DIR` is of an earlier build.
pub(super) struct Build {
    /// The source of each module, by its path in lower case: the file systems of Windows and macOS take names for the
    /// same that differ by case only.
    sources: BTreeMap<String, String>,
    /// The files.
    written: BTreeSet<PathBuf>,
    /// The rows of the report.
    rows: Vec<Row>,
    /// The reports about accesses and branches, with their modules.
    reports: Vec<(String, Report)>,
}

impl Build {
    pub(super) const fn new() -> Build {
        Build {
            sources: BTreeMap::new(),
            written: BTreeSet::new(),
            rows: Vec::new(),
            reports: Vec::new(),
        }
    }
}

/// `OUT_DIR/vyre`, which holds generated modules and nothing else.
pub(super) struct Folder<'b> {
    path: PathBuf,
    build: &'b mut Build,
}

impl Folder<'_> {
    pub(super) fn new<'b>(out: &Path, build: &'b mut Build) -> Folder<'b> {
        let path = out.join("vyre");
        Folder { path, build }
    }

    /// Gives a module its name, which no module of another source has.
    pub(super) fn name(&mut self, name: &str, source: String) -> Result<(), Error> {
        let key = self.path.join(name).to_string_lossy().to_lowercase();
        let first = self.build.sources.entry(key).or_insert_with(|| source.clone());
        match *first == source {
            true => Ok(()),
            false => Err(Error::SameName {
                name: name.to_owned(),
                sources: [first.clone(), source],
            }),
        }
    }

    /// Writes a file, unless it has this content: what depends on it is not built again.
    pub(super) fn write(&mut self, name: &str, content: &[u8]) -> Result<(), Error> {
        let path = self.path.join(name);
        let write = || {
            if fs::read(&path).is_ok_and(|old| old == content) {
                return Ok(());
            }
            fs::create_dir_all(path.parent().unwrap_or(&path))?;
            fs::write(&path, content)
        };
        let done = write();
        self.build.written.insert(path.clone());
        done.map_err(|error| Error::File { path, error })
    }

    /// Adds rows to the report, in place of those about the same module and kernel.
    pub(super) fn report(&mut self, rows: Vec<Row>) {
        if let Some(new) = rows.first() {
            let is_other = |row: &Row| row.module != new.module || row.kernel != new.kernel;
            self.build.rows.retain(is_other);
        }
        self.build.rows.extend(rows);
    }

    pub(super) fn rows(&self) -> &[Row] {
        &self.build.rows
    }

    /// Adds the reports about the accesses and branches of a module, in place of earlier ones.
    pub(super) fn add_reports(&mut self, module: &str, reports: &[Report]) {
        self.build.reports.retain(|(of, _)| of != module);
        let new = reports.iter().map(|report| (module.to_owned(), report.clone()));
        self.build.reports.extend(new);
    }

    pub(super) fn reports(&self) -> Vec<Report> {
        self.build.reports.iter().map(|(_, report)| report.clone()).collect()
    }

    /// Removes the files of earlier builds: modules and kernels that are gone from the sources.
    pub(super) fn remove_stale(self) -> Result<(), Error> {
        match sweep(&self.path, &self.build.written) {
            Ok(_) => Ok(()),
            Err((path, error)) => Err(Error::File { path, error }),
        }
    }
}

/// Removes all files of a folder but these, and folders that are empty then. True if the folder is empty.
fn sweep(folder: &Path, kept: &BTreeSet<PathBuf>) -> Result<bool, (PathBuf, io::Error)> {
    fn at(path: &Path) -> impl Fn(io::Error) -> (PathBuf, io::Error) + use<'_> {
        move |error| (path.to_owned(), error)
    }
    let mut is_empty = true;
    for entry in fs::read_dir(folder).map_err(at(folder))? {
        let entry = entry.map_err(at(folder))?;
        let path = entry.path();
        // A link is removed, and what it leads to stays.
        if entry.file_type().map_err(at(&path))?.is_dir() {
            match sweep(&path, kept)? {
                true => fs::remove_dir(&path).map_err(at(&path))?,
                false => is_empty = false,
            }
        } else if kept.contains(&path) {
            is_empty = false;
        } else {
            fs::remove_file(&path).map_err(at(&path))?;
        }
    }
    Ok(is_empty)
}
