//! The CPU body of a kernel: Rust for one thread, and the function that runs a block of them.
//!
//! It is made from the last entry of the program, the one that no predicate guards, and it stands
//! on `vyre_runtime::host`. In the order of its making:
//!
//! - [`walk`] visits bodies; [`waits`] finds what must yield to other threads, [`locals`] where
//!   locals are declared, [`access`] which accesses are plain and which checks a whole block passes;
//! - [`types`], [`expr`] and [`stmt`] write types, expressions and statements;
//! - this module puts functions around them.
//!
//! Where nothing yields, a thread is a function that LLVM inlines into a loop over the block; else it
//! is an `async` function. Bodies with a fused multiply-add are compiled once more for processors
//! that have the instruction, because without it each is a call of a slow function.

mod access;
mod body;
mod expr;
mod locals;
mod stmt;
mod types;
mod waits;
mod walk;

use std::collections::{HashMap, HashSet};

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::quote_spanned;
use vyre_core::fault::FaultSite;
use vyre_core::ir::{
    Body, ConstantTable, Entry, ExprKind, Function, Handle, Kernel, PlaceBase, Program, SharedVariable, StmtKind, Type,
    TypeId,
};

use self::access::{Accesses, Bound};
use self::body::{Context, Sites, Writer, function_name, shared_name, table_name};
use self::waits::Waits;
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

/// The copies of the code for different processors.
const BASE: &str = "";
const FMA: &str = "_fma";

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
    let mut kernel_code = KernelCode {
        context: &context,
        entry,
        waits: &waits,
        reached: &reached,
        memory: shared.memory,
        sites: Sites { list: sites.to_vec() },
    };
    let mut items = types::definitions(&program.types);
    items.extend(reached.tables.iter().map(|&table| self::table(program, table)));
    items.extend(kernel_code.functions());
    Host {
        items,
        sites: kernel_code.sites.list,
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
        let mut writer = Writer::new(
            &context,
            &entry.body,
            (&declarations, &accesses, &waits),
            &mut sites,
            BASE,
        );
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

/// The functions of a kernel, on their way.
struct KernelCode<'a> {
    context: &'a Context<'a>,
    entry: &'a Entry,
    waits: &'a Waits,
    reached: &'a Reached,
    memory: SharedMemory,
    sites: Sites,
}

