//! Prints expressions, places and constants.

use std::fmt::Write;

use vyre_abi::semantics::Native;

use super::body::BodyPrinter;
use crate::ir::limits::MAX_DEPTH;
use crate::ir::natural::{self, Natural};
use crate::ir::{
    Access, Axis, Builtin, Constant, ExprId, ExprKind, Extent, PlaceBase, PlaceId, Projection, Scalar, Type, TypeId,
};
use crate::semantics;
use crate::text::names::builtin_name;

impl<'p> BodyPrinter<'_, 'p> {
    /// An operation's name with its operands.
    pub(super) fn operation(&mut self, name: &str, operands: &[ExprId]) {
        self.push(name);
        self.push("(");
        self.list(operands);
        self.push(")");
    }

    pub(super) fn expr(&mut self, id: ExprId) {
        let Some(expr) = self.body.exprs.get(id) else {
            return self.missing(id.index());
        };
        if self.depth >= MAX_DEPTH || std::mem::replace(&mut self.exprs[id.index()], true) {
            return self.missing(id.index());
        }
        self.depth += 1;
        let program = self.printer.program;
        let mutable = matches!(
            program.types.get(expr.ty),
            Some(Type::Reference { mutable: true, .. } | Type::Slice { mutable: true, .. })
        );
        let natural = match natural::expr_type(program, self.body, &expr.kind, mutable) {
            Some(Natural::Known(ty)) => Some(ty),
            Some(Natural::Made(ty)) => program.types.find(&ty),
            None => None,
        };
        // Casts and constructions name their type themselves.
        let stated = natural != Some(expr.ty)
            && !matches!(
                expr.kind,
                ExprKind::Cast(_)
                    | ExprKind::Bitcast(_)
                    | ExprKind::Construct(_)
                    | ExprKind::Regroup(_)
                    | ExprKind::Repeat(_)
                    | ExprKind::DynamicShared { .. }
            );
        if stated {
            self.push("(");
        }
        match &expr.kind {
            ExprKind::Constant(constant) => self.constant(*constant),
            ExprKind::External(external) => {
                self.push("external::");
                self.printer.externals.write(&mut self.printer.out, external.index());
            }
            ExprKind::Builtin(builtin) => self.builtin(*builtin),
            ExprKind::Load(place) => self.place(*place),
            ExprKind::Length(place) => {
                self.push("length(");
                self.place(*place);
                self.push(")");
            }
            ExprKind::Reference(place) => {
                self.push(if mutable { "&mut " } else { "&" });
                self.place(*place);
            }
            ExprKind::Subslice {
                place,
                start,
                end,
                checked,
            } => {
                self.push(if mutable { "&mut " } else { "&" });
                self.place_text(*place);
                self.push(if *checked { "[" } else { "[unchecked " });
                self.expr(*start);
                self.push("..");
                self.expr(*end);
                self.push("]");
                self.place_span(*place);
            }
            ExprKind::Unary { op, operand } => self.operation(op.name(), &[*operand]),
            ExprKind::Binary { op, left, right } => self.operation(op.name(), &[*left, *right]),
            ExprKind::MulAdd { a, b, c } => self.operation("mul_add", &[*a, *b, *c]),
            ExprKind::And { left, right } => self.operation("and_then", &[*left, *right]),
            ExprKind::Or { left, right } => self.operation("or_else", &[*left, *right]),
            ExprKind::MapShared { reference, rank } => self.operation("map_shared", &[*reference, *rank]),
            ExprKind::Within { index, length, extent } => {
                let name = match extent {
                    Extent::Rows => "row",
                    Extent::Columns => "column",
                };
                self.operation(name, &[*index, *length]);
            }
            ExprKind::Select {
                condition,
                then,
                otherwise,
            } => self.operation("select", &[*condition, *then, *otherwise]),
            ExprKind::Field { operand, index } => {
                self.push("field(");
                self.expr(*operand);
                self.push(", ");
                self.number(u64::from(*index));
                self.push(")");
            }
            ExprKind::Cast(operand) => self.typed("cast ", expr.ty, &[*operand]),
            ExprKind::Bitcast(operand) => self.typed("bitcast ", expr.ty, &[*operand]),
            ExprKind::Regroup(operand) => self.typed("regroup ", expr.ty, &[*operand]),
            ExprKind::Construct(parts) => self.typed("new ", expr.ty, parts),
            ExprKind::Repeat(operand) => self.typed("repeat ", expr.ty, &[*operand]),
            ExprKind::DynamicShared { offset, length } => {
                let operands: Vec<ExprId> = std::iter::once(*offset).chain(*length).collect();
                self.typed("dynamic_shared ", expr.ty, &operands);
            }
        }
        if stated {
            self.push(" : ");
            self.printer.ty(expr.ty);
            self.push(")");
        }
        self.spans.push(expr.span);
        self.depth -= 1;
    }

    fn typed(&mut self, name: &str, ty: TypeId, operands: &[ExprId]) {
        self.push(name);
        self.printer.ty(ty);
        self.operation("", operands);
    }

    pub(super) fn place(&mut self, id: PlaceId) {
        self.place_text(id);
        self.place_span(id);
    }

    fn place_span(&mut self, id: PlaceId) {
        if let Some(place) = self.body.places.get(id) {
            self.spans.push(place.span);
        }
    }

    fn place_text(&mut self, id: PlaceId) {
        let Some(place) = self.body.places.get(id) else {
            return self.missing(id.index());
        };
        if std::mem::replace(&mut self.places[id.index()], true) {
            return self.missing(id.index());
        }
        let stated = natural::place_type(self.printer.program, self.body, place.base, &place.path) != Some(place.ty);
        if stated {
            self.push("<");
        }
        match place.base {
            PlaceBase::Local(local) => self.locals.write(&mut self.printer.out, local.index()),
            PlaceBase::Shared(shared) => {
                self.push("shared::");
                self.printer.shared.write(&mut self.printer.out, shared.index());
            }
            PlaceBase::Table(table) => {
                self.push("table::");
                self.printer.tables.write(&mut self.printer.out, table.index());
            }
        }
        for step in &place.path {
            match *step {
                Projection::Field(index) => {
                    self.push(".");
                    self.number(u64::from(index));
                }
                Projection::Index { index, checked } => {
                    self.push(if checked { "[" } else { "[unchecked " });
                    self.expr(index);
                    self.push("]");
                }
                Projection::Deref => self.push(".*"),
            }
        }
        if stated {
            self.push(" : ");
            self.printer.ty(place.ty);
            self.push(">");
        }
        if place.access != Access::Plain {
            self.push(".");
            self.push(place.access.name());
        }
    }

    fn builtin(&mut self, builtin: Builtin) {
        self.push(builtin_name(builtin));
        match builtin {
            Builtin::ThreadIndex(axis)
            | Builtin::BlockIndex(axis)
            | Builtin::BlockSize(axis)
            | Builtin::GridSize(axis)
            | Builtin::ClusterSize(axis)
            | Builtin::ClusterBlock(axis)
            | Builtin::ClusterIndex(axis)
            | Builtin::GlobalIndex(axis) => self.axis(axis),
            Builtin::LinearIndex | Builtin::LaneIndex | Builtin::OnGpu => {}
        }
    }

    fn axis(&mut self, axis: Axis) {
        self.push(".");
        self.push(axis.name());
    }

    /// A constant with its type: as a number if that reproduces the same bits.
    fn constant(&mut self, constant: Constant) {
        let Constant { scalar, bits } = constant;
        let out = &mut self.printer.out;
        // Writing to a string does not fail.
        let _ = match scalar {
            _ if Constant::new(scalar, bits) != constant => return self.constant_bits(constant),
            Scalar::Bool => write!(out, "{}", bits == 1),
            Scalar::F32 if f32::from_bits(bits as u32).is_finite() => {
                write!(out, "{:?}f32", f32::from_bits(bits as u32))
            }
            Scalar::F64 if f64::from_bits(bits).is_finite() => write!(out, "{:?}f64", f64::from_bits(bits)),
            Scalar::F16 | Scalar::BF16 => {
                let value = f32::of(semantics::cast(constant, Scalar::F32));
                match value.is_finite() {
                    true => write!(out, "{value:?}{}", scalar.name()),
                    false => return self.constant_bits(constant),
                }
            }
            Scalar::F32 | Scalar::F64 => return self.constant_bits(constant),
            _ => write!(out, "{}{}", constant.as_i128(), scalar.name()),
        };
    }

    /// `f32:0x7fc00000`: a constant by its bits.
    fn constant_bits(&mut self, constant: Constant) {
        self.push(constant.scalar.name());
        self.push(":");
        self.printer.hexadecimal(constant.bits, 1);
    }
}
