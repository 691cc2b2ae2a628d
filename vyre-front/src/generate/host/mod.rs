//! The CPU body of a kernel: Rust for one thread, and the function that runs a block of them.
//!
//! It is generated from the last entry of the program, which has no predicate, and uses
//! `vyre_runtime::body`. In order:
//!
//! - [`locals`] places declarations of locals, [`access`] determines plain accesses and checks that
//!   a whole block passes;
//! - [`shared`] places shared variables, and [`constants`] writes tables;
//! - [`types`], [`expr`], [`place`] and [`stmt`] write types, expressions, places and statements;
//! - [`inline`] puts functions that wait in the place of their calls, [`fold`] removes what the shape of the block decides
//!   there, and [`copies`] the variables that only pass values on;
//! - [`indices`] are evaluated again where they are mentioned;
//! - [`lanes`] decides whether several threads run at a time, by the code of [`lanewise`];
//! - [`stack`] decides which functions are inlined;
//! - [`functions`] writes functions around them; [`choice`] is the method that selects an entry.

mod access;
mod blockwise;
mod body;
mod choice;
mod constants;
mod copies;
mod expr;
mod functions;
mod indices;
mod inline;
mod intrinsic;
mod lanes;
mod lanewise;
mod locals;
mod place;
mod regions;
mod shared;
mod stack;
mod stmt;
mod table;
mod types;
mod uniformity;

use proc_macro2::TokenStream;
use vyre_ir::ir::{Body, ConstantTable, Entry, Function, Handle, Kernel, Program};
use vyre_ir::module::FaultSite;
use vyre_ir::validate::{EntryInfo, Validated, validate};

pub(in crate::generate) use self::body::table_name;
pub(super) use self::choice::choice;

use self::body::{Context, Sites};
use self::functions::KernelCode;
use self::inline::inline;
use self::regions::Regions;
use crate::code::Code;
use crate::surface::Spans;

/// The CPU body of a kernel.
pub(super) struct Host {
    /// Functions, tables and structs. The body itself is `__host`; it refers to `__SITES`, a static
    /// array of `sites`.
    pub(super) items: Code,
    /// Fault sites: the given ones, then its own.
    pub(super) sites: Vec<FaultSite>,
}

/// The parts of a kernel.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    pub(super) valid: &'a Validated<'a>,
    pub(super) kernel: Handle<Kernel>,
    /// For each external of the program, its path.
    pub(super) externals: &'a [TokenStream],
    pub(super) spans: &'a Spans,
}

/// Makes the CPU body of a kernel; without the feature `cpu` only the values that its constants have until the host sets
/// them. `sites` and `prints` are those of its PTX.
pub(super) fn host(source: Source<'_>, sites: &[FaultSite], prints: &[String]) -> Host {
    let (program, info) = (source.valid.program(), source.valid.info());
    let (Some(entry), Some(entry_info)) = (
        program.kernels[source.kernel].entries.last(),
        info.entries(source.kernel).last(),
    ) else {
        return Host {
            items: Code::default(),
            sites: sites.to_vec(),
        };
    };
    if !cfg!(feature = "cpu") {
        let mut items = Code::default();
        let mut tables = program.host_tables().peekable();
        if tables.peek().is_some() {
            items.append(types::definitions(&program.types));
        }
        for (table, _) in tables {
            items.append(constants::table(program, table));
        }
        return Host {
            items,
            sites: sites.to_vec(),
        };
    }
    if entry_info.body.effects.pauses() {
        // Regions are those of one body.
        let waits = |function| info.function(function).effects.pauses();
        if !entry_info.body.calls.iter().any(|&function| waits(function)) {
            if let Some(regions) = regions_of(source, entry, entry_info) {
                return written(source, entry, entry_info, Some(&regions), (sites, prints));
            }
        } else if let Some(inlined) = inlined(source.valid, source.kernel, entry, &waits)
            && let Ok(valid) = validate(&inlined)
            && let (Some(entry), Some(entry_info)) = (
                inlined.kernels[source.kernel].entries.last(),
                valid.info().entries(source.kernel).last(),
            )
        {
            let source = Source {
                valid: &valid,
                ..source
            };
            if let Some(regions) = regions_of(source, entry, entry_info) {
                return written(source, entry, entry_info, Some(&regions), (sites, prints));
            }
        }
    }
    written(source, entry, entry_info, None, (sites, prints))
}

