//! The forms of Rust that kernels do not have, each with what to write instead.

use syn::Expr as Syntax;

use crate::errors::Code;

/// The code, the fault and the alternative of a form that is refused whatever its parts are.
pub(super) fn refusal(expr: &Syntax) -> (Code, &'static str, &'static str) {
    match expr {
        Syntax::Closure(_) => (
            Code::Closure,
            "a closure stands alone in a kernel: as the value of a variable or an argument of a device function",
            "write `let f = |x: f32| ..;`, and call it: `f(1.0)`",
        ),
        Syntax::Try(_) => (
            Code::QuestionMark,
            "`?` is not supported in a kernel",
            "write what it stands for: `let Some(v) = x else { return None };`, or `assert!` and `unwrap()`",
        ),
        Syntax::Range(_) => (
            Code::RangeValue,
            "a range is no value in a kernel",
            "ranges stand in `for i in a..b`; keep the bounds in two variables",
        ),
        Syntax::Async(_) | Syntax::Await(_) => (
            Code::Await,
            "there is nothing to await in a kernel",
            "threads wait for each other with `block::sync()`",
        ),
        Syntax::Let(_) => (
            Code::RefutableLet,
            "a `let` is a condition of `if` and `while` alone in a kernel",
            "write an `if let` inside of the arm, or `matches!(value, pattern)`",
        ),
        Syntax::Reference(_) => (
            Code::Reference,
            "a reference stands alone in a kernel: as the value of a variable or an argument of a function",
            "use the value itself: indexing and methods need no `&`",
        ),
        Syntax::RawAddr(_) => (
            Code::Pointer,
            "there are no pointers in a kernel",
            "index a slice; unchecked with `get_unchecked`",
        ),
        Syntax::Const(_) => (
            Code::Expression,
            "`const` blocks are not supported in a kernel yet",
            "define a `const` with a name inside the kernel",
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
        Syntax::Infer(_) => (Code::Expression, "`_` is no value", "write the value"),
        _ => (
            Code::Expression,
            "this form of expression is not supported in a kernel",
            "write it with operators, calls, `if` and loops",
        ),
    }
}
