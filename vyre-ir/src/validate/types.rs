//! Checks of types, and of data.

use super::error::{Invalid, InvalidKind, Within};
use crate::ir::limits::{MAX_PARTS, MAX_SIZE, MAX_TYPE_DEPTH};
use crate::ir::{Arena, Constant, ConstantTable, Handle, Program, SHARED_ALIGN, Scalar, Span, Type, TypeId};

/// Properties of a type needed by the checks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Facts {
    /// Size in memory, in bytes.
    pub(super) size: u64,
    /// Alignment in bytes.
    pub(super) align: u64,
    /// Number of types that it consists of, with repetition, including itself.
    parts: u32,
    /// Nesting depth, including itself.
    depth: u32,
    /// True if a value of it contains references or slices.
    pub(super) references: bool,
    /// True if a value of it contains atomics.
    pub(super) atomics: bool,
    /// Number of scalars in a value of it, if it contains no references, slices and atomics; else
    /// 0.
    pub(super) scalars: u64,
}

/// The facts of every type.
pub(super) struct TypeFacts {
    /// In the order of the types.
    facts: Vec<Facts>,
}

impl TypeFacts {
    pub(super) fn of(&self, ty: TypeId) -> Facts {
        self.facts[ty.index()]
    }
}

/// Checks the types, each from the facts of those that it refers to, which precede it.
pub(super) fn check(program: &Program, errors: &mut Vec<Invalid>) -> TypeFacts {
    let mut known = TypeFacts {
        facts: Vec::with_capacity(program.types.iter().len()),
    };
    for (id, ty) in program.types.iter() {
        // Elements exist, so a type without facts comes later.
        let part = |part: TypeId| {
            if part < id {
                Ok(known.of(part))
            } else {
                Err(InvalidKind::TypeOrder(id))
            }
        };
        match facts(id, ty, part) {
            Ok(facts) => known.facts.push(facts),
            Err(kind) => {
                errors.push(Invalid {
                    kind,
                    within: Within::Program,
                    span: Span::NONE,
                });
                // Placeholder for the broken type, so that others are checked too.
                known.facts.push(scalar_facts(Scalar::U32));
            }
        }
    }
    known
}

fn scalar_facts(scalar: Scalar) -> Facts {
    Facts {
        size: u64::from(scalar.size()),
        align: u64::from(scalar.size()),
        parts: 1,
        depth: 1,
        references: false,
        atomics: false,
        scalars: 1,
    }
}

fn facts(id: TypeId, ty: &Type, part: impl Fn(TypeId) -> Result<Facts, InvalidKind>) -> Result<Facts, InvalidKind> {
    let facts = match ty {
        Type::Scalar(scalar) => scalar_facts(*scalar),
        Type::Atomic(scalar) => Facts {
            atomics: true,
            scalars: 0,
            size: scalar.cell_size().into(),
            align: scalar.cell_size().into(),
            ..scalar_facts(*scalar)
        },
        Type::Tuple(fields) => sequence(1, fields.iter().map(|&field| part(field)))?,
        Type::Struct { fields, align, .. } => {
            if !align.is_power_of_two() || *align > SHARED_ALIGN {
                return Err(InvalidKind::Alignment(id));
            }
            sequence(*align, fields.iter().map(|field| part(field.ty)))?
        }
        &Type::Array { element, length } => {
            let element = held(id, part(element)?)?;
            Facts {
                size: element.size.saturating_mul(length),
                scalars: element.scalars.saturating_mul(length),
                ..wrapped(element)
            }
        }
        &Type::Slice { element, .. } => Facts {
            size: 16,
            align: 8,
            references: true,
            atomics: false,
            scalars: 0,
            ..wrapped(held(id, part(element)?)?)
        },
        &Type::Reference { pointee, .. } => {
            let pointee = part(pointee)?;
            if pointee.references {
                return Err(InvalidKind::NestedReference(id));
            }
            Facts {
                size: 8,
                align: 8,
                references: true,
                atomics: false,
                scalars: 0,
                ..wrapped(pointee)
            }
        }
    };
    if facts.depth > MAX_TYPE_DEPTH || facts.parts > MAX_PARTS {
        return Err(InvalidKind::TypeTooComplex(id));
    }
    if facts.size > MAX_SIZE {
        return Err(InvalidKind::TypeTooLarge(id));
    }
    Ok(facts)
}

