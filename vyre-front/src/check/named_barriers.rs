//! Named barriers of a kernel and its callees: each has a single thread count, at most that of the
//! block, and their counters fit beside the block's shared variables.

use vyre_ir::ir::{NAMED_BARRIER_BYTES, NAMED_BARRIERS, WARP_SIZE};

use super::reach::Body;
use crate::errors::{Code, Errors};
use crate::infer::{SHARED_BYTES, shared_bytes};
use crate::syntax::tree::{Block, Callable, Expr, ExprKind, Tree};
use crate::types::Kind;
use crate::types::group::Group;

/// Refuses barriers at which threads would wait forever.
pub(crate) fn check(bodies: &[Body], extents: [u32; 3], errors: &mut Errors) {
    let mut check = Check {
        block: extents.iter().map(|&extent| u64::from(extent)).product(),
        known: [0; NAMED_BARRIERS as usize],
        counters: 0,
        errors,
    };
    for body in bodies {
        check.block(&body.tree, &body.tree.body);
    }
    let shared: u64 = bodies.iter().map(|body| shared_bytes(&body.tree)).sum();
    if shared <= SHARED_BYTES
        && shared + check.counters > SHARED_BYTES
        && let Some(last) = bodies.iter().rev().find_map(|body| body.tree.shared.last())
    {
        let total = shared + check.counters;
        check.errors.refuse(
            Code::SharedSize,
            last.span,
            format_args!("{total} bytes of shared memory with those of named barriers: a block has {SHARED_BYTES}"),
            "make the arrays smaller, or take dynamic shared memory, of which there is more: `shared::slice::<[f32; 64]>(n)`",
        );
    }
}

struct Check<'e> {
    /// Threads of a block.
    block: u64,
    /// The threads of each barrier met so far.
    known: [u64; NAMED_BARRIERS as usize],
    /// The size of their counters, in bytes.
    counters: u64,
    errors: &'e mut Errors,
}

impl Check<'_> {
    fn block(&mut self, tree: &Tree, block: &Block) {
        block.each_child(&mut |child| self.expr(tree, child));
    }

    fn expr(&mut self, tree: &Tree, expr: &Expr) {
        if let ExprKind::Call(Callable::NewGroup(ty), _) = expr.kind
            && let Kind::Group(Group::Barrier, [barrier, threads]) = *tree.types.kind(ty)
        {
            self.barrier(barrier, threads, expr.span);
        }
        let mut blocks = Vec::new();
        expr.each_child(&mut |child| self.expr(tree, child), &mut |inner| blocks.push(inner));
        for inner in blocks {
            self.block(tree, inner);
        }
    }

    fn barrier(&mut self, barrier: u64, threads: u64, span: proc_macro2::Span) {
        let Some(known) = self.known.get_mut(barrier as usize) else {
            return;
        };
        self.counters = NAMED_BARRIER_BYTES.into();
        let before = std::mem::replace(known, threads);
        if threads > self.block.next_multiple_of(WARP_SIZE.into()) {
            self.errors.refuse(
                Code::Group,
                span,
                format_args!(
                    "{threads} threads are to meet at barrier {barrier}, and a block has {}",
                    self.block
                ),
                "name as many threads as come there, or give the kernel a larger `block`",
            );
        } else if before != 0 && before != threads {
            self.errors.refuse(
                Code::Group,
                span,
                format_args!("barrier {barrier} is for {threads} threads here, and for {before} before"),
                "a barrier is for one number of threads in all of a kernel; use another id, 1 to 15",
            );
        }
    }
}
