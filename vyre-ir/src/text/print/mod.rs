//! Prints programs: the items. [`body`] prints bodies.

mod body;
mod expr;

use crate::append::decimal;
use crate::ir::{Body, Entry, Field, Kernel, Local, Parameter, Program, Scalar, Span, Type, TypeId, Types};
use crate::text::names::{Labels, atomic_name, write_name, write_string};

/// The text form of a program.
///
/// Prints any program, valid or not; a dangling handle, or an expression inside itself, is printed
/// as a `?`, which does not parse.
pub fn print(program: &Program) -> String {
    let mut printer = Printer::new(program);
    printer.program();
    printer.out
}

/// The text form of a type, for messages.
pub(crate) fn type_text(program: &Program, ty: TypeId) -> String {
    let mut printer = Printer::new(program);
    printer.out.clear();
    printer.ty(ty);
    printer.out
}

/// The state shared by all parts of the printer.
pub(super) struct Printer<'p> {
    pub(super) out: String,
    pub(super) program: &'p Program,
    pub(super) externals: Labels<'p>,
    pub(super) tables: Labels<'p>,
    pub(super) shared: Labels<'p>,
    pub(super) functions: Labels<'p>,
    structs: Labels<'p>,
}

/// The labels of the struct types; those of other types are unused.
fn struct_labels(types: &Types) -> Labels<'_> {
    Labels::new(&mut types.iter().map(|(_, ty)| match ty {
        Type::Struct { name, .. } => name,
        _ => "",
    }))
}

impl<'p> Printer<'p> {
    fn new(program: &'p Program) -> Self {
        Printer {
            out: String::with_capacity(4096),
            program,
            externals: Labels::new(&mut program.externals.iter().map(|(_, external)| external.name.as_str())),
            tables: Labels::new(&mut program.tables.iter().map(|(_, table)| table.name.as_str())),
            shared: Labels::new(&mut program.shared.iter().map(|(_, shared)| shared.name.as_str())),
            functions: Labels::new(&mut program.functions.iter().map(|(_, function)| function.name.as_str())),
            structs: struct_labels(&program.types),
        }
    }

    fn program(&mut self) {
        let program = self.program;
        self.out.push_str("vyre 1\n");
        for file in &program.files {
            self.out.push_str("file ");
            write_string(&mut self.out, file);
            self.out.push('\n');
        }
        for (id, ty) in program.types.iter().skip(Types::FIXED) {
            self.type_item(id, ty);
        }
        for (handle, external) in program.externals.iter() {
            self.out.push_str("external ");
            self.externals.declare(&mut self.out, handle.index());
            self.out.push_str(": ");
            self.out.push_str(external.scalar.name());
            self.out.push_str(" = ");
            self.external_value(handle.index(), external.scalar, external.value);
            self.end_line(external.span);
        }
        for (handle, shared) in program.shared.iter() {
            self.out.push_str("shared ");
            self.shared.declare(&mut self.out, handle.index());
            self.out.push_str(": ");
            self.ty(shared.ty);
            self.end_line(shared.span);
        }
        for (handle, table) in program.tables.iter() {
            self.out.push_str("table ");
            self.tables.declare(&mut self.out, handle.index());
            self.out.push_str(": ");
            self.ty(table.ty);
            if let Some(key) = table.host {
                self.out.push_str(" host ");
                self.hexadecimal(key, 1);
            }
            self.out.push_str(" =");
            for &value in &table.values {
                self.out.push(' ');
                self.hexadecimal(value, 1);
            }
            self.end_line(table.span);
        }
        for (handle, function) in program.functions.iter() {
            self.out.push_str(if function.exact { "\nexact fn " } else { "\nfn " });
            self.functions.declare(&mut self.out, handle.index());
            let locals = Labels::new(&mut function.body.locals.iter().map(|(_, local)| local.name.as_str()));
            let count = (function.parameters as usize).min(function.body.locals.len());
            self.parameter_locals(&locals, &function.body, count);
            self.out.push_str(" -> ");
            self.ty(function.result);
            self.out.push_str(" {");
            self.end_line(function.span);
            body::print_body(self, &function.body, &locals, count, 1);
            self.out.push_str("}\n");
        }
        for (_, kernel) in program.kernels.iter() {
            self.kernel(kernel);
        }
    }

