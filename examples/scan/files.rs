//! Files named on the command line, and their contents.

use std::fs;
use std::path::{Path, PathBuf};

/// Files that are scanned by one launch.
#[derive(Default)]
pub struct Batch {
    /// The files.
    pub files: Vec<PathBuf>,
    /// The start of the text of each file; one more entry than files.
    pub starts: Vec<usize>,
    /// The concatenated texts.
    pub text: Vec<u8>,
}

/// A batch is launched once it has this many bytes.
const BATCH_BYTES: usize = 256 << 20;

/// The files under the paths, folders in the order of names. Symbolic links in folders are not
/// followed. Unreadable files are reported on standard error and skipped.
pub fn files(paths: &[PathBuf]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for path in paths {
        if path.is_dir() {
            folder(path, &mut found);
        } else {
            found.push(path.clone());
        }
    }
    found
}

fn folder(path: &Path, found: &mut Vec<PathBuf>) {
    let entries = match fs::read_dir(path) {
        Ok(entries) => entries,
        Err(error) => return eprintln!("{}: {error}", path.display()),
    };
    let mut entries: Vec<_> = entries.flatten().collect();
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => folder(&entry.path(), found),
            Ok(kind) if kind.is_file() => found.push(entry.path()),
            _ => {}
        }
    }
}

/// Reads files into batches.
pub fn batches(files: Vec<PathBuf>) -> impl Iterator<Item = Batch> {
    let mut files = files.into_iter();
    std::iter::from_fn(move || {
        let mut batch = Batch::default();
        while batch.text.len() < BATCH_BYTES {
            let Some(path) = files.next() else { break };
            match fs::read(&path) {
                Ok(text) => batch.push(path, &text),
                Err(error) => eprintln!("{}: {error}", path.display()),
            }
        }
        (!batch.files.is_empty()).then_some(batch)
    })
}

impl Batch {
    /// Adds a file.
    pub fn push(&mut self, path: PathBuf, text: &[u8]) {
        if self.starts.is_empty() {
            self.starts.push(0);
        }
        self.files.push(path);
        self.text.extend_from_slice(text);
        self.starts.push(self.text.len());
    }
}
