//! Operations of whole blocks that no thread leaves early: named and shared barriers, and matrices.

use vyre_core::ir::{
    AtomicOp, BinaryOp, ExprId, Factor, Handle, Intrinsic, Local, MatrixLoad, MemoryOrder, MemoryScope, NAMED_BARRIERS,
    Product, Program, Role, Scalar, SharedVariable, Span, StmtKind, Type, WARP_SIZE,
};

use super::items::{Builder, Maker};
use super::scope::Scope;

/// Shared memory reserved for one purpose.
#[derive(Clone, Copy, Default)]
pub(super) struct Reserved {
    /// A barrier at which each thread of the block arrives.
    gate: Option<Handle<SharedVariable>>,
    /// 16 bytes for each thread, in elements of this type: rows of matrices.
    rows: Option<(Handle<SharedVariable>, Scalar)>,
}

impl Maker {
    pub(super) fn reserve(&mut self, program: &mut Program) {
        if !self.options.cooperation {
            return;
        }
        let mut variable = |name: &str, ty| {
            program.shared.push(SharedVariable {
                name: name.to_owned(),
                ty,
                span: Span::NONE,
            })
        };
        if self.random.once_in(2) {
            let cell = program.types.intern(Type::Atomic(Scalar::U64));
            self.reserved.gate = Some(variable("gate", cell));
        }
        if self.threads.is_multiple_of(WARP_SIZE.into()) {
            // No floats: which NaN one is would show.
            // Those of 16 bits have twice as many loads.
            let scalar = self
                .random
                .pick(&[Scalar::U8, Scalar::U16, Scalar::U32, Scalar::U16, Scalar::I16]);
            let row = 16 / u64::from(scalar.size());
            let element = program.types.scalar(scalar);
            let ty = program.types.array(element, row * self.threads);
            self.reserved.rows = Some((variable("rows", ty), scalar));
        }
    }

    /// Lets the first thread of the block initialise its barrier, before all reach an existing one.
    pub(super) fn begin_reserved(&mut self, b: &mut Builder<'_>, scope: &Scope) {
        let Some(gate) = self.reserved.gate.filter(|_| scope.stays) else {
            return;
        };
        let (own, zero) = (self.thread_number(b), b.u64(0));
        let first = b.binary(BinaryOp::Eq, own, zero);
        let arrivals = self.threads;
        b.if_(
            first,
            |b| {
                let arrivals = b.u64(arrivals);
                let place = b.place(b.shared_place(gate));
                b.push(StmtKind::Atomic {
                    op: AtomicOp::BarrierInit,
                    place,
                    operands: vec![arrivals],
                    order: MemoryOrder::Relaxed,
                    scope: MemoryScope::Block,
                    result: None,
                });
            },
            |_| {},
        );
        b.barrier();
    }

    /// Some of these.
    pub(super) fn of_whole_blocks(&mut self, b: &mut Builder<'_>, scope: &mut Scope) {
        for _ in 0..self.random.below(4) {
            self.of_whole_block(b, scope);
        }
    }

    /// One of these, if there is one.
    pub(super) fn of_whole_block(&mut self, b: &mut Builder<'_>, scope: &mut Scope) {
        if !scope.stays {
            return;
        }
        let warps = self.threads.is_multiple_of(WARP_SIZE.into());
        b.span = self.span();
        self.refuel();
        match self.random.below(4) {
            0 => self.pass_gate(b),
            1 if warps => self.by_number(b),
            2 if warps => self.product(b, scope),
            3 if warps => self.rows(b, scope),
            _ => {}
        }
    }

    /// All arrive at the barrier in shared memory and wait.
    fn pass_gate(&mut self, b: &mut Builder<'_>) {
        let Some(gate) = self.reserved.gate else { return };
        if self.random.once_in(2) {
            b.atomic(AtomicOp::BarrierCopies, b.shared_place(gate), Vec::new());
        }
        let token = b.atomic(AtomicOp::BarrierArrive, b.shared_place(gate), Vec::new());
        let [one, same] = [(); 2].map(|()| b.atomic(AtomicOp::BarrierNumber, b.shared_place(gate), Vec::new()));
        let (one, same) = (b.get(one), b.get(same));
        let is_one = b.binary(BinaryOp::Eq, one, same);
        b.assert(is_one, "a barrier has one number");
        b.loop_(
            |b| {
                let token = b.get(token);
                let opened = b.atomic(AtomicOp::BarrierOpened, b.shared_place(gate), vec![token]);
                let (opened, zero) = (b.get(opened), b.u64(0));
                let closed = b.binary(BinaryOp::Eq, opened, zero);
                b.break_unless(closed, 0);
            },
            |_| {},
        );
    }

