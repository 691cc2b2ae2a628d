//! Faults of a program, in the words of someone who wrote a kernel.

use proc_macro2::{Ident, Span};
use vyre_abi::fault::FaultKind;
use vyre_ir::ir::Program;
use vyre_ir::module::{CompileError, FaultSite};
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

/// The most checks that an error names.
const MOST: usize = 5;

/// The diagnostic of bounds checks that a kernel denies and has: at the first one, with the others in its text. There is at
/// least one.
pub(crate) fn bounds_checks(left: &[FaultSite], program: &Program, place: &dyn Fn(&FaultSite) -> Span) -> Diagnostic {
    let span = left.first().map_or_else(Span::call_site, place);
    let mut fault = String::from("`deny(bounds_checks)`, and nothing proves that ");
    for (number, site) in left.iter().take(MOST).enumerate() {
        let what = match site.kind {
            FaultKind::RangeOutOfBounds => "range",
            FaultKind::RowOutOfBounds => "row",
            FaultKind::ColumnOutOfBounds => "column",
            _ => "index",
        };
        fault += match number {
            0 => "this ",
            _ => "\n  nor the ",
        };
        fault += what;
        if !site.message.is_empty() {
            fault += &format!(" of `{}`", site.message);
        }
        match number {
            0 => fault += " is in bounds",
            _ => {
                let file = program.files.get(site.span.file as usize).map_or("?", String::as_str);
                fault += &format!(" at {file}:{}:{}", site.span.line, site.span.column);
            }
        }
    }
    if left.len() > MOST {
        fault += &format!("\n  and {} more", left.len() - MOST);
    }
    let slice = match left.first() {
        // The name of a part, and of what a function of the library has, is no code.
        Some(site) if site.message != "this" && syn::parse_str::<Ident>(&site.message).is_ok() => &site.message,
        _ => "x",
    };
    let condition = match left.first().map(|site| site.kind) {
        Some(FaultKind::RangeOutOfBounds) => format!("end <= {slice}.len()"),
        Some(FaultKind::RowOutOfBounds) => "row < m.rows()".to_owned(),
        Some(FaultKind::ColumnOutOfBounds) => "column < m.cols()".to_owned(),
        _ => format!("i < {slice}.len()"),
    };
    let help = format!(
        "put it under a guard, `if {condition} {{ .. }}`; or say before it what a launch keeps, `assert!({condition})`, which \
         is then what is checked"
    );
    diagnostic(Code::BoundsChecks, span, fault, help)
}

/// The diagnostic of a broken invariant of vyre.
pub(crate) fn internal(span: Span, fault: impl std::fmt::Display) -> Diagnostic {
    let help = "this is a bug in vyre; please report it with this kernel";
    diagnostic(Code::Internal, span, fault, help)
}
