//! Files of a command line, and their texts.

use std::fs;
use std::path::{Path, PathBuf};

/// Texts that are scanned with one launch.
#[derive(Default)]
pub struct Batch {
    /// The files.
    pub files: Vec<PathBuf>,
    /// Where the text of each begins; and one more.
    pub starts: Vec<usize>,
    /// The texts, one after the other.
    pub text: Vec<u8>,
}

/// A batch is launched once it has this many bytes.
const BATCH_BYTES: usize = 256 << 20;

/// The files under the paths, those of a folder by name. Symbolic links in folders are not followed.
/// What cannot be read is named on standard error and left out.
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

/// Reads files, as many at a time as make a batch.
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
