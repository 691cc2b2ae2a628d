//! One body on its way to Rust: what its expressions and statements share.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use vyre_abi::fault::FaultKind;
use vyre_ir::ir::{
    self, Body, ConstantTable, ExprId, Function, Handle, Kernel, Local, PlaceId, Program, SharedVariable, Type, TypeId,
};
use vyre_ir::module::FaultSite;
use vyre_ir::validate::{BodyInfo, ProgramInfo};

use super::access::Accesses;
use super::lanes::Lanes;
use super::lanewise::Lanewise;
use super::locals::Declarations;
use super::regions::Regions;
use super::stack::Stack;
use super::table::Table;
use super::types;
use crate::code::{Code, code};
use crate::generate::names::{self, Names};
use crate::surface::Spans;

/// State shared by all bodies of a kernel.
pub(super) struct Context<'a> {
    /// Which functions are inlined, and the stack that the kernel takes.
    pub(super) stack: Stack,
    pub(super) program: &'a Program,
    pub(super) info: &'a ProgramInfo<'a>,
    pub(super) kernel: &'a Kernel,
    pub(super) externals: &'a [TokenStream],
    pub(super) spans: &'a Spans,
    /// The offset of each shared variable of the kernel.
    pub(super) shared: Table<SharedVariable, u64>,
    /// The tables that the launch gives, as far as the kernel mentions them. All functions take pointers to
    /// them.
    pub(super) host_tables: Vec<Handle<ConstantTable>>,
}

impl Context<'_> {
    /// True if the kernel has shared memory, whose address is then passed to its functions.
    pub(super) fn has_shared(&self) -> bool {
        !self.shared.is_empty()
    }

    /// The additional arguments of its functions: the addresses of shared memory and of tables.
    pub(super) fn passed(&self) -> Code {
        let span = Span::mixed_site();
        let mut arguments = Code::default();
        if self.has_shared() {
            arguments.append(code!(span=> __shared,));
        }
        for table in &self.host_tables {
            let name = Ident::new(&given_name(table.index()), span);
            arguments.append(code!(span=> #name,));
        }
        arguments
    }
}

/// The places that can fault: those of the PTX, then those that only the CPU body has.
#[derive(Default)]
pub(super) struct Sites {
    pub(super) list: Vec<FaultSite>,
    /// The templates of what is printed, as the PTX numbers them.
    pub(super) prints: Vec<String>,
    /// The calls of functions that wait.
    pub(super) calls: u32,
}

impl Sites {
    /// The number of a template.
    pub(super) fn print(&self, template: &str) -> usize {
        let number = self.prints.iter().position(|known| known == template);
        debug_assert!(number.is_some(), "the PTX numbers all that the program prints");
        number.unwrap_or(0)
    }

    /// The number of a site.
    pub(super) fn number(&mut self, kind: FaultKind, span: ir::Span, message: &str) -> usize {
        let is_same = |site: &FaultSite| site.kind == kind && site.span == span && site.message == message;
        let known = self.list.iter().position(is_same);
        known.unwrap_or_else(|| self.add(kind, span, message))
    }

    /// The number of a new site.
    pub(super) fn add(&mut self, kind: FaultKind, span: ir::Span, message: &str) -> usize {
        self.list.push(FaultSite {
            kind,
            span,
            message: message.to_owned(),
        });
        self.list.len() - 1
    }

    /// The number of a call of a function that waits.
    pub(super) fn call(&mut self) -> u32 {
        self.calls += 1;
        self.calls - 1
    }
}

/// Writes one body.
pub(super) struct Writer<'a> {
    pub(super) context: &'a Context<'a>,
    pub(super) body: &'a Body,
    pub(super) declarations: &'a Declarations<'a>,
    pub(super) accesses: &'a Accesses,
    pub(super) info: &'a BodyInfo<'a>,
    pub(super) sites: &'a mut Sites,
    /// The names of the locals.
    pub(super) locals: &'a [String],
    /// The regions of the body, if it has some.
    pub(super) regions: Option<&'a Regions<'a>>,
    /// The lanes of the body, if its regions run for several threads at a time, and the number of the next region.
    pub(super) lanes: Option<&'a Lanes>,
    pub(super) region: usize,
    /// The state of the code of lanes that is being written.
    pub(super) lanewise: Option<Lanewise<'a>>,
    /// True in the regions that some warps have run already: those of `__done` threads.
    pub(super) after_warps: bool,
    /// The loops around the current statement, outermost first: index, and true if `continue`
    /// leaves a block.
    pub(super) loops: Vec<(usize, bool)>,
    pub(super) loop_count: usize,
    /// The span of the current statement.
    pub(super) span: Span,
}

