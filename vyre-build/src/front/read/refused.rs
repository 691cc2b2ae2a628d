//! The forms of Rust that kernels do not have, each with what to write instead.

use syn::Expr as Syntax;

/// The fault and the alternative of a form that is refused whatever its parts are.
pub(super) fn refusal(expr: &Syntax) -> (&'static str, &'static str) {
    match expr {
        Syntax::Closure(_) => (
            "closures are not supported in a kernel",
            "write the code where it is called",
        ),
        Syntax::Try(_) => (
            "`?` is not supported in a kernel: it has no `Result` to return",
            "use `assert!`, or `if` and `return`",
        ),
        Syntax::Range(_) => (
            "a range is no value in a kernel",
            "ranges stand in `for i in a..b`; keep the bounds in two variables",
        ),
        Syntax::Struct(_) => (
            "structs are not supported in a kernel yet",
            "use tuples, or one variable for each field",
        ),
        Syntax::Async(_) | Syntax::Await(_) => (
            "there is nothing to await in a kernel",
            "threads wait for each other with `block::sync()`",
        ),
        Syntax::Let(_) => (
            "`let` in a condition is not supported in a kernel",
            "there is nothing refutable in a kernel: compare the value",
        ),
        Syntax::Reference(_) => (
            "references are not supported in the body of a kernel yet",
            "use the variable itself: indexing and methods need no `&`",
        ),
        Syntax::RawAddr(_) => (
            "there are no pointers in a kernel",
            "index a slice; unchecked with `get_unchecked`",
        ),
        Syntax::Const(_) => (
            "`const` blocks are not supported in a kernel yet",
            "define a `const` with a name inside the kernel",
        ),
        Syntax::TryBlock(_) => (
            "`try` blocks are not supported in a kernel",
            "use `assert!`, or `if` and `return`",
        ),
        Syntax::Yield(_) => (
            "a kernel yields nothing",
            "write results through a `&mut [T]` parameter",
        ),
        Syntax::Infer(_) => ("`_` is no value", "write the value"),
        _ => (
            "this form of expression is not supported in a kernel",
            "write it with operators, calls, `if` and loops",
        ),
    }
}
