//! Descriptions of kernels that own what they refer to.

use std::any::Any;
#[cfg(feature = "cpu")]
use std::ffi::c_void;
use std::sync::Arc;

use vyre_abi::kernel::{AssumedInfo, EntryInfo, Location, Site};
use vyre_core::ir::{ConstantTable, Handle, Program, Span};
use vyre_core::module::Module;
use vyre_core::validate::Validated;

#[cfg(feature = "cpu")]
use crate::body::BlockContext;
use crate::load::cache::KernelCache;
use crate::load::kernel::{HostBody, HostConstant, KernelDescription};
use crate::sync::Mutex;

/// The description of a kernel that a program has made while it runs.
pub(crate) struct OwnedKernel {
    /// Refers to what the store keeps. Nobody outside gets it with this lifetime.
    description: KernelDescription<'static>,
    _store: Arc<Store>,
}

impl OwnedKernel {
    /// The description of the only kernel of a program, with the PTX that was compiled from it; without any for a
    /// device that loads none.
    pub(crate) fn new(valid: &Validated<'_>, module: Option<&Module>) -> OwnedKernel {
        let store = Arc::new(Store::default());
        // SAFETY: the store stays at its place as long as the kernel, which hands out nothing that lives longer.
        let kept: &'static Store = unsafe { &*Arc::as_ptr(&store) };
        OwnedKernel {
            description: describe(valid, module, kept),
            _store: store,
        }
    }

    /// The description, whose parts live as long as this.
    pub(crate) fn description(&self) -> &KernelDescription<'_> {
        &self.description
    }
}

fn describe(valid: &Validated<'_>, module: Option<&Module>, store: &'static Store) -> KernelDescription<'static> {
    let (program, handle) = (valid.program(), Handle::new(0));
    let kernel = &program.kernels[handle];
    // The limits of GPUs hold on the CPU, too, which compiles nothing.
    let shared_bytes = || u32::try_from(valid.info().shared_bytes(program, handle)).unwrap_or(u32::MAX);
    let compiled = module.and_then(|module| module.kernels.first());
    let location = |span: Span| Location {
        file: match span.is_some() {
            true => store.text(program.files.get(span.file as usize).map_or("", |file| file)),
            false => "",
        },
        line: span.line,
        column: span.column,
    };
    let sites = compiled.map_or(&[][..], |compiled| &compiled.sites);
    let sites = sites.iter().map(|site| Site {
        kind: site.kind,
        location: location(site.span),
        message: store.text(&site.message),
    });
    let prints = compiled.map_or(&[][..], |compiled| &compiled.prints);
    let entries = kernel.entries.iter().map(|entry| EntryInfo {
        symbol: store.text(&entry.symbol),
        coarsening: entry.coarsening,
    });
    let assumed = compiled.and_then(|compiled| compiled.assumed.as_ref());
    let assumed = assumed.map(|assumed| AssumedInfo {
        symbol: store.text(&assumed.symbol),
        needs: store.list(assumed.code(program, kernel)),
    });
    let constants = program.host_tables().map(|(_, table)| HostConstant {
        key: table.host.unwrap_or(0),
        initial: store.list(table_bytes(program, table)),
    });
    let parameters = kernel.parameters.iter().map(|parameter| store.text(&parameter.name));
    KernelDescription {
        name: store.text(&kernel.name),
        location: location(kernel.span),
        dimensions: kernel.dimensions,
        block: kernel.block,
        cluster: store.list(kernel.cluster.into_iter().flatten()),
        shared_bytes: compiled.map_or_else(shared_bytes, |compiled| compiled.shared_bytes),
        cooperative: valid.info().is_cooperative(handle),
        parameters: store.list(parameters),
        constants: store.list(constants),
        entries: store.list(entries),
        assumed: store.list(assumed),
        cubins: &[],
        ptx: store.text(module.map_or("", |module| &module.ptx)),
        target: module.map_or(0, |module| module.target),
        newer: &[],
        program: "",
        sites: store.list(sites),
        prints: store.list(prints.iter().map(|template| store.text(template))),
        host: INTERPRETED,
        cache: KernelCache::new(),
    }
}

/// The body of kernels that the interpreter runs, which is never called.
#[cfg(feature = "cpu")]
const INTERPRETED: HostBody = {
    unsafe fn interpreted(_: &[*const c_void], _: &BlockContext<'_>) {
        unreachable!("launches of programs carry an interpreter");
    }
    interpreted
};
#[cfg(not(feature = "cpu"))]
const INTERPRETED: HostBody = ();

/// The bytes of a table.
fn table_bytes(program: &Program, table: &ConstantTable) -> Vec<u8> {
    let size = table.scalar(&program.types).map_or(8, |scalar| scalar.size() as usize);
    let words = table.values.iter().map(|value| value.to_le_bytes());
    words.flat_map(|word| word.into_iter().take(size)).collect()
}

/// Lists that stay where they are for as long as this lives.
#[derive(Default)]
struct Store(Mutex<Vec<Box<dyn Any + Send + Sync>>>);

impl Store {
    /// Keeps a list.
    fn list<T: Send + Sync + 'static>(&self, items: impl IntoIterator<Item = T>) -> &[T] {
        let items: Arc<[T]> = items.into_iter().collect();
        // SAFETY: the store keeps the items at their place for as long as it lives, and hands out no mutable reference.
        let kept = unsafe { &*Arc::as_ptr(&items) };
        self.0.lock().push(Box::new(items));
        kept
    }

    /// Keeps a text.
    fn text(&self, text: &str) -> &str {
        // SAFETY: these are the bytes of a text.
        unsafe { str::from_utf8_unchecked(self.list(text.bytes())) }
    }
}
