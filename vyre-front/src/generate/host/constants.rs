//! Tables of constants, as statics.

use proc_macro2::{Ident, Literal, Span};
use vyre_ir::ir::{ConstantTable, Handle, Program, Scalar, Type, TypeId, Types};

use super::body::table_name;
use super::types;
use crate::code::{Code, code};

/// A table of constants as a static.
pub(super) fn table(program: &Program, table: Handle<ConstantTable>) -> Code {
    fn values(types: &Types, ty: TypeId, bits: &mut std::slice::Iter<'_, u64>) -> Code {
        let span = Span::mixed_site();
        match &types[ty] {
            Type::Array { element, length } => {
                let mut elements = Vec::new();
                for _ in 0..*length {
                    elements.push(values(types, *element, bits));
                }
                code!(span=> [#elements])
            }
            Type::Scalar(scalar) => {
                let (name, bits) = (
                    Ident::new(types::scalar_name(*scalar), span),
                    bits.next().copied().unwrap_or(0),
                );
                let literal = Literal::u64_unsuffixed(bits);
                match scalar {
                    Scalar::Bool => {
                        let name = Ident::new(if bits == 0 { "false" } else { "true" }, span);
                        code!(span=> #name)
                    }
                    scalar if scalar.is_float() => code!(span=> #name::from_bits(#literal)),
                    scalar if scalar.is_signed() => {
                        let unsigned = Ident::new(&scalar.name().replace('i', "u"), span);
                        let literal = Literal::u64_unsuffixed(bits & (u64::MAX >> (64 - scalar.bits())));
                        code!(span=> #literal as #unsigned as #name)
                    }
                    _ => code!(span=> #literal),
                }
            }
            _ => code!(span=> ()),
        }
    }
    let span = Span::mixed_site();
    let name = Ident::new(&table_name(table.index()), span);
    let table = &program.tables[table];
    let ty = types::ty(&program.types, table.ty, span);
    let values = values(&program.types, table.ty, &mut table.values.iter());
    code!(span=> static #name: #ty = #values;)
}
