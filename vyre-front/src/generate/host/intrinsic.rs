//! Intrinsics as Rust.

use proc_macro2::Literal;
use vyre_abi::fault::FaultKind;
use vyre_abi::list;
use vyre_ir::ir::{self, ExprId, Handle, Intrinsic, Kernel, Local, MatrixLoad, Scalar, Stmt, Type, WARP_SIZE};

use super::body::Writer;
use super::types;
use crate::code::{Code, code};

/// The message of a thread that waits at a named barrier when nothing makes progress.
const STUCK: &str = "this barrier waits for warps that never come";

/// The message of a thread that waits while another one waits at a different barrier or exchange, at this place.
const APART: &str = "threads wait at different barriers or exchanges, others at line {u32}, column {u32}";

/// How an intrinsic brings the threads of a block together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meeting {
    /// No thread waits for another.
    None,
    /// All wait for each other.
    Barrier,
    /// All wait, and get the same count of votes.
    Votes,
    /// The lanes of each tile of this size pass values to each other, or wait.
    Tile(u32),
    /// In another way: some warps, a cluster, a grid.
    Other,
}

/// The meeting at an intrinsic in a kernel.
pub(super) fn meeting(kernel: &Kernel, intrinsic: Intrinsic) -> Meeting {
    match intrinsic {
        Intrinsic::Barrier => Meeting::Barrier,
        Intrinsic::ClusterBarrier if kernel.cluster.is_none() => Meeting::Barrier,
        Intrinsic::BarrierCount => Meeting::Votes,
        Intrinsic::Shuffle { tile, .. }
        | Intrinsic::Ballot { tile }
        | Intrinsic::MatchAny { tile }
        | Intrinsic::Reduce { tile, .. }
        | Intrinsic::WarpBarrier { tile } => Meeting::Tile(tile),
        Intrinsic::MultiplyAdd { .. } | Intrinsic::LoadMatrices { .. } => Meeting::Tile(WARP_SIZE),
        Intrinsic::NamedBarrier { .. } | Intrinsic::ClusterBarrier | Intrinsic::GridBarrier => Meeting::Other,
        Intrinsic::Fence { .. }
        | Intrinsic::Clock
        | Intrinsic::Nap
        | Intrinsic::AsyncCopy { .. }
        | Intrinsic::CopyCommit
        | Intrinsic::CopyWait { .. }
        | Intrinsic::CopyPiece { .. } => Meeting::None,
    }
}

/// The operands that are evaluated again after the exchange: what selects the lane of a shuffle.
pub(super) fn evaluated_again(intrinsic: Intrinsic, operands: &[ExprId]) -> &[ExprId] {
    match (intrinsic, operands) {
        (Intrinsic::Shuffle { .. }, [_, amount @ ..]) => amount,
        _ => &[],
    }
}

/// True of a barrier or exchange to which each thread passes a scalar at most.
pub(super) fn passes_scalars(intrinsic: Intrinsic) -> bool {
    !matches!(
        intrinsic,
        Intrinsic::MultiplyAdd { .. } | Intrinsic::LoadMatrices { .. }
    )
}

/// True of an exchange that is an operation on the values of a warp's lanes alone.
pub(super) fn permutes(intrinsic: Intrinsic) -> bool {
    matches!(
        intrinsic,
        Intrinsic::Shuffle { .. } | Intrinsic::Reduce { .. } | Intrinsic::Ballot { .. }
    )
}

