//! Prints bodies: one statement a line, expressions inline.

use std::fmt::Write;

use super::Printer;
use crate::ir::natural::{self, Natural};
use crate::ir::{
    AssertMessage, Axis, Block, Body, Builtin, Constant, Entry, ExprId, ExprKind, Handle, Local, PlaceBase, PlaceId,
    Projection, Scalar, Span, Stmt, StmtKind, Type,
};
use crate::text::names::{Labels, builtin_name, write_number, write_string};
use crate::valid::MAX_DEPTH;

/// Prints the locals after the first `parameters` and the statements of a body.
pub(super) fn print_body<'p>(
    printer: &mut Printer<'p>,
    body: &'p Body,
    locals: &Labels<'p>,
    parameters: usize,
    indent: u32,
) {
    BodyPrinter::new(printer, body, locals, indent).body(parameters);
}

/// Prints an entry from its predicate on.
pub(super) fn print_entry<'p>(printer: &mut Printer<'p>, entry: &'p Entry, locals: &Labels<'p>, parameters: usize) {
    let mut printer = BodyPrinter::new(printer, &entry.body, locals, 2);
    if let Some(predicate) = entry.predicate {
        printer.push(" if ");
        printer.expr(predicate);
    }
    printer.push(" {");
    printer.end_line(Span::NONE);
    printer.body(parameters);
}

struct BodyPrinter<'a, 'p> {
    printer: &'a mut Printer<'p>,
    body: &'p Body,
    locals: &'a Labels<'p>,
    indent: u32,
    depth: u32,
    /// The spans of the nodes of this line.
    spans: Vec<Span>,
    /// What was printed, so that nodes with several parents do not make the text explode.
    exprs: Vec<bool>,
    places: Vec<bool>,
}

impl<'a, 'p> BodyPrinter<'a, 'p> {
    fn new(printer: &'a mut Printer<'p>, body: &'p Body, locals: &'a Labels<'p>, indent: u32) -> Self {
        BodyPrinter {
            printer,
            body,
            locals,
            indent,
            depth: 0,
            spans: Vec::new(),
            exprs: vec![false; body.exprs.len()],
            places: vec![false; body.places.len()],
        }
    }

    fn body(&mut self, parameters: usize) {
        for (handle, local) in self.body.locals.iter().skip(parameters) {
            self.start_line();
            self.printer.let_line(self.locals, handle.index(), local);
        }
        self.block(&self.body.block);
    }

    fn push(&mut self, text: &str) {
        self.printer.out.push_str(text);
    }

    fn number(&mut self, number: u64) {
        write_number(&mut self.printer.out, number);
    }

    /// A `?` and a number: what the text form cannot express.
    fn missing(&mut self, number: usize) {
        self.push("?");
        self.number(number as u64);
    }

    fn start_line(&mut self) {
        for _ in 0..self.indent {
            self.push("    ");
        }
    }

    /// Ends a line with the spans of its statement and nodes.
    fn end_line(&mut self, statement: Span) {
        let nodes = std::mem::take(&mut self.spans);
        if statement == Span::NONE && nodes.iter().all(|&span| span == Span::NONE) {
            self.push("\n");
            self.spans = nodes;
            self.spans.clear();
            return;
        }
        self.push("  @");
        let mut before = Span::NONE;
        let mut span = statement;
        let mut run = 1;
        for &node in &nodes {
            if node == span {
                run += 1;
                continue;
            }
            self.printer.span_after(span, before);
            if run > 1 {
                self.push("*");
                self.number(run);
            }
            self.push(" ");
            if span != Span::NONE {
                before = span;
            }
            (span, run) = (node, 1);
        }
        self.printer.span_after(span, before);
        self.push("\n");
        self.spans = nodes;
        self.spans.clear();
    }

    fn block(&mut self, block: &'p Block) {
        for stmt in block {
            self.start_line();
            self.stmt(stmt);
        }
    }

