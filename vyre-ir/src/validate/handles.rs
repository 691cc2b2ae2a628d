//! Checks that every handle and span of a program refers to an existing element. The other checks
//! index without checking again.

use super::error::{Entity, Invalid, InvalidKind, Within};
use crate::ir::{
    Block, Body, ExprId, ExprKind, Handle, Local, Mention, PlaceBase, PlaceId, Program, Span, StmtKind, Type, TypeId,
};

/// Checks the handles of all items and bodies, and the number of a function's parameters, which
/// acts like a handle.
pub(super) fn check(program: &Program, errors: &mut Vec<Invalid>) {
    let mut handles = Handles {
        program,
        errors,
        within: Within::Program,
        span: Span::NONE,
    };
    handles.items();
}

struct Handles<'p, 'e> {
    program: &'p Program,
    errors: &'e mut Vec<Invalid>,
    within: Within,
    /// The span of the current node.
    span: Span,
}

impl<'p> Handles<'p, '_> {
    fn items(&mut self) {
        let program = self.program;
        for (_, ty) in program.types.iter() {
            self.parts(ty);
        }
        for (_, external) in program.externals.iter() {
            self.at(external.span);
        }
        for (_, table) in program.tables.iter() {
            self.at(table.span);
            self.ty(table.ty);
        }
        for (_, shared) in program.shared.iter() {
            self.at(shared.span);
            self.ty(shared.ty);
        }
        for (handle, function) in program.functions.iter() {
            self.within = Within::Function(handle);
            self.at(function.span);
            self.ty(function.result);
            let locals = function.body.locals.len();
            if function.parameters as usize > locals {
                self.error(InvalidKind::ParameterCount {
                    parameters: function.parameters,
                    locals,
                });
            }
            self.body(&function.body);
        }
        for (handle, kernel) in program.kernels.iter() {
            self.within = Within::Kernel(handle);
            self.at(kernel.span);
            for parameter in &kernel.parameters {
                self.at(parameter.span);
                self.ty(parameter.ty);
            }
            for (position, entry) in kernel.entries.iter().enumerate() {
                self.within = Within::Entry(handle, position);
                self.span = kernel.span;
                if let Some(predicate) = entry.predicate {
                    self.expr(&entry.body, predicate);
                }
                self.body(&entry.body);
            }
        }
    }

    fn error(&mut self, kind: InvalidKind) {
        self.errors.push(Invalid {
            kind,
            within: self.within,
            span: self.span,
        });
    }

    fn missing(&mut self, entity: Entity) {
        self.error(InvalidKind::Missing(entity));
    }

    fn at(&mut self, span: Span) {
        if span.is_some() && span.file as usize >= self.program.files.len() {
            // Without a location: the message would look up the missing file.
            self.span = Span::NONE;
            self.missing(Entity::File(span.file));
        } else {
            self.span = span;
        }
    }

    fn ty(&mut self, ty: TypeId) {
        if self.program.types.get(ty).is_none() {
            self.missing(Entity::Type(ty));
        }
    }

    fn parts(&mut self, ty: &Type) {
        match ty {
            Type::Scalar(_) | Type::Atomic(_) => {}
            Type::Tuple(fields) => fields.iter().for_each(|&field| self.ty(field)),
            Type::Struct { fields, .. } => fields.iter().for_each(|field| self.ty(field.ty)),
            Type::Array { element, .. } | Type::Slice { element, .. } => self.ty(*element),
            Type::Reference { pointee, .. } => self.ty(*pointee),
        }
    }

    fn body(&mut self, body: &Body) {
        for (_, local) in body.locals.iter() {
            self.at(local.span);
            self.ty(local.ty);
        }
        for (_, expr) in body.exprs.iter() {
            self.at(expr.span);
            self.ty(expr.ty);
            if let ExprKind::External(external) = expr.kind
                && self.program.externals.get(external).is_none()
            {
                self.missing(Entity::External(external));
            }
            expr.kind.mentions(&mut |mention| self.mention(body, mention));
        }
        for (_, place) in body.places.iter() {
            self.at(place.span);
            self.ty(place.ty);
            match place.base {
                PlaceBase::Local(local) => self.local(body, local),
                PlaceBase::Shared(shared) => {
                    if self.program.shared.get(shared).is_none() {
                        self.missing(Entity::Shared(shared));
                    }
                }
                PlaceBase::Table(table) => {
                    if self.program.tables.get(table).is_none() {
                        self.missing(Entity::Table(table));
                    }
                }
            }
            place.indices().for_each(|index| self.expr(body, index));
        }
        // The nesting of blocks is not bounded yet, so they are walked with an explicit stack.
        let mut open: Vec<&Block> = vec![&body.block];
        while let Some(block) = open.pop() {
            for stmt in block {
                self.at(stmt.span);
                stmt.kind.mentions(&mut |mention| self.mention(body, mention));
                if let StmtKind::Call { function, .. } = stmt.kind
                    && self.program.functions.get(function).is_none()
                {
                    self.missing(Entity::Function(function));
                }
                open.extend(stmt.kind.blocks());
            }
        }
    }

    fn mention(&mut self, body: &Body, mention: Mention) {
        match mention {
            Mention::Expr(expr) => self.expr(body, expr),
            Mention::Place(place, _) => self.place(body, place),
            Mention::Result(local) => self.local(body, local),
        }
    }

    fn expr(&mut self, body: &Body, expr: ExprId) {
        if body.exprs.get(expr).is_none() {
            self.missing(Entity::Expr(expr));
        }
    }

    fn place(&mut self, body: &Body, place: PlaceId) {
        if body.places.get(place).is_none() {
            self.missing(Entity::Place(place));
        }
    }

    fn local(&mut self, body: &Body, local: Handle<Local>) {
        if body.locals.get(local).is_none() {
            self.missing(Entity::Local(local));
        }
    }
}
