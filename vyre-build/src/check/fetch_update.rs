//! The closures of `fetch_update`: each runs as often as other threads come between, which no two threads
//! agree on, so nothing in them waits for others, nor does what they call.

use super::reach::{Function, Reached};
use crate::errors::{Code, Errors};
use crate::infer::calls;
use crate::library::group_methods::OfGroup;
use crate::library::intrinsics::Operation;
use crate::library::methods::Does;
use crate::syntax::tree::{Block, Expr, ExprKind, OfFragment};

use vyre_core::ir::{Among, AtomicOp, WARP_SIZE};

/// Refuses those in which a thread waits for others.
pub(crate) fn check(reached: &Reached, errors: &mut Errors) {
    for (number, body) in reached.bodies.iter().enumerate() {
        for &(closure, span) in &body.tree.updates {
            let mut work = vec![body.closures[closure]];
            let mut seen = Vec::new();
            while let Some(function) = work.pop() {
                // After other faults there may be none of the number.
                let Some(called) = reached.functions.get(function) else {
                    continue;
                };
                if seen.contains(&function) {
                    continue;
                }
                seen.push(function);
                work.extend(&called.calls);
                if let Some(wait) = wait_in(reached, called) {
                    errors.refuse(
                        Code::Closure,
                        if called.body == number { wait } else { span },
                        "this closure runs once more whenever another thread changes the atomic, and in it threads wait for each other",
                        "let it compute the new value alone, and wait before or after `fetch_update`",
                    );
                    break;
                }
            }
        }
    }
}

/// The span where a function, or closure, itself waits for other threads.
fn wait_in(reached: &Reached, function: &Function) -> Option<proc_macro2::Span> {
    let tree = &reached.bodies[function.body].tree;
    let mut found = None;
    let mut search = |block: &Block| {
        calls::each(block, &mut |expr| {
            if found.is_none() && waits(expr) {
                found = Some(expr.span);
            }
            !matches!(expr.kind, ExprKind::Closure(_))
        });
    };
    match function.closure {
        None => search(&tree.body),
        Some(number) => {
            let written = calls::written(tree);
            search(&written.get(number)?.body);
        }
    }
    found
}

fn waits(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Do(intrinsic) => intrinsic.row().among > Among::Thread,
        ExprKind::Call(function, _) => match function.does {
            Operation::Builtin(_) | Operation::Axes(_) | Operation::Fast(_) | Operation::Unary(_) => false,
            Operation::WarpSize | Operation::ClusterRank | Operation::ClusterBlocks => false,
            Operation::Intrinsic(intrinsic) => intrinsic(WARP_SIZE).row().among > Among::Thread,
            _ => true,
        },
        ExprKind::Grouped(_, does, _) => !matches!(does, OfGroup::Lane | OfGroup::Index | OfGroup::Size),
        ExprKind::Fragment(of, ..) => matches!(of, OfFragment::LoadTile(_)),
        ExprKind::Method(call) => {
            let arrives = [AtomicOp::BarrierArrive, AtomicOp::BarrierCopies].map(Does::Atomic);
            call.does(Does::Wait) || arrives.into_iter().any(|does| call.does(does))
        }
        _ => false,
    }
}