/// The program with the functions that wait in the place of their calls in the last entry of a kernel.
fn inlined(
    valid: &Validated<'_>,
    kernel: Handle<Kernel>,
    entry: &Entry,
    waits: &dyn Fn(Handle<Function>) -> bool,
) -> Option<Program> {
    let (program, info) = (valid.program(), valid.info());
    let mut body = inline(program, info, &entry.body, waits)?;
    let mut inlined = program.clone();
    let parameters = inlined.kernels[kernel].parameters.len();
    let last = |inlined: &mut Program, body: Body| {
        if let Some(entry) = inlined.kernels[kernel].entries.last_mut() {
            entry.body = body;
        }
    };
    last(&mut inlined, body.clone());
    let has_copies = validate(&inlined).is_ok_and(|valid| {
        let info = valid.info().entries(kernel).last();
        info.is_some_and(|info| copies::forward(&program.types, &mut body, &info.body, parameters))
    });
    if has_copies {
        last(&mut inlined, body);
    }
    Some(inlined)
}

/// The regions of the body of an entry.
fn regions_of<'b>(source: Source<'_>, entry: &'b Entry, info: &EntryInfo<'_>) -> Option<Regions<'b>> {
    let program = source.valid.program();
    regions::regions(
        (program, source.valid.info()),
        &program.kernels[source.kernel],
        &entry.body,
        &info.body,
    )
}

/// The CPU body that an entry becomes.
fn written(
    source: Source<'_>,
    entry: &Entry,
    entry_info: &EntryInfo<'_>,
    regions: Option<&Regions<'_>>,
    (sites, prints): (&[FaultSite], &[String]),
) -> Host {
    let Source {
        valid,
        kernel,
        externals,
        spans,
    } = source;
    let (program, info) = (valid.program(), valid.info());
    let kernel = &program.kernels[kernel];
    let shared = shared::place_shared(program, &entry_info.reach.shared);
    let is_host = |table: &Handle<ConstantTable>| program.tables[*table].host.is_some();
    let (host_tables, tables): (Vec<_>, Vec<_>) = entry_info.reach.tables.iter().copied().partition(is_host);
    let stack = stack::Stack::of(program, info, &entry.body, entry_info);
    let context = Context {
        stack,
        program,
        info,
        host_tables,
        kernel,
        externals,
        spans,
        shared: shared.offsets,
    };
    let mut declarations = locals::declarations(&entry.body, &entry_info.body, kernel.parameters.len());
    let mut accesses = access::accesses(&program.types, kernel, &entry.body, &entry_info.body, &declarations);
    if entry_info.body.effects.pauses() {
        // Nothing compares the indices of a whole block there.
        accesses.forget_bounds();
    }
    if let Some(regions) = regions {
        declarations.only(|local| !regions.is_kept(local) && !regions.is_of_block(local));
    }
    let locals = body::local_names(&entry.body);
    let lanes = lanes::lanes(
        (program, info),
        kernel,
        (&entry.body, &entry_info.body),
        &accesses,
        regions,
    );
    let mut code = KernelCode {
        context: &context,
        entry,
        locals: &locals,
        declarations: &declarations,
        accesses: &accesses,
        regions,
        lanes: lanes.as_ref(),
        info: entry_info,
        memory: shared.memory,
        sites: Sites {
            list: sites.to_vec(),
            prints: prints.to_vec(),
            calls: 0,
        },
    };
    let mut items = types::definitions(&program.types);
    // The values that the host has not set are those of a static, too.
    for table in tables.into_iter().chain(program.host_tables().map(|(table, _)| table)) {
        items.append(constants::table(program, table));
    }
    items.append(code.host());
    Host {
        items,
        sites: code.sites.list,
    }
}
