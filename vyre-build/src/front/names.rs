//! What the front end knows of a kernel's surroundings.

use std::collections::HashMap;

use syn::{Item, ItemConst};

/// The names that a kernel may mention besides its own. An attribute sees none of them, so its
/// names are empty and rustc supplies the values of constants; a build script sees its files.
#[derive(Clone, Default)]
pub struct Names {
    /// What is not here is refused, rather than left to rustc.
    pub(super) complete: bool,
    /// The name of the file, where the tokens do not know it.
    pub(super) file: Option<String>,
    constants: HashMap<String, ItemConst>,
}

impl Names {
    /// The names of a file that a build script reads, which is called `name` in messages.
    pub fn of_file(name: &str, file: &syn::File) -> Self {
        let mut constants = HashMap::new();
        for item in &file.items {
            if let Item::Const(constant) = item {
                constants.insert(constant.ident.to_string(), constant.clone());
            }
        }
        Names {
            complete: true,
            file: Some(name.to_owned()),
            constants,
        }
    }

    /// The constant that a path names.
    pub(super) fn constant(&self, path: &str) -> Option<&ItemConst> {
        let path = path.strip_prefix("self::").unwrap_or(path);
        self.constants.get(path)
    }
}
