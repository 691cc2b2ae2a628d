//! Faults of a program, in the words of someone who wrote a kernel.

use proc_macro2::Span;
use vyre_ir::ir::Program;
use vyre_ir::module::CompileError;
use vyre_ir::validate::{Invalid, InvalidKind};

use super::{Code, Diagnostic, diagnostic};

/// The diagnostic of a fault that the checks found. Few of them depend on what a user wrote; the
/// others show that the front end has made a program that is none.
pub(crate) fn invalid(invalid: &Invalid, program: &Program, span: Span) -> Diagnostic {
    let (code, help) = match &invalid.kind {
        InvalidKind::ParametersTooLarge { .. } => {
            (Code::ParameterSize, "pass large values in a slice, or split the kernel")
        }
        InvalidKind::LocalsTooLarge { .. } | InvalidKind::CallLocalsTooLarge { .. } | InvalidKind::TypeTooLarge(_) => (
            Code::ThreadMemory,
            "use a slice parameter, or `shared::<T>()` for memory that a block shares",
        ),
        InvalidKind::SizelessElement(_) => (
            Code::UnsupportedType,
            "leave the array out, or give its elements a value",
        ),
        InvalidKind::TypeTooComplex(_) => (Code::ThreadMemory, "make it of fewer parts, or an array"),
        InvalidKind::SharedTooLarge { .. } => (
            Code::SharedSize,
            "make the arrays smaller, or take dynamic shared memory, of which there is more: `shared::slice::<[f32; 64]>(n)`",
        ),
        InvalidKind::TooDeep => (
            Code::TooDeep,
            "bind parts of it to variables, or move them to a `#[vyre::device]` function",
        ),
        InvalidKind::AtomicOrder { .. } => (
            Code::AtomicOrder,
            "a load takes `Relaxed`, `Acquire` or `SeqCst`, a store `Relaxed`, `Release` or `SeqCst`",
        ),
        InvalidKind::Recursion(_) => (Code::Recursion, "write a loop, or keep a small array as a stack"),
        InvalidKind::CallsTooDeep(_) => (Code::Recursion, "write some of the functions where they are called"),
        _ => return internal(span, invalid.fault(program)),
    };
    diagnostic(code, span, invalid.fault(program), help)
}

/// True of a fault that rustc finds in the same body: a variable without a value, which only references are followed for.
pub(crate) fn is_left_to_rustc(invalid: &Invalid) -> bool {
    matches!(invalid.kind, InvalidKind::Unassigned(_))
}

/// The diagnostic of a kernel that the checks accept and the compiler does not.
pub(crate) fn too_large(error: &CompileError, span: Span) -> Diagnostic {
    match error {
        CompileError::LocalsTooLarge { .. } => {
            let help = "use a slice parameter, or `shared::<T>()` for memory that a block shares";
            diagnostic(Code::ThreadMemory, span, error, help)
        }
        _ => diagnostic(Code::KernelSize, span, error, "split the kernel"),
    }
}

/// The diagnostic of a broken invariant of vyre.
pub(crate) fn internal(span: Span, fault: impl std::fmt::Display) -> Diagnostic {
    let help = "this is a bug in vyre; please report it with this kernel";
    diagnostic(Code::Internal, span, fault, help)
}
