//! Checks of calls, and of the interface of kernels.

use super::error::{Invalid, InvalidKind, Within};
use super::info::{BodyInfo, EntryInfo, ProgramInfo, insert};
use super::intrinsics::Met;
use super::types::{TypeFacts, total_size};
use crate::ir::limits::{MAX_CALLS, MAX_LOCALS, MAX_PARAMETER_SCALARS, MAX_PARAMETERS, MAX_SHARED};
use crate::ir::{
    BinaryOp, Body, CLUSTER_COUNTER_BYTES, Entry, ExprId, ExprKind, Function, Handle, Kernel, MAX_CLUSTER_BLOCKS,
    PlaceBase, Program, Projection, Scalar, SharedVariable, Span, Type, WARP_SIZE,
};

/// Checks that functions do not recurse, then each kernel.
pub(super) fn check(program: &Program, facts: &TypeFacts, info: &mut ProgramInfo<'_>, errors: &mut Vec<Invalid>) {
    info.call_order = call_order(program, info, errors);
    info.find_reach();
    for (handle, function) in program.functions.iter() {
        if info.function(handle).own.grid_barrier {
            errors.push(Invalid {
                kind: InvalidKind::GridBarrierInFunction,
                within: Within::Function(handle),
                span: function.span,
            });
        }
    }
    let mut symbols = Vec::new();
    for (handle, kernel) in program.kernels.iter() {
        let mut check = KernelCheck {
            program,
            facts,
            info,
            kernel,
            within: Within::Kernel(handle),
            errors,
        };
        let entries = info.entries(handle);
        check.shape();
        check.parameters();
        check.shared(entries);
        check.entries();
        for (position, (entry, info)) in kernel.entries.iter().zip(entries).enumerate() {
            check.within = Within::Entry(handle, position);
            check.entry(entry, position);
            check.locals(&info.body);
            check.grid_barriers(&info.body);
            check.matrices(info);
            if symbols.contains(&&*entry.symbol) {
                check.error(kernel.span, InvalidKind::RepeatedSymbol(entry.symbol.clone()));
            }
            symbols.push(&*entry.symbol);
        }
    }
}

/// All functions, each after its callees. Reports recursion, and too deep calls, by a depth-first
/// walk with an explicit stack, because the depth is not bounded yet.
fn call_order(program: &Program, info: &ProgramInfo<'_>, errors: &mut Vec<Invalid>) -> Vec<Handle<Function>> {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        Open,
        /// Done, with the call depth of the function including itself.
        Done(u32),
    }
    let mut marks = vec![Mark::New; program.functions.len()];
    let mut order = Vec::with_capacity(marks.len());
    let error = |function: Handle<Function>, kind| Invalid {
        kind,
        within: Within::Function(function),
        span: program.functions[function].span,
    };
    for root in program.functions.handles() {
        if marks[root.index()] != Mark::New {
            continue;
        }
        // The open functions, each with the number of its visited calls and their depth so far.
        let mut path = vec![(root, 0, 0)];
        marks[root.index()] = Mark::Open;
        while let Some((function, done, depth)) = path.last_mut() {
            let function = *function;
            let Some(&callee) = info.function(function).calls.get(*done) else {
                let depth = *depth + 1;
                if depth == MAX_CALLS + 1 {
                    errors.push(error(function, InvalidKind::CallsTooDeep(function)));
                }
                marks[function.index()] = Mark::Done(depth);
                order.push(function);
                path.pop();
                if let Some((_, _, above)) = path.last_mut() {
                    *above = depth.max(*above);
                }
                continue;
            };
            *done += 1;
            match marks[callee.index()] {
                Mark::New => {
                    marks[callee.index()] = Mark::Open;
                    path.push((callee, 0, 0));
                }
                Mark::Open => {
                    let mut circle = Vec::new();
                    for &(function, ..) in &path {
                        if function == callee || !circle.is_empty() {
                            circle.push(function);
                        }
                    }
                    errors.push(error(function, InvalidKind::Recursion(circle)));
                }
                Mark::Done(below) => *depth = below.max(*depth),
            }
        }
    }
    order
}

pub(super) struct KernelCheck<'p, 'e> {
    program: &'p Program,
    facts: &'e TypeFacts,
    info: &'e ProgramInfo<'p>,
    kernel: &'p Kernel,
    within: Within,
    errors: &'e mut Vec<Invalid>,
}

impl KernelCheck<'_, '_> {
    pub(super) fn error(&mut self, span: Span, kind: InvalidKind) {
        self.errors.push(Invalid {
            kind,
            within: self.within,
            span,
        });
    }

