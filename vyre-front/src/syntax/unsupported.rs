//! The expressions, types and qualifiers of Rust that kernels do not have, each with what to write instead.

use syn::{Expr as Syntax, Signature};

use crate::errors::{Code, Errors};
use crate::types::{NO_HALF, NO_HALF_HELP};

/// The code, the fault and the alternative of a type of Rust that kernels do not have, by its last name.
pub(super) fn type_refusal(name: &str) -> Option<(Code, &'static str, &'static str)> {
    Some(match name {
        "String" | "str" => (Code::Text, "there are no strings in a kernel", "use the bytes: `&[u8]`"),
        "char" => (Code::Text, "there is no `char` in a kernel", "use `u32` or `u8`"),
        "f16" | "bf16" => (Code::WideNumber, NO_HALF, NO_HALF_HELP),
        "f128" => (
            Code::WideNumber,
            "this float type is not supported",
            "use `f32` or `f64`",
        ),
        "Vec" | "Box" | "Rc" | "Arc" | "HashMap" | "BTreeMap" => (
            Code::Allocation,
            "nothing allocates in a kernel",
            "use a slice parameter, `&[T]` or `&mut [T]`, or a local array, `[0.0f32; 16]`",
        ),
        _ => return None,
    })
}

/// Refuses the qualifiers that neither kernels nor device functions have.
pub(super) fn qualifiers(signature: &Signature, what: &str, errors: &mut Errors) {
    if let Some(token) = &signature.asyncness {
        errors.refuse(
            Code::Qualifier,
            token.span,
            format_args!("a {what} is not `async`"),
            "remove `async`: launches do not block, and threads wait for each other with `block::sync()`",
        );
    }
    if let Some(abi) = &signature.abi {
        errors.refuse_all(
            Code::Qualifier,
            abi,
            format_args!("a {what} has no ABI of its own"),
            "remove `extern`",
        );
    }
    if let Some(variadic) = &signature.variadic {
        errors.refuse_all(
            Code::Qualifier,
            variadic,
            format_args!("a {what} takes a fixed number of parameters"),
            "pass a slice",
        );
    }
}

/// The code, the fault and the alternative of a form that is refused whatever its parts are.
pub(super) fn refusal(expr: &Syntax) -> (Code, &'static str, &'static str) {
    match expr {
        Syntax::Closure(_) => (
            Code::Closure,
            "a closure in a kernel is the value of a variable or an argument of a device function",
            "write `let f = |x: f32| ..;`, and call it: `f(1.0)`",
        ),
        Syntax::Try(_) => (
            Code::QuestionMark,
            "`?` leaves a device function that returns an `Option` or a `Result`",
            "write what happens else: `let Some(v) = x else { return };`, or `unwrap()`",
        ),
        Syntax::Range(_) => (
            Code::RangeValue,
            "a range is not a value in a kernel",
            "write it in the loop, `for i in a..b`, or keep the bounds in two variables",
        ),
        Syntax::Async(_) | Syntax::Await(_) => (
            Code::Await,
            "`await` is not supported in a kernel",
            "threads wait for each other with `block::sync()`",
        ),
        Syntax::Let(_) => (
            Code::MisplacedLet,
            "a `let` is a condition of `if` and `while` alone in a kernel",
            "write an `if let` inside of the arm, or `matches!(value, pattern)`",
        ),
        Syntax::RawAddr(_) => (
            Code::Pointer,
            "there are no pointers in a kernel",
            "index a slice; unchecked with `get_unchecked`",
        ),
        Syntax::TryBlock(_) => (
            Code::QuestionMark,
            "`try` blocks are not supported in a kernel",
            "use `assert!`, or `if` and `return`",
        ),
        Syntax::Yield(_) => (
            Code::Expression,
            "a kernel yields nothing",
            "write results through a `&mut [T]` parameter",
        ),
        Syntax::Infer(_) => (Code::Expression, "`_` is not a value", "write the value"),
        _ => (
            Code::Expression,
            "this form of expression is not supported in a kernel",
            "write it with operators, calls, `if` and loops",
        ),
    }
}
