//! Assertions, panics and what is printed.

use vyre_core::format::{Piece, Spec, Style, Template};
use vyre_core::ir::{AssertMessage, ExprId, Handle, Local, StmtKind};

use super::super::tree::{Expr, ExprKind, Message, MessagePart};
use super::super::types::{Kind, Ty};
use super::Lowering;

/// A template and its values, as they come together.
#[derive(Default)]
pub(super) struct Written {
    pub(super) template: Template,
    values: Vec<ExprId>,
}

/// A step from a compound value to a part of it.
enum Step {
    Field(u32),
    Element(u64),
}

impl Lowering<'_, '_> {
    pub(super) fn print(&mut self, message: &Message) -> Option<()> {
        let here = self.b.span;
        let written = self.written(message)?;
        self.b.span = here;
        self.b.print(&written.template.to_string(), written.values);
        Some(())
    }

    /// `assert!`. Where the message shows the sides of the condition, a comparison, these are
    /// evaluated once.
    pub(super) fn assert(&mut self, condition: &Expr, message: &Message, shows_sides: bool) -> Option<()> {
        let here = self.b.span;
        let mut sides: Option<[(Handle<Local>, Ty); 2]> = None;
        let condition = match &condition.kind {
            ExprKind::Binary(operator, left, right)
                if shows_sides
                    && [left, right]
                        .iter()
                        .all(|it| self.tree.types.as_primitive(it.ty).is_some()) =>
            {
                let value = self.value(left)?;
                let first = self.b.let_("", value);
                let value = self.value(right)?;
                let second = self.b.let_("", value);
                sides = Some([(first, left.ty), (second, right.ty)]);
                let (left, right) = (self.b.get(first), self.b.get(second));
                self.binary(*operator, left, right)
            }
            _ => self.value(condition)?,
        };
        self.b.span = here;
        if message.values.is_empty() && sides.is_none() {
            let written = self.written(message)?;
            self.fail(
                condition,
                AssertMessage::Assertion(written.template.to_string()),
                Vec::new(),
            );
            return Some(());
        }
        // Values are evaluated where the condition is false alone.
        let (otherwise, _) = self.nested(|l| {
            let mut written = l.written(message)?;
            if let Some([left, right]) = sides {
                for (text, (side, ty)) in [("\n  left: ", left), ("\n right: ", right)] {
                    written.template.text(text);
                    let debug = Spec {
                        style: Style::Debug,
                        ..Spec::DISPLAY
                    };
                    l.write(&mut written, side, ty, &debug, &mut Vec::new());
                }
            }
            l.b.span = here;
            let never = l.b.bool(false);
            let message = AssertMessage::Assertion(written.template.to_string());
            l.fail(never, message, written.values);
            Some(())
        });
        self.b.span = here;
        self.b.push(StmtKind::If {
            condition,
            then: Vec::new(),
            otherwise,
        });
        Some(())
    }

    /// `panic!`.
    pub(super) fn panic(&mut self, message: &Message) -> Option<()> {
        let here = self.b.span;
        let written = self.written(message)?;
        self.b.span = here;
        let never = self.b.bool(false);
        self.fail(
            never,
            AssertMessage::Panic(written.template.to_string()),
            written.values,
        );
        None
    }

    pub(super) fn fail(&mut self, condition: ExprId, message: AssertMessage, values: Vec<ExprId>) {
        self.b.push(StmtKind::Assert {
            condition,
            message,
            values,
        });
    }

    /// Evaluates the values of a message, each once and in order, and writes it.
    pub(super) fn written(&mut self, message: &Message) -> Option<Written> {
        let mut locals = Vec::with_capacity(message.values.len());
        for value in &message.values {
            if self.tree.types.is_unit(value.ty) {
                self.effect(value)?;
                locals.push(None);
            } else {
                let value = self.value(value)?;
                locals.push(Some(self.b.let_("", value)));
            }
        }
        let mut written = Written::default();
        for part in &message.parts {
            match part {
                MessagePart::Text(text) => written.template.text(text),
                MessagePart::Value(number, spec) => match locals[*number] {
                    Some(local) => {
                        let ty = message.values[*number].ty;
                        self.write(&mut written, local, ty, spec, &mut Vec::new());
                    }
                    None => written.template.text("()"),
                },
            }
        }
        Some(written)
    }

    /// Writes what lies in a local at these steps: a compound as Rust's `{:?}` does.
    fn write(&mut self, written: &mut Written, local: Handle<Local>, ty: Ty, spec: &Spec, steps: &mut Vec<Step>) {
        let tree = self.tree;
        match tree.types.kind(ty) {
            Kind::Tuple(fields) => {
                written.template.text("(");
                for (number, &field) in fields.iter().enumerate() {
                    written.template.text(if number == 0 { "" } else { ", " });
                    steps.push(Step::Field(number as u32));
                    self.write(written, local, field, spec, steps);
                    steps.pop();
                }
                written.template.text(if fields.len() == 1 { ",)" } else { ")" });
            }
            &Kind::Struct(number) => {
                let of = &tree.types.structs[number];
                let is_tuple = of.fields.first().is_some_and(|field| field.name == "0");
                written.template.text(&of.name);
                written.template.text(if is_tuple { "(" } else { " { " });
                for (number, field) in of.fields.iter().enumerate() {
                    written.template.text(if number == 0 { "" } else { ", " });
                    if !is_tuple {
                        written.template.text(&format!("{}: ", field.name));
                    }
                    steps.push(Step::Field(number as u32));
                    self.write(written, local, field.ty, spec, steps);
                    steps.pop();
                }
                written.template.text(if is_tuple { ")" } else { " }" });
            }
            &Kind::Array(element, length) => {
                written.template.text("[");
                for number in 0..length {
                    written.template.text(if number == 0 { "" } else { ", " });
                    steps.push(Step::Element(number));
                    self.write(written, local, element, spec, steps);
                    steps.pop();
                }
                written.template.text("]");
            }
            Kind::Primitive(primitive) => {
                let scalar = primitive.scalar();
                let mut path = self.b.local_place(local);
                for step in steps {
                    path = match *step {
                        Step::Field(number) => self.b.field(path, number),
                        Step::Element(number) => {
                            let index = self.b.u64(number);
                            self.b.index_with(path, index, false)
                        }
                    };
                }
                let value = self.b.load(path);
                written.values.push(value);
                written.template.pieces.push(Piece::Value(scalar, *spec));
            }
            // Others are refused.
            _ => {}
        }
    }
}