    fn shape(&mut self) {
        let Kernel {
            dimensions,
            block,
            span,
            ..
        } = *self.kernel;
        if !(1..=3).contains(&dimensions) {
            self.error(span, InvalidKind::Dimensions(dimensions));
        }
        // Each extent is also checked separately, since the product may wrap.
        let [x, y, z] = block;
        let fits = x <= 1024 && y <= 1024 && z <= 64 && (1..=1024).contains(&self.kernel.block_threads());
        if !fits {
            self.error(span, InvalidKind::BlockShape(block));
        }
        if let Some(cluster) = self.kernel.cluster {
            let [x, y, z] = cluster;
            let blocks = x.saturating_mul(y).saturating_mul(z);
            let across = cluster.iter().skip(dimensions as usize).any(|&extent| extent != 1);
            if !(1..=MAX_CLUSTER_BLOCKS).contains(&blocks) || across {
                self.error(span, InvalidKind::ClusterShape(cluster));
            }
        }
        if let Some(blocks) = self.kernel.min_blocks
            && fits
            && !Kernel::can_be_resident(blocks, self.kernel.block_threads())
        {
            self.error(span, InvalidKind::MinBlocks(blocks));
        }
        for (axis, &extent) in block.iter().enumerate().skip(dimensions as usize) {
            if extent != 1 && dimensions > 0 {
                self.error(span, InvalidKind::UnusedAxis { axis, extent });
            }
        }
    }

    fn parameters(&mut self) {
        let kernel = self.kernel;
        let mut bytes = 0_u64;
        for parameter in &kernel.parameters {
            let facts = self.facts.of(parameter.ty);
            let slice = matches!(self.program.types[parameter.ty], Type::Slice { .. });
            if !slice && !(1..=MAX_PARAMETER_SCALARS).contains(&facts.scalars) {
                self.error(parameter.span, InvalidKind::KernelParameter(parameter.ty));
            }
            bytes = bytes
                .next_multiple_of(facts.align)
                .saturating_add(facts.size)
                .min(1 << 60);
        }
        for (_, table) in self.program.host_tables() {
            let facts = self.facts.of(table.ty);
            bytes = bytes
                .next_multiple_of(facts.align)
                .saturating_add(facts.size)
                .min(1 << 60);
        }
        if bytes > MAX_PARAMETERS {
            self.error(kernel.span, InvalidKind::ParametersTooLarge { bytes });
        }
    }

