//! Places as Rust.

use vyre_abi::fault::FaultKind;
use vyre_ir::ir::{Access, ExprKind, Handle, Local, PlaceBase, PlaceId, Projection, Type, TypeId};

use super::body::{Writer, given_name, shared_name, table_name};
use super::lanewise::Step;
use super::types;
use crate::code::{Code, code};

/// A place on its way: Rust's place expression, or a pointer to it.
pub(super) struct Target {
    pub(super) tokens: Code,
    is_pointer: bool,
    pub(super) memory: Memory,
    pub(super) ty: TypeId,
}

/// The memory of a place, as far as its path determines it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Memory {
    /// A variable of the thread.
    Own,
    /// Memory that is not written, or elements that no other thread touches.
    Plain,
    /// A table of constants.
    Table,
    /// Shared memory of the block.
    Shared,
    /// Memory that another block may access at the same time.
    Racy,
}

impl Writer<'_> {
    /// A place.
    pub(super) fn place(&mut self, id: PlaceId) -> Target {
        let span = self.span;
        let place = &self.body.places[id];
        let types = &self.context.program.types;
        let mut target = match place.base {
            PlaceBase::Local(local) => {
                let ty = self.body.locals[local].ty;
                Target {
                    tokens: self.variable(local),
                    is_pointer: false,
                    memory: Memory::Own,
                    ty,
                }
            }
            PlaceBase::Shared(shared) => {
                let name = self.ident(&shared_name(shared.index()));
                let ty = self.context.program.shared[shared].ty;
                Target {
                    tokens: code!(span=> #name),
                    is_pointer: true,
                    memory: Memory::Shared,
                    ty,
                }
            }
            PlaceBase::Table(table) => {
                let definition = &self.context.program.tables[table];
                let is_given = definition.host.is_some();
                let name = match is_given {
                    true => given_name(table.index()),
                    false => table_name(table.index()),
                };
                let (name, ty) = (self.ident(&name), definition.ty);
                Target {
                    tokens: code!(span=> #name),
                    is_pointer: is_given,
                    memory: Memory::Table,
                    ty,
                }
            }
        };
        // A volatile access is atomic, which takes place as often as it is written.
        let is_plain =
            place.access != Access::Volatile && place.local().is_some_and(|local| self.accesses.is_plain(local));
        for (number, step) in place.path.iter().enumerate() {
            target = match (*step, &types[target.ty]) {
                (Projection::Field(index), of) => {
                    let ty = types::part(of, index);
                    let memory = target.memory;
                    let (value, field) = (self.value(target), types::field(index as usize, span));
                    let tokens = code!(span=> #value.#field);
                    Target {
                        tokens,
                        is_pointer: false,
                        memory,
                        ty: ty.unwrap_or(place.ty),
                    }
                }
                (Projection::Index { index, checked }, &Type::Array { element, length }) => {
                    let memory = target.memory;
                    let array = &self.value(target);
                    if let Some(Step::Index(index, is_uniform)) = self.lane_step(id, number) {
                        let ty = &self.ty(element);
                        let is_fixed =
                            memory == Memory::Table || place.local().is_some_and(|local| self.is_fixed(local));
                        let first = match is_fixed {
                            true => code!(span=> (&raw const #array).cast_mut().cast::<#ty>()),
                            false => code!(span=> (&raw mut #array).cast::<#ty>()),
                        };
                        target = match is_uniform {
                            true => Target {
                                tokens: code!(span=> #array[#index]),
                                is_pointer: false,
                                memory,
                                ty: element,
                            },
                            // Without a check in each lane.
                            false => Target {
                                tokens: code!(span=> #first.add(#index)),
                                is_pointer: true,
                                memory,
                                ty: element,
                            },
                        };
                        continue;
                    }
                    let constant = match self.body.exprs[index].kind {
                        ExprKind::Constant(constant) if constant.bits < length => Some(constant.bits),
                        _ => None,
                    };
                    let index = if let Some(index) = constant {
                        let index = self.number(index);
                        code!(span=> #index)
                    } else if checked || self.lanewise.is_some() {
                        let value = self.expr(index);
                        let site = self.site_of_place(FaultKind::IndexOutOfBounds, (id, number), place.span);
                        let length = self.number(length);
                        code!(span=> __t.index(#value, #length, #site)?)
                    } else {
                        let value = self.expr(index);
                        code!(span=> #value as usize)
                    };
                    Target {
                        tokens: code!(span=> #array[#index]),
                        is_pointer: false,
                        memory,
                        ty: element,
                    }
                }
                (Projection::Index { index, checked }, of) => {
                    let ty = match of {
                        Type::Slice { element, .. } => *element,
                        _ => place.ty,
                    };
                    let slice = self.value(target);
                    let tokens = if let Some(Step::Pointer(pointer)) = self.lane_step(id, number) {
                        pointer
                    } else if checked || self.lanewise.is_some() {
                        let value = self.expr(index);
                        let site = self.site_of_place(FaultKind::IndexOutOfBounds, (id, number), place.span);
                        let method = self.ident(if self.accesses.is_inside(index) { "own" } else { "at" });
                        code!(span=> __t.#method(#slice, #value, #site)?)
                    } else {
                        let value = self.expr(index);
                        code!(span=> #slice.at(#value as usize))
                    };
                    let memory = match is_plain && number == 0 {
                        true => Memory::Plain,
                        false => Memory::Racy,
                    };
                    Target {
                        tokens,
                        is_pointer: true,
                        memory,
                        ty,
                    }
                }
                (Projection::Deref, of) => {
                    let ty = match of {
                        Type::Reference { pointee, .. } => *pointee,
                        _ => place.ty,
                    };
                    let tokens = self.value(target);
                    Target {
                        tokens,
                        is_pointer: true,
                        memory: Memory::Racy,
                        ty,
                    }
                }
            };
        }
        target
    }

    /// True if code of lanes does not assign a local.
    fn is_fixed(&self, local: Handle<Local>) -> bool {
        let is_parameter = local.index() < self.context.kernel.parameters.len();
        is_parameter && self.info.local(local).assigned_at_most(0)
            || self.regions.is_some_and(|regions| regions.is_of_block(local))
    }

    /// The place expression of a target.
    pub(super) fn value(&self, target: Target) -> Code {
        let (span, tokens) = (self.span, target.tokens);
        if target.is_pointer {
            code!(span=> (*#tokens))
        } else {
            tokens
        }
    }

    /// The pointer to a target.
    pub(super) fn pointer(&self, target: Target) -> Code {
        let (span, tokens) = (self.span, target.tokens);
        if target.is_pointer {
            tokens
        } else if target.memory == Memory::Table {
            code!(span=> (&raw const #tokens).cast_mut())
        } else {
            code!(span=> (&raw mut #tokens))
        }
    }
}
