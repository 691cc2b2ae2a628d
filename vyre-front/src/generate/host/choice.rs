//! The method of a launcher that chooses an entry: the first whose predicate holds.

use proc_macro2::{Ident, Literal, Span};
use vyre_ir::ir::{Mention, Type};

use super::body::{Context, Sites, Writer, local_names};
use super::stack::Stack;
use super::table::Table;
use super::{Source, types};
use crate::code::{Code, code};
use crate::generate::names;
use crate::resolve::names::plain;
use crate::surface::{Surface, SurfaceParameter};

/// The method that selects an entry, if there is more than one.
pub(in crate::generate) fn choice(source: Source<'_>, surface: &Surface) -> Option<Code> {
    let Source {
        valid,
        kernel,
        externals,
        spans,
    } = source;
    let (program, info) = (valid.program(), valid.info());
    let kernel = &program.kernels[kernel];
    if kernel.entries.len() < 2 {
        return None;
    }
    let span = Span::call_site();
    let context = Context {
        // Predicates call nothing.
        stack: Stack::default(),
        host_tables: Vec::new(),
        program,
        info,
        kernel,
        externals,
        spans,
        shared: Table::new(),
    };
    let mut choices = Code::default();
    for (number, entry) in kernel.entries.iter().enumerate() {
        let Some(predicate) = entry.predicate else { continue };
        let (declarations, accesses, info) = Default::default();
        let names = local_names(&entry.body);
        let mut sites = Sites::default();
        let mut writer = Writer::new(
            &context,
            &entry.body,
            (&declarations, &accesses, &info),
            &names,
            &mut sites,
        );
        writer.span = span;
        // The parameters that the predicate mentions.
        let mut mentioned = Vec::new();
        entry.body.inside(Mention::Expr(predicate), &mut |mention| {
            if let Mention::Place(place, _) = mention {
                mentioned.extend(entry.body.places[place].local());
            }
        });
        let fields = kernel.parameters.iter().zip(entry.body.locals.handles());
        let fields = fields.filter(|(_, local)| mentioned.contains(local));
        let fields = fields.map(|(parameter, local)| {
            let name = writer.local(local);
            // That of a struct of slices is `mesh.x`.
            let mut field = Code::default();
            for name in parameter.name.split('.') {
                let name = names::written(name, span);
                field.append(match field.is_empty() {
                    true => code!(span=> #name),
                    false => code!(span=> .#name),
                });
            }
            let field = &field;
            let passed = surface.parameters.iter().find(|it| plain(&it.name) == parameter.name);
            match &program.types[parameter.ty] {
                Type::Slice { .. } if passed.is_some_and(SurfaceParameter::may_lack) => {
                    code!(span=> let #name = __v::length_only(self.#field.as_ref().map_or(0, |view| view.len()));)
                }
                _ if passed.is_some_and(|it| it.tells.is_some()) => {
                    let slice = passed.and_then(|it| it.tells.clone());
                    code!(span=> let #name = self.#slice.is_some();)
                }
                Type::Slice { .. } => code!(span=> let #name = __v::length_only(self.#field.len());),
                Type::Scalar(scalar) if scalar.is_half() => {
                    let ty = Ident::new(types::scalar_name(*scalar), span);
                    code!(span=> let #name = #ty::from_bits(self.#field.to_bits());)
                }
                _ => {
                    let ty = types::ty(&program.types, parameter.ty, span);
                    code!(span=> let #name = self.#field as #ty;)
                }
            }
        });
        let fields: Code = fields.collect();
        let (predicate, number) = (writer.expr(predicate), Literal::usize_unsuffixed(number));
        choices.append(code!(span=> { #fields if #predicate { return #number; } }));
    }
    let last = Literal::usize_unsuffixed(kernel.entries.len() - 1);
    Some(code!(span=> fn entry(&self) -> usize { #choices #last }))
}
