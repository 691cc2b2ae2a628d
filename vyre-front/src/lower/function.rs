//! Bodies: those of kernels and device functions, and calls.

use proc_macro2::TokenStream;
use vyre_abi::list;
use vyre_ir::ir::builder::{BodyBuilder, Path};
use vyre_ir::ir::{
    AtomicOp, Axis, BinaryOp, Body as IrBody, Builtin, ConstantTable, External, Function as IrFunction, Handle, Local,
    Parameter, Program, SharedVariable, StmtKind, Type,
};

use super::closure::{result_of, taken_by};
use super::constant::Constant;
use super::matrix::{Matrix, matrix_parts};
use super::{ExprId, Lowering, Storage, ir_type, locate, parameter_type, scalar, tables};
use crate::check::reach::{Body, Function};
use crate::infer::calls;
use crate::surface::Spans;
use crate::syntax::tree::{Block, Closure, Expr, ExprKind, Origin, Tree};
use crate::types::{Kind, Ty};

/// Threads that a block has at most.
const MAX_BLOCK_THREADS: u64 = 1024;

/// A program on its way, and what becomes of all its bodies together.
pub(super) struct Whole {
    pub(super) program: Program,
    pub(super) spans: Spans,
    /// For each external of the program, its path.
    pub(super) externals: Vec<TokenStream>,
    /// True if the kernel uses only the x axis.
    pub(super) one_axis: bool,
    /// Threads of the block.
    pub(super) threads: u64,
    /// Barriers in shared memory, with their number and the arrivals per phase.
    pub(super) barriers: Vec<(Handle<SharedVariable>, u64, u64)>,
    /// The variables of block collectives.
    pub(super) collectives: Vec<Handle<SharedVariable>>,
    /// For each body, what it names outside of its variables, once that is in the program.
    pub(super) outside: Vec<Option<Outside>>,
    /// The functions so far.
    pub(super) handles: Vec<Handle<IrFunction>>,
    pub(super) refused: Vec<vyre_ir::ir::Span>,
    pub(super) constant: Constant,
}

/// The tables and externals that a body and its closures name.
#[derive(Clone)]
pub(super) struct Outside {
    file: u32,
    shared: Vec<Handle<SharedVariable>>,
    externals: Vec<Handle<External>>,
    tables: Vec<Option<Handle<ConstantTable>>>,
}

