//! Matrices: a slice and three numbers, which are parameters and variables of their own in the program.

use vyre_ir::ir::builder::Path;
use vyre_ir::ir::{BinaryOp, Extent, Handle, Local, Scalar, Type, TypeId};

use super::{ExprId, Lowering, Storage, ir_type};
use crate::library::methods::Does;
use crate::syntax::tree::{Argument, Expr, ExprKind, MethodCall};
use crate::types::{Kind, Ty, Types};

/// The suffixes for the extents of a matrix: rows, columns, pitch.
pub(super) const EXTENTS: [&str; 3] = ["rows", "cols", "pitch"];

/// The storage of a matrix's parts.
#[derive(Clone, Copy)]
pub(super) struct Matrix {
    /// A slice from the first element to the last one.
    pub(super) elements: Handle<Local>,
    /// In the order of [`EXTENTS`].
    pub(super) extents: [Handle<Local>; 3],
}

/// The parameters that a matrix becomes, by name and type: its elements, then its extents.
pub(super) fn matrix_parts(
    types: &Types,
    ty: Ty,
    name: &str,
    to: &mut vyre_ir::ir::Types,
) -> Option<Vec<(String, TypeId)>> {
    let Kind::Matrix(element, mutable) = *types.kind(types.referent(ty)) else {
        return None;
    };
    let element = ir_type(types, element, to);
    let mut parts = vec![(name.to_owned(), to.slice(element, mutable))];
    let extent = to.scalar(Scalar::U32);
    for part in EXTENTS {
        parts.push((format!("{name}_{part}"), extent));
    }
    Some(parts)
}

impl Lowering<'_, '_> {
    /// The matrix that an expression names.
    pub(super) fn matrix(&self, expr: &Expr) -> Option<Matrix> {
        match &expr.kind {
            ExprKind::Local(local) => match self.storage[*local] {
                Storage::Matrix(matrix) => Some(matrix),
                _ => None,
            },
            ExprKind::Borrow(inner, _) | ExprKind::Deref(inner) => self.matrix(inner),
            ExprKind::Method(call) if call.method.is_some_and(|method| method.does == Does::Reborrow) => {
                self.matrix(&call.receiver)
            }
            ExprKind::Block(block, None) if block.statements.is_empty() => self.matrix(block.tail.as_ref()?),
            _ => None,
        }
    }

    /// Rows, columns or pitch.
    pub(super) fn extent(&mut self, matrix: Matrix, number: usize) -> ExprId {
        let narrow = self.b.get(matrix.extents[number]);
        self.b.cast(narrow, Scalar::U64)
    }

    /// The parts of a matrix as arguments; `mutable` says whether the slice is to be written there.
    pub(super) fn parts(&mut self, matrix: Matrix, mutable: bool) -> [ExprId; 4] {
        let path = self.b.local_place(matrix.elements);
        let ty = self.b.path_type(&path);
        let elements = match self.b.types()[ty] {
            Type::Slice { mutable: true, .. } if !mutable => {
                let (start, end) = (self.b.u64(0), self.b.length(path.clone()));
                self.b.subslice_with(path, [start, end], false, false)
            }
            _ => self.b.load(path),
        };
        let [rows, cols, pitch] = matrix.extents;
        [elements, self.b.get(rows), self.b.get(cols), self.b.get(pitch)]
    }

    /// The place of an element. Where they are `checked`, row and column are compared with their
    /// extents, and then the element lies in the slice.
    pub(super) fn cell(&mut self, matrix: Matrix, [row, col]: [ExprId; 2], checked: bool) -> Path {
        let row = self.compared(matrix, row, Extent::Rows, checked);
        let pitch = self.extent(matrix, 2);
        let start = self.b.binary(BinaryOp::Mul, row, pitch);
        let col = self.compared(matrix, col, Extent::Columns, checked);
        let index = self.b.binary(BinaryOp::Add, start, col);
        let path = self.b.local_place(matrix.elements);
        self.b.index_with(path, index, false)
    }

    fn compared(&mut self, matrix: Matrix, index: ExprId, extent: Extent, checked: bool) -> ExprId {
        if !checked {
            return index;
        }
        let length = self.extent(matrix, usize::from(extent == Extent::Columns));
        self.b.within(index, length, extent)
    }

    /// `a.row(i)`: a slice of the elements of a row.
    pub(super) fn row(&mut self, expr: &Expr, call: &MethodCall) -> Option<ExprId> {
        let here = self.b.span;
        let matrix = self.matrix(&call.receiver)?;
        let Some(Argument::Value(row)) = call.arguments.first() else {
            return None;
        };
        let row = self.value(row)?;
        self.b.span = here;
        let row = self.compared(matrix, row, Extent::Rows, true);
        let pitch = self.extent(matrix, 2);
        let start = self.b.binary(BinaryOp::Mul, row, pitch);
        let start = self.again(start);
        let (begin, first, cols) = (self.get(start), self.get(start), self.extent(matrix, 1));
        let end = self.b.binary(BinaryOp::Add, first, cols);
        let mutable = matches!(self.tree.types.kind(expr.ty), Kind::Reference(_, true));
        let path = self.b.local_place(matrix.elements);
        Some(self.b.subslice_with(path, [begin, end], mutable, false))
    }
}
