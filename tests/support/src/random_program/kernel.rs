//! Kernels: their shape, their parameters, and the barriers between their statements.

use vyre_core::ir::{
    AtomicOp, Axis, BinaryOp, Builtin, Entry, ExprId, Handle, Kernel, Local, MemoryOrder, MemoryScope, Parameter,
    Program, Scalar, StmtKind, Type, TypeId, Types,
};

use super::clusters::CLUSTERED;
use super::cooperation::Dynamic;
use super::items::{Builder, Maker};
use super::scope::{Base, Cells, Root, Scope};
use super::types::is_plain;
use super::{LARGEST_ELEMENT, LENGTH};

/// The threads of a launch.
#[derive(Clone, Copy)]
pub(super) struct Shape {
    dimensions: u32,
    block: [u32; 3],
    pub(super) grid: [u32; 3],
    cluster: Option<[u32; 3]>,
}

/// Shapes of about [`LENGTH`] threads.
const SHAPES: [Shape; 12] = [
    shape(1, [32, 1, 1], [2, 1, 1]),
    shape(1, [64, 1, 1], [1, 1, 1]),
    shape(1, [7, 1, 1], [5, 1, 1]),
    shape(1, [24, 1, 1], [3, 1, 1]),
    shape(1, [100, 1, 1], [1, 1, 1]),
    shape(2, [8, 4, 1], [1, 2, 1]),
    shape(2, [5, 3, 1], [2, 2, 1]),
    shape(2, [16, 3, 1], [2, 1, 1]),
    shape(3, [4, 2, 4], [1, 1, 2]),
    shape(3, [2, 2, 2], [2, 2, 2]),
    shape(3, [3, 5, 2], [1, 1, 3]),
    shape(3, [1, 1, 1], [4, 4, 4]),
];

/// The blocks of a launch that waits for the whole grid, at most: every device runs as many at once.
const MOST_BLOCKS_AT_ONCE: u32 = 16;

pub(super) const fn shape(dimensions: u32, block: [u32; 3], grid: [u32; 3]) -> Shape {
    Shape {
        dimensions,
        block,
        grid,
        cluster: None,
    }
}

impl Shape {
    /// The same launch in clusters of this shape.
    pub(super) const fn in_clusters(self, cluster: [u32; 3]) -> Shape {
        Shape {
            cluster: Some(cluster),
            ..self
        }
    }
}

impl Maker {
    /// The shape of the launch; `threads` are those of a block.
    pub(super) fn shape(&mut self) -> Shape {
        let mut shape = match self.options.clusters && !self.random.once_in(4) {
            true => self.random.pick(&CLUSTERED),
            false => self.random.pick(&SHAPES),
        };
        if self.options.faults && self.random.once_in(2) {
            (shape.block, shape.grid) = ([1; 3], [1; 3]);
            shape.cluster = shape.cluster.map(|_| [1; 3]);
        }
        self.cluster_blocks = shape
            .cluster
            .map_or(0, |cluster| u64::from(cluster.iter().product::<u32>()));
        self.threads = shape.block.iter().map(|&extent| u64::from(extent)).product();
        shape
    }

    pub(super) fn kernel(&mut self, program: &mut Program, shape: Shape) -> Handle<Kernel> {
        let parameters = self.kernel_parameters(&mut program.types);
        let mut entries = Vec::new();
        if self.random.once_in(3) {
            entries.push(self.entry(program, &parameters, shape, "first", true));
        }
        entries.push(self.entry(program, &parameters, shape, "last", false));
        program.kernels.push(Kernel {
            name: self.name("random"),
            instance: if self.random.once_in(4) {
                vec![("T".to_owned(), self.name("f32"))]
            } else {
                Vec::new()
            },
            dimensions: shape.dimensions,
            cluster: shape.cluster,
            // One block of any size can be resident.
            min_blocks: (shape.dimensions == 2).then_some(1),
            block: shape.block,
            parameters,
            entries,
            span: self.span(),
        })
    }