impl Whole {
    /// Lowers a function or closure; its callees precede it.
    pub(super) fn function(&mut self, function: &Function, bodies: &[Body]) -> Handle<IrFunction> {
        let tree = &bodies[function.body].tree;
        let written = calls::written(tree);
        let closure = function.closure.map(|number| written[number]);
        let (parameters, body) = self.body(bodies, function.body, closure);
        let result = match closure {
            Some(closure) => result_of(tree, closure),
            None => tree.result,
        };
        let result = ir_type(&tree.types, result, &mut self.program.types);
        let file = self.outside(&bodies[function.body], function.body).file;
        let span = locate(&mut self.spans, file, function.span);
        self.program.functions.push(IrFunction {
            name: function.name.clone(),
            parameters: parameters.len() as u32,
            result,
            exact: function.exact,
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

    /// The tables and externals that a body names, which are put into the program once.
    fn outside(&mut self, body: &Body, number: usize) -> Outside {
        if let Some(known) = &self.outside[number] {
            return known.clone();
        }
        let tree = &*body.tree;
        let file = match number {
            // The kernel's.
            0 => 0,
            _ => self.file(&body.file),
        };
        let Whole {
            program,
            spans,
            externals: paths,
            barriers,
            collectives,
            threads,
            ..
        } = self;
        let for_threads = tree.traits.here.is_block_collectives();
        let shared = list::map(&tree.shared, |shared| {
            let mut ty = ir_type(&tree.types, shared.ty, &mut program.types);
            // Collectives write their memory as for the largest block.
            if let (true, Some(&Type::Array { element, length })) = (for_threads, program.types.get(ty))
                && length.is_multiple_of(MAX_BLOCK_THREADS)
            {
                ty = program.types.array(element, length / MAX_BLOCK_THREADS * *threads);
            }
            let span = locate(spans, file, shared.span);
            let name = shared.name.clone();
            let variable = program.shared.push(SharedVariable { name, ty, span });
            if for_threads {
                collectives.push(variable);
            }
            if let (Some(arrivals), Some(length)) = (shared.arrivals, tree.types.length_of(shared.ty)) {
                barriers.push((variable, length, arrivals));
            }
            variable
        });
        let externals = list::map(&tree.externals, |external| {
            let span = locate(spans, file, external.span);
            paths.push(external.path.clone());
            program.externals.push(External {
                name: external.name.clone(),
                scalar: scalar(&tree.types, external.ty),
                value: None,
                span,
            })
        });
        let outside = Outside {
            file,
            shared,
            externals,
            tables: tables(tree, program, spans, file),
        };
        self.outside[number] = Some(outside.clone());
        outside
    }

    /// Lowers a body, or that of a closure in it.
    pub(super) fn body(
        &mut self,
        bodies: &[Body],
        number: usize,
        closure: Option<&Closure>,
    ) -> (Vec<Parameter>, IrBody) {
        let body = &bodies[number];
        let tree = &*body.tree;
        let Outside {
            file,
            shared,
            externals,
            tables,
        } = self.outside(body, number);
        let Whole {
            program,
            spans,
            one_axis,
            handles,
            barriers,
            refused,
            ..
        } = self;
        let taken = match closure {
            Some(closure) => taken_by(tree, closure),
            None => taken(tree),
        };
        let mut parameters = Vec::with_capacity(taken.len());
        for &(local, ty, origin) in &taken {
            let span = locate(spans, file, tree.locals[local].name.span());
            let name = tree.parameter_name(local);
            if let Some(parts) = matrix_parts(&tree.types, ty, &name, &mut program.types) {
                for (name, ty) in parts {
                    parameters.push(Parameter { name, ty, span });
                }
                continue;
            }
            let ty = parameter_type(&tree.types, ty, origin, &mut program.types);
            parameters.push(Parameter { name, ty, span });
        }
        let mut lowering = Lowering {
            b: BodyBuilder::new(program),
            tree,
            storage: vec![Storage::None; tree.locals.len()],
            aliases: Vec::new(),
            splits: Vec::new(),
            lent: Vec::new(),
            refused: Vec::new(),
            fixed: Vec::new(),
            moving: Vec::new(),
            targets: list::map(&tree.left_by_break, |_| None),
            loops: 0,
            one_axis: *one_axis,
            each: None,
            result: closure.map_or(tree.result, |closure| result_of(tree, closure)),
            calls: &body.calls,
            closures: &body.closures,
            handles,
            file,
            shared,
            taken: None,
            dynamics: Vec::new(),
            externals,
            tables,
            spans: std::mem::take(spans),
            is_constant: false,
            constant: Constant::default(),
        };
        let mut left = parameters.iter();
        for &(local, ty, origin) in &taken {
            let mut next = || {
                let parameter = left.next()?;
                lowering.b.span = parameter.span;
                Some(lowering.b.local(&parameter.name, parameter.ty))
            };
            let Some(handle) = next() else { break };
            lowering.storage[local] = match tree.types.is_matrix(ty) {
                true => {
                    // Three more follow. None is ever assigned to.
                    let mut extent = || next().unwrap_or(handle);
                    let extents = [extent(), extent(), extent()];
                    lowering.fixed.push(handle);
                    lowering.fixed.extend_from_slice(&extents);
                    Storage::Matrix(Matrix {
                        elements: handle,
                        extents,
                    })
                }
                false => lowering.parameter(ty, origin, handle),
            };
        }
        // After all parameters, which are the first variables.
        for &(local, ty, _) in &taken {
            if tree.locals[local].mutable && tree.types.is_reference(tree.locals[local].ty) {
                lowering.moving_parameter(local, ty);
            }
        }
        if number == 0 && closure.is_none() {
            lowering.begin_barriers(barriers);
        }
        lowering.element();
        lowering.whole(closure.map_or(&tree.body, |closure| &closure.body));
        *spans = std::mem::take(&mut lowering.spans);
        refused.append(&mut lowering.refused);
        let found = std::mem::take(&mut lowering.constant);
        let body = lowering.b.finish();
        // The next function is this one.
        let of = (number != 0 || closure.is_some()).then(|| Handle::new(self.program.functions.len()));
        let found_exprs = found.exprs.into_iter().map(|(_, exprs)| (of, exprs));
        self.constant.exprs.extend(found_exprs);
        self.constant.functions.extend(found.functions);
        (parameters, body)
    }
}

/// The locals that a body takes from outside, with their types: of closures what they hold.
fn taken(tree: &Tree) -> Vec<(usize, Ty, Origin)> {
    let mut taken = Vec::new();
    for (number, local) in tree.locals[..tree.parameters].iter().enumerate() {
        if tree.types.as_closure(local.ty).is_none() {
            taken.push((number, local.ty, local.origin));
        }
    }
    taken
}

impl Lowering<'_, '_> {
    /// The storage of a parameter. Slices are no references in the program but values of their own.
    fn parameter(&mut self, ty: Ty, origin: Origin, handle: Handle<Local>) -> Storage {
        match *self.tree.types.kind(ty) {
            _ if origin == Origin::Each => Storage::Each(handle),
            _ if self.tree.types.find(ty) == Ty::UNIT => Storage::None,
            Kind::Reference(..) if !self.tree.types.is_slice(ty) => Storage::Reference(handle),
            _ => Storage::Local(handle),
        }
    }

    /// Gives a parameter that may come to refer to other things a variable of its own.
    fn moving_parameter(&mut self, local: usize, ty: Ty) {
        let path = match std::mem::replace(&mut self.storage[local], Storage::None) {
            Storage::Reference(handle) if !self.is_referring(ty) => {
                let reference = self.b.local_place(handle);
                self.b.deref(reference)
            }
            Storage::Reference(handle) | Storage::Local(handle) => self.b.local_place(handle),
            other => return self.storage[local] = other,
        };
        let value = self.b.load(path);
        self.bind(local, value);
    }

    /// Lets the first thread of the block make the barriers in shared memory, before any can leave.
    fn begin_barriers(&mut self, barriers: &[(Handle<SharedVariable>, u64, u64)]) {
        if barriers.is_empty() {
            return;
        }
        let [x, y, z] = [Axis::X, Axis::Y, Axis::Z].map(|axis| self.b.builtin(Builtin::ThreadIndex(axis)));
        let place = self.b.binary(BinaryOp::Or, x, y);
        let place = self.b.binary(BinaryOp::Or, place, z);
        let is_first = self.compare_zero(BinaryOp::Eq, place);
        let (then, ()) = self.nested(|l| {
            for &(variable, length, arrivals) in barriers {
                for number in 0..length {
                    let (number, arrivals) = (l.b.u64(number), l.b.u64(arrivals));
                    let path = l.b.index_with(l.b.shared_place(variable), number, false);
                    l.b.atomic(AtomicOp::BarrierInit, path, vec![arrivals]);
                }
            }
        });
        self.branch(is_first, then, Vec::new());
        self.b.barrier();
    }

    /// The whole body, with the result at its end.
    fn whole(&mut self, body: &Block) {
        if self.tree.types.is_unit(self.result) {
            // A function without a result may reach its end.
            let _ = self.run(body);
        } else if let Some(value) = self.block_value(body) {
            self.b.return_(Some(value));
        }
    }

    /// Calls a device function; the value that it returns.
    pub(super) fn invoke(&mut self, number: usize, arguments: &[Expr]) -> Option<ExprId> {
        let callee = &self.tree.calls[number];
        let function = self.handles[self.calls[number]];
        self.call(function, Vec::new(), (arguments, &callee.parameters), callee.result)
    }

    /// Calls a function with what closures hold in front of the arguments; the value that it returns.
    pub(super) fn call(
        &mut self,
        function: Handle<IrFunction>,
        mut values: Vec<ExprId>,
        (arguments, parameters): (&[Expr], &[Ty]),
        result: Ty,
    ) -> Option<ExprId> {
        let here = self.b.span;
        let lent = self.lent.len();
        for (argument, &parameter) in arguments.iter().zip(parameters) {
            if let Some(closure) = self.tree.types.as_closure(parameter) {
                self.hold(argument, closure, &mut values)?;
                continue;
            }
            self.give(argument, parameter, &mut values)?;
        }
        self.b.span = here;
        if self.is_constant {
            self.constant.functions.push(function);
        }
        if self.tree.types.is_unit(result) {
            self.b.push(StmtKind::Call {
                function,
                arguments: values,
                result: None,
            });
            self.take_back(lent);
            let unit = self.b.types().unit();
            return Some(self.b.construct(unit, Vec::new()));
        }
        let result = self.b.call(function, values);
        self.fixed.push(result);
        self.take_back(lent);
        Some(self.b.get(result))
    }

    /// Adds an argument to those before it: one value, or the parts of a matrix.
    pub(super) fn give(&mut self, argument: &Expr, parameter: Ty, values: &mut Vec<ExprId>) -> Option<()> {
        if let Kind::Matrix(_, mutable) = *self.tree.types.kind(self.tree.types.referent(parameter)) {
            let matrix = self.matrix(argument)?;
            values.extend(self.parts(matrix, mutable));
            return Some(());
        }
        let start = self.b.position();
        let value = self.argument(argument, parameter)?;
        if self.b.position() != start {
            self.keep(values, start);
        }
        values.push(value);
        Some(())
    }

    /// An argument: a value, a reference to a place, or a slice.
    pub(super) fn argument(&mut self, argument: &Expr, parameter: Ty) -> Option<ExprId> {
        if !self.tree.types.is_reference(parameter) {
            return self.value(argument);
        }
        let shape = self.shape(referent(argument))?;
        let indices = self.operands(shape.indices())?;
        self.at(referent(argument).span);
        let path = self.path(&shape, &indices);
        if matches!(self.tree.types.kind(parameter), Kind::Reference(_, true)) {
            self.lend(&shape);
        }
        self.reference(path, parameter)
    }

    /// A reference of this type to a place, or a slice.
    pub(super) fn reference(&mut self, path: Path, ty: Ty) -> Option<ExprId> {
        let Kind::Reference(mut inner, mut mutable) = *self.tree.types.kind(ty) else {
            return Some(self.b.load(path));
        };
        while let Kind::Reference(next, of_next) = *self.tree.types.kind(inner)
            && !self.tree.types.is_plain(self.tree.types.by_value(inner))
        {
            (inner, mutable) = (next, of_next);
        }
        if !matches!(self.tree.types.kind(inner), Kind::Slice(..)) {
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

/// The target of a reference in an argument; a variable that holds a reference represents its
/// target.
pub(super) fn referent(argument: &Expr) -> &Expr {
    match &argument.kind {
        ExprKind::Borrow(place, _) => referent(place),
        _ => argument,
    }
}
