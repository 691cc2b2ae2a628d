//! Types and spans.

use super::error::ParseErrorKind;
use super::lexer::Token;
use super::{Parsed, Parser};
use crate::ir::limits::MAX_TYPE_DEPTH;
use crate::ir::{Handle, Scalar, Span, Type, TypeId};
use crate::text::names::atomic_from_name;

impl Parser<'_> {
    pub(super) fn scalar(&mut self) -> Parsed<Scalar> {
        let Token::Name(name) = self.peek() else {
            return Err(self.expected("a scalar type"));
        };
        let scalar = Scalar::from_name(name).ok_or_else(|| self.expected("a scalar type"))?;
        self.advance();
        Ok(scalar)
    }

    pub(super) fn ty(&mut self) -> Parsed<TypeId> {
        self.type_depth += 1;
        if self.type_depth > MAX_TYPE_DEPTH {
            return Err(self.error(ParseErrorKind::TooDeep));
        }
        let ty = self.type_inside()?;
        self.type_depth -= 1;
        Ok(ty)
    }

    fn type_inside(&mut self) -> Parsed<TypeId> {
        let ty = match self.peek() {
            Token::Name(name) => {
                if let Some(scalar) = Scalar::from_name(name) {
                    self.advance();
                    return Ok(self.program.types.scalar(scalar));
                }
                match atomic_from_name(name) {
                    Some(scalar) => {
                        self.advance();
                        Type::Atomic(scalar)
                    }
                    None => return self.struct_type(),
                }
            }
            Token::Mark("#") => return self.struct_type(),
            Token::Mark("(") => {
                self.advance();
                let mut fields = Vec::new();
                while !self.eat(")") {
                    fields.push(self.ty()?);
                    if !self.eat(",") {
                        self.expect(")")?;
                        break;
                    }
                }
                Type::Tuple(fields)
            }
            Token::Mark("[") => {
                self.advance();
                let element = self.ty()?;
                self.expect(";")?;
                let length = self.integer()?;
                self.expect("]")?;
                Type::Array { element, length }
            }
            Token::Mark("&") => {
                self.advance();
                let mutable = self.eat_word("mut");
                self.behind_reference(mutable)?
            }
            _ => return Err(self.expected("a type")),
        };
        Ok(self.program.types.intern(ty))
    }

    /// A slice, or a reference to another type, which may be an array.
    fn behind_reference(&mut self, mutable: bool) -> Parsed<Type> {
        if !self.eat("[") {
            let pointee = self.ty()?;
            return Ok(Type::Reference { pointee, mutable });
        }
        let element = self.ty()?;
        if self.eat("]") {
            return Ok(Type::Slice { element, mutable });
        }
        self.expect(";")?;
        let length = self.integer()?;
        self.expect("]")?;
        let pointee = self.program.types.intern(Type::Array { element, length });
        Ok(Type::Reference { pointee, mutable })
    }

    fn struct_type(&mut self) -> Parsed<TypeId> {
        let label = self.label()?;
        let types = &self.program.types;
        let name_of = &|number: usize| match types.get(Handle::new(number)) {
            Some(Type::Struct { name, .. }) => Some(name.as_str()),
            _ => None,
        };
        let index = self.structs.resolve(self.text, &label, "type", name_of)?;
        Ok(Handle::new(index))
    }

    /// The span of an item; [`Span::NONE`] if omitted.
    pub(super) fn span(&mut self) -> Parsed<Span> {
        if self.eat("@") {
            self.span_after(Span::NONE)
        } else {
            Ok(Span::NONE)
        }
    }

    /// A span whose missing parts are those of `before`.
    pub(super) fn span_after(&mut self, before: Span) -> Parsed<Span> {
        if self.eat("-") {
            return Ok(Span::NONE);
        }
        let mut span = before;
        span.column = self.integer()?;
        if self.eat("/") {
            span.file = span.column;
            span.column = self.integer()?;
        }
        if self.eat(":") {
            span.line = span.column;
            span.column = self.integer()?;
        }
        Ok(span)
    }
}
