//! Cooperation of threads besides block barriers: warp shuffles and votes, votes at barriers, grid
//! barriers, and dynamic shared memory.

use vyre_core::ir::{
    BinaryOp, Builtin, Handle, Intrinsic, Local, Operand, Output, Scalar, Shuffle, StmtKind, Type, TypeId, WARP_SIZE,
};

use super::items::{Builder, Maker};
use super::scope::{Base, Root, Scope};

/// The lanes of tiles, whole warps more often.
const TILES: [u32; 7] = [WARP_SIZE, WARP_SIZE, WARP_SIZE, 16, 8, 4, 2];

/// Bytes of dynamic shared memory that a kernel takes at most, those left out before it included.
const DYNAMIC_BYTES: u64 = 1000;

/// A slice in dynamic shared memory with a cell for each thread of the block.
#[derive(Clone, Copy)]
pub(super) struct Dynamic {
    /// The variable with the slice.
    pub(super) slice: Handle<Local>,
    pub(super) element: TypeId,
    /// The type of the slice.
    ty: TypeId,
}

impl Dynamic {
    /// Everybody's cells, to be read.
    pub(super) fn to_read(self) -> Root {
        Root {
            writable: false,
            ..Root::new(Base::Local(self.slice), self.ty)
        }
    }
}

impl Maker {
    /// Takes dynamic shared memory, some of the time.
    pub(super) fn dynamic_shared(&mut self, b: &mut Builder<'_>, scope: &mut Scope) {
        if !self.options.cooperation || !self.random.once_in(3) {
            return;
        }
        b.span = self.span();
        let element = self.value_type(b.types());
        let cells = self.threads * b.types().layout(element).size;
        if cells > DYNAMIC_BYTES {
            return;
        }
        let offset = self.random.below(DYNAMIC_BYTES - cells + 1) / 16 * 16;
        let offset = b.u64(offset);
        // All of dynamic shared memory holds more cells than there are threads; the rest stays
        // unwritten.
        let length = b.u64(self.threads);
        let memory = if self.random.once_in(3) {
            let all = b.dynamic_shared(element, offset, None);
            let all = b.let_("all", all);
            let start = b.u64(0);
            b.subslice(b.local_place(all), start, length, true)
        } else {
            b.dynamic_shared(element, offset, Some(length))
        };
        let (name, ty) = (self.name("rest"), b.type_of(memory));
        let slice = b.let_(&name, memory);
        scope.dynamic = Some(Dynamic { slice, element, ty });
    }

    /// Every thread writes its cell of dynamic shared memory, which holds nothing defined before.
    pub(super) fn begin_dynamic(&mut self, b: &mut Builder<'_>, dynamic: Dynamic) {
        self.refuel();
        let path = self.start(b, &Scope::default(), Base::CellOf(dynamic.slice));
        let value = self.value(b, &Scope::default(), dynamic.element, 2);
        b.store(path, value);
    }

    /// Something that the threads of a warp or of a block do together, where all of them come along.
    pub(super) fn together(&mut self, b: &mut Builder<'_>, scope: &mut Scope) {
        if !self.options.cooperation {
            return;
        }
        for _ in 0..self.random.below(3) {
            b.span = self.span();
            self.refuel();
            match self.random.below(7) {
                0 => self.vote(b, scope),
                1 => self.agreed(b, scope),
                2 => self.of_whole_block(b, scope),
                3 => self.of_some_warps(b, scope),
                _ => self.among_lanes(b, scope, WARP_SIZE),
            }
        }
    }

    /// Counts the threads for which something is true.
    fn vote(&mut self, b: &mut Builder<'_>, scope: &mut Scope) {
        let predicate = self.expr(b, scope, Scalar::Bool, 3);
        let ty = b.types().scalar(Scalar::U32);
        let result = (!self.random.once_in(4)).then(|| b.local("votes", ty));
        b.push(StmtKind::Intrinsic {
            intrinsic: Intrinsic::BarrierCount,
            operands: vec![predicate],
            result,
        });
        // It is a barrier as well: no thread has pending writes to shared memory.
        if let Some(result) = result {
            scope.add(result, ty);
            self.mix(b, scope, result, Scalar::U32);
        }
    }