    /// The statements of a block inside another one, and the brace that closes it.
    fn inner_block(&mut self, block: &'p Block) {
        self.indent += 1;
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            self.start_line();
            self.push("?\n");
        } else {
            self.block(block);
        }
        self.depth -= 1;
        self.indent -= 1;
        self.start_line();
        self.push("}");
    }

    fn stmt(&mut self, stmt: &'p Stmt) {
        match &stmt.kind {
            StmtKind::Store { place, value } => {
                self.push("store ");
                self.place(*place);
                self.push(" = ");
                self.expr(*value);
            }
            StmtKind::Call {
                function,
                arguments,
                result,
            } => {
                self.push("call ");
                self.result(*result);
                self.printer.functions.write(&mut self.printer.out, function.index());
                self.push("(");
                self.list(arguments);
                self.push(")");
            }
            StmtKind::Atomic {
                op,
                place,
                operands,
                order,
                scope,
                result,
            } => {
                self.push("atomic ");
                self.result(*result);
                self.push(op.name());
                self.push("(");
                self.place(*place);
                for &operand in operands {
                    self.push(", ");
                    self.expr(operand);
                }
                self.push(") ");
                self.push(order.name());
                self.push(" ");
                self.push(scope.name());
            }
            StmtKind::Warp { op, operands, result } => {
                self.push("warp ");
                self.result(*result);
                self.push(op.name());
                self.push("(");
                self.list(operands);
                self.push(")");
            }
            StmtKind::Fence { order, scope } => {
                self.push("fence ");
                self.push(order.name());
                self.push(" ");
                self.push(scope.name());
            }
            StmtKind::Barrier => self.push("barrier"),
            StmtKind::GridBarrier => self.push("grid_barrier"),
            StmtKind::Clock { result } => {
                self.push("clock ");
                self.locals.write(&mut self.printer.out, result.index());
            }
            StmtKind::BarrierCount { predicate, result } => {
                self.push("barrier_count ");
                self.result(*result);
                self.push("(");
                self.expr(*predicate);
                self.push(")");
            }
            StmtKind::If {
                condition,
                then,
                otherwise,
            } => {
                self.push("if ");
                self.expr(*condition);
                self.push(" {");
                self.end_line(stmt.span);
                self.inner_block(then);
                if !otherwise.is_empty() {
                    self.push(" else {\n");
                    self.inner_block(otherwise);
                }
                self.push("\n");
                return;
            }
            StmtKind::Loop { body, step } => {
                self.push("loop {");
                self.end_line(stmt.span);
                self.inner_block(body);
                if !step.is_empty() {
                    self.push(" step {\n");
                    self.inner_block(step);
                }
                self.push("\n");
                return;
            }
            StmtKind::Break(depth) => {
                self.push("break ");
                self.number(u64::from(*depth));
            }
            StmtKind::Continue(depth) => {
                self.push("continue ");
                self.number(u64::from(*depth));
            }
            StmtKind::Return(value) => {
                self.push("return");
                if let Some(value) = *value {
                    self.push(" ");
                    self.expr(value);
                }
            }
            StmtKind::Assert {
                condition,
                message,
                values,
            } => {
                self.push("assert ");
                self.expr(*condition);
                let (word, text) = match message {
                    AssertMessage::Assertion(text) => (", ", text),
                    AssertMessage::Panic(text) => (", panic ", text),
                };
                self.push(word);
                write_string(&mut self.printer.out, text);
                self.values(values);
            }
            StmtKind::Ptx { text, operands, result } => {
                self.push("ptx ");
                self.result(*result);
                write_string(&mut self.printer.out, text);
                self.values(operands);
            }
            StmtKind::Print { template, values } => {
                self.push("print ");
                write_string(&mut self.printer.out, template);
                self.values(values);
            }
        }
        self.end_line(stmt.span);
    }

    fn values(&mut self, values: &[ExprId]) {
        for &value in values {
            self.push(", ");
            self.expr(value);
        }
    }

    fn result(&mut self, result: Option<Handle<Local>>) {
        if let Some(local) = result {
            self.locals.write(&mut self.printer.out, local.index());
            self.push(" = ");
        }
    }

    fn list(&mut self, exprs: &[ExprId]) {
        for (position, &expr) in exprs.iter().enumerate() {
            if position > 0 {
                self.push(", ");
            }
            self.expr(expr);
        }
    }

    /// An operation's name with its operands.
    fn operation(&mut self, name: &str, operands: &[ExprId]) {
        self.push(name);
        self.push("(");
        self.list(operands);
        self.push(")");
    }

    fn expr(&mut self, id: ExprId) {
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

    fn typed(&mut self, name: &str, ty: crate::ir::TypeId, operands: &[ExprId]) {
        self.push(name);
        self.printer.ty(ty);
        self.operation("", operands);
    }

    fn place(&mut self, id: PlaceId) {
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
    }

    fn builtin(&mut self, builtin: Builtin) {
        self.push(builtin_name(builtin));
        match builtin {
            Builtin::ThreadIndex(axis)
            | Builtin::BlockIndex(axis)
            | Builtin::BlockSize(axis)
            | Builtin::GridSize(axis)
            | Builtin::GlobalIndex(axis) => self.axis(axis),
            Builtin::LinearIndex | Builtin::LaneIndex | Builtin::OnGpu => {}
        }
    }

    fn axis(&mut self, axis: Axis) {
        self.push(".");
        self.push(axis.name());
    }

    /// A constant with its type: as a number where that gives back the same bits.
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
