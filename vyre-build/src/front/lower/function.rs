//! Bodies: those of kernels and device functions, and calls.

use proc_macro2::TokenStream;
use vyre_core::ir::builder::BodyBuilder;
use vyre_core::ir::{
    Body, External, Function as IrFunction, Handle, Local, Parameter, Program, SharedVariable, StmtKind, Type,
};

use super::super::functions::Function;
use super::super::tree::{Expr, ExprKind, Origin, Tree};
use super::super::types::{Kind, Ty};
use super::{ExprId, Lowering, Storage, ir_type, locate, parameter_type, plain, scalar, tables};
use crate::surface::Spans;

/// A program on its way, and what becomes of all its bodies together.
pub(super) struct Whole {
    pub(super) program: Program,
    pub(super) spans: Spans,
    /// For each external of the program, its path.
    pub(super) externals: Vec<TokenStream>,
    /// Whether the kernel uses the x axis alone.
    pub(super) one_axis: bool,
}

impl Whole {
    /// Lowers a function; `handles` are those of the functions before it.
    pub(super) fn function(&mut self, function: &Function, handles: &[Handle<IrFunction>]) -> Handle<IrFunction> {
        let file = self.file(&function.file);
        let calls = function.calls.iter().map(|&number| handles[number]).collect();
        let count = function.item.sig.inputs.len();
        let tree = &function.tree;
        let (parameters, body) = self.body(tree, count, file, calls);
        let name = &function.item.sig.ident;
        let result = ir_type(&tree.types, tree.result, &mut self.program.types);
        let span = locate(&mut self.spans, file, name.span());
        self.program.functions.push(IrFunction {
            name: plain(name),
            parameters: parameters.len() as u32,
            result,
            body,
            span,
        })
    }

    /// The number of a file.
    fn file(&mut self, name: &str) -> u32 {
        let files = &mut self.program.files;
        let known = files.iter().position(|file| file == name);
        let number = known.unwrap_or_else(|| {
            files.push(name.to_owned());
            files.len() - 1
        });
        number as u32
    }

    /// Lowers a body whose first `count` locals are its parameters.
    pub(super) fn body(
        &mut self,
        tree: &Tree,
        count: usize,
        file: u32,
        functions: Vec<Handle<IrFunction>>,
    ) -> (Vec<Parameter>, Body) {
        let Whole {
            program,
            spans,
            externals: paths,
            one_axis,
        } = self;
        let shared: Vec<_> = tree
            .shared
            .iter()
            .map(|shared| {
                let ty = ir_type(&tree.types, shared.ty, &mut program.types);
                let span = locate(spans, file, shared.span);
                let name = shared.name.clone();
                program.shared.push(SharedVariable { name, ty, span })
            })
            .collect();
        let externals: Vec<_> = tree
            .externals
            .iter()
            .map(|external| {
                let span = locate(spans, file, external.span);
                paths.push(external.path.clone());
                program.externals.push(External {
                    name: external.name.clone(),
                    scalar: scalar(&tree.types, external.ty),
                    value: None,
                    span,
                })
            })
            .collect();
        let tables = tables(tree, program, spans, file);
        let mut parameters = Vec::new();
        for local in tree.locals.iter().take(count) {
            let ty = parameter_type(&tree.types, local.ty, local.origin, &mut program.types);
            let span = locate(spans, file, local.name.span());
            let name = plain(&local.name);
            parameters.push(Parameter { name, ty, span });
        }
        let mut lowering = Lowering {
            b: BodyBuilder::new(program),
            tree,
            storage: Vec::with_capacity(tree.locals.len()),
            aliases: Vec::new(),
            fixed: Vec::new(),
            targets: (0..tree.left_by_break.len()).map(|_| None).collect(),
            loops: 0,
            one_axis: *one_axis,
            each: None,
            functions,
            file,
            shared,
            taken: None,
            externals,
            tables,
            spans: std::mem::take(spans),
        };
        for (parameter, local) in parameters.iter().zip(&tree.locals) {
            lowering.b.span = parameter.span;
            let handle = lowering.b.local(&parameter.name, parameter.ty);
            let storage = lowering.parameter(local.ty, local.origin, handle);
            lowering.storage.push(storage);
        }
        lowering.storage.resize(tree.locals.len(), Storage::None);
        lowering.element();
        lowering.whole();
        *spans = std::mem::take(&mut lowering.spans);
        let body = lowering.b.finish();
        (parameters, body)
    }
}

impl Lowering<'_, '_> {
    /// Where a parameter lies. Slices are no references in the program but values of their own.
    fn parameter(&mut self, ty: Ty, origin: Origin, handle: Handle<Local>) -> Storage {
        match *self.tree.types.kind(ty) {
            _ if origin == Origin::Each => Storage::Each(handle),
            Kind::Tuple(ref fields) if fields.is_empty() => Storage::None,
            Kind::Reference(inner, _) if !matches!(self.tree.types.kind(inner), Kind::Slice(_)) => {
                Storage::Reference(handle)
            }
            _ => Storage::Local(handle),
        }
    }

    /// The whole body, with the result at its end.
    fn whole(&mut self) {
        let tree = self.tree;
        if tree.types.is_unit(tree.result) {
            // Whether control reaches the end makes no difference to who returns nothing.
            let _ = self.run(&tree.body);
        } else if let Some(value) = self.block_value(&tree.body) {
            self.b.return_(Some(value));
        }
    }

    /// Calls a device function; the value that it returns.
    pub(super) fn invoke(&mut self, number: usize, arguments: &[Expr]) -> Option<ExprId> {
        let here = self.b.span;
        let callee = &self.tree.calls[number];
        let mut values: Vec<ExprId> = Vec::new();
        for (argument, &parameter) in arguments.iter().zip(&callee.parameters) {
            let start = self.b.position();
            let value = self.argument(argument, parameter)?;
            if self.b.position() != start {
                self.keep(&mut values, start);
            }
            values.push(value);
        }
        self.b.span = here;
        let function = self.functions[number];
        if self.tree.types.is_unit(callee.result) {
            self.b.push(StmtKind::Call {
                function,
                arguments: values,
                result: None,
            });
            let unit = self.b.types().unit();
            return Some(self.b.construct(unit, Vec::new()));
        }
        let result = self.b.call(function, values);
        self.fixed.push(result);
        Some(self.b.get(result))
    }

    /// An argument: a value, a reference to a place, or a slice.
    fn argument(&mut self, argument: &Expr, parameter: Ty) -> Option<ExprId> {
        let Kind::Reference(inner, mutable) = *self.tree.types.kind(parameter) else {
            return self.value(argument);
        };
        let path = self.place(referent(argument))?;
        if !matches!(self.tree.types.kind(inner), Kind::Slice(_)) {
            return Some(self.b.reference(path, mutable));
        }
        let ty = self.b.path_type(&path);
        match self.b.types()[ty] {
            // An array as a slice.
            Type::Array { length, .. } => {
                let (start, end) = (self.b.u64(0), self.b.u64(length));
                Some(self.b.subslice(path, start, end, mutable))
            }
            // `&mut [T]` as `&[T]`.
            Type::Slice { mutable: true, .. } if !mutable => {
                let start = self.b.u64(0);
                let end = self.b.length(path.clone());
                Some(self.b.subslice(path, start, end, false))
            }
            _ => Some(self.b.load(path)),
        }
    }
}

/// What a reference in an argument refers to; a variable that holds one stands for that.
fn referent(argument: &Expr) -> &Expr {
    match &argument.kind {
        ExprKind::Borrow(place, _) => referent(place),
        _ => argument,
    }
}
