//! Assertions, panics and what is printed.

use vyre_abi::fault::MAX_FAULT_VALUES;
use vyre_abi::format::{Count, Piece, Spec, Style, Template};
use vyre_ir::ir::builder::Path;
use vyre_ir::ir::{AssertMessage, ExprId, Handle, Local, Scalar, StmtKind};

use super::Lowering;
use crate::infer::message::written;
use crate::syntax::tree::{Argument, Expr, ExprKind, MessagePart, MethodCall};
use crate::types::adt::{Adt, Field, Form};
use crate::types::slots::Place;
use crate::types::{Kind, Ty};

/// The format of the operands of `assert_eq!`.
const DEBUG: Spec = Spec {
    style: Style::Debug,
    ..Spec::DISPLAY
};

pub(super) const NO_SOME: &str = "called `Option::unwrap()` on a `None` value";
pub(super) const NO_OK: &str = "called `Result::unwrap()` on an `Err` value";

/// A message: its parts and values.
pub(super) type Text<'t> = (&'t [MessagePart], &'t [Expr]);

/// A template and its values, as they come together.
#[derive(Default)]
pub(super) struct Written {
    pub(super) template: Template,
    values: Vec<ExprId>,
    /// The values of the message that are widths or precisions, and their numbers in the template.
    counts: Vec<(usize, usize)>,
}

/// A value that is being written.
struct Of<'w> {
    written: &'w mut Written,
    local: Handle<Local>,
    spec: Spec,
    /// The way to the part that is written now.
    steps: Vec<Step>,
    /// The parts that the template has taken, and the numbers of their values: variants share slots.
    known: Vec<(Vec<Step>, usize)>,
    /// Nesting depth of compounds printed with one part per line.
    depth: usize,
}

/// A step from a compound value to a part of it.
#[derive(Clone, Copy, PartialEq)]
enum Step {
    Field(u32),
    Element(u64),
    /// To what lies in several parts of an enum of this type, from an offset on.
    Bytes(Ty, u64),
}

/// The name, the place and the type of a part; unit has no place.
type Part<'t> = (&'t str, Option<Step>, Ty);

impl Lowering<'_, '_> {
    pub(super) fn print(&mut self, message: Text<'_>) -> Option<()> {
        let here = self.b.span;
        let written = self.written(message)?;
        self.b.span = here;
        self.b.print(&written.template.to_string(), written.values);
        Some(())
    }

    /// `assert!`. Where the message shows the sides of the condition, a comparison, these are
    /// evaluated once.
    pub(super) fn assert(&mut self, condition: &Expr, message: Text<'_>, shows_sides: bool) -> Option<()> {
        let here = self.b.span;
        let mut sides: Option<[(Handle<Local>, Ty); 2]> = None;
        let condition = match &condition.kind {
            ExprKind::Binary(operator, left, right) if shows_sides && self.shows([left, right], message) => {
                let value = self.value(left)?;
                let first = self.b.let_("", value);
                let value = self.value(right)?;
                let second = self.b.let_("", value);
                sides = Some([(first, left.ty), (second, right.ty)]);
                let (of_left, of_right) = (self.b.get(first), self.b.get(second));
                match self.is_scalar(left.ty) {
                    true => self.binary(*operator, of_left, of_right),
                    false => {
                        let ty = self.tree.types.by_value(left.ty);
                        self.compare_parts(*operator, ty, of_left, of_right)
                    }
                }
            }
            _ => self.value(condition)?,
        };
        self.b.span = here;
        if message.1.is_empty() && sides.is_none() {
            let written = self.written(message)?;
            self.fail(
                condition,
                AssertMessage::Assertion(written.template.to_string()),
                Vec::new(),
            );
            return Some(());
        }
        // Values are evaluated only if the condition is false.
        let (otherwise, _) = self.nested(|l| {
            let mut written = l.written(message)?;
            if let Some([left, right]) = sides {
                for (text, (side, ty)) in [("\n  left: ", left), ("\n right: ", right)] {
                    written.template.text(text);
                    l.write(&mut written, side, ty, DEBUG);
                }
            }
            l.b.span = here;
            let never = l.b.bool(false);
            let message = AssertMessage::Assertion(written.template.to_string());
            l.fail(never, message, written.values);
            Some(())
        });
        self.b.span = here;
        self.branch(condition, Vec::new(), otherwise);
        Some(())
    }

    /// True if the operands of a comparison fit beside a message, and can be printed.
    fn shows(&self, sides: [&Expr; 2], (parts, values): Text<'_>) -> bool {
        let types = &self.tree.types;
        let mut all = vec![(sides[0].ty, DEBUG), (sides[1].ty, DEBUG)];
        for part in parts {
            if let MessagePart::Value(number, spec) = part {
                all.push((values[*number].ty, *spec));
            }
        }
        let mut count = 0_usize;
        for (ty, spec) in all {
            let Ok(scalars) = written(types, ty, spec.style) else {
                return false;
            };
            let is_value = |count| usize::from(matches!(count, Count::Value(_)));
            let counts = is_value(spec.width) + spec.precision.map_or(0, is_value);
            count = count.saturating_add(scalars).saturating_add(counts);
        }
        count <= MAX_FAULT_VALUES
    }

