//! The names by which a crate takes generated modules in.

use std::path::{Component, Path};

use super::error::Error;

/// The name of a file's module: its path from the crate's folder, without a leading `src` and without extension, with
/// `/` between folders. `src/a/kernels.rs` is `a/kernels`. Of a file outside, `../shared/fft.rs`, the folders up are
/// left out.
pub(super) fn module_name(root: &Path, path: &Path) -> Result<String, Error> {
    let refused = |reason| Error::NoName {
        path: path.to_owned(),
        reason,
    };
    let inside = path.strip_prefix(root).unwrap_or(path);
    if inside.has_root() {
        return Err(refused(
            "give the path from the crate's folder, as `../shared/kernels.rs`",
        ));
    }
    let mut names = Vec::new();
    for component in inside.with_extension("").components() {
        match component {
            Component::Normal(name) => {
                let name = name.to_str().ok_or_else(|| refused("the path is not UTF-8"))?;
                names.push(name.to_owned());
            }
            Component::ParentDir => {
                names.pop();
            }
            Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
        }
    }
    if names.len() > 1 && names[0] == "src" {
        names.remove(0);
    }
    match names.is_empty() {
        true => Err(refused("give the path of a file")),
        false => Ok(names.join("/")),
    }
}

#[cfg(test)]
mod tests;