    /// Adds up the shared variables used by the kernel and its callees.
    fn shared(&mut self, entries: &[EntryInfo<'_>]) {
        let program = self.program;
        let mut shared = Vec::new();
        let mut met = Met::default();
        for entry in entries {
            for &variable in &entry.reach.shared {
                insert(&mut shared, variable);
            }
            self.intrinsics(self.kernel, &entry.body.intrinsics, &mut met);
        }
        for (number, entry) in entries.iter().enumerate() {
            for &function in &entry.reach.functions {
                let known = entries[..number]
                    .iter()
                    .any(|before| before.reach.functions.contains(&function));
                if !known {
                    self.intrinsics(self.kernel, &self.info.function(function).intrinsics, &mut met);
                }
            }
        }
        let bytes = total_size(&program.shared, shared.into_iter(), |shared: &SharedVariable| {
            self.facts.of(shared.ty)
        });
        let counters = match self.kernel.cluster {
            Some(_) => met.shared_bytes() + CLUSTER_COUNTER_BYTES,
            None => met.shared_bytes(),
        };
        let bytes = bytes.saturating_add(counters.into());
        if bytes > MAX_SHARED {
            self.error(self.kernel.span, InvalidKind::SharedTooLarge { bytes });
        }
    }

    /// Checks the locals of the calls, which are inlined: those of one body are checked with it.
    fn locals(&mut self, body: &BodyInfo<'_>) {
        let Some((bytes, function)) = self.info.with_calls(body) else {
            return;
        };
        let is_large = |body: &BodyInfo<'_>| body.local_bytes > MAX_LOCALS;
        let is_of_one = is_large(body) || self.info.call_order.iter().any(|&it| is_large(self.info.function(it)));
        if bytes > MAX_LOCALS && !is_of_one {
            self.error(self.kernel.span, InvalidKind::CallLocalsTooLarge { bytes, function });
        }
    }

    fn entries(&mut self) {
        let kernel = self.kernel;
        match kernel.entries.last() {
            None => self.error(kernel.span, InvalidKind::NoEntry),
            Some(last) if last.predicate.is_some() => self.error(kernel.span, InvalidKind::LastPredicate),
            Some(_) => {}
        }
    }

    fn entry(&mut self, entry: &Entry, position: usize) {
        let kernel = self.kernel;
        if entry.predicate.is_none() && position + 1 < kernel.entries.len() {
            self.error(kernel.span, InvalidKind::UnreachableEntry);
        }
        if entry.coarsening == 0 {
            self.error(kernel.span, InvalidKind::Coarsening);
        }
        if !is_ptx_name(&entry.symbol) {
            self.error(kernel.span, InvalidKind::Symbol(entry.symbol.clone()));
        }
        for (index, parameter) in kernel.parameters.iter().enumerate() {
            let found = entry.body.locals.get(Handle::new(index)).map(|local| local.ty);
            if found != Some(parameter.ty) {
                let expected = parameter.ty;
                self.error(parameter.span, InvalidKind::EntryParameter { index, expected, found });
            }
        }
        if let Some(predicate) = entry.predicate {
            let (expected, found) = (self.program.types.scalar(Scalar::Bool), entry.body.exprs[predicate].ty);
            if expected != found {
                let span = entry.body.exprs[predicate].span;
                self.error(span, InvalidKind::Mismatch { expected, found });
            }
            self.predicate(&entry.body, predicate);
        }
    }

    /// Checks that a predicate can be evaluated on the host without a fault.
    fn predicate(&mut self, body: &Body, predicate: ExprId) {
        let mut met = vec![false; body.exprs.len()];
        let mut open = vec![predicate];
        while let Some(id) = open.pop() {
            if std::mem::replace(&mut met[id.index()], true) {
                continue;
            }
            let expr = &body.exprs[id];
            let known = match expr.kind {
                ExprKind::Constant(_)
                | ExprKind::External(_)
                | ExprKind::Unary { .. }
                | ExprKind::MulAdd { .. }
                | ExprKind::And { .. }
                | ExprKind::Or { .. }
                | ExprKind::Select { .. }
                | ExprKind::Cast(_)
                | ExprKind::Bitcast(_)
                | ExprKind::Field { .. } => true,
                ExprKind::Binary { op, right, .. } => {
                    if !self.divides_safely(body, op, right) {
                        self.error(expr.span, InvalidKind::PredicateDivisor);
                    }
                    true
                }
                ExprKind::Load(place) | ExprKind::Length(place) => {
                    let place = &body.places[place];
                    let fields = place.path.iter().all(|step| matches!(step, Projection::Field(_)));
                    let parameter = matches!(place.base, PlaceBase::Local(local)
                        if local.index() < self.kernel.parameters.len());
                    parameter && fields
                }
                ExprKind::Builtin(_)
                | ExprKind::Reference(_)
                | ExprKind::MapShared { .. }
                | ExprKind::Subslice { .. }
                | ExprKind::Regroup(_)
                | ExprKind::DynamicShared { .. }
                | ExprKind::Within { .. }
                | ExprKind::Construct(_)
                | ExprKind::Repeat(_) => false,
            };
            if !known {
                self.error(expr.span, InvalidKind::PredicateOperand);
            }
            expr.kind.operands(&mut |operand| open.push(operand));
        }
    }

    /// Checks that no thread exits an entry with grid barriers before its end, and that the kernel
    /// has no clusters.
    fn grid_barriers(&mut self, entry: &BodyInfo<'_>) {
        if !entry.own.grid_barrier {
            return;
        }
        if entry.returns_early {
            self.error(self.kernel.span, InvalidKind::LeavesBeforeGridBarrier);
        }
        if self.kernel.cluster.is_some() {
            self.error(self.kernel.span, InvalidKind::GridBarrierAmongClusters);
        }
    }

    /// Checks that all lanes of a warp reach the matrix operations of an entry.
    fn matrices(&mut self, entry: &EntryInfo<'_>) {
        let mut called = entry.reach.functions.iter();
        let found = entry.body.own.matrices || called.any(|&function| self.info.function(function).own.matrices);
        // The number of a block's threads may overflow; whether it is a multiple is still exact.
        let [x, y, z] = self.kernel.block;
        let threads = x.wrapping_mul(y).wrapping_mul(z);
        let whole = threads.is_multiple_of(WARP_SIZE);
        if found && (!whole || entry.body.returns_early) {
            self.error(self.kernel.span, InvalidKind::ProductOfSomeLanes);
        }
    }

    /// True if a division by this right operand cannot fault.
    fn divides_safely(&self, body: &Body, op: BinaryOp, right: ExprId) -> bool {
        let right = &body.exprs[right];
        match (self.program.types.as_scalar(right.ty), &right.kind) {
            (Some(scalar), _) if !op.may_fault(scalar) => true,
            (_, ExprKind::Constant(constant)) => {
                constant.bits != 0 && !(constant.scalar.is_signed() && constant.as_i128() == -1)
            }
            _ => false,
        }
    }
}

/// True if PTX accepts the symbol of an entry: a letter and letters, digits, `_` and `$`, or `_` or
/// `$` with at least one more character. `WARP_SZ` is a constant there.
fn is_ptx_name(name: &str) -> bool {
    let follows = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$';
    let starts = match name.as_bytes() {
        [] => false,
        [first] => first.is_ascii_alphabetic(),
        [first, ..] => !first.is_ascii_digit(),
    };
    starts && name.bytes().all(follows) && name != "WARP_SZ"
}
