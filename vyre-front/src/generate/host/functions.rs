//! The functions of a CPU body: one per device function, one for a thread, and `__host`, which runs
//! a block.
//!
//! If nothing yields, a thread is a function that LLVM inlines into a loop over the block;
//! otherwise it is an `async` function. Bodies with a fused multiply-add are compiled a second time
//! for processors that have the instruction, because without it each is a call of a slow function; so are
//! bodies with lanes, whose vectors are twice as long there. Results have the same bits, since rustc fuses nothing by itself.
//!
//! Builds with debug assertions compile the body once, and without lanes: code that is not optimised gains nothing from
//! either, and its build takes as long as the rest of the kernel.

use proc_macro2::{Ident, Literal, Span};
use vyre_ir::ir::{Body, Entry, Function, Handle, StmtKind, Type, TypeId};
use vyre_ir::validate::{BodyInfo, EntryInfo};

use super::access::{Accesses, Bound};
use super::body::{Context, Sites, Writer, function_name, given_name, local_names, shared_name};
use super::lanes::Lanes;
use super::lanewise::Lanewise;
use super::locals::{self, Declarations};
use super::regions::Regions;
use super::shared::SharedMemory;
use super::types;
use crate::code::{Code, code};
use crate::generate::names;

/// The functions of a kernel, on their way.
pub(super) struct KernelCode<'a> {
    pub(super) context: &'a Context<'a>,
    pub(super) entry: &'a Entry,
    /// The names of its locals.
    pub(super) locals: &'a [String],
    pub(super) declarations: &'a Declarations<'a>,
    pub(super) accesses: &'a Accesses,
    /// The regions of the entry, if its threads wait for each other only where all of a block do.
    pub(super) regions: Option<&'a Regions<'a>>,
    /// The lanes of the entry, if several of its threads can run at a time.
    pub(super) lanes: Option<&'a Lanes>,
    pub(super) info: &'a EntryInfo<'a>,
    pub(super) memory: SharedMemory,
    pub(super) sites: Sites,
}