    /// Scalars and a plain aggregate, then slices to read, slices to write, atomics.
    fn kernel_parameters(&mut self, types: &mut Types) -> Vec<Parameter> {
        let mut found: Vec<TypeId> = Vec::new();
        for _ in 0..self.random.below(4) {
            found.push(types.scalar(self.scalar()));
        }
        let plain: Vec<_> = self
            .aggregates
            .iter()
            .copied()
            .filter(|&ty| is_plain(types, ty))
            .collect();
        if !plain.is_empty() && !self.options.launchable && self.random.once_in(2) {
            found.push(self.random.pick(&plain));
        }
        for _ in 0..self.random.below(4) {
            let element = self.element(types);
            found.push(types.slice(element, false));
        }
        for _ in 0..1 + self.random.below(3) {
            let element = self.element(types);
            found.push(types.slice(element, true));
        }
        for number in 0..self.random.below(3) {
            // The first is for all threads, and the others have a cell for each.
            let scalar = match number {
                0 => self.atomic_scalar(),
                _ => self.own_atomic_scalar(),
            };
            let cell = types.intern(Type::Atomic(scalar));
            found.push(types.slice(cell, false));
        }
        if self.mixes() {
            let number = types.scalar(Scalar::U64);
            found.push(types.slice(number, true));
        }
        let parameter = |(number, ty)| Parameter {
            name: self.name(&format!("a{number}")),
            ty,
            span: self.span(),
        };
        found.into_iter().enumerate().map(parameter).collect()
    }

    /// True if there is an output for values received from other threads.
    const fn mixes(&self) -> bool {
        self.options.cooperation || self.options.clusters
    }

    /// The type of the elements of a slice.
    fn element(&mut self, types: &Types) -> TypeId {
        let ty = self.value_type(types);
        if self.options.launchable && types.as_scalar(ty).is_none() || types.layout(ty).size > LARGEST_ELEMENT {
            return types.scalar(self.scalar());
        }
        ty
    }

    fn entry(
        &mut self,
        program: &mut Program,
        parameters: &[Parameter],
        shape: Shape,
        symbol: &str,
        conditional: bool,
    ) -> Entry {
        let mut b = Builder::new(program);
        let mut scope = Scope {
            linear: shape.dimensions == 1,
            ..Scope::default()
        };
        let mut outputs = Vec::new();
        let mut atomics = 0;
        let (of_mixed, parameters) = match parameters.split_last() {
            Some((last, others)) if self.mixes() => (Some(last), others),
            _ => (None, parameters),
        };
        for parameter in parameters {
            b.span = parameter.span;
            let local = b.local(&parameter.name, parameter.ty);
            match b.types()[parameter.ty] {
                Type::Slice { element, mutable } => match (&b.types()[element], mutable) {
                    (&Type::Atomic(scalar), _) => {
                        // The first is for all threads, and the others have a cell for each.
                        let alone = atomics > 0;
                        let base = if alone { Base::Own(local) } else { Base::Local(local) };
                        scope.atomics.push(Cells { base, scalar, alone });
                        atomics += 1;
                    }
                    (_, true) => {
                        scope.roots.push(Root::new(Base::Own(local), element));
                        outputs.push((local, element));
                    }
                    (_, false) => scope.roots.push(Root {
                        whole: true,
                        writable: false,
                        ..Root::new(Base::Local(local), parameter.ty)
                    }),
                },
                _ => scope.add(local, parameter.ty),
            }
        }
        let of_mixed = of_mixed.map(|parameter| b.local(&parameter.name, parameter.ty));
        let predicate = conditional.then(|| self.predicate(&mut b, &scope));
        if of_mixed.is_some() {
            let zero = b.u64(0);
            scope.mixed = Some(b.let_("mixed", zero));
        }
        let launched = shape.block.iter().chain(&shape.grid).map(|&extent| u64::from(extent));
        let launched: u64 = launched.product();
        // The blocks of such a launch all run at the same time.
        let together = launched <= LENGTH && shape.grid.iter().product::<u32>() <= MOST_BLOCKS_AT_ONCE;
        scope.waits_for_grid =
            self.options.cooperation && together && shape.cluster.is_none() && self.random.once_in(3);
        scope.stays = scope.waits_for_grid || self.options.cooperation && launched <= LENGTH && self.random.once_in(2);
        self.dynamic_shared(&mut b, &mut scope);
        self.begin_reserved(&mut b, &scope);
        self.begin_shared(&mut b, &scope);
        if launched > LENGTH {
            // The usual guard of kernels: threads past the end exit.
            let (number, length) = (self.number(&mut b, &scope), b.length(b.local_place(outputs[0].0)));
            let outside = b.binary(BinaryOp::Ge, number, length);
            b.if_(outside, |b| b.return_(None), |_| {});
        }
        if self.random.once_in(2) {
            let number = self.number(&mut b, &scope);
            scope.number = Some(b.let_("i", number));
        }
        self.variables(&mut b, &mut scope);
        self.statements(&mut b, &scope, 4, 3);
        self.of_whole_blocks(&mut b, &mut scope);
        for _ in 0..self.random.below(3) {
            if scope.waits_for_grid {
                self.wait_for_grid(&mut b, &mut scope);
            }
            self.phase(&mut b, &mut scope);
        }
        scope.result = scope.leaves();
        self.statements(&mut b, &scope, 3, 2);
        for &(output, element) in &outputs {
            self.output(&mut b, &scope, output, element);
        }
        if let (Some(output), Some(mixed)) = (of_mixed, scope.mixed) {
            let path = self.start(&mut b, &scope, Base::Own(output));
            let mixed = b.get(mixed);
            b.store(path, mixed);
        }
        Entry {
            symbol: symbol.to_owned(),
            predicate,
            coarsening: 1,
            body: b.finish(),
        }
    }

