//! Files named on the command line, and their contents.

use std::fmt::Display;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

/// Pieces of files that are scanned by one launch.
#[derive(Default)]
pub struct Batch {
    /// The file of each piece. A long file has several pieces, in consecutive batches.
    pub files: Vec<PathBuf>,
    /// The start of the text of each piece; one more entry than files.
    pub starts: Vec<usize>,
    /// The concatenated texts.
    pub text: Vec<u8>,
    /// True if the first piece belongs to the last file of the previous batch.
    pub continues: bool,
}

/// A batch has at most this many bytes. No match crosses a newline, so a longer file is cut behind one; a line
/// that is as long is an error.
const BATCH_BYTES: usize = 256 << 20;

/// An error, told with the path of its file.
pub type Report<'a> = &'a mut dyn FnMut(&Path, &dyn Display);

/// The files under the paths, folders in the order of names. Symbolic links in folders are not followed. Folders
/// that cannot be read are reported and skipped.
pub fn files(paths: &[PathBuf], report: Report<'_>) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for path in paths {
        if path.is_dir() {
            folder(path, &mut found, report);
        } else {
            found.push(path.clone());
        }
    }
    found
}

/// The bytes of the files. Pipes and the like count as empty.
pub fn bytes(files: &[PathBuf]) -> u64 {
    let sizes = files.iter().filter_map(|path| fs::metadata(path).ok());
    sizes.map(|it| it.len()).sum()
}

fn folder(path: &Path, found: &mut Vec<PathBuf>, report: Report<'_>) {
    let entries = match fs::read_dir(path) {
        Ok(entries) => entries,
        Err(error) => return report(path, &error),
    };
    let mut entries: Vec<_> = entries.flatten().collect();
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => folder(&entry.path(), found, report),
            Ok(kind) if kind.is_file() => found.push(entry.path()),
            _ => {}
        }
    }
}

/// A file that did not fit into the last batch.
struct Rest {
    path: PathBuf,
    file: File,
    /// The start of the line that the batch would have cut.
    line: Vec<u8>,
    /// True if the last batch has a piece of the file.
    begun: bool,
}

/// Reads files into batches.
pub struct Batches {
    files: std::vec::IntoIter<PathBuf>,
    rest: Option<Rest>,
    limit: usize,
}

impl Batches {
    /// Batches of the usual size.
    pub fn new(files: Vec<PathBuf>) -> Batches {
        Batches::with_limit(files, BATCH_BYTES)
    }

    /// Batches of at most `limit` bytes.
    pub fn with_limit(files: Vec<PathBuf>, limit: usize) -> Batches {
        Batches {
            files: files.into_iter(),
            rest: None,
            limit,
        }
    }

    /// The next batch, or `None` at the end. Files that cannot be read are reported and skipped.
    pub fn next(&mut self, report: Report<'_>) -> Option<Batch> {
        let mut batch = Batch {
            continues: self.rest.as_ref().is_some_and(|rest| rest.begun),
            ..Batch::default()
        };
        while batch.text.len() < self.limit {
            let Some(mut rest) = self.rest.take().or_else(|| self.open(report)) else {
                break;
            };
            let start = batch.text.len();
            batch.text.append(&mut rest.line);
            let room = self.limit - batch.text.len();
            match rest.file.by_ref().take(room as u64).read_to_end(&mut batch.text) {
                Ok(read) if read < room => batch.end_piece(rest.path),
                Ok(_) => match batch.text[start..].iter().rposition(|&byte| byte == b'\n') {
                    Some(newline) => {
                        rest.line = batch.text.split_off(start + newline + 1);
                        rest.begun = true;
                        batch.end_piece(rest.path.clone());
                        self.rest = Some(rest);
                        break;
                    }
                    // The line may fit into a batch of its own.
                    None if start > 0 => {
                        rest.line = batch.text.split_off(start);
                        self.rest = Some(rest);
                        break;
                    }
                    None => {
                        report(&rest.path, &format!("a line has more than {} bytes", self.limit));
                        batch = Batch::default();
                    }
                },
                Err(error) => {
                    report(&rest.path, &error);
                    batch.text.truncate(start);
                }
            }
        }
        (!batch.files.is_empty()).then_some(batch)
    }

    /// The next file that can be opened.
    fn open(&mut self, report: Report<'_>) -> Option<Rest> {
        loop {
            let path = self.files.next()?;
            match File::open(&path) {
                Ok(file) => {
                    return Some(Rest {
                        path,
                        file,
                        line: Vec::new(),
                        begun: false,
                    });
                }
                Err(error) => report(&path, &error),
            }
        }
    }
}

impl Batch {
    /// Adds a file.
    pub fn push(&mut self, path: PathBuf, text: &[u8]) {
        self.text.extend_from_slice(text);
        self.end_piece(path);
    }

    /// Makes a piece of the text behind the last one.
    fn end_piece(&mut self, path: PathBuf) {
        if self.starts.is_empty() {
            self.starts.push(0);
        }
        self.files.push(path);
        self.starts.push(self.text.len());
    }
}
