//! Operations whose safety a program promises and nobody checks. On a GPU they can read and write any memory, so who runs
//! a program with one vouches for it.

use std::fmt;

use crate::ir::{Body, ExprKind, Program, Projection, Span, StmtKind, Type, each_stmt};

/// An operation that is not checked.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unchecked {
    /// The kernel or device function.
    pub within: String,
    /// The operation.
    pub operation: UncheckedOperation,
    /// Its place in the source.
    pub span: Span,
}

/// The kind of an operation that is not checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum UncheckedOperation {
    /// An index that is not compared with the length.
    Index,
    /// A range that is not compared with the length.
    Range,
    /// A copy or load of as many elements as it says, whatever the length of the slice.
    Count,
    /// Inline PTX.
    Ptx,
}

impl fmt::Display for UncheckedOperation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            UncheckedOperation::Index => "an index that is not checked",
            UncheckedOperation::Range => "a range that is not checked",
            UncheckedOperation::Count => "a count of elements that is not checked",
            UncheckedOperation::Ptx => "inline PTX",
        })
    }
}

/// The first unchecked operation of each kernel and function of a valid program, also in code that no kernel reaches.
///
/// Kernels that were written in Rust mostly have some: the front end leaves out checks that it has proven.
pub fn unchecked(program: &Program) -> Vec<Unchecked> {
    let functions = program.functions.iter();
    let functions = functions.map(|(_, function)| (&function.name, &function.body));
    let kernels = program.kernels.iter().flat_map(|(_, kernel)| {
        let entries = kernel.entries.iter();
        entries.map(|entry| (&kernel.name, &entry.body))
    });
    let found = functions.chain(kernels).filter_map(|(name, body)| {
        let (operation, span) = first(program, body)?;
        Some(Unchecked {
            within: name.clone(),
            operation,
            span,
        })
    });
    found.collect()
}

fn first(program: &Program, body: &Body) -> Option<(UncheckedOperation, Span)> {
    let is_unchecked = |step: &Projection| matches!(step, Projection::Index { checked: false, .. });
    if let Some((_, place)) = (body.places.iter()).find(|(_, place)| place.path.iter().any(is_unchecked)) {
        return Some((UncheckedOperation::Index, place.span));
    }
    let is_range = |kind: &ExprKind| matches!(kind, ExprKind::Subslice { checked: false, .. });
    if let Some((_, expr)) = body.exprs.iter().find(|(_, expr)| is_range(&expr.kind)) {
        return Some((UncheckedOperation::Range, expr.span));
    }
    let mut found = None;
    each_stmt(&body.block, &mut |stmt| {
        let operation = match &stmt.kind {
            StmtKind::Ptx { .. } => UncheckedOperation::Ptx,
            // All of them that take slices have a count of their own.
            StmtKind::Intrinsic { operands, .. }
                if (operands.iter())
                    .any(|&operand| matches!(program.types[body.exprs[operand].ty], Type::Slice { .. })) =>
            {
                UncheckedOperation::Count
            }
            _ => return,
        };
        found.get_or_insert((operation, stmt.span));
    });
    found
}
