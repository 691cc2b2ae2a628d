//! The closures of `fetch_update` and of collectives: how often each runs differs between threads, as others come between
//! an update, and as the tree of a reduction has threads without a part. So nothing in them waits for other threads, nor does
//! what they call.

use super::reach::{Function, Reached};
use crate::errors::{Code, Errors};
use crate::infer::calls;
use crate::library::group_methods::OfGroup;
use crate::library::intrinsics::Operation;
use crate::library::methods::Does;
use crate::syntax::tree::{Block, Callable, Expr, ExprKind, OfFragment};

use proc_macro2::Span;
use vyre_ir::ir::{Among, AtomicOp, WARP_SIZE};

/// Refuses those in which a thread waits for others.
pub(crate) fn check(reached: &Reached, errors: &mut Errors) {
    for body in &reached.bodies {
        for lone in &body.tree.lone {
            let number = body.closures[lone.of];
            let Some(closure) = reached.functions.get(number) else {
                continue;
            };
            let mut work = vec![number];
            let mut seen = Vec::new();
            while let Some(function) = work.pop() {
                if seen.contains(&function) {
                    continue;
                }
                seen.push(function);
                // After other faults there may be none of the number.
                let Some(called) = reached.functions.get(function) else {
                    continue;
                };
                work.extend(&called.calls);
                if let Some(wait) = wait_in(reached, called) {
                    let span = if called.body == closure.body {
                        wait
                    } else {
                        closure.span
                    };
                    refuse(lone.collective.as_deref(), span, errors);
                    break;
                }
            }
        }
    }
}

fn refuse(collective: Option<&str>, span: Span, errors: &mut Errors) {
    match collective {
        None => errors.refuse(
            Code::Closure,
            span,
            "this closure runs once more whenever another thread changes the atomic, and in it threads wait for each other",
            "let it compute the new value alone, and wait before or after `fetch_update`",
        ),
        Some(name) => errors.refuse(
            Code::Closure,
            span,
            format_args!("`{name}` calls this closure more often in some threads than in others, and in it threads wait for each other"),
            format_args!("let it combine its two arguments alone, and wait before or after `{name}`"),
        ),
    }
}

/// The span where a function, or closure, itself waits for other threads.
fn wait_in(reached: &Reached, function: &Function) -> Option<Span> {
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
        ExprKind::Call(Callable::Do(intrinsic), _) => intrinsic.row().among > Among::Thread,
        ExprKind::Call(Callable::Row(function), _) => match function.does {
            Operation::Builtin(_) | Operation::Axes(_) | Operation::Fast(_) | Operation::Unary(_) => false,
            Operation::WarpSize | Operation::ActiveMask | Operation::ClusterRank | Operation::ClusterBlocks => false,
            Operation::Intrinsic(intrinsic) => intrinsic(WARP_SIZE).row().among > Among::Thread,
            _ => true,
        },
        ExprKind::Call(Callable::Group(does), _) => !matches!(does, OfGroup::Lane | OfGroup::Index | OfGroup::Size),
        ExprKind::Call(Callable::Fragment(of, _), _) => matches!(of, OfFragment::LoadTile(_)),
        ExprKind::Method(call) => {
            let arrives = |op| call.does(Does::Atomic(op));
            call.does(Does::Wait) || arrives(AtomicOp::BarrierArrive) || arrives(AtomicOp::BarrierCopies)
        }
        _ => false,
    }
}