    fn kernel(&mut self, kernel: &'p Kernel) {
        self.out.push_str("\nkernel ");
        write_name(&mut self.out, &kernel.name);
        self.out.push('(');
        for (position, parameter) in kernel.parameters.iter().enumerate() {
            if position > 0 {
                self.out.push_str(", ");
            }
            write_name(&mut self.out, &parameter.name);
            self.out.push_str(": ");
            self.ty(parameter.ty);
            self.span(" @", parameter.span);
        }
        self.out.push_str(") dimensions ");
        decimal(&mut self.out, u64::from(kernel.dimensions));
        self.out.push_str(" block");
        for extent in kernel.block {
            self.out.push(' ');
            decimal(&mut self.out, u64::from(extent));
        }
        if let Some(cluster) = kernel.cluster {
            self.out.push_str(" cluster");
            for extent in cluster {
                self.out.push(' ');
                decimal(&mut self.out, u64::from(extent));
            }
        }
        if let Some(blocks) = kernel.min_blocks {
            self.out.push_str(" min_blocks ");
            decimal(&mut self.out, u64::from(blocks));
        }
        for (position, (name, value)) in kernel.instance.iter().enumerate() {
            self.out.push_str(if position == 0 { " where " } else { ", " });
            write_name(&mut self.out, name);
            self.out.push_str(" = ");
            write_string(&mut self.out, value);
        }
        self.out.push_str(" {");
        self.end_line(kernel.span);
        for entry in &kernel.entries {
            self.entry(kernel, entry);
        }
        self.out.push_str("}\n");
    }

    fn entry(&mut self, kernel: &'p Kernel, entry: &'p Entry) {
        let body = &entry.body;
        let locals = Labels::new(&mut body.locals.iter().map(|(_, local)| local.name.as_str()));
        let count = kernel.parameters.len().min(body.locals.len());
        self.out.push_str("    entry ");
        write_name(&mut self.out, &entry.symbol);
        if count < kernel.parameters.len() || !mirrors(&kernel.parameters, body) {
            self.parameter_locals(&locals, body, count);
        }
        if entry.coarsening != 1 {
            self.out.push_str(" coarsening ");
            decimal(&mut self.out, u64::from(entry.coarsening));
        }
        body::print_entry(self, entry, &locals, count);
        self.out.push_str("    }\n");
    }

    /// The first locals of a body, in parentheses.
    fn parameter_locals(&mut self, locals: &Labels<'p>, body: &'p Body, count: usize) {
        self.out.push('(');
        for (handle, local) in body.locals.iter().take(count) {
            if handle.index() > 0 {
                self.out.push_str(", ");
            }
            self.local(locals, handle.index(), local);
        }
        self.out.push(')');
    }

    /// The declaration of a local, within a line.
    fn local(&mut self, locals: &Labels<'p>, index: usize, local: &Local) {
        locals.declare(&mut self.out, index);
        self.out.push_str(": ");
        self.ty(local.ty);
        self.span(" @", local.span);
    }

    fn type_item(&mut self, id: TypeId, ty: &'p Type) {
        if let Type::Struct { fields, align, .. } = ty {
            self.out.push_str("struct ");
            self.structs.declare(&mut self.out, id.index());
            if *align != 1 {
                self.out.push_str(" align ");
                decimal(&mut self.out, *align);
            }
            self.out.push_str(" {");
            for (position, Field { name, ty }) in fields.iter().enumerate() {
                self.out.push_str(if position == 0 { " " } else { ", " });
                write_name(&mut self.out, name);
                self.out.push_str(": ");
                self.part(id, *ty);
            }
            self.out.push_str(if fields.is_empty() { "}\n" } else { " }\n" });
        } else {
            self.out.push_str("type ");
            self.ty(id);
            self.out.push('\n');
        }
    }

