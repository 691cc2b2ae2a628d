//! The CPU body of a kernel: Rust for one thread, and the function that runs a block of them.
//!
//! It is made from the last entry of the program, the one that no predicate guards, and it stands
//! on `vyre_runtime::host`. In the order of its making:
//!
//! - [`walk`] visits bodies; [`waits`] finds what must yield to other threads, [`locals`] where
//!   locals are declared, [`access`] which accesses are plain and which checks a whole block passes;
//! - [`types`], [`expr`] and [`stmt`] write types, expressions and statements;
//! - [`functions`] puts functions around them.

mod access;
mod body;
mod code;
mod expr;
mod functions;
mod locals;
mod stmt;
mod table;
mod types;
mod waits;
mod walk;

use std::collections::{HashMap, HashSet};

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::quote_spanned;
use vyre_core::fault::FaultSite;
use vyre_core::ir::{
    Body, ConstantTable, ExprKind, Function, Handle, Kernel, PlaceBase, Program, SharedVariable, StmtKind, Type, TypeId,
};

use self::body::{Context, Sites, Writer, table_name};
use self::functions::KernelCode;
use self::walk::Mention;
use super::names;
use crate::surface::Spans;

/// The CPU body of a kernel.
pub(super) struct Host {
    /// Functions, tables and structs. The body itself is `__host`; it refers to `__SITES`, a static
    /// array of `sites`.
    pub(super) items: TokenStream,
    /// Where it can fault: the sites given, then its own.
    pub(super) sites: Vec<FaultSite>,
}

/// What a kernel is made of.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    pub(super) program: &'a Program,
    pub(super) kernel: Handle<Kernel>,
    /// For each external of the program, its path.
    pub(super) externals: &'a [TokenStream],
    pub(super) spans: &'a Spans,
}

/// Makes the CPU body of a kernel. `sites` are those of its PTX.
pub(super) fn host(source: Source<'_>, sites: &[FaultSite]) -> Host {
    let Source {
        program,
        kernel,
        externals,
        spans,
    } = source;
    let kernel = &program.kernels[kernel];
    let Some(entry) = kernel.entries.last() else {
        return Host {
            items: TokenStream::new(),
            sites: sites.to_vec(),
        };
    };
    let reached = reach(program, &entry.body);
    let mut functions = HashMap::new();
    for &function in &reached.functions {
        let waits = waits::waits(program, &program.functions[function].body, &functions);
        functions.insert(function, waits);
    }
    let waits = waits::waits(program, &entry.body, &functions);
    let shared = place_shared(program, &reached.shared);
    let context = Context {
        program,
        kernel,
        externals,
        spans,
        shared: shared.offsets,
        functions,
    };
    let declarations = locals::declarations(&program.types, &entry.body, kernel.parameters.len());
    let mut accesses = access::accesses(&program.types, kernel, &entry.body, &declarations);
    if waits.facts.pauses {
        // Futures are not vectorised, so there is nothing to gain.
        accesses.forget_bounds();
    }
    let mut code = KernelCode {
        context: &context,
        entry,
        declarations: &declarations,
        accesses: &accesses,
        waits: &waits,
        reached: &reached,
        memory: shared.memory,
        sites: Sites { list: sites.to_vec() },
    };
    let mut items = types::definitions(&program.types);
    items.extend(reached.tables.iter().map(|&table| self::table(program, table)));
    items.extend(code.host());
    Host {
        items,
        sites: code.sites.list,
    }
}

