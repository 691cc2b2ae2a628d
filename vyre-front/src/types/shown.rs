//! Types as messages write them.

use std::fmt;

use super::adt::Form;
use super::{ANY_SLICE, Kind, MATRICES, Ty, Types, atomic_name};

impl Types {
    /// The type as Rust writes it, for messages.
    pub(crate) fn show(&self, ty: Ty) -> impl fmt::Display {
        Shown(self, ty)
    }
}

struct Shown<'t>(&'t Types, Ty);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let &Shown(types, ty) = self;
        match types.kind(ty) {
            Kind::Unknown { .. } | Kind::Link(_) | Kind::Refused => f.write_str("_"),
            Kind::Integer => f.write_str("{integer}"),
            Kind::Float => f.write_str("{float}"),
            Kind::Primitive(primitive) => f.write_str(primitive.name()),
            Kind::Array(element, length) => write!(f, "[{}; {length}]", types.show(*element)),
            &Kind::Fragment(role, element, rows, columns) => {
                let (element, rows, columns) = (types.show(element), types.length(rows), types.length(columns));
                write!(f, "mma::{role:?}<{element}, {rows}, {columns}>")
            }
            Kind::Tf32 => f.write_str("mma::Tf32"),
            Kind::Slice(element, false) => write!(f, "[{}]", types.show(*element)),
            Kind::Slice(element, true) => write!(f, "{ANY_SLICE}<{}>", types.show(*element)),
            Kind::Reference(inner, false) => write!(f, "&{}", types.show(*inner)),
            Kind::Reference(inner, true) => write!(f, "&mut {}", types.show(*inner)),
            Kind::Matrix(element, writes) => {
                write!(f, "{}<'_, {}>", MATRICES[usize::from(*writes)], types.show(*element))
            }
            Kind::Atomic(primitive) => f.write_str(atomic_name(*primitive)),
            Kind::Barrier => f.write_str("shared::Barrier"),
            Kind::Token => f.write_str("shared::Token"),
            Kind::Adt(number) if types.adts[*number].form == Form::Tuple => {
                let fields = &types.adts[*number].arguments;
                f.write_str("(")?;
                for (index, &field) in fields.iter().enumerate() {
                    let comma = if index == 0 { "" } else { ", " };
                    write!(f, "{comma}{}", types.show(field))?;
                }
                f.write_str(if fields.len() == 1 { ",)" } else { ")" })
            }
            kind @ Kind::Adt(number) => types.write_instance(f, &types.adts[*number].name, kind),
            Kind::Index3 => f.write_str("Index3"),
            Kind::Closure(_) => f.write_str("closure"),
            Kind::Group(group, numbers) => {
                write!(f, "{}<", group.name())?;
                for (index, number) in numbers.iter().take(group.numbers()).enumerate() {
                    let comma = if index == 0 { "" } else { ", " };
                    write!(f, "{comma}{number}")?;
                }
                f.write_str(">")
            }
        }
    }
}