    /// A type contained in `whole`. Types follow those that they refer to, so printing terminates.
    fn part(&mut self, whole: TypeId, part: TypeId) {
        if part < whole {
            self.ty(part);
        } else {
            self.out.push('?');
            decimal(&mut self.out, part.index() as u64);
        }
    }

    /// A type.
    pub(super) fn ty(&mut self, id: TypeId) {
        match self.program.types.get(id) {
            None => {
                self.out.push('?');
                decimal(&mut self.out, id.index() as u64);
            }
            Some(Type::Scalar(scalar)) => self.out.push_str(scalar.name()),
            Some(Type::Tuple(fields)) => {
                self.out.push('(');
                for (position, &field) in fields.iter().enumerate() {
                    if position > 0 {
                        self.out.push(' ');
                    }
                    self.part(id, field);
                    if position + 1 < fields.len() || position == 0 {
                        self.out.push(',');
                    }
                }
                self.out.push(')');
            }
            Some(Type::Struct { .. }) => self.structs.write(&mut self.out, id.index()),
            Some(&Type::Array { element, length }) => {
                self.out.push('[');
                self.part(id, element);
                self.out.push_str("; ");
                decimal(&mut self.out, length);
                self.out.push(']');
            }
            Some(&Type::Atomic(scalar)) => self.out.push_str(atomic_name(scalar)),
            Some(&Type::Reference { pointee, mutable }) => {
                self.out.push_str(if mutable { "&mut " } else { "&" });
                self.part(id, pointee);
            }
            Some(&Type::Slice { element, mutable }) => {
                self.out.push_str(if mutable { "&mut [" } else { "&[" });
                self.part(id, element);
                self.out.push(']');
            }
        }
    }

    fn external_value(&mut self, index: usize, scalar: Scalar, value: Option<u64>) {
        let digits = if scalar.bits() == 64 { 16 } else { 8 };
        match value {
            Some(bits) => self.hexadecimal(bits, digits),
            None => {
                let mut number = String::new();
                decimal(&mut number, index as u64);
                self.out.push_str("0xV");
                for _ in number.len()..digits - 1 {
                    self.out.push('0');
                }
                self.out.push_str(&number);
            }
        }
    }

    /// `0x` and at least `digits` digits.
    pub(super) fn hexadecimal(&mut self, bits: u64, digits: usize) {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let needed = (u64::BITS - bits.leading_zeros()).div_ceil(4) as usize;
        self.out.push_str("0x");
        for position in (0..needed.max(digits)).rev() {
            self.out
                .push(char::from(DIGITS[(bits >> (position * 4)) as usize & 15]));
        }
    }

    /// A span within a line.
    fn span(&mut self, before: &str, span: Span) {
        if span != Span::NONE {
            self.out.push_str(before);
            self.span_after(span, Span::NONE);
        }
    }

    /// The span of an item, then the end of its line.
    pub(super) fn end_line(&mut self, span: Span) {
        self.span("  @", span);
        self.out.push('\n');
    }

    /// A span without the parts that it shares with `before`.
    pub(super) fn span_after(&mut self, span: Span, before: Span) {
        if span == Span::NONE {
            self.out.push('-');
            return;
        }
        if span.file != before.file {
            decimal(&mut self.out, u64::from(span.file));
            self.out.push('/');
        }
        if span.file != before.file || span.line != before.line {
            decimal(&mut self.out, u64::from(span.line));
            self.out.push(':');
        }
        decimal(&mut self.out, u64::from(span.column));
    }

    /// Declares a local in a line of its own.
    pub(super) fn let_line(&mut self, locals: &Labels<'p>, index: usize, local: &Local) {
        self.out.push_str("let ");
        locals.declare(&mut self.out, index);
        self.out.push_str(": ");
        self.ty(local.ty);
        self.end_line(local.span);
    }
}

/// True if the first locals of a body are the parameters.
fn mirrors(parameters: &[Parameter], body: &Body) -> bool {
    parameters
        .iter()
        .zip(body.locals.iter())
        .all(|(parameter, (_, local))| {
            parameter.name == local.name && parameter.ty == local.ty && parameter.span == local.span
        })
}