    /// `panic!`.
    pub(super) fn panic(&mut self, message: Text<'_>) -> Option<()> {
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

    /// Panics by the text that `expect` gives, or by this one, unless a condition holds.
    pub(super) fn expect(&mut self, condition: ExprId, call: &MethodCall, unsaid: &str) {
        let mut template = Template::default();
        match &call.arguments[..] {
            [Argument::Text(text)] => template.text(text),
            _ => template.text(unsaid),
        }
        self.fail(condition, AssertMessage::Panic(template.to_string()), Vec::new());
    }

    pub(super) fn fail(&mut self, condition: ExprId, message: AssertMessage, values: Vec<ExprId>) {
        self.b.push(StmtKind::Assert {
            condition,
            message,
            values,
        });
    }

    /// Evaluates the values of a message, each once and in order, and writes it.
    pub(super) fn written(&mut self, (parts, values): Text<'_>) -> Option<Written> {
        let mut locals = Vec::with_capacity(values.len());
        for value in values {
            if self.tree.types.is_unit(value.ty) {
                self.effect(value)?;
                locals.push(None);
            } else {
                let value = self.value(value)?;
                locals.push(Some(self.b.let_("", value)));
            }
        }
        let mut written = Written::default();
        for part in parts {
            match part {
                MessagePart::Text(text) => written.template.text(text),
                MessagePart::Value(number, spec) => {
                    let mut spec = *spec;
                    spec.width = self.count_of(&mut written, spec.width, &locals);
                    spec.precision = spec.precision.map(|it| self.count_of(&mut written, it, &locals));
                    match locals[*number] {
                        Some(local) => self.write(&mut written, local, values[*number].ty, spec),
                        None => written.template.pieces.push(Piece::Unit(spec)),
                    }
                }
            }
        }
        Some(written)
    }

    /// A width or precision of a template, for one that names a value of the message.
    fn count_of(&mut self, written: &mut Written, count: Count, locals: &[Option<Handle<Local>>]) -> Count {
        let Count::Value(number) = count else { return count };
        if let Some(&(_, known)) = written.counts.iter().find(|(of, _)| *of == number) {
            return Count::Value(known);
        }
        let Some(local) = locals[number] else {
            return Count::Is(0);
        };
        let taken = written.template.value(Scalar::U64);
        written.values.push(self.b.get(local));
        written.counts.push((number, taken));
        Count::Value(taken)
    }

    /// Writes what lies in a local.
    fn write(&mut self, written: &mut Written, local: Handle<Local>, ty: Ty, spec: Spec) {
        let mut of = Of {
            written,
            local,
            spec,
            steps: Vec::new(),
            known: Vec::new(),
            depth: 0,
        };
        self.write_part(&mut of, ty);
    }

    /// Writes the part of a value that the steps lead to: a compound as Rust's `derive(Debug)` does.
    fn write_part(&mut self, of: &mut Of<'_>, ty: Ty) {
        let tree = self.tree;
        let types = &tree.types;
        match types.kind(types.by_value(ty)) {
            &Kind::Array(element, length) => {
                let mut parts = Vec::new();
                for number in 0..length {
                    parts.push(("", Some(Step::Element(number)), element));
                }
                self.write_parts(of, "[", "]", parts);
            }
            Kind::Adt(number) => self.write_adt(of, ty, &types.adts[*number]),
            Kind::Primitive(primitive) if primitive.is_wide() => {
                of.steps.push(Step::Field(0));
                let low = self.taken(of, Scalar::U64);
                of.steps.pop();
                of.steps.push(Step::Field(1));
                self.taken(of, primitive.scalar());
                of.steps.pop();
                of.written.template.pieces.push(Piece::Wide(low, of.spec));
            }
            Kind::Primitive(primitive) => {
                let number = self.taken(of, primitive.scalar());
                of.written.template.pieces.push(Piece::Value(number, of.spec));
            }
            // Others are refused.
            _ => {}
        }
    }

    fn write_adt(&mut self, of: &mut Of<'_>, ty: Ty, adt: &Adt) {
        match adt.form {
            Form::Tuple if adt.fields().is_empty() => of.written.template.pieces.push(Piece::Unit(of.spec)),
            Form::Tuple => {
                let mut parts = Vec::new();
                for field in adt.fields() {
                    parts.push(("", Some(Step::Field(parts.len() as u32)), field.ty));
                }
                // `(1,)`, whose comma is already there in the multi-line form.
                let is_single = adt.fields().len() == 1 && !of.spec.alternate;
                self.write_parts(of, "(", if is_single { ",)" } else { ")" }, parts);
            }
            Form::Struct => self.write_fields(of, &adt.name, adt.fields(), &|number| Some(Step::Field(number as u32))),
            Form::Fieldless { cell, .. } => {
                self.write_match(of, cell.scalar());
                for variant in &adt.variants {
                    of.written.template.pieces.push(Piece::Case(variant.bits));
                    of.written.template.text(&variant.name);
                }
                of.written.template.pieces.push(Piece::End);
            }
            Form::Tagged => {
                let Some(slots) = self.tree.types.slots(ty) else { return };
                of.steps.push(Step::Field(0));
                self.write_match(of, self.scalar(slots.types[0]));
                of.steps.pop();
                for (number, variant) in adt.variants.iter().enumerate() {
                    of.written.template.pieces.push(Piece::Case(slots.numbers[number].bits));
                    let slot = |field: usize| match slots.places[number][field] {
                        Place::Slot(slot) => Some(Step::Field(slot)),
                        Place::Bytes(offset) => Some(Step::Bytes(ty, offset)),
                        Place::Nowhere => None,
                    };
                    self.write_fields(of, &variant.name, &variant.fields, &slot);
                }
                of.written.template.pieces.push(Piece::End);
            }
        }
    }

    /// `Name { x: 1 }`, `Name(1)` or `Name`; `slot` returns the place of a field's value.
    fn write_fields(&mut self, of: &mut Of<'_>, name: &str, fields: &[Field], slot: &dyn Fn(usize) -> Option<Step>) {
        of.written.template.text(name);
        let Some(first) = fields.first() else { return };
        let is_tuple = first.name == "0";
        let [open, close] = match (is_tuple, of.spec.alternate) {
            (true, _) => ["(", ")"],
            (false, true) => [" {", "}"],
            (false, false) => [" { ", " }"],
        };
        let mut parts = Vec::with_capacity(fields.len());
        for (number, field) in fields.iter().enumerate() {
            let name = if is_tuple { "" } else { &*field.name };
            parts.push((name, slot(number), field.ty));
        }
        self.write_parts(of, open, close, parts);
    }

    /// Parts between brackets, in lines of their own for `{:#?}`.
    fn write_parts(&mut self, of: &mut Of<'_>, open: &str, close: &str, parts: Vec<Part<'_>>) {
        let has_lines = of.spec.alternate && !parts.is_empty();
        of.written.template.text(open);
        of.depth += 1;
        for (number, (name, step, ty)) in parts.into_iter().enumerate() {
            let before = match (has_lines, number) {
                (true, _) => of.line(),
                (false, 0) => String::new(),
                (false, _) => ", ".to_owned(),
            };
            let colon = if name.is_empty() { "" } else { ": " };
            of.written.template.text(&format!("{before}{name}{colon}"));
            match step {
                Some(Step::Bytes(whole, offset)) => self.write_bytes(of, ty, whole, offset),
                _ => {
                    of.steps.extend(step);
                    self.write_part(of, ty);
                    of.steps.truncate(of.steps.len() - usize::from(step.is_some()));
                }
            }
            if has_lines {
                of.written.template.text(",");
            }
        }
        of.depth -= 1;
        let after = if has_lines { of.line() } else { String::new() };
        of.written.template.text(&(after + close));
    }

    /// Writes a field that lies in several parts of an enum.
    fn write_bytes(&mut self, of: &mut Of<'_>, ty: Ty, whole: Ty, offset: u64) {
        let cells = self.tree.types.parts_at(whole, 0);
        let value = self.joined_at(&mut |l| l.path_to_part(of), &cells, ty, offset);
        let held = self.b.let_("", value);
        let mut part = Of {
            written: &mut *of.written,
            local: held,
            spec: of.spec,
            steps: Vec::new(),
            known: Vec::new(),
            depth: of.depth,
        };
        self.write_part(&mut part, ty);
    }

    /// The part that the steps lead to.
    fn path_to_part(&mut self, of: &Of<'_>) -> Path {
        let mut path = self.b.local_place(of.local);
        for step in &of.steps {
            path = match *step {
                Step::Field(number) => self.b.field(path, number),
                Step::Element(number) => {
                    let index = self.b.u64(number);
                    self.b.index_with(path, index, false)
                }
                // What it leads to is held in a variable of its own.
                Step::Bytes(..) => path,
            };
        }
        path
    }

    /// Begins cases of the scalar that the steps lead to.
    fn write_match(&mut self, of: &mut Of<'_>, scalar: Scalar) {
        let number = self.taken(of, scalar);
        of.written.template.pieces.push(Piece::Match(number));
    }

    /// The number of the scalar that the steps lead to.
    fn taken(&mut self, of: &mut Of<'_>, scalar: Scalar) -> usize {
        if let Some((_, known)) = of.known.iter().find(|(steps, _)| *steps == of.steps) {
            return *known;
        }
        let path = self.path_to_part(of);
        of.written.values.push(self.b.load(path));
        let number = of.written.template.value(scalar);
        of.known.push((of.steps.clone(), number));
        number
    }
}

impl Of<'_> {
    /// The begin of a line.
    fn line(&self) -> String {
        format!("\n{}", "    ".repeat(self.depth))
    }
}
