//! Descriptions of kernels that own what they refer to.

use std::any::Any;
use std::ffi::c_void;
use std::sync::Arc;

use vyre_abi::kernel::{EntryInfo, Location, Site};
use vyre_core::ir::{ConstantTable, Handle, Program, Span};
use vyre_core::module::Module;

use crate::body::BlockContext;
use crate::load::cache::KernelCache;
use crate::load::kernel::{HostConstant, KernelDescription};

/// The description of a kernel that a program has made while it runs.
pub(crate) struct OwnedKernel {
    /// Refers to what the store keeps. Nobody outside gets it with this lifetime.
    description: KernelDescription<'static>,
    _store: Store,
}

impl OwnedKernel {
    /// The description of the only kernel of a program, with the PTX that was compiled from it; without any for a
    /// device that loads none.
    pub(crate) fn new(program: &Program, module: Option<&Module>, cooperative: bool) -> OwnedKernel {
        let kernel = &program.kernels[Handle::new(0)];
        let compiled = module.and_then(|module| module.kernels.first());
        let mut store = Store(Vec::new());
        let location = |store: &mut Store, span: Span| Location {
            file: match span.is_some() {
                true => store.text(program.files.get(span.file as usize).map_or("", |file| file)),
                false => "",
            },
            line: span.line,
            column: span.column,
        };
        let entry = |store: &mut Store, entry: &vyre_core::ir::Entry| EntryInfo {
            symbol: store.text(&entry.symbol),
            coarsening: entry.coarsening,
        };
        let sites = compiled.map_or(&[][..], |compiled| &compiled.sites);
        let sites: Vec<Site<'static>> = sites
            .iter()
            .map(|site| Site {
                kind: site.kind,
                location: location(&mut store, site.span),
                message: store.text(&site.message),
            })
            .collect();
        let prints = compiled.map_or(&[][..], |compiled| &compiled.prints);
        let prints = prints.iter().map(|template| store.text(template)).collect();
        let parameters = kernel.parameters.iter().map(|parameter| store.text(&parameter.name));
        let parameters = parameters.collect();
        let constants = program.host_tables().map(|(_, table)| HostConstant {
            key: table.host.unwrap_or(0),
            initial: store.list(table_bytes(program, table)),
        });
        let constants = constants.collect();
        let entries = kernel.entries.iter().map(|code| entry(&mut store, code)).collect();
        let description = KernelDescription {
            name: store.text(&kernel.name),
            location: location(&mut store, kernel.span),
            dimensions: kernel.dimensions,
            block: kernel.block,
            cluster: store.list(kernel.cluster.into_iter().flatten().collect()),
            shared_bytes: compiled.map_or(0, |compiled| compiled.shared_bytes),
            cooperative,
            parameters: store.list(parameters),
            constants: store.list(constants),
            entries: store.list(entries),
            ptx: store.text(module.map_or("", |module| &module.ptx)),
            target: module.map_or(0, |module| module.target),
            program: "",
            sites: store.list(sites),
            prints: store.list(prints),
            host: interpreted,
            cache: KernelCache::new(),
        };
        OwnedKernel {
            description,
            _store: store,
        }
    }

    /// The description, whose parts live as long as this.
    pub(crate) fn description(&self) -> &KernelDescription<'_> {
        &self.description
    }
}

/// The body of kernels that the interpreter runs, which is never called.
unsafe fn interpreted(_: &[*const c_void], _: &BlockContext<'_>) {
    unreachable!("launches of programs carry an interpreter");
}

/// The bytes of a table.
fn table_bytes(program: &Program, table: &ConstantTable) -> Vec<u8> {
    let size = table.scalar(&program.types).map_or(8, |scalar| scalar.size() as usize);
    let words = table.values.iter().map(|value| value.to_le_bytes());
    words.flat_map(|word| word.into_iter().take(size)).collect()
}

/// Lists that stay where they are for as long as this lives.
struct Store(Vec<Box<dyn Any + Send + Sync>>);

impl Store {
    /// Keeps a list. The result lives as long as the store: [`OwnedKernel`] lets nobody keep it longer.
    fn list<T: Send + Sync + 'static>(&mut self, items: Vec<T>) -> &'static [T] {
        let items: Arc<[T]> = items.into();
        // SAFETY: the items stay at their place until the store is dropped, which keeps them and hands out no
        // mutable reference; all uses of the result are inside of the `OwnedKernel` that owns the store.
        let kept = unsafe { &*Arc::as_ptr(&items) };
        self.0.push(Box::new(items));
        kept
    }

    /// Keeps a text.
    fn text(&mut self, text: &str) -> &'static str {
        match text {
            "" => "",
            // SAFETY: these are the bytes of a text.
            text => unsafe { str::from_utf8_unchecked(self.list(text.as_bytes().to_vec())) },
        }
    }
}