    /// Writes the thread's element of an output.
    fn output(&mut self, b: &mut Builder<'_>, scope: &Scope, output: Handle<Local>, element: TypeId) {
        self.refuel();
        let value = self.value(b, scope, element, 4);
        if self.random.once_in(2) {
            let path = self.start(b, scope, Base::Own(output));
            return b.store(path, value);
        }
        let value = b.let_("", value);
        let (number, length) = (self.number(b, scope), b.length(b.local_place(output)));
        let inside = b.binary(BinaryOp::Lt, number, length);
        let (then, ()) = b.block(|b| {
            let path = self.start(b, scope, Base::Own(output));
            let value = b.get(value);
            b.store(path, value);
        });
        b.push(StmtKind::If {
            condition: inside,
            then,
            otherwise: Vec::new(),
        });
    }

    /// Something that is true of some arguments: parameters, and the length of a slice.
    fn predicate(&mut self, b: &mut Builder<'_>, scope: &Scope) -> ExprId {
        b.span = self.span();
        let mut known = b.bool(self.random.once_in(2));
        for root in &scope.roots {
            let Base::Local(local) = root.base else { continue };
            if let Some(scalar) = b.types().as_scalar(root.ty) {
                let value = b.get(local);
                let limit = b.constant(self.random.constant(scalar));
                let compared = b.binary(BinaryOp::Lt, value, limit);
                known = b.and(compared, known);
            } else if root.whole {
                let (length, four) = (b.length(b.local_place(local)), b.u64(4));
                let (rest, zero) = (b.binary(BinaryOp::Rem, length, four), b.u64(0));
                let compared = b.binary(BinaryOp::Eq, rest, zero);
                known = b.or(known, compared);
            }
        }
        known
    }

    /// Every thread writes its cells of shared memory, which holds nothing defined before.
    fn begin_shared(&mut self, b: &mut Builder<'_>, scope: &Scope) {
        if self.data.shared.is_empty() && scope.dynamic.is_none() {
            return;
        }
        if let Some(dynamic) = scope.dynamic {
            self.begin_dynamic(b, dynamic);
        }
        for shared in self.data.shared.clone() {
            let path = self.start(b, &Scope::default(), Base::Cell(shared.variable));
            self.refuel();
            match shared.atomic {
                None => {
                    let value = self.value(b, &Scope::default(), shared.element, 2);
                    b.store(path, value);
                }
                Some(scalar) => {
                    let value = b.constant(self.random.constant(scalar));
                    let place = b.place(path);
                    b.push(StmtKind::Atomic {
                        op: AtomicOp::Store,
                        place,
                        operands: vec![value],
                        order: MemoryOrder::Relaxed,
                        scope: MemoryScope::Block,
                        result: None,
                    });
                }
            }
        }
        self.shared_barrier(b);
    }

