//! The kernels of a file, for tools that show what becomes of them.

use std::path::Path;

use proc_macro2::TokenStream;
use vyre_front::file::{FileReader, Inspected, printed};
use vyre_front::generate;
use vyre_ir::ir::{Handle, Kernel};
use vyre_ir::module::Module;
use vyre_ir::validate::Validated;

use crate::compile::Error;
use crate::large_stack::on_large_stack;

/// Reads a file as [`compile`](crate::compile()) does, and lowers its kernels.
///
/// # Errors
/// Faults of the kernels, or why the file cannot be read.
pub fn inspect(path: impl AsRef<Path>) -> Result<Vec<Inspected>, Error> {
    let path = path.as_ref();
    let text = std::fs::read_to_string(path).map_err(|error| Error::File {
        path: path.to_owned(),
        error,
    })?;
    on_large_stack(|| {
        let mut reader = FileReader::new(path, None);
        reader.file(&text);
        match reader.complaints.is_empty() {
            true => Ok(reader.inspected),
            false => Err(Error::Kernels(reader.complaints)),
        }
    })
}

/// The CPU body of a kernel as formatted Rust: functions, tables and structs, without the launcher around them.
pub fn cpu_body(valid: &Validated<'_>, kernel: Handle<Kernel>, module: &Module) -> String {
    let externals = valid.program().externals.iter();
    // A name that is no path of Rust can still be shown.
    let externals: Vec<TokenStream> = externals.map(|(_, it)| it.name.parse().unwrap_or_default()).collect();
    let items = generate::cpu_body(valid, kernel, &externals, module);
    match syn::parse2::<syn::File>(items.clone()) {
        Ok(file) => printed(file.items),
        // Not formatted is better than not shown.
        Err(_) => items.to_string(),
    }
}
