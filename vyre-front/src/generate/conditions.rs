//! The conditions that each launch of a kernel has to keep.

use proc_macro2::{Ident, Literal, Span};
use vyre_ir::ir::Program;
use vyre_ir::module::ModuleKernel;

use super::info::location;
use crate::code::{Code, code};

/// The method of the launcher that tells them; `None` for a kernel without any.
pub(super) fn conditions(program: &Program, compiled: &ModuleKernel) -> Option<Code> {
    let span = Span::mixed_site();
    let kernel = &program.kernels[compiled.kernel];
    let (mut names, mut rows) = (Vec::new(), Vec::new());
    for parameter in &kernel.parameters {
        names.push(parameter.name.clone());
    }
    for condition in &compiled.conditions {
        let text = Literal::string(&condition.need.text(&names));
        let needs = Literal::byte_string(&condition.code(program, kernel));
        let allows_fewer = Ident::new(if condition.allows_fewer() { "true" } else { "false" }, span);
        let location = location(program, condition.span);
        rows.push(code! {span=>
            __v::LaunchCondition { text: #text, needs: #needs, allows_fewer: #allows_fewer, location: #location }
        });
    }
    (!rows.is_empty()).then(|| {
        code! {span=>
            fn conditions(&self) -> &'static [__v::LaunchCondition<'static>] {
                const CONDITIONS: &[__v::LaunchCondition<'static>] = &[#rows];
                CONDITIONS
            }
        }
    })
}