/// The facts of an element of array or slice `id`, which must be sized and contain no references.
fn held(id: TypeId, element: Facts) -> Result<Facts, InvalidKind> {
    if element.references {
        return Err(InvalidKind::NestedReference(id));
    }
    if element.size == 0 {
        return Err(InvalidKind::SizelessElement(id));
    }
    Ok(element)
}

/// One level around a type.
fn wrapped(inner: Facts) -> Facts {
    Facts {
        parts: inner.parts.saturating_add(1),
        depth: inner.depth + 1,
        ..inner
    }
}

fn sequence(align: u64, fields: impl Iterator<Item = Result<Facts, InvalidKind>>) -> Result<Facts, InvalidKind> {
    let mut whole = Facts {
        size: 0,
        align,
        parts: 1,
        depth: 1,
        references: false,
        atomics: false,
        scalars: 0,
    };
    let mut plain = true;
    for field in fields {
        let field = field?;
        // Fields are at most `MAX_SIZE` each and the sum saturates far below the largest number,
        // so that rounding up cannot overflow.
        whole.size = (whole.size.next_multiple_of(field.align) + field.size).min(MAX_SIZE * 2);
        whole.align = whole.align.max(field.align);
        whole.parts = whole.parts.saturating_add(field.parts);
        whole.depth = whole.depth.max(field.depth + 1);
        whole.references |= field.references;
        whole.atomics |= field.atomics;
        whole.scalars = whole.scalars.saturating_add(field.scalars);
        // A sized type without scalars contains something else.
        plain &= field.scalars > 0 || field.size == 0;
    }
    if !plain {
        whole.scalars = 0;
    }
    whole.size = whole.size.next_multiple_of(whole.align);
    Ok(whole)
}

/// Checks externals, tables and shared variables.
pub(super) fn check_data(program: &Program, facts: &TypeFacts, errors: &mut Vec<Invalid>) {
    let mut error = |kind, span| {
        errors.push(Invalid {
            kind,
            within: Within::Program,
            span,
        });
    };
    for (_, external) in program.externals.iter() {
        if let Some(bits) = external.value
            && let Err(kind) = constant(Constant {
                scalar: external.scalar,
                bits,
            })
        {
            error(kind, external.span);
        }
    }
    for (_, table) in program.tables.iter() {
        let Some((scalar, expected)) = table_shape(program, table) else {
            error(InvalidKind::TableType(table.ty), table.span);
            continue;
        };
        let found = table.values.len() as u64;
        if found != expected {
            error(InvalidKind::TableLength { expected, found }, table.span);
        }
        for &bits in &table.values {
            if let Err(kind) = constant(Constant { scalar, bits }) {
                error(kind, table.span);
            }
        }
    }
    for (_, shared) in program.shared.iter() {
        let facts = facts.of(shared.ty);
        if facts.references || facts.size == 0 {
            error(InvalidKind::SharedType(shared.ty), shared.span);
        }
    }
}

/// The scalar of a table, and the number of its values.
fn table_shape(program: &Program, table: &ConstantTable) -> Option<(Scalar, u64)> {
    if table.host.is_none() && program.types.as_scalar(table.ty).is_some() {
        return None;
    }
    let mut element = table.ty;
    let mut count = 1_u64;
    loop {
        match program.types[element] {
            Type::Array { element: inner, length } => {
                count = count.saturating_mul(length);
                element = inner;
            }
            Type::Scalar(scalar) => return Some((scalar, count)),
            _ => return None,
        }
    }
}

/// Checks that a constant has no bits above its type's width.
pub(super) fn constant(constant: Constant) -> Result<(), InvalidKind> {
    let Constant { scalar, bits } = constant;
    if Constant::new(scalar, bits) == constant {
        Ok(())
    } else {
        Err(InvalidKind::ConstantBits { scalar, bits })
    }
}

/// The size of a list of variables one after the other, each at its alignment.
pub(super) fn total_size<T>(
    arena: &Arena<T>,
    handles: impl Iterator<Item = Handle<T>>,
    facts: impl Fn(&T) -> Facts,
) -> u64 {
    let mut size = 0_u64;
    for handle in handles {
        let facts = facts(&arena[handle]);
        size = (size.next_multiple_of(facts.align) + facts.size).min(MAX_SIZE * 2);
    }
    size
}