    /// All warps come to a barrier of a number of its own, of which the first one may not wait.
    fn by_number(&mut self, b: &mut Builder<'_>) {
        if self.named == NAMED_BARRIERS {
            return;
        }
        let (barrier, threads) = (self.named, self.threads as u32);
        self.named += 1;
        if self.random.once_in(2) || threads == WARP_SIZE {
            return named_barrier(b, barrier, threads, true);
        }
        let (own, lanes) = (self.thread_number(b), b.u64(WARP_SIZE.into()));
        let first = b.binary(BinaryOp::Lt, own, lanes);
        b.if_(
            first,
            |b| named_barrier(b, barrier, threads, false),
            |b| named_barrier(b, barrier, threads, true),
        );
    }

    /// A product of matrices whose bits are the same everywhere.
    fn product(&mut self, b: &mut Builder<'_>, scope: &mut Scope) {
        let same = |product: &&Product| matches!(product.shape().left, Factor::I8 | Factor::U8 | Factor::F64);
        let products: Vec<Product> = Product::ALL.iter().filter(same).copied().collect();
        let product = self.random.pick(&products);
        let shape = product.shape();
        let mut operands = Vec::new();
        for role in [Role::A, Role::B, Role::C] {
            let (scalar, length) = shape.registers(role);
            let element = b.types().scalar(scalar);
            let ty = b.types().array(element, length);
            operands.push(self.value(b, scope, ty, 2));
        }
        let (scalar, length) = shape.registers(Role::C);
        let result = b.intrinsic_value(Intrinsic::MultiplyAdd { product }, &operands);
        self.mix_elements(b, scope, result, scalar, length);
    }

    /// Rows of matrices that all write, and each loads that of another thread.
    fn rows(&mut self, b: &mut Builder<'_>, scope: &mut Scope) {
        let Some((rows, scalar)) = self.reserved.rows else {
            return;
        };
        let loads: Vec<MatrixLoad> = MatrixLoad::ALL
            .iter()
            .filter(|load| load.accepts(scalar))
            .copied()
            .collect();
        let load = self.random.pick(&loads);
        let length = 16 / u64::from(scalar.size());
        for element in 0..length {
            let start = self.row_start(b, 0, length);
            let offset = b.u64(element);
            let index = b.binary(BinaryOp::Add, start, offset);
            let value = self.leaf(b, scope, scalar);
            let path = b.index(b.shared_place(rows), index);
            b.store(path, value);
        }
        b.barrier();
        let turn = self.random.below(self.threads);
        let (start, end) = (self.row_start(b, turn, length), self.row_start(b, turn, length));
        let row = b.u64(length);
        let end = b.binary(BinaryOp::Add, end, row);
        let row = b.subslice(b.shared_place(rows), start, end, false);
        let intrinsic = Intrinsic::LoadMatrices {
            load,
            element: scalar,
            offset: 0,
        };
        let result = b.intrinsic_value(intrinsic, &[row]);
        b.barrier();
        self.mix_elements(b, scope, result, Scalar::U32, load.count());
    }

    /// The start of the row of the thread `places` further.
    fn row_start(&mut self, b: &mut Builder<'_>, places: u64, length: u64) -> ExprId {
        let (own, places, threads) = (self.thread_number(b), b.u64(places), b.u64(self.threads));
        let further = b.binary(BinaryOp::Add, own, places);
        let thread = b.binary(BinaryOp::Rem, further, threads);
        let length = b.u64(length);
        b.binary(BinaryOp::Mul, thread, length)
    }

    fn mix_elements(
        &mut self,
        b: &mut Builder<'_>,
        scope: &mut Scope,
        array: Handle<Local>,
        scalar: Scalar,
        length: u64,
    ) {
        for element in 0..length {
            let element = b.u64(element);
            let path = b.index(b.local_place(array), element);
            let value = b.load(path);
            let value = b.let_("", value);
            self.mix(b, scope, value, scalar);
        }
        let ty = b.path_type(&b.local_place(array));
        scope.add(array, ty);
    }
}

fn named_barrier(b: &mut Builder<'_>, barrier: u32, threads: u32, waits: bool) {
    let barrier = Intrinsic::NamedBarrier {
        barrier,
        threads,
        waits,
    };
    b.intrinsic(barrier, &[]);
}
