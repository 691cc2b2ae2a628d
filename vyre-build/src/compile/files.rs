//! The files of a kernel, beside the generated module.

use std::iter;

use proc_macro2::TokenStream;
use vyre_abi::target::Target;
use vyre_core::CompileOptions;
use vyre_front::generate::{self, Embedding};
use vyre_front::surface::Lowered;
use vyre_ir::module::{CompileError, Module, NewerPtx};
use vyre_ir::validate::Validated;

use crate::expand::{embeddable, options};
use crate::report::{self, Report};

/// The kernels of a generated module, on their way.
pub(super) struct Files<'a> {
    /// The folder of the PTX, from that of the module.
    pub(super) folder: &'a str,
    pub(super) with: &'a CompileOptions,
    /// True if machine code may come beside the PTX.
    pub(super) has_cubins: bool,
    pub(super) kernels: Vec<Compiled>,
    /// True if there are reports about accesses and branches.
    pub(super) reports: bool,
    pub(super) reported: Vec<Report>,
}

impl Files<'_> {
    /// Compiles a kernel of this name. Returns its launcher.
    pub(super) fn compile(
        &mut self,
        name: &str,
        lowered: &Lowered,
        valid: &Validated<'_>,
    ) -> Result<TokenStream, CompileError> {
        let module = embeddable(name, lowered, valid, self.with)?;
        if self.reports {
            self.reported
                .extend(report::reports(name, valid, &options(lowered, self.with), None)?);
        }
        let file = free(&self.kernels, name);
        let embedding = embedding(self.folder, &file, &module, self.has_cubins);
        let tokens = generate::embedding(lowered, valid, &module, &embedding);
        self.kernels.push(Compiled::new(file, lowered, module));
        Ok(tokens)
    }
}

/// A kernel of a generated module.
pub(crate) struct Compiled {
    /// The stem of its files.
    pub(super) file: String,
    pub(super) module: Module,
    /// Threads of a block.
    pub(super) threads: u32,
    /// The symbols of its entries.
    pub(super) symbols: Vec<String>,
    /// True if rustc fills in constants, so that only the launcher has the PTX.
    pub(super) is_patched: bool,
}

impl Compiled {
    fn new(file: String, lowered: &Lowered, module: Module) -> Compiled {
        let kernel = &lowered.program.kernels[lowered.kernel];
        let mut symbols: Vec<String> = kernel.entries.iter().map(|entry| entry.symbol.clone()).collect();
        let assumed = module.kernels.iter().filter_map(|kernel| kernel.assumed.as_ref());
        symbols.extend(assumed.map(|assumed| assumed.symbol.clone()));
        Compiled {
            file,
            module,
            threads: kernel.block.iter().product(),
            symbols,
            is_patched: lowered.is_patched(),
        }
    }
}

impl Compiled {
    /// Why there is no machine code of an architecture, if that is clear.
    pub(super) fn reason(&self, target: Target) -> Option<String> {
        match self.is_patched {
            true => Some("rustc fills in constants, after ptxas could have been called".to_owned()),
            false if target.assembles(self.module.target) => None,
            false => Some(format!("needs sm_{}", self.module.target)),
        }
    }
}

/// The stem of a kernel's files, which no other kernel has: the file systems of Windows and macOS take names for the same
/// that differ by case only.
fn free(taken: &[Compiled], kernel: &str) -> String {
    let is_free = |name: &String| {
        let name = name.to_lowercase();
        !taken.iter().any(|other| other.file.to_lowercase() == name)
    };
    let numbered = (2..).map(|number| format!("{kernel}-{number}"));
    let mut names = iter::once(kernel.to_owned()).chain(numbered);
    names.find(is_free).unwrap_or_default()
}

/// The files of a kernel as a launcher names them, whose module has a folder beside it.
fn embedding(folder: &str, file: &str, module: &Module, has_cubins: bool) -> Embedding {
    let newer = module.newer.as_ref();
    Embedding::Files {
        ptx: format!("{folder}/{file}.ptx"),
        newer: newer.map(|newer| format!("{folder}/{}", self::newer(file, newer))),
        cubins: has_cubins.then(|| format!("{folder}/{file}.cubins.rs")),
    }
}

/// The name of a file with PTX for newer devices.
pub(super) fn newer(file: &str, newer: &NewerPtx) -> String {
    format!("{file}.sm_{}.ptx", newer.target)
}

/// The name of a file with machine code.
pub(super) fn cubin(file: &str, target: Target) -> String {
    format!("{file}.{target}.cubin")
}

/// The expression that takes machine code into the launcher.
pub(super) fn cubins(file: &str, targets: impl Iterator<Item = Target>) -> String {
    let cubins = targets.map(|target| {
        let (capability, features, path) = (target.capability, target.features, cubin(file, target));
        format!(
            "    ::vyre::__private::Cubin {{
        target: ::vyre::__private::Target::new({capability}, ::vyre::__private::Features::{features:?}),
        code: {{
            const CODE: &::vyre::__private::Aligned<[u8]> = &::vyre::__private::Aligned(*include_bytes!({path:?}));
            &CODE.0
        }},
    }},\n"
        )
    });
    format!("&[\n{}]\n", cubins.collect::<String>())
}