    /// All threads write what is theirs of shared memory, wait, read what is others', and wait:
    /// once, in a loop, or in a branch that all take alike.
    fn phase(&mut self, b: &mut Builder<'_>, scope: &mut Scope) {
        b.span = self.span();
        match self.random.below(5) {
            0 => {
                let (start, end) = (b.u32(0), b.u32(1 + self.random.below(3) as u32));
                let mut inner = scope.clone();
                b.for_range("round", start, end, |b, counter| {
                    let ty = b.types().scalar(Scalar::U32);
                    let counter = Root::new(Base::Local(counter), ty);
                    inner.roots.push(Root {
                        writable: false,
                        ..counter
                    });
                    self.exchange(b, &mut inner);
                });
                scope.phase = inner.phase;
            }
            1 => {
                let axis = self.random.pick(Axis::ALL);
                let block = match self.cluster_blocks {
                    0 => Builtin::BlockIndex(axis),
                    // Values common to all blocks at a barrier.
                    _ => Builtin::ClusterIndex(axis),
                };
                let builtin = self.random.pick(&[block, Builtin::GridSize(axis)]);
                let (value, two) = (b.builtin(builtin), b.u32(2));
                let condition = b.binary(BinaryOp::Lt, value, two);
                let mut inner = scope.clone();
                let (then, ()) = b.block(|b| self.exchange(b, &mut inner));
                b.push(StmtKind::If {
                    condition,
                    then,
                    otherwise: Vec::new(),
                });
                scope.phase = inner.phase;
            }
            _ => self.exchange(b, scope),
        }
    }

    fn exchange(&mut self, b: &mut Builder<'_>, scope: &mut Scope) {
        if !self.exchanging.is_empty() && self.random.once_in(3) {
            let callee = self.exchanging[0].clone();
            let (returned, ty) = self.call(b, scope, &callee);
            scope.add(returned, ty);
            scope.phase += 2;
        }
        self.together(b, scope);
        // Statements here may leave the kernel, but no loop that others stay in.
        let plain = scope.clone();
        scope.phase += 1;
        let mut writing = Scope {
            loops: 0,
            result: scope.leaves(),
            phase: scope.phase,
            ..plain.clone()
        };
        if let Some(dynamic) = scope.dynamic {
            let root = Root::new(Base::CellOf(dynamic.slice), dynamic.element);
            writing.roots.push(root);
        }
        for shared in self.data.shared.clone() {
            match shared.atomic {
                None => {
                    let cell = self.cell_to_write(b, shared, scope.phase);
                    writing.roots.push(cell);
                }
                Some(scalar) => {
                    let cells = self.cells(b, &plain, shared, scalar);
                    writing.atomics.push(cells);
                }
            }
        }
        self.statements(b, &writing, 4, 2);
        self.shared_barrier(b);
        scope.phase += 1;
        let mut reading = Scope {
            loops: 0,
            result: scope.leaves(),
            phase: scope.phase,
            ..plain
        };
        reading.roots.extend(scope.dynamic.map(Dynamic::to_read));
        for shared in self.data.shared.clone() {
            match shared.atomic {
                None => {
                    reading.roots.push(Root {
                        writable: false,
                        ..Root::new(Base::Shared(shared.variable), shared.ty)
                    });
                    let far = self.array_to_read(b, &reading, shared);
                    reading.roots.extend(far);
                }
                Some(scalar) => {
                    let cells = self.cells(b, &reading, shared, scalar);
                    reading.counters.push(cells);
                }
            }
        }
        self.mix_any(b, &reading);
        self.statements(b, &reading, 4, 2);
        self.shared_barrier(b);
        self.together(b, scope);
    }
}