    /// A warp operation under a condition that all lanes of the tile agree on.
    fn agreed(&mut self, b: &mut Builder<'_>, scope: &Scope) {
        let predicate = self.expr(b, scope, Scalar::Bool, 3);
        let tile = self.random.pick(&TILES);
        let lanes = b.ballot(tile, predicate);
        let (lanes, mask) = (b.get(lanes), b.u32(1 + self.random.below(7) as u32));
        let some = b.binary(BinaryOp::And, lanes, mask);
        let none = b.u32(0);
        let condition = b.binary(BinaryOp::Ne, some, none);
        let mut inner = scope.clone();
        let (then, ()) = b.block(|b| {
            self.among_lanes(b, &mut inner, tile);
            let inner = Scope {
                loops: 0,
                result: None,
                ..inner
            };
            self.statements(b, &inner, 2, 1);
        });
        b.push(StmtKind::If {
            condition,
            then,
            otherwise: Vec::new(),
        });
    }

    /// Warp operations of some warps of the block, which may exit the kernel behind them.
    fn of_some_warps(&mut self, b: &mut Builder<'_>, scope: &Scope) {
        let number = self.thread_number(b);
        let condition = match self.random.below(3) {
            0 => {
                let (warps, one) = (b.u32(WARP_SIZE.trailing_zeros()), b.u64(1));
                let warp = b.binary(BinaryOp::Shr, number, warps);
                let odd = b.binary(BinaryOp::And, warp, one);
                let zero = b.u64(0);
                b.binary(BinaryOp::Eq, odd, zero)
            }
            comparison => {
                let limit = b.u64(u64::from(WARP_SIZE) * (1 + self.random.below(3)));
                let op = if comparison == 1 { BinaryOp::Lt } else { BinaryOp::Ge };
                b.binary(op, number, limit)
            }
        };
        let mut inner = scope.clone();
        let (then, ()) = b.block(|b| {
            for _ in 0..1 + self.random.below(3) {
                self.among_lanes(b, &mut inner, WARP_SIZE);
            }
            if scope.leaves().is_some() && self.random.once_in(3) {
                b.return_(None);
            }
        });
        b.push(StmtKind::If {
            condition,
            then,
            otherwise: Vec::new(),
        });
    }

    /// A warp operation within tiles of at most `most` lanes.
    fn among_lanes(&mut self, b: &mut Builder<'_>, scope: &mut Scope, most: u32) {
        let tile = self.random.pick(&TILES).min(most);
        let shuffle = |from| Intrinsic::Shuffle { from, tile };
        let op = self.random.pick(&Intrinsic::REDUCTIONS);
        let accepted: Vec<Scalar> = Scalar::ALL.into_iter().filter(|one| op.accepts(*one)).collect();
        let scalar = self.random.pick(&accepted);
        let intrinsic = self.random.pick(&[
            shuffle(Shuffle::Index),
            shuffle(Shuffle::Up),
            shuffle(Shuffle::Down),
            shuffle(Shuffle::Xor),
            Intrinsic::Ballot { tile },
            Intrinsic::MatchAny { tile },
            Intrinsic::Reduce { op, scalar, tile },
            Intrinsic::WarpBarrier { tile },
        ]);
        let row = intrinsic.row();
        let takes = row.operands.first();
        let accepts = |one: &Scalar| match takes {
            Some(Operand::Scalar(other)) => one == other,
            _ if matches!(intrinsic, Intrinsic::Reduce { .. }) => *one == scalar,
            Some(Operand::Bits) => !one.is_float(),
            _ => true,
        };
        let accepted: Vec<Scalar> = Scalar::ALL.into_iter().filter(accepts).collect();
        let scalar = self.random.pick(&accepted);
        let mut operands = Vec::new();
        if takes.is_some() {
            operands.push(match self.random.below(2) {
                0 => self.expr(b, scope, scalar, 3),
                // A condition that differs between lanes, or between groups of lanes.
                _ => {
                    let (lane, places) = (b.builtin(Builtin::LaneIndex), b.u32(self.random.below(4) as u32));
                    let some = b.binary(BinaryOp::Shr, lane, places);
                    match scalar {
                        Scalar::Bool => {
                            let (one, zero) = (b.u32(1), b.u32(0));
                            let odd = b.binary(BinaryOp::And, some, one);
                            b.binary(BinaryOp::Ne, odd, zero)
                        }
                        _ => b.cast(some, scalar),
                    }
                }
            });
        }
        if row.operands.len() == 2 {
            operands.push(match self.random.below(3) {
                0 => b.u32(self.random.below(32) as u32),
                1 => b.builtin(Builtin::LaneIndex),
                _ => self.expr(b, scope, Scalar::U32, 2),
            });
        }
        let result = match row.result {
            Output::Scalar(scalar) => Some(scalar),
            Output::First => Some(scalar),
            Output::Nothing | Output::Array { .. } => None,
        };
        let result = result.filter(|_| !self.random.once_in(8)).map(|scalar| {
            let ty = b.types().scalar(scalar);
            (b.local("given", ty), scalar)
        });
        b.push(StmtKind::Intrinsic {
            intrinsic,
            operands,
            result: result.map(|(local, _)| local),
        });
        if let Some((local, scalar)) = result {
            let ty = b.types().scalar(scalar);
            scope.add(local, ty);
            self.mix(b, scope, local, scalar);
        }
    }

