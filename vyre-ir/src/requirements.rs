//! Requirements of a program, operation by operation, before it is compiled.
//!
//! Every GPU of compute capability 7.0 has what is not listed. A list may ask for more than the compiled module:
//! code that the compiler removes is listed, and so is a cache operator on an access that turns out not to be to
//! global memory. It never asks for less.

use std::collections::BTreeSet;

use crate::ir::needs::{Needs, parameter_bytes};

use crate::ir::{
    AtomicOp, Body, ExprKind, Handle, Kernel, Mention, Place, PlaceBase, Program, Span, StmtKind, Type, Use, each_stmt,
};
use crate::validate::Validated;

/// An operation of a kernel that not every GPU has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requirement {
    /// The kernel.
    pub kernel: Handle<Kernel>,
    /// The operation, as the text form writes it.
    pub operation: String,
    /// The first place of it in the kernel or in a function that it calls.
    pub span: Span,
    /// The lowest PTX `.version`, major and minor.
    pub version: (u32, u32),
    /// The lowest `.target`: 80 for `sm_80`.
    pub target: u32,
    /// True if a compilation within limits takes another way where they exclude it: a
    /// cache hint is left out, and a sum of halves goes by compare and exchange.
    pub optional: bool,
}

/// Lists the operations of a program that not every GPU has, each once for a kernel.
pub fn requirements(valid: &Validated<'_>) -> Vec<Requirement> {
    let program = valid.program();
    let mut found = Vec::new();
    for (handle, kernel) in program.kernels.iter() {
        let mut list = List {
            kernel: handle,
            known: BTreeSet::new(),
            found: &mut found,
        };
        if let Some(cluster) = kernel.cluster {
            list.add(Needs::CLUSTERS, kernel.span, || {
                format!("clusters of {cluster:?} blocks")
            });
        }
        let bytes = parameter_bytes(program, kernel);
        list.add(Needs::parameters(bytes), kernel.span, || {
            format!("{bytes} bytes of parameters")
        });
        for (entry, info) in kernel.entries.iter().zip(valid.info().entries(handle)) {
            list.body(program, &entry.body);
            for &function in &info.reach.functions {
                list.body(program, &program.functions[function].body);
            }
        }
    }
    found
}

struct List<'l> {
    kernel: Handle<Kernel>,
    /// The operations listed for the kernel.
    known: BTreeSet<String>,
    found: &'l mut Vec<Requirement>,
}

impl List<'_> {
    fn add(&mut self, needs: Needs, span: Span, operation: impl FnOnce() -> String) {
        self.list(needs, span, false, operation);
    }

    fn list(&mut self, needs: Needs, span: Span, optional: bool, operation: impl FnOnce() -> String) {
        if needs == Needs::ALWAYS {
            return;
        }
        let operation = operation();
        if self.known.insert(operation.clone()) {
            self.found.push(Requirement {
                kernel: self.kernel,
                operation,
                span,
                version: needs.version,
                target: needs.target,
                optional,
            });
        }
    }

    fn body(&mut self, program: &Program, body: &Body) {
        each_stmt(&body.block, &mut |stmt| {
            match &stmt.kind {
                StmtKind::Intrinsic { intrinsic, .. } if !intrinsic.row().has_sequence => {
                    self.add(intrinsic.needs(), stmt.span, || intrinsic.to_string());
                }
                StmtKind::Ptx {
                    version: version @ Some((major, minor)),
                    ..
                } => self.add(Needs::inline(*version), stmt.span, || {
                    format!("inline PTX of version {major}.{minor}")
                }),
                StmtKind::Atomic { op, place, .. } => {
                    if let Type::Atomic(scalar) = program.types[body.places[*place].ty] {
                        let optional = scalar.is_half() && matches!(op, AtomicOp::Add | AtomicOp::Sub);
                        self.list(op.needs(scalar), stmt.span, optional, || {
                            format!("atomic {} of {}", op.name(), scalar.name())
                        });
                    }
                }
                _ => {}
            }
            body.mentions_of(stmt, &mut |mention| match mention {
                Mention::Expr(expr) => {
                    let expr = &body.exprs[expr];
                    match (&expr.kind, program.types.as_scalar(expr.ty)) {
                        (ExprKind::MulAdd { .. }, Some(scalar)) => {
                            self.add(Needs::mul_add(scalar), expr.span, || {
                                format!("mul_add of {}", scalar.name())
                            });
                        }
                        (ExprKind::Unary { op, .. }, _) => {
                            self.add(Needs::unary(*op), expr.span, || op.name().to_owned());
                        }
                        _ => {}
                    }
                }
                Mention::Place(place, how) => {
                    let place = &body.places[place];
                    if may_be_global(place) {
                        let needs = place.access.needs(how == Use::Store);
                        self.list(needs, place.span, true, || format!("{} access", place.access.name()));
                    }
                }
                Mention::Result(_) => {}
            });
        });
    }
}

/// False for places in shared memory and in tables of constants, whose accesses have no cache operators. A local
/// may be a slice or reference.
fn may_be_global(place: &Place) -> bool {
    matches!(place.base, PlaceBase::Local(_))
}