/// The method that chooses an entry, where there is more than one.
pub(super) fn choice(source: Source<'_>) -> Option<TokenStream> {
    let Source {
        program,
        kernel,
        externals,
        spans,
    } = source;
    let kernel = &program.kernels[kernel];
    if kernel.entries.len() < 2 {
        return None;
    }
    let span = Span::call_site();
    let context = Context {
        program,
        kernel,
        externals,
        spans,
        shared: HashMap::new(),
        functions: HashMap::new(),
    };
    let mut tokens = TokenStream::new();
    for (number, entry) in kernel.entries.iter().enumerate() {
        let Some(predicate) = entry.predicate else { continue };
        let (declarations, accesses, waits) = Default::default();
        let mut sites = Sites { list: Vec::new() };
        let mut writer = Writer::new(&context, &entry.body, (&declarations, &accesses, &waits), &mut sites);
        writer.span = span;
        let names = entry
            .body
            .locals
            .handles()
            .take(kernel.parameters.len())
            .map(|local| writer.local(local));
        let fields = kernel.parameters.iter().zip(names).map(|(parameter, name)| {
            let field = Ident::new(&names::identifier(&parameter.name), span);
            match &program.types[parameter.ty] {
                Type::Slice { .. } => quote_spanned!(span=> let #name = __v::length_only(self.#field.len());),
                _ => {
                    let ty = types::ty(&program.types, parameter.ty, span);
                    quote_spanned!(span=> let #name = self.#field as #ty;)
                }
            }
        });
        let fields: TokenStream = fields.collect();
        let (predicate, number) = (writer.expr(predicate), Literal::usize_unsuffixed(number));
        tokens.extend(quote_spanned!(span=> { #fields if #predicate { return #number; } }));
    }
    let last = Literal::usize_unsuffixed(kernel.entries.len() - 1);
    Some(quote_spanned!(span=> fn entry(&self) -> usize { #tokens #last }))
}

/// What a body uses, and the functions that it calls use.
#[derive(Default)]
struct Reached {
    /// Each after those that it calls.
    functions: Vec<Handle<Function>>,
    shared: Vec<Handle<SharedVariable>>,
    tables: Vec<Handle<ConstantTable>>,
    has_fma: bool,
}

fn reach(program: &Program, body: &Body) -> Reached {
    let (mut reached, mut known) = (Reached::default(), HashSet::new());
    reached.body(program, body, &mut known);
    reached.shared.sort_unstable();
    reached.shared.dedup();
    reached.tables.sort_unstable();
    reached.tables.dedup();
    reached
}

impl Reached {
    fn body(&mut self, program: &Program, body: &Body, known: &mut HashSet<Handle<Function>>) {
        walk::statements(&body.block, &mut |stmt| {
            if let StmtKind::Call { function, .. } = stmt.kind
                && known.insert(function)
            {
                self.body(program, &program.functions[function].body, known);
                self.functions.push(function);
            }
            walk::statement(body, stmt, &mut |mention| match mention {
                Mention::Place(place, _) => match body.places[place].base {
                    PlaceBase::Shared(shared) => self.shared.push(shared),
                    PlaceBase::Table(table) => self.tables.push(table),
                    PlaceBase::Local(_) => {}
                },
                Mention::Expr(expr) => self.has_fma |= matches!(body.exprs[expr].kind, ExprKind::MulAdd { .. }),
                Mention::Result(_) => {}
            });
        });
    }
}

/// The shared memory of a block.
struct Shared {
    offsets: HashMap<Handle<SharedVariable>, u64>,
    memory: SharedMemory,
}

struct SharedMemory {
    size: u64,
    align: u64,
    has_bool: bool,
}

fn place_shared(program: &Program, variables: &[Handle<SharedVariable>]) -> Shared {
    let mut memory = SharedMemory {
        size: 0,
        align: 1,
        has_bool: false,
    };
    let mut offsets = HashMap::new();
    for &variable in variables {
        let ty = program.shared[variable].ty;
        let layout = program.types.layout(ty);
        let offset = memory.size.next_multiple_of(layout.align);
        offsets.insert(variable, offset);
        memory.size = offset + layout.size;
        memory.align = memory.align.max(layout.align);
        memory.has_bool |= types::has_bool(&program.types, ty);
    }
    Shared { offsets, memory }
}

/// A table of constants as a static.
fn table(program: &Program, table: Handle<ConstantTable>) -> TokenStream {
    fn values(types: &vyre_core::ir::Types, ty: TypeId, bits: &mut std::slice::Iter<'_, u64>) -> TokenStream {
        let span = Span::mixed_site();
        match &types[ty] {
            Type::Array { element, length } => {
                let elements = (0..*length).map(|_| values(types, *element, bits));
                quote_spanned!(span=> [#(#elements),*])
            }
            Type::Scalar(scalar) => {
                let (name, bits) = (Ident::new(scalar.name(), span), bits.next().copied().unwrap_or(0));
                let literal = Literal::u64_unsuffixed(bits);
                match scalar {
                    vyre_core::ir::Scalar::Bool => {
                        let name = Ident::new(if bits == 0 { "false" } else { "true" }, span);
                        quote_spanned!(span=> #name)
                    }
                    scalar if scalar.is_float() => quote_spanned!(span=> #name::from_bits(#literal)),
                    scalar if scalar.is_signed() => {
                        let unsigned = Ident::new(&scalar.name().replace('i', "u"), span);
                        let literal = Literal::u64_unsuffixed(bits & (u64::MAX >> (64 - scalar.bits())));
                        quote_spanned!(span=> #literal as #unsigned as #name)
                    }
                    _ => quote_spanned!(span=> #literal),
                }
            }
            _ => quote_spanned!(span=> ()),
        }
    }
    let span = Span::mixed_site();
    let name = Ident::new(&table_name(table.index()), span);
    let table = &program.tables[table];
    let ty = types::ty(&program.types, table.ty, span);
    let values = values(&program.types, table.ty, &mut table.values.iter());
    quote_spanned!(span=> static #name: #ty = #values;)
}
