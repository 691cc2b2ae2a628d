//! The CPU body of a kernel: Rust for one thread, and the function that runs a block of them.
//!
//! It is generated from the last entry of the program, which has no predicate, and uses
//! `vyre_runtime::body`. In order:
//!
//! - [`locals`] places declarations of locals, [`access`] determines plain accesses and checks that
//!   a whole block passes;
//! - [`shared`] places shared variables, and [`constants`] writes tables;
//! - [`types`], [`expr`], [`place`] and [`stmt`] write types, expressions, places and statements;
//! - [`stack`] decides which functions are inlined;
//! - [`functions`] writes functions around them; [`choice`] is the method that selects an entry.

mod access;
mod body;
mod choice;
mod constants;
mod expr;
mod functions;
mod intrinsic;
mod locals;
mod place;
mod shared;
mod stack;
mod stmt;
mod table;
mod types;

use proc_macro2::TokenStream;
use vyre_ir::ir::{ConstantTable, Handle, Kernel};
use vyre_ir::module::FaultSite;
use vyre_ir::validate::Validated;

pub(in crate::generate) use self::body::table_name;
pub(super) use self::choice::choice;

use self::body::{Context, Sites};
use self::functions::KernelCode;
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

/// Makes the CPU body of a kernel. `sites` and `prints` are those of its PTX.
pub(super) fn host(source: Source<'_>, sites: &[FaultSite], prints: &[String]) -> Host {
    let Source {
        valid,
        kernel,
        externals,
        spans,
    } = source;
    let (program, info) = (valid.program(), valid.info());
    let entries = info.entries(kernel);
    let kernel = &program.kernels[kernel];
    let (Some(entry), Some(entry_info)) = (kernel.entries.last(), entries.last()) else {
        return Host {
            items: Code::default(),
            sites: sites.to_vec(),
        };
    };
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
    let declarations = locals::declarations(&entry.body, &entry_info.body, kernel.parameters.len());
    let mut accesses = access::accesses(&program.types, kernel, &entry.body, &entry_info.body, &declarations);
    if entry_info.body.effects.pauses() {
        // Futures are not vectorised, so there is nothing to gain.
        accesses.forget_bounds();
    }
    let locals = body::local_names(&entry.body);
    let mut code = KernelCode {
        context: &context,
        entry,
        locals: &locals,
        declarations: &declarations,
        accesses: &accesses,
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