impl KernelCode<'_> {
    fn functions(&mut self) -> TokenStream {
        let span = Span::mixed_site();
        if !self.reached.has_fma {
            let mut tokens = self.threads(BASE);
            tokens.extend(self.block(&Ident::new("__host", span), BASE, None));
            return tokens;
        }
        // The features that the second copy may use: all processors that have one have both.
        let attributes = quote_spanned! {span=>
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma")]
        };
        let mut tokens = self.threads(BASE);
        // What is inlined into a function takes its features; a future is a function of its own.
        let suffix = if self.waits.facts.pauses { FMA } else { BASE };
        if suffix == FMA {
            tokens.extend(self.threads(FMA));
        }
        tokens.extend(self.block(&Ident::new("__host_base", span), BASE, None));
        tokens.extend(self.block(&Ident::new("__host_fma", span), suffix, Some(attributes)));
        tokens.extend(quote_spanned! {span=>
            unsafe fn __host(__arguments: &[*const __v::c_void], __block: &__v::BlockContext<'_>) {
                #[cfg(target_arch = "x86_64")]
                if __v::has_fma() {
                    return unsafe { __host_fma(__arguments, __block) };
                }
                unsafe { __host_base(__arguments, __block) }
            }
        });
        tokens
    }

    /// The function for one thread, and the device functions.
    fn threads(&mut self, suffix: &'static str) -> TokenStream {
        let mut tokens = TokenStream::new();
        for &function in &self.reached.functions {
            tokens.extend(self.device_function(function, suffix));
        }
        tokens.extend(self.thread(suffix));
        tokens
    }

    fn attributes(suffix: &'static str, parameters: usize) -> TokenStream {
        let span = Span::mixed_site();
        let many = names::many_arguments(parameters + 2);
        if suffix == FMA {
            quote_spanned!(span=> #[cfg(target_arch = "x86_64")] #[target_feature(enable = "avx2,fma")] #many)
        } else {
            quote_spanned!(span=> #[inline(always)] #many)
        }
    }

    fn device_function(&mut self, function: Handle<Function>, suffix: &'static str) -> TokenStream {
        let span = Span::mixed_site();
        let program = self.context.program;
        let name = Ident::new(&function_name(program, function, suffix), span);
        let waits = &self.context.functions[&function];
        let function = &program.functions[function];
        let result = types::ty(&program.types, function.result, span);
        let declarations = locals::declarations(&program.types, &function.body, function.parameters as usize);
        let facts = (&declarations, &Accesses::default(), waits);
        let mut writer = Writer::new(self.context, &function.body, facts, &mut self.sites, suffix);
        let (parameters, statements) =
            writer.function_parts(function.parameters as usize, function.result != program.types.unit());
        let attributes = Self::attributes(suffix, function.parameters as usize);
        let asynchronous = waits.facts.pauses.then(|| Ident::new("async", span));
        let shared = self.shared_parameter();
        quote_spanned! {span=>
            #attributes
            #asynchronous unsafe fn #name(__t: __Thread<'_>, #shared #parameters) -> __Run<#result> {
                unsafe { #statements }
            }
        }
    }

    fn thread(&mut self, suffix: &'static str) -> TokenStream {
        let span = Span::mixed_site();
        let context = self.context;
        let body = &self.entry.body;
        let parameters = context.kernel.parameters.len();
        let declarations = locals::declarations(&self.context.program.types, body, parameters);
        let accesses = self.accesses(&declarations);
        let facts = (&declarations, &accesses, self.waits);
        let mut writer = Writer::new(context, body, facts, &mut self.sites, suffix);
        let (parameters, statements) = writer.function_parts(parameters, false);
        let attributes = Self::attributes(suffix, context.kernel.parameters.len());
        let asynchronous = self.waits.facts.pauses.then(|| Ident::new("async", span));
        let name = thread_name(suffix);
        let shared = self.shared_parameter();
        quote_spanned! {span=>
            #attributes
            #asynchronous unsafe fn #name(__t: __Thread<'_>, #shared #parameters) -> __Run {
                unsafe { #statements }
            }
        }
    }

    fn shared_parameter(&self) -> Option<TokenStream> {
        let span = Span::mixed_site();
        self.context
            .has_shared()
            .then(|| quote_spanned!(span=> __shared: *mut u8,))
    }

    fn accesses(&self, declarations: &locals::Declarations<'_>) -> Accesses {
        let Context { program, kernel, .. } = self.context;
        let mut accesses = access::accesses(&program.types, kernel, &self.entry.body, declarations);
        if self.waits.facts.pauses {
            // Futures are not vectorised; a second copy of them would gain little.
            accesses.forget_bounds();
        }
        accesses
    }

    /// The function that runs a block.
    fn block(&mut self, name: &Ident, suffix: &'static str, attributes: Option<TokenStream>) -> TokenStream {
        let span = Span::mixed_site();
        let body = &self.entry.body;
        let kernel = self.context.kernel;
        let declarations = locals::declarations(&self.context.program.types, body, kernel.parameters.len());
        let accesses = self.accesses(&declarations);
        let facts = (&declarations, &accesses, self.waits);
        let mut writer = Writer::new(self.context, body, facts, &mut self.sites, suffix);
        let mut arguments = TokenStream::new();
        let mut names = Vec::new();
        let mut at = 0;
        for (parameter, local) in kernel.parameters.iter().zip(body.locals.handles()) {
            let (name, number) = (writer.local(local), Literal::usize_unsuffixed(at));
            let ty = writer.ty(parameter.ty);
            let is_slice = matches!(writer.type_of(parameter.ty), Type::Slice { .. });
            at += if is_slice { 2 } else { 1 };
            let of_slice = is_slice.then(|| quote_spanned!(span=> Slice::));
            arguments.extend(quote_spanned!(span=> let #name: #ty = __v::#of_slice argument(__arguments, #number);));
            names.push(name);
        }
        let bounds: Vec<_> = accesses
            .bounds
            .iter()
            .map(|&bound| match bound {
                Bound::Length(local) => {
                    let name = writer.local(local);
                    quote_spanned!(span=> #name.length)
                }
                Bound::Value(expr) => writer.expr(expr),
            })
            .collect();
        let thread = thread_name(suffix);
        let [x, y, z] = kernel.block.map(Literal::u32_unsuffixed);
        let extent = quote_spanned!(span=> [#x, #y, #z]);
        let shared = self.context.has_shared().then(|| {
            let [size, align] = [self.memory.size, self.memory.align].map(Literal::u64_unsuffixed);
            let zeroed = Ident::new(if self.memory.has_bool { "true" } else { "false" }, span);
            arguments.extend(quote_spanned!(span=> let __shared = __block.shared(#size, #align, #zeroed);));
            quote_spanned!(span=> __shared,)
        });
        let run = if self.waits.facts.pauses {
            quote_spanned!(span=> __block.lockstep(#extent, |__t| #thread(__t, #shared #(#names),*));)
        } else if bounds.is_empty() {
            quote_spanned!(span=> __block.each(#extent, |__t| #thread(__t, #shared #(#names),*));)
        } else {
            quote_spanned! {span=>
                if __block.inside(#x, [#(#bounds),*]) {
                    __block.each_inside(#extent, |__t| #thread(__t, #shared #(#names),*));
                } else {
                    __block.each(#extent, |__t| #thread(__t, #shared #(#names),*));
                }
            }
        };
        quote_spanned! {span=>
            #attributes
            unsafe fn #name(__arguments: &[*const __v::c_void], __block: &__v::BlockContext<'_>) {
                unsafe {
                    __block.set_sites(&__SITES);
                    #arguments
                    #run
                }
            }
        }
    }
}

fn thread_name(suffix: &str) -> Ident {
    Ident::new(&format!("__thread{suffix}"), Span::mixed_site())
}

impl Writer<'_> {
    /// Parameters and statements of a function whose first locals are `parameters` parameters.
    fn function_parts(&mut self, parameters: usize, has_result: bool) -> (TokenStream, TokenStream) {
        let span = self.span;
        let body = self.body;
        let mut signature = TokenStream::new();
        for (local, it) in body.locals.iter().take(parameters) {
            let mutable = self.declarations.is_written(local).then(|| self.ident("mut"));
            let (name, ty) = (self.local(local), self.ty(it.ty));
            signature.extend(quote_spanned!(span=> #mutable #name: #ty,));
        }
        let mut statements = TokenStream::new();
        for shared in self.mentioned_shared() {
            let name = self.ident(&shared_name(shared.index()));
            let ty = self.ty(self.context.program.shared[shared].ty);
            let offset = Literal::u64_unsuffixed(self.context.shared.get(&shared).copied().unwrap_or(0));
            statements.extend(quote_spanned!(span=> let #name = __shared.add(#offset).cast::<#ty>();));
        }
        statements.extend(self.block(&body.block));
        if !matches!(body.block.last().map(|stmt| &stmt.kind), Some(StmtKind::Return(_))) {
            // Of a function with a result no path comes here.
            let value = if has_result {
                quote_spanned!(span=> __zero())
            } else {
                quote_spanned!(span=> ())
            };
            statements.extend(quote_spanned!(span=> __Ok(#value)));
        }
        (signature, statements)
    }

    fn mentioned_shared(&self) -> Vec<Handle<SharedVariable>> {
        let mut found = Vec::new();
        let body = self.body;
        walk::statements(&body.block, &mut |stmt| {
            walk::statement(body, stmt, &mut |mention| {
                if let Mention::Place(place, _) = mention
                    && let PlaceBase::Shared(shared) = body.places[place].base
                    && !found.contains(&shared)
                {
                    found.push(shared);
                }
            });
        });
        found
    }
}
