//! Prints bodies: one statement per line, expressions inline.

use super::Printer;
use crate::append;
use crate::ir::limits::MAX_DEPTH;
use crate::ir::{AssertMessage, Block, Body, Entry, ExprId, Handle, Local, Span, Stmt, StmtKind};
use crate::text::names::{Labels, write_string};

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

pub(super) struct BodyPrinter<'a, 'p> {
    pub(super) printer: &'a mut Printer<'p>,
    pub(super) body: &'p Body,
    pub(super) locals: &'a Labels<'p>,
    indent: u32,
    pub(super) depth: u32,
    /// The spans of the nodes of this line.
    pub(super) spans: Vec<Span>,
    /// The printed nodes, so that nodes with several parents do not make the text explode.
    pub(super) exprs: Vec<bool>,
    pub(super) places: Vec<bool>,
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

    pub(super) fn push(&mut self, text: &str) {
        append::push(&mut self.printer.out, text);
    }

    pub(super) fn number(&mut self, number: u64) {
        append::decimal(&mut self.printer.out, number);
    }

    /// A `?` and a number: a node that the text form cannot express.
    pub(super) fn missing(&mut self, number: usize) {
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

    /// The statements of a nested block, and its closing brace.
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
            StmtKind::Intrinsic {
                intrinsic,
                operands,
                result,
            } => {
                self.push(&intrinsic.to_string());
                if let Some(local) = result {
                    self.push(" ");
                    self.locals.write(&mut self.printer.out, local.index());
                    self.push(" =");
                }
                if !operands.is_empty() {
                    self.push(" (");
                    self.list(operands);
                    self.push(")");
                }
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
            StmtKind::Ptx {
                text,
                version,
                operands,
                result,
            } => {
                self.push("ptx ");
                self.result(*result);
                write_string(&mut self.printer.out, text);
                if let Some((major, minor)) = version {
                    self.push(&format!(" version {major} {minor}"));
                }
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

    pub(super) fn list(&mut self, exprs: &[ExprId]) {
        for (position, &expr) in exprs.iter().enumerate() {
            if position > 0 {
                self.push(", ");
            }
            self.expr(expr);
        }
    }
}