impl KernelCode<'_> {
    /// `__host`, with all that it calls.
    pub(super) fn host(&mut self) -> Code {
        let span = Span::mixed_site();
        let functions = self.functions();
        let block = self.block();
        let signature = code!(span=> (__arguments: &[*const __v::c_void], __block: &__v::BlockContext<'_>));
        let never = &code!(span=> #[inline(never)]);
        let with = |attribute: &Code| -> Code {
            let mut all = Code::default();
            for (function, is_apart) in &functions {
                let apart = is_apart.then_some(never);
                all.append(code!(span=> #attribute #apart #function));
            }
            all
        };
        // Inlined functions inherit the target features of their caller.
        let always = &code!(span=> #[inline(always)]);
        let mut inlined = Code::default();
        for (function, is_apart) in &functions {
            let inline = if *is_apart { never } else { always };
            inlined.append(code!(span=> #inline #function));
        }
        let condition = &code!(span=> #[cfg(all(target_arch = "x86_64", not(debug_assertions)))]);
        // All processors that have one of these features have both.
        let fma = code!(span=> #[target_feature(enable = "avx2,fma")]);
        if !self.info.body.effects.mul_add {
            if self.lanes.is_none() || self.context.stack.has_apart() || self.context.stack.own().is_some() {
                return code! {span=>
                    #inlined
                    unsafe fn __host #signature { #block }
                };
            }
            // The closures of each instance are called once, so LLVM inlines them, and they get the features.
            let signature = &signature;
            return code! {span=>
                #inlined
                #[inline(always)]
                unsafe fn __host_of<const __WIDE: bool> #signature { #block }
                #condition
                #fma
                unsafe fn __host_fma #signature { unsafe { __host_of::<true>(__arguments, __block) } }
                unsafe fn __host #signature {
                    #condition
                    if __v::has_fma() {
                        return unsafe { __host_fma(__arguments, __block) };
                    }
                    unsafe { __host_of::<false>(__arguments, __block) }
                }
            };
        }
        // A future is a function of its own.
        let (outside, base, with_fma) = match self.pauses() || self.context.stack.has_apart() {
            true => (None, Some(inlined), Some(with(&fma))),
            false => (Some(inlined), None, None),
        };
        let (signature, block) = (&signature, &block);
        code! {span=>
            #outside
            unsafe fn __host_base #signature { #base #block }
            #condition
            #fma
            unsafe fn __host_fma #signature { #with_fma #block }
            unsafe fn __host #signature {
                #condition
                if __v::has_fma() {
                    return unsafe { __host_fma(__arguments, __block) };
                }
                unsafe { __host_base(__arguments, __block) }
            }
        }
    }

    /// The device functions, and the function for one thread, each with whether it is not inlined.
    fn functions(&mut self) -> Vec<(Code, bool)> {
        let mut functions = Vec::new();
        for &function in &self.info.reach.functions {
            functions.push((self.device_function(function), self.context.stack.is_apart(function)));
        }
        if self.regions.is_none() {
            functions.push((self.thread(), false));
            if let Some(lanes) = self.lanes {
                functions.push((self.of_lanes(lanes), false));
            }
        }
        functions
    }

    /// True if threads are futures.
    fn pauses(&self) -> bool {
        self.info.body.effects.pauses() && self.regions.is_none()
    }

    fn device_function(&mut self, function: Handle<Function>) -> Code {
        let program = self.context.program;
        let name = function_name(program, function);
        let info = self.context.info.function(function);
        let function = &program.functions[function];
        let declarations = locals::declarations(&function.body, info, function.parameters as usize);
        let facts = (&declarations, &Accesses::default(), info);
        let result = (function.result != program.types.unit()).then_some(function.result);
        let locals = local_names(&function.body);
        self.function(
            &name,
            (&function.body, &locals),
            function.parameters as usize,
            facts,
            result,
        )
    }

    fn thread(&mut self) -> Code {
        let body = &self.entry.body;
        let parameters = self.context.kernel.parameters.len();
        let facts = (self.declarations, self.accesses, &self.info.body);
        self.function("__thread", (body, self.locals), parameters, facts, None)
    }

    /// The function for the lanes of a chunk.
    fn of_lanes(&mut self, lanes: &Lanes) -> Code {
        let span = Span::mixed_site();
        let body = &self.entry.body;
        let parameters = self.context.kernel.parameters.len();
        let many = names::many_arguments(parameters + 2 + self.context.host_tables.len());
        let passed = self.passed_parameters();
        let (declarations, mut accesses) = (Declarations::default(), self.accesses.clone());
        accesses.forget_bounds();
        let facts = (&declarations, &accesses, &self.info.body);
        let mut writer = Writer::new(self.context, body, facts, self.locals, &mut self.sites);
        let mut signature = Code::default();
        for (local, it) in body.locals.iter().take(parameters) {
            let (name, ty) = (writer.local(local), writer.ty(it.ty));
            signature.append(code!(span=> #name: #ty,));
        }
        let Some(Some(plan)) = lanes.plans.first() else {
            return Code::default();
        };
        writer.lanewise = Some(Lanewise::new(lanes, plan));
        let statements = writer.lanewise();
        code! {span=>
            #[cfg(not(debug_assertions))]
            #many
            unsafe fn __lanes<const __N: usize>(__t: __Thread<'_>, #passed #signature) -> __Run {
                unsafe { #statements }
            }
        }
    }

    fn function(
        &mut self,
        name: &str,
        (body, locals): (&Body, &[String]),
        parameters: usize,
        facts: (&Declarations<'_>, &Accesses, &BodyInfo<'_>),
        result: Option<TypeId>,
    ) -> Code {
        let span = Span::mixed_site();
        let many = names::many_arguments(parameters + 2 + self.context.host_tables.len());
        let asynchronous = facts.2.effects.pauses().then(|| Ident::new("async", span));
        let name = Ident::new(name, span);
        let passed = self.passed_parameters();
        let mut writer = Writer::new(self.context, body, facts, locals, &mut self.sites);
        let (parameters, statements) = writer.function_parts(parameters, result.is_some());
        let result = result.map(|result| {
            let ty = types::ty(&self.context.program.types, result, span);
            code!(span=> <#ty>)
        });
        code! {span=>
            #many
            #asynchronous unsafe fn #name(__t: __Thread<'_>, #passed #parameters) -> __Run #result {
                unsafe { #statements }
            }
        }
    }

    fn passed_parameters(&self) -> Code {
        let span = Span::mixed_site();
        let program = self.context.program;
        let mut parameters = Code::default();
        if self.context.has_shared() {
            parameters.append(code!(span=> __shared: *mut u8,));
        }
        for &table in &self.context.host_tables {
            let name = Ident::new(&given_name(table.index()), span);
            let ty = types::ty(&program.types, program.tables[table].ty, span);
            parameters.append(code!(span=> #name: *mut #ty,));
        }
        parameters
    }

    /// The function that runs a block.
    fn block(&mut self) -> Code {
        let span = Span::mixed_site();
        let body = &self.entry.body;
        let kernel = self.context.kernel;
        let facts = (self.declarations, self.accesses, &self.info.body);
        let mut writer = Writer::new(self.context, body, facts, self.locals, &mut self.sites);
        let mut arguments = Code::default();
        let mut names = Vec::new();
        let mut at = 0;
        for (parameter, local) in kernel.parameters.iter().zip(body.locals.handles()) {
            let (name, number) = (&writer.local(local), Literal::usize_unsuffixed(at));
            let ty = writer.ty(parameter.ty);
            let is_slice = matches!(writer.type_of(parameter.ty), Type::Slice { .. });
            at += if is_slice { 2 } else { 1 };
            let of_slice = is_slice.then(|| code!(span=> Slice::));
            arguments.append(code!(span=> let #name: #ty = __v::#of_slice argument(__arguments, #number);));
            names.push(name.clone());
        }
        let bounds: Vec<_> = self
            .accesses
            .bounds
            .iter()
            .map(|&bound| match bound {
                Bound::Length(local) => {
                    let name = writer.local(local);
                    code!(span=> #name.length)
                }
                Bound::Value(expr) => writer.expr(expr),
            })
            .collect();
        let [x, y, z] = kernel.block.map(Literal::u32_unsuffixed);
        for (number, (table, definition)) in (at..).zip(self.context.program.host_tables()) {
            if self.context.host_tables.contains(&table) {
                let (name, number) = (
                    Ident::new(&given_name(table.index()), span),
                    Literal::usize_unsuffixed(number),
                );
                let ty = types::ty(&self.context.program.types, definition.ty, span);
                arguments.append(code!(span=> let #name = __arguments[#number].cast_mut().cast::<#ty>();));
            }
        }
        if self.context.has_shared() {
            let size = Literal::u64_unsuffixed(self.memory.size);
            let align = Literal::u64_unsuffixed(self.memory.align);
            let zeroed = Ident::new(if self.memory.has_bool { "true" } else { "false" }, span);
            arguments.append(code!(span=> let __shared = __block.shared(#size, #align, #zeroed);));
        }
        let passed = &self.context.passed();
        let names = &code!(span=> #names);
        let (x, y, z) = (&x, &y, &z);
        let threads = &code!(span=> ([#x, #y, #z], |__t| __thread(__t, #passed #names)));
        let run = if let Some(regions) = self.regions {
            let mut writer = Writer::new(self.context, body, facts, self.locals, &mut self.sites);
            writer.regions = Some(regions);
            writer.lanes = self.lanes;
            writer.blockwise(kernel, regions)
        } else if self.info.body.effects.pauses() {
            code!(span=> __block.lockstep #threads;)
        } else {
            let one_by_one = if bounds.is_empty() {
                code!(span=> __block.each #threads;)
            } else {
                code! {span=>
                    if __block.inside(#x, [#bounds]) {
                        __block.each_inside #threads;
                    } else {
                        __block.each #threads;
                    }
                }
            };
            match self.lanes {
                Some(lanes) => {
                    let count = &Literal::u32_unsuffixed(lanes.count);
                    let fewer = &Literal::u32_unsuffixed(lanes.fewer);
                    let repeats = lanes
                        .plans
                        .first()
                        .is_some_and(|plan| plan.as_ref().is_some_and(|it| it.repeats));
                    let repeats = Ident::new(if repeats { "true" } else { "false" }, span);
                    code! {span=>
                        #[cfg(not(debug_assertions))]
                        __block.each_lanes::<#count, #fewer, #repeats>(
                            [#x, #y, #z],
                            |__t| __thread(__t, #passed #names),
                            |__t| __lanes::<#count>(__t, #passed #names),
                            |__t| __lanes::<#fewer>(__t, #passed #names)
                        );
                        #[cfg(debug_assertions)]
                        { #one_by_one }
                    }
                }
                None => one_by_one,
            }
        };
        let run = code! {span=>
            unsafe {
                __block.set_sites(&__SITES);
                #arguments
                #run
            }
        };
        match self.context.stack.own() {
            Some(bytes) => {
                let bytes = Literal::u64_unsuffixed(bytes);
                code!(span=> __v::with_stack(#bytes, || #run))
            }
            None => run,
        }
    }
}

impl Writer<'_> {
    /// Parameters and statements of a function whose first locals are `parameters` parameters.
    fn function_parts(&mut self, parameters: usize, has_result: bool) -> (Code, Code) {
        let span = self.span;
        let body = self.body;
        let mut signature = Code::default();
        for (local, it) in body.locals.iter().take(parameters) {
            let mutable = self.declarations.is_written(local).then(|| self.ident("mut"));
            let (name, ty) = (self.local(local), self.ty(it.ty));
            signature.append(code!(span=> #mutable #name: #ty,));
        }
        let mut statements = Code::default();
        for &shared in &self.info.shared {
            let name = self.ident(&shared_name(shared.index()));
            let ty = self.ty(self.context.program.shared[shared].ty);
            let offset = Literal::u64_unsuffixed(self.context.shared.get(shared));
            statements.append(code!(span=> let #name = __shared.add(#offset).cast::<#ty>();));
        }
        statements.append(self.block(&body.block));
        if !matches!(body.block.last().map(|stmt| &stmt.kind), Some(StmtKind::Return(_))) {
            // No path reaches this in a function with a result.
            let value = if has_result {
                code!(span=> __zero())
            } else {
                code!(span=> ())
            };
            statements.append(code!(span=> __Ok(#value)));
        }
        (signature, statements)
    }
}