impl Writer<'_> {
    pub(super) fn intrinsic(
        &mut self,
        stmt: &Stmt,
        intrinsic: Intrinsic,
        operands: &[ExprId],
        result: Option<Handle<Local>>,
        tokens: &mut Code,
    ) {
        let span = self.span;
        let is_slice = operands.first().is_some_and(|&operand| {
            let ty = self.type_of(self.body.exprs[operand].ty);
            matches!(ty, Type::Slice { .. })
        });
        let operands: Vec<_> = list::map(operands, |&operand| self.expr(operand));
        let value = match (intrinsic, &operands[..]) {
            (Intrinsic::ClusterBarrier, _) if self.context.kernel.cluster.is_some() => {
                let site = self.apart(stmt);
                code!(span=> __t.cluster_barrier(#site).await)
            }
            (Intrinsic::Barrier | Intrinsic::ClusterBarrier, _) => {
                let site = self.apart(stmt);
                code!(span=> __t.barrier(#site).await)
            }
            (Intrinsic::BarrierCount, _) => {
                let site = self.apart(stmt);
                code!(span=> __t.barrier_count(#site, #operands).await)
            }
            (Intrinsic::GridBarrier, _) => {
                let site = self.own_site(FaultKind::GridBarrier, stmt.span, "");
                code!(span=> __t.grid_barrier(#site).await)
            }
            (Intrinsic::Fence { order, .. }, _) => {
                let order = self.order(order);
                code!(span=> __fence(#order))
            }
            (Intrinsic::Clock, _) => code!(span=> __t.clock()),
            (Intrinsic::Nap, _) => code!(span=> __t.nap(#operands)),
            (
                Intrinsic::NamedBarrier {
                    barrier,
                    threads,
                    waits,
                },
                _,
            ) => {
                let site = self.own_site(FaultKind::Panic, stmt.span, STUCK);
                let (barrier, threads) = (self.number(barrier.into()), self.number(threads.into()));
                let waits = self.ident(if waits { "true" } else { "false" });
                code!(span=> __t.named_barrier(#barrier, #threads, #waits, #site).await)
            }
            (Intrinsic::AsyncCopy { count }, [to, from]) => {
                let count = self.number(count);
                match is_slice {
                    true => code!(span=> __copy((#to).pointer, (#from).pointer, #count)),
                    false => code!(span=> __copy(#to, #from, #count)),
                }
            }
            (Intrinsic::Shuffle { from, tile }, _) => {
                let (from, tile) = (self.number(from as u64), self.number(tile.into()));
                let site = self.apart(stmt);
                code!(span=> __t.shuffle(#site, #from, #tile, #operands).await)
            }
            (Intrinsic::Reduce { op, scalar, tile }, [value]) => {
                let combined = self.combined(op, self.half_of(scalar), code!(span=> __a), code!(span=> __b));
                let (tile, site) = (self.number(tile.into()), self.apart(stmt));
                code!(span=> __t.reduce(#site, #tile, #value, |__a, __b| #combined).await)
            }
            (Intrinsic::Ballot { tile } | Intrinsic::MatchAny { tile } | Intrinsic::WarpBarrier { tile }, _) => {
                let (method, tile) = (self.ident(intrinsic.row().name), self.number(tile.into()));
                let site = self.apart(stmt);
                code!(span=> __t.#method(#site, #tile, #operands).await)
            }
            (Intrinsic::MultiplyAdd { product }, _) => {
                let (number, site) = (self.number(product as u64), self.apart(stmt));
                code!(span=> __t.multiply_add(#site, #number, #operands).await)
            }
            (Intrinsic::LoadMatrices { load, element, .. }, _) => {
                let row = self.row_of(element, operands);
                let length = self.number(MatrixLoad::ROW_BYTES / u64::from(element.size()));
                let element = self.ident(types::scalar_name(element));
                let (number, count) = (self.number(load as u64), self.number(load.count()));
                let site = self.apart(stmt);
                code!(span=> __t.load_matrices::<#element, #length, #count>(#site, #number, #row).await)
            }
            // Copies are done at once, and whole.
            (
                Intrinsic::AsyncCopy { .. }
                | Intrinsic::Reduce { .. }
                | Intrinsic::CopyCommit
                | Intrinsic::CopyWait { .. }
                | Intrinsic::CopyPiece { .. },
                _,
            ) => return,
        };
        self.result(stmt, result, value, tokens);
    }

    /// The statement at the end of a region by which a thread passes its operands to a barrier or exchange.
    pub(super) fn offer(&mut self, intrinsic: Intrinsic, operands: &[ExprId]) -> Code {
        let span = self.span;
        // The lane that a shuffle reads is chosen when it has taken place.
        let operands = match (intrinsic, operands) {
            (Intrinsic::Shuffle { .. }, [value, ..]) => std::slice::from_ref(value),
            _ => operands,
        };
        let operands = list::map(operands, |&operand| self.expr(operand));
        match intrinsic {
            Intrinsic::BarrierCount => code!(span=> __t.vote(#operands);),
            Intrinsic::MultiplyAdd { product } => {
                let number = self.number(product as u64);
                code!(span=> __t.offer_factors(#number, #operands);)
            }
            Intrinsic::LoadMatrices { load, element, .. } => {
                let row = self.row_of(element, operands);
                let number = self.number(load as u64);
                code!(span=> __t.offer_row(#number, #row);)
            }
            _ => code!(span=> __t.offer(#operands);),
        }
    }

    /// The statement that carries out an exchange of tiles of this size, after all threads have passed their operands.
    pub(super) fn exchanged(&self, intrinsic: Intrinsic, tile: u32) -> Code {
        let span = self.span;
        let tile = Literal::u32_unsuffixed(tile);
        match intrinsic {
            // The region before it has ended.
            Intrinsic::WarpBarrier { .. } => Code::default(),
            Intrinsic::Reduce { op, scalar, .. } => {
                let combined = self.combined(op, self.half_of(scalar), code!(span=> __a), code!(span=> __b));
                let ty = &self.ident(types::scalar_name(scalar));
                code!(span=> __threads.reduce(#tile, |__a: #ty, __b: #ty| #combined);)
            }
            _ => code!(span=> __threads.exchange(#tile);),
        }
    }

    /// The result of a barrier or exchange, as a thread reads it at the start of a region.
    pub(super) fn received(&mut self, intrinsic: Intrinsic, operands: &[ExprId]) -> Code {
        let span = self.span;
        match intrinsic {
            Intrinsic::BarrierCount => code!(span=> __t.votes()),
            Intrinsic::Shuffle { from, tile } => {
                let (from, tile) = (self.number(from as u64), self.number(tile.into()));
                let amount = operands.get(1).map(|&amount| self.expr(amount));
                code!(span=> __t.shuffled(#from, #tile, #amount))
            }
            Intrinsic::Reduce { .. } => code!(span=> __t.taken()),
            Intrinsic::Ballot { tile } => {
                let tile = self.number(tile.into());
                code!(span=> __t.balloted(#tile))
            }
            Intrinsic::MatchAny { tile } => {
                let tile = self.number(tile.into());
                code!(span=> __t.matched(#tile))
            }
            _ => code!(span=> __t.words()),
        }
    }

    /// The results of a barrier or exchange of scalars of this type for lanes, as they read them at the start of a region.
    pub(super) fn received_of_lanes(&mut self, intrinsic: Intrinsic, operands: &[ExprId], ty: &Code) -> Code {
        let span = self.span;
        match intrinsic {
            Intrinsic::BarrierCount => code!(span=> __t.votes()),
            Intrinsic::Shuffle { from, tile } => {
                let (from, tile) = (self.number(from as u64), self.number(tile.into()));
                let amount = operands.get(1).map(|&amount| self.expr(amount));
                code!(span=> __t.shuffled_lanes::<#ty, __N>(#from, #tile, |__l| #amount))
            }
            Intrinsic::Reduce { .. } => code!(span=> __t.taken_lanes::<#ty, __N>()),
            Intrinsic::Ballot { tile } => {
                let tile = self.number(tile.into());
                code!(span=> __t.balloted_lanes::<__N>(#tile))
            }
            _ => {
                let value = self.received(intrinsic, operands);
                code!(span=> __v::lanes(|__l| { let __t = __t.of_lane(__l); #value }))
            }
        }
    }

    /// The results of an exchange of what the lanes of a whole warp have offered.
    pub(super) fn received_in_warp(&mut self, intrinsic: Intrinsic, operands: &[ExprId], _: &Code) -> Code {
        let span = self.span;
        match intrinsic {
            Intrinsic::Shuffle { from, tile } => {
                let (from, tile) = (self.number(from as u64), self.number(tile.into()));
                let amount = operands.get(1).map(|&amount| self.expr(amount));
                code!(span=> __v::shuffled(&__offered, #from, #tile, |__l| #amount))
            }
            Intrinsic::Reduce { op, scalar, tile } => {
                let combined = self.combined(op, self.half_of(scalar), code!(span=> __a), code!(span=> __b));
                let (ty, tile) = (&self.ident(types::scalar_name(scalar)), Literal::u32_unsuffixed(tile));
                code!(span=> __v::reduced(__offered, #tile, |__a: #ty, __b: #ty| #combined))
            }
            Intrinsic::Ballot { tile } => {
                let tile = Literal::u32_unsuffixed(tile);
                code!(span=> __v::balloted(&__offered, #tile))
            }
            _ => code!(span=> __offered),
        }
    }

    /// The row that a thread passes to a load of matrices.
    fn row_of(&self, element: Scalar, operands: Vec<Code>) -> Code {
        let span = self.span;
        let length = self.number(MatrixLoad::ROW_BYTES / u64::from(element.size()));
        let element = self.ident(types::scalar_name(element));
        code!(span=> __load(#operands.pointer.cast::<[#element; #length]>()))
    }

    /// The site of a statement at which threads wait for each other.
    fn apart(&mut self, stmt: &Stmt) -> Literal {
        self.own_site(FaultKind::Panic, stmt.span, APART)
    }

    /// A site that no other statement has, by which threads know where the others wait.
    fn own_site(&mut self, kind: FaultKind, span: ir::Span, message: &str) -> Literal {
        let number = self.sites.add(kind, span, message);
        self.number(number as u64)
    }
}