impl<'a> Writer<'a> {
    pub(super) fn new(
        context: &'a Context<'a>,
        body: &'a Body,
        (declarations, accesses, info): (&'a Declarations<'a>, &'a Accesses, &'a BodyInfo<'a>),
        locals: &'a [String],
        sites: &'a mut Sites,
    ) -> Self {
        Writer {
            context,
            body,
            declarations,
            accesses,
            info,
            sites,
            locals,
            regions: None,
            lanes: None,
            region: 0,
            lanewise: None,
            after_warps: false,
            loops: Vec::new(),
            loop_count: 0,
            span: Span::mixed_site(),
        }
    }

    /// The tokens' span of a place in the program, for generated tokens.
    pub(super) fn at(&self, place: vyre_ir::ir::Span) -> Span {
        names::at(self.context.spans.get(place))
    }

    pub(super) fn ident(&self, name: &str) -> Ident {
        Ident::new(name, self.span)
    }

    /// The function of an operation.
    pub(super) fn operation(&self, name: &str) -> Ident {
        self.ident(&format!("__{name}"))
    }

    /// A number, with the type inferred from its context.
    pub(super) fn number(&self, number: u64) -> Literal {
        let mut literal = Literal::u64_unsuffixed(number);
        literal.set_span(self.span);
        literal
    }

    pub(super) fn local(&self, local: Handle<Local>) -> Ident {
        self.ident(&self.locals[local.index()])
    }

    /// A local as the current thread sees it.
    pub(super) fn variable(&self, local: Handle<Local>) -> Code {
        if let Some(code) = self.lane_of(local) {
            return code;
        }
        let (span, name) = (self.span, self.local(local));
        match self.regions.is_some_and(|regions| regions.is_kept(local)) {
            true => code!(span=> (*#name.add(__n))),
            false => code!(span=> #name),
        }
    }

    /// The value of a local that is evaluated again where it is mentioned.
    pub(super) fn index(&self, local: Handle<Local>) -> Option<ExprId> {
        match (&self.lanewise, self.regions) {
            (Some(lanewise), None) => lanewise.lanes.indices.local(self.body, local),
            (_, Some(regions)) => regions.index(self.body, local),
            (None, None) => None,
        }
    }

    /// The same for a load of a place.
    pub(super) fn index_at(&self, place: PlaceId) -> Option<ExprId> {
        self.index(self.body.places[place].whole_local()?)
    }

    pub(super) fn function(&self, function: Handle<Function>) -> Ident {
        self.ident(&function_name(self.context.program, function))
    }

    pub(super) fn ty(&self, id: TypeId) -> Code {
        types::ty(&self.context.program.types, id, self.span)
    }

    pub(super) fn type_of(&self, id: TypeId) -> &'a Type {
        &self.context.program.types[id]
    }
}

/// Names for the locals of a body.
pub(super) fn local_names(body: &Body) -> Vec<String> {
    let mut taken = Names::default();
    let mut names = Vec::new();
    for (local, it) in body.locals.iter() {
        names.push(taken.fresh(&it.name, local.index()));
    }
    names
}

/// The name of the CPU twin of a device function.
pub(super) fn function_name(program: &Program, function: Handle<Function>) -> String {
    let name = names::identifier(&program.functions[function].name);
    format!("__fn_{name}_{}", function.index())
}

/// The name of a constant table.
pub(in crate::generate) fn table_name(index: usize) -> String {
    format!("__TABLE{index}")
}

/// The name of the pointer to a table that the launch gives.
pub(super) fn given_name(index: usize) -> String {
    format!("__given{index}")
}

/// The name of a variable in shared memory: a pointer to it.
pub(super) fn shared_name(index: usize) -> String {
    format!("__shared{index}")
}
