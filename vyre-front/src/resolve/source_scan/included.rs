//! Files whose text `include!` puts into a module of another file, which may bring names.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

thread_local! {
    static KNOWN: RefCell<Vec<(PathBuf, bool)>> = const { RefCell::new(Vec::new()) };
}

/// Limit of the entries of folders that are looked at.
const MOST: usize = 5000;

/// True if a file may be included: it is generated, or another one around it has `include!` and its name.
pub(super) fn may_be_included(file: &Path) -> bool {
    KNOWN.with_borrow_mut(|known| {
        for (path, may_be) in &*known {
            if path == file {
                return *may_be;
            }
        }
        let may_be = search(file);
        known.push((file.to_owned(), may_be));
        may_be
    })
}

fn search(file: &Path) -> bool {
    let variable = |name| std::env::var_os(name).map(PathBuf::from);
    let Ok(path) = file.canonicalize() else { return true };
    if variable("OUT_DIR").is_some_and(|folder| folder.canonicalize().is_ok_and(|folder| path.starts_with(folder))) {
        return true;
    }
    let Some(name) = path.file_name().map(|name| name.to_string_lossy().into_owned()) else {
        return true;
    };
    let of_file = path.ancestors().find(|folder| folder.join("Cargo.toml").is_file());
    let mut folders = Vec::new();
    folders.extend(of_file.map(Path::to_owned));
    folders.extend(variable("CARGO_MANIFEST_DIR").filter(|folder| Some(&**folder) != of_file));
    let mut entries = 0;
    while let Some(folder) = folders.pop() {
        let Ok(listed) = std::fs::read_dir(folder) else {
            continue;
        };
        for entry in listed {
            let Ok(entry) = entry else { continue };
            entries += 1;
            if entries > MOST {
                return true;
            }
            let (path, called) = (entry.path(), entry.file_name());
            let called = called.to_string_lossy();
            match entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                true if called != "target" && !called.starts_with('.') => folders.push(path),
                true => {}
                false if called.ends_with(".rs") && includes(&path, &name) => return true,
                false => {}
            }
        }
    }
    false
}

fn includes(file: &Path, name: &str) -> bool {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    text.contains("include!") && text.contains(name)
}
