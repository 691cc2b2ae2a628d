//! The visitor: operands, places, results and blocks of every kind of node.
//!
//! [`ExprKind::mentions`] and [`StmtKind::mentions`] visit the direct children; the functions of
//! [`Body`] visit everything, each node before its children. All code that walks a body
//! independently of the meaning of its nodes uses these, so a new kind of node is added only here.

use super::expr::{ExprId, ExprKind, Place, PlaceBase, PlaceId, Projection};
use super::handle::Handle;
use super::program::{Body, Local};
use super::stmt::{Block, Stmt, StmtKind};
use super::types::{Type, Types};

/// A child of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mention {
    /// An operand.
    Expr(ExprId),
    /// A place, and how it is used.
    Place(PlaceId, Use),
    /// A local that receives the result of a statement.
    Result(Handle<Local>),
}

/// A mutable [`Mention`].
#[derive(Debug, PartialEq, Eq)]
pub enum MentionMut<'n> {
    /// An operand.
    Expr(&'n mut ExprId),
    /// A place, and how it is used.
    Place(&'n mut PlaceId, Use),
    /// A local that receives the result of a statement.
    Result(&'n mut Handle<Local>),
}

/// The use of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// Reads its value.
    Load,
    /// Reads the length of the slice.
    Length,
    /// Takes its address.
    Address,
    /// Takes the address of elements of the array, or reads the slice, to make a slice.
    Subslice,
    /// Writes it.
    Store,
    /// Accesses it atomically.
    Atomic,
}

/// The children of an expression in order of evaluation. Expands to the body of a function that
/// takes it by shared reference, where handles are copied (`*`), and of one that takes it by
/// mutable reference.
macro_rules! expr_mentions {
    ($kind:expr, $visit:expr, $mention:ident $(, $copied:tt)?) => {
        match $kind {
            ExprKind::Constant(_) | ExprKind::External(_) | ExprKind::Builtin(_) => {}
            ExprKind::Load(place) => $visit($mention::Place($($copied)? place, Use::Load)),
            ExprKind::Length(place) => $visit($mention::Place($($copied)? place, Use::Length)),
            ExprKind::Reference(place) => $visit($mention::Place($($copied)? place, Use::Address)),
            ExprKind::Subslice { place, start, end, .. } => {
                $visit($mention::Place($($copied)? place, Use::Subslice));
                $visit($mention::Expr($($copied)? start));
                $visit($mention::Expr($($copied)? end));
            }
            ExprKind::DynamicShared { offset, length } => {
                $visit($mention::Expr($($copied)? offset));
                if let Some(length) = length {
                    $visit($mention::Expr($($copied)? length));
                }
            }
            ExprKind::Unary { operand, .. }
            | ExprKind::Cast(operand)
            | ExprKind::Bitcast(operand)
            | ExprKind::Repeat(operand)
            | ExprKind::Regroup(operand)
            | ExprKind::Field { operand, .. } => $visit($mention::Expr($($copied)? operand)),
            ExprKind::Binary { left, right, .. }
            | ExprKind::And { left, right }
            | ExprKind::Or { left, right }
            | ExprKind::MapShared {
                reference: left,
                rank: right,
            }
            | ExprKind::Within {
                index: left,
                length: right,
                ..
            } => {
                $visit($mention::Expr($($copied)? left));
                $visit($mention::Expr($($copied)? right));
            }
            ExprKind::MulAdd { a, b, c }
            | ExprKind::Select {
                condition: a,
                then: b,
                otherwise: c,
            } => {
                $visit($mention::Expr($($copied)? a));
                $visit($mention::Expr($($copied)? b));
                $visit($mention::Expr($($copied)? c));
            }
            ExprKind::Construct(parts) => {
                for part in parts {
                    $visit($mention::Expr($($copied)? part));
                }
            }
        }
    };
}

/// The same for a statement, whose result comes last. Its blocks are not included.
macro_rules! stmt_mentions {
    ($kind:expr, $visit:expr, $mention:ident $(, $copied:tt)?) => {
        match $kind {
            StmtKind::Store { place, value } => {
                $visit($mention::Expr($($copied)? value));
                $visit($mention::Place($($copied)? place, Use::Store));
            }
            StmtKind::Atomic {
                place,
                operands,
                result,
                ..
            } => {
                $visit($mention::Place($($copied)? place, Use::Atomic));
                for operand in operands {
                    $visit($mention::Expr($($copied)? operand));
                }
                if let Some(result) = result {
                    $visit($mention::Result($($copied)? result));
                }
            }
            StmtKind::Call {
                arguments: operands,
                result,
                ..
            }
            | StmtKind::Intrinsic { operands, result, .. }
            | StmtKind::Ptx { operands, result, .. } => {
                for operand in operands {
                    $visit($mention::Expr($($copied)? operand));
                }
                if let Some(result) = result {
                    $visit($mention::Result($($copied)? result));
                }
            }
            StmtKind::If { condition, .. } => $visit($mention::Expr($($copied)? condition)),
            StmtKind::Assert { condition, values, .. } => {
                $visit($mention::Expr($($copied)? condition));
                for value in values {
                    $visit($mention::Expr($($copied)? value));
                }
            }
            StmtKind::Print { values, .. } => {
                for value in values {
                    $visit($mention::Expr($($copied)? value));
                }
            }
            StmtKind::Return(value) => {
                if let Some(value) = value {
                    $visit($mention::Expr($($copied)? value));
                }
            }
            StmtKind::Loop { .. }
            | StmtKind::Break(_)
            | StmtKind::Continue(_) => {}
        }
    };
}

impl ExprKind {
    /// Calls `visit` with the expression's direct children, in order of evaluation.
    pub fn mentions(&self, visit: &mut dyn FnMut(Mention)) {
        expr_mentions!(self, visit, Mention, *)
    }

    /// The same with mutable children.
    pub fn mentions_mut(&mut self, visit: &mut dyn FnMut(MentionMut<'_>)) {
        expr_mentions!(self, visit, MentionMut)
    }

    /// Calls `visit` with each operand, in order of evaluation. The indices of a place are not
    /// included.
    pub fn operands(&self, visit: &mut dyn FnMut(ExprId)) {
        self.mentions(&mut |mention| {
            if let Mention::Expr(operand) = mention {
                visit(operand);
            }
        });
    }
}

impl StmtKind {
    /// Calls `visit` with the statement's direct children, in order of evaluation, the result last.
    /// Its blocks are not included.
    pub fn mentions(&self, visit: &mut dyn FnMut(Mention)) {
        stmt_mentions!(self, visit, Mention, *)
    }

    /// The same with mutable children.
    pub fn mentions_mut(&mut self, visit: &mut dyn FnMut(MentionMut<'_>)) {
        stmt_mentions!(self, visit, MentionMut)
    }

    /// The blocks inside the statement, in order.
    pub fn blocks(&self) -> impl Iterator<Item = &Block> {
        let blocks = match self {
            StmtKind::If { then, otherwise, .. } => [Some(then), Some(otherwise)],
            StmtKind::Loop { body, step } => [Some(body), Some(step)],
            _ => [None, None],
        };
        blocks.into_iter().flatten()
    }

    /// The same, mutable.
    pub fn blocks_mut(&mut self) -> impl Iterator<Item = &mut Block> {
        let blocks = match self {
            StmtKind::If { then, otherwise, .. } => [Some(then), Some(otherwise)],
            StmtKind::Loop { body, step } => [Some(body), Some(step)],
            _ => [None, None],
        };
        blocks.into_iter().flatten()
    }
}

impl Place {
    /// The indices along the path, in order.
    pub fn indices(&self) -> impl Iterator<Item = ExprId> {
        self.path.iter().filter_map(|step| match *step {
            Projection::Index { index, .. } => Some(index),
            Projection::Field(_) | Projection::Deref => None,
        })
    }

    /// The local at the base of the place.
    pub fn local(&self) -> Option<Handle<Local>> {
        match self.base {
            PlaceBase::Local(local) => Some(local),
            PlaceBase::Shared(_) | PlaceBase::Table(_) => None,
        }
    }

    /// The local, if the place is a whole local.
    pub fn whole_local(&self) -> Option<Handle<Local>> {
        self.local().filter(|_| self.path.is_empty())
    }

    /// The local, if the place is a local or a part of one. Not the target of a reference or slice
    /// held by a local.
    pub fn part_of(&self, types: &Types, body: &Body) -> Option<Handle<Local>> {
        let local = self.local()?;
        let mut ty = body.locals[local].ty;
        for step in &self.path {
            ty = match (step, &types[ty]) {
                (Projection::Index { .. }, Type::Array { element, .. }) => *element,
                (Projection::Field(index), Type::Tuple(fields)) => *fields.get(*index as usize)?,
                (Projection::Field(index), Type::Struct { fields, .. }) => fields.get(*index as usize)?.ty,
                _ => return None,
            };
        }
        Some(local)
    }
}

/// Calls `visit` with every statement of a block and of its nested blocks, outer ones first.
pub fn each_stmt<'b>(block: &'b Block, visit: &mut dyn FnMut(&'b Stmt)) {
    for stmt in block {
        visit(stmt);
        for inner in stmt.kind.blocks() {
            each_stmt(inner, visit);
        }
    }
}

/// These recurse over trees, whose depth is bounded in a validated program.
impl Body {
    /// Calls `visit` with every node used by the statements of the body.
    pub fn each_mention(&self, visit: &mut dyn FnMut(Mention)) {
        each_stmt(&self.block, &mut |stmt| self.mentions_of(stmt, visit));
    }

    /// Calls `visit` with every node used by a statement, including those inside its operands, but
    /// not those of its blocks.
    pub fn mentions_of(&self, stmt: &Stmt, visit: &mut dyn FnMut(Mention)) {
        stmt.kind.mentions(&mut |mention| self.inside(mention, visit));
    }

    /// Calls `visit` with a node and everything inside it.
    pub fn inside(&self, mention: Mention, visit: &mut dyn FnMut(Mention)) {
        visit(mention);
        match mention {
            Mention::Expr(expr) => self.exprs[expr].kind.mentions(&mut |inner| self.inside(inner, visit)),
            Mention::Place(place, _) => {
                for index in self.places[place].indices() {
                    self.inside(Mention::Expr(index), visit);
                }
            }
            Mention::Result(_) => {}
        }
    }
}