    /// Mixes in something of what is in sight.
    pub(super) fn mix_any(&mut self, b: &mut Builder<'_>, scope: &Scope) {
        if scope.mixed.is_none() {
            return;
        }
        b.span = self.span();
        self.refuel();
        let scalar = self.scalar();
        let value = self.expr(b, scope, scalar, 2);
        let value = b.let_("", value);
        self.mix(b, scope, value, scalar);
    }

    /// Mixes a variable in, so that it shows in an output.
    pub(super) fn mix(&mut self, b: &mut Builder<'_>, scope: &Scope, value: Handle<Local>, scalar: Scalar) {
        let Some(mixed) = scope.mixed else { return };
        let value = b.get(value);
        let value = match scalar {
            Scalar::F32 => b.bitcast(value, Scalar::U32),
            Scalar::F64 => b.bitcast(value, Scalar::U64),
            _ => value,
        };
        let value = b.cast(value, Scalar::U64);
        let (before, factor) = (b.get(mixed), b.u64(0x9e37_79b9_7f4a_7c15));
        let spread = b.binary(BinaryOp::Mul, before, factor);
        let after = b.binary(BinaryOp::Xor, spread, value);
        b.set(mixed, after);
    }

    /// All threads of the grid wait, read what others have written, and wait.
    pub(super) fn wait_for_grid(&mut self, b: &mut Builder<'_>, scope: &mut Scope) {
        b.span = self.span();
        b.intrinsic(Intrinsic::GridBarrier, &[]);
        scope.phase += 1;
        let types = &*b.types();
        // Excludes writes to memory that others read now.
        let harmless = |root: &&Root| match (root.base, &types[root.ty]) {
            (Base::Own(_), _) => false,
            (_, Type::Reference { mutable, .. } | Type::Slice { mutable, .. }) => !mutable,
            _ => true,
        };
        let mut roots: Vec<Root> = scope.roots.iter().filter(harmless).copied().collect();
        let outputs = scope.roots.iter().filter_map(|root| match root.base {
            Base::Own(slice) => Some((slice, root.ty)),
            _ => None,
        });
        for (slice, element) in outputs.collect::<Vec<_>>() {
            let ty = b.types().slice(element, true);
            roots.push(Root {
                whole: true,
                writable: false,
                phase: scope.phase,
                ..Root::new(Base::Local(slice), ty)
            });
        }
        let reading = Scope {
            roots,
            loops: 0,
            ..scope.clone()
        };
        // Values that others wrote, for what comes later.
        self.refuel();
        let ty = self.value_type(b.types());
        let value = self.value(b, &reading, ty, 3);
        let seen = b.let_("seen", value);
        self.mix_any(b, &reading);
        self.statements(b, &reading, 4, 2);
        b.intrinsic(Intrinsic::GridBarrier, &[]);
        scope.phase += 1;
        scope.add(seen, ty);
    }

    /// In a cooperative function: a place whose index the lanes have shuffled.
    pub(super) fn other_of_lane(b: &mut Builder<'_>, other: Handle<Local>) {
        let (value, one) = (b.get(other), b.u32(1));
        b.push(StmtKind::Intrinsic {
            intrinsic: Intrinsic::Shuffle {
                from: Shuffle::Xor,
                tile: WARP_SIZE,
            },
            operands: vec![value, one],
            result: Some(other),
        });
    }
}
