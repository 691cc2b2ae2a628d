//! Fast forms of functions of mathematics, by the approximate unit of GPUs: the functions of `vyre::fast`, and
//! [`fast_math`] and [`approximate`], which put them in place of the accurate ones in a whole program.
//!
//! A form is one or two of the approximations of [`UnaryOp`] and [`BinaryOp`] with products around them, as in CUDA's
//! functions `__expf` and so on, without `.ftz`.

mod bounds;

use vyre_abi::ops::operations;

use crate::ir::builder::BodyBuilder;
use crate::ir::{
    Arena, BinaryOp, Block, Body, ExprId, ExprKind, Function, Handle, Mention, Program, Scalar, StmtKind, Type, Types,
    UnaryOp, each_stmt,
};
use crate::transform::contract_but;
pub use bounds::Bound;

operations! {
    /// A fast form of a function of `f32`.
    Fast {
        /// e^x as 2^(x log2 e).
        Exp = "exp",
        /// 2^x.
        Exp2 = "exp2",
        /// 10^x as 2^(x log2 10).
        Exp10 = "exp10",
        /// The natural logarithm, as log2 x times ln 2.
        Ln = "ln",
        /// The logarithm to the base 2.
        Log2 = "log2",
        /// The logarithm to the base 10, as log2 x times log10 2.
        Log10 = "log10",
        /// The logarithm of the first argument to the base that is the second, as log2 x / log2 base.
        Log = "log",
        /// The sine.
        Sin = "sin",
        /// The cosine.
        Cos = "cos",
        /// The tangent, as the sine by the cosine.
        Tan = "tan",
        /// The hyperbolic tangent.
        Tanh = "tanh",
        /// The logistic function, as 1 / (1 + 2^(-x log2 e)).
        Sigmoid = "sigmoid",
        /// 1 / sqrt(x).
        Rsqrt = "rsqrt",
        /// 1 / x.
        Recip = "recip",
        /// sqrt(x).
        Sqrt = "sqrt",
        /// The first argument by the second.
        Div = "div",
        /// The first argument to the power of the second, as 2^(y log2 x).
        Powf = "powf",
    }
}

impl Fast {
    /// Number of arguments.
    pub const fn arguments(self) -> usize {
        match self {
            Fast::Log | Fast::Div | Fast::Powf => 2,
            _ => 1,
        }
    }

    /// The value of the function for arguments of `f32`; of functions of one argument the second does not count.
    pub fn value(self, b: &mut BodyBuilder<'_>, [x, y]: [ExprId; 2]) -> ExprId {
        use std::f32::consts::{LN_2, LOG2_10, LOG2_E, LOG10_2};
        match self {
            Fast::Exp => exp2_of_product(b, x, LOG2_E),
            Fast::Exp2 => b.unary(UnaryOp::ApproxExp2, x),
            Fast::Exp10 => exp2_of_product(b, x, LOG2_10),
            Fast::Ln => log2_times(b, x, LN_2),
            Fast::Log2 => b.unary(UnaryOp::ApproxLog2, x),
            Fast::Log10 => log2_times(b, x, LOG10_2),
            Fast::Log => {
                let (x, y) = (b.unary(UnaryOp::ApproxLog2, x), b.unary(UnaryOp::ApproxLog2, y));
                b.binary(BinaryOp::ApproxDiv, x, y)
            }
            Fast::Sin => b.unary(UnaryOp::ApproxSin, x),
            Fast::Cos => b.unary(UnaryOp::ApproxCos, x),
            Fast::Tan => {
                let x = b.let_("", x);
                let (sine, cosine) = (b.get(x), b.get(x));
                let sine = b.unary(UnaryOp::ApproxSin, sine);
                let cosine = b.unary(UnaryOp::ApproxCos, cosine);
                b.binary(BinaryOp::ApproxDiv, sine, cosine)
            }
            Fast::Tanh => b.unary(UnaryOp::ApproxTanh, x),
            Fast::Sigmoid => {
                let power = exp2_of_product(b, x, -LOG2_E);
                let one = b.f32(1.0);
                let sum = b.binary(BinaryOp::Add, power, one);
                b.unary(UnaryOp::ApproxRecip, sum)
            }
            Fast::Rsqrt => b.unary(UnaryOp::ApproxRsqrt, x),
            Fast::Recip => b.unary(UnaryOp::ApproxRecip, x),
            Fast::Sqrt => b.unary(UnaryOp::ApproxSqrt, x),
            Fast::Div => b.binary(BinaryOp::ApproxDiv, x, y),
            Fast::Powf => {
                let logarithm = b.unary(UnaryOp::ApproxLog2, x);
                let exponent = b.binary(BinaryOp::Mul, y, logarithm);
                b.unary(UnaryOp::ApproxExp2, exponent)
            }
        }
    }
}

fn exp2_of_product(b: &mut BodyBuilder<'_>, x: ExprId, factor: f32) -> ExprId {
    let factor = b.f32(factor);
    let product = b.binary(BinaryOp::Mul, x, factor);
    b.unary(UnaryOp::ApproxExp2, product)
}

fn log2_times(b: &mut BodyBuilder<'_>, x: ExprId, factor: f32) -> ExprId {
    let (logarithm, factor) = (b.unary(UnaryOp::ApproxLog2, x), b.f32(factor));
    b.binary(BinaryOp::Mul, logarithm, factor)
}

/// Trades accuracy for speed in a whole valid program: quotients and square roots of `f32` become approximations, those
/// of vyre's functions of mathematics that have a [`Fast`] form become that, and products and sums are
/// [contracted](crate::transform::contract()).
///
/// ```
/// use vyre_ir::ir::{BinaryOp, Program, Scalar};
///
/// let mut program = Program::default();
/// let f32 = program.types.scalar(Scalar::F32);
/// program.build_function("ratio", &[("a", f32), ("b", f32)], f32, |b, parameters| {
///     let [x, y] = [0, 1].map(|at| b.get(parameters[at]));
///     let ratio = b.binary(BinaryOp::Div, x, y);
///     b.return_(Some(ratio));
/// });
/// vyre_ir::transform::fast::fast_math(&mut program);
/// assert!(vyre_ir::text::print(&program).contains("return approx_div(a, b)"));
/// ```
pub fn fast_math(program: &mut Program) {
    fast_math_but(program, &|_, _| false);
}

/// The same, but for the expressions that [`contract_but`] keeps.
pub fn fast_math_but(program: &mut Program, kept: &Kept<'_>) {
    // Before functions get other handles.
    contract_but(program, kept);
    pick(program, &|_| true, kept);
}

type Kept<'k> = dyn Fn(Option<Handle<Function>>, ExprId) -> bool + 'k;

/// Puts those approximations of [`fast_math`] into a valid program that are [within](Bound::ulps) a number of ulp of the
/// exact value for all arguments. The error of a result that several operations make may be larger. All else keeps its bits:
/// nothing is contracted.
///
/// ```
/// use vyre_ir::ir::{Program, Scalar, UnaryOp};
///
/// let mut program = Program::default();
/// let f32 = program.types.scalar(Scalar::F32);
/// program.build_function("root", &[("x", f32)], f32, |b, parameters| {
///     let x = b.get(parameters[0]);
///     let root = b.unary(UnaryOp::Sqrt, x);
///     b.return_(Some(root));
/// });
/// let exact = program.clone();
/// vyre_ir::transform::fast::approximate(&mut program, 2);
/// assert_eq!(program, exact);
/// vyre_ir::transform::fast::approximate(&mut program, 3);
/// assert!(vyre_ir::text::print(&program).contains("return approx_sqrt(x)"));
/// ```
#[cfg(feature = "programs")]
pub fn approximate(program: &mut Program, ulps: u32) {
    pick(
        program,
        &|fast| fast.bound().ulps.is_some_and(|bound| bound <= ulps),
        &|_, _| false,
    );
}

/// Puts approximations of these forms into a program.
fn pick(program: &mut Program, picked: &dyn Fn(Fast) -> bool, kept: &Kept<'_>) {
    for handle in program.functions.handles() {
        if program.functions[handle].exact {
            replace(program, handle, picked);
        } else {
            let kept = |expr| kept(Some(handle), expr);
            approximate_body(&program.types, &mut program.functions[handle].body, picked, &kept);
        }
    }
    for handle in program.kernels.handles() {
        for entry in &mut program.kernels[handle].entries {
            approximate_body(&program.types, &mut entry.body, picked, &|expr| kept(None, expr));
        }
    }
    drop_unreached(program);
}

/// Removes the exact functions that nothing calls any more: those that accurate functions are made of.
fn drop_unreached(program: &mut Program) {
    let (mut reached, mut open) = (Vec::new(), Vec::new());
    for (_, kernel) in program.kernels.iter() {
        for entry in &kernel.entries {
            open.push(&entry.body);
        }
    }
    for (_, function) in program.functions.iter() {
        reached.push(!function.exact);
        if !function.exact {
            open.push(&function.body);
        }
    }
    while let Some(body) = open.pop() {
        each_stmt(&body.block, &mut |stmt| {
            if let StmtKind::Call { function, .. } = stmt.kind
                && !std::mem::replace(&mut reached[function.index()], true)
            {
                open.push(&program.functions[function].body);
            }
        });
    }
    let (mut left, mut moved) = (Arena::new(), Vec::new());
    for (handle, function) in program.functions.iter() {
        moved.push(match reached[handle.index()] {
            true => left.push(function.clone()),
            // Nothing refers to it.
            false => Handle::new(0),
        });
    }
    program.functions = left;
    for handle in program.functions.handles() {
        renumber(&mut program.functions[handle].body.block, &moved);
    }
    for handle in program.kernels.handles() {
        for entry in &mut program.kernels[handle].entries {
            renumber(&mut entry.body.block, &moved);
        }
    }
}

/// Puts the new handles of functions in calls.
fn renumber(block: &mut Block, moved: &[Handle<Function>]) {
    for stmt in block {
        if let StmtKind::Call { function, .. } = &mut stmt.kind {
            *function = moved[function.index()];
        }
        stmt.kind.blocks_mut().for_each(|inner| renumber(inner, moved));
    }
}

/// Puts approximations in place of quotients and square roots.
fn approximate_body(types: &Types, body: &mut Body, picked: &dyn Fn(Fast) -> bool, kept: &dyn Fn(ExprId) -> bool) {
    let mut found = Vec::new();
    body.each_mention(&mut |mention| {
        if let Mention::Expr(expr) = mention
            && types.as_scalar(body.exprs[expr].ty) == Some(Scalar::F32)
            && !kept(expr)
        {
            found.push(expr);
        }
    });
    for expr in found {
        let (fast, approximation) = match body.exprs[expr].kind {
            ExprKind::Binary {
                op: BinaryOp::Div,
                left,
                right,
            } => match body.exprs[left].kind {
                ExprKind::Constant(one) if one.bits == u64::from(1f32.to_bits()) => {
                    let (op, operand) = (UnaryOp::ApproxRecip, right);
                    (Fast::Recip, ExprKind::Unary { op, operand })
                }
                _ => {
                    let op = BinaryOp::ApproxDiv;
                    (Fast::Div, ExprKind::Binary { op, left, right })
                }
            },
            ExprKind::Unary {
                op: UnaryOp::Sqrt,
                operand,
            } => {
                let op = UnaryOp::ApproxSqrt;
                (Fast::Sqrt, ExprKind::Unary { op, operand })
            }
            _ => continue,
        };
        if picked(fast) {
            body.exprs[expr].kind = approximation;
        }
    }
}

/// Gives a function of mathematics the body of its fast form, if it has one that is picked.
fn replace(program: &mut Program, handle: Handle<Function>, picked: &dyn Fn(Fast) -> bool) {
    let function = &program.functions[handle];
    let Some(name) = function.name.strip_prefix("f32::") else {
        return;
    };
    let single = program.types.scalar(Scalar::F32);
    let count = function.parameters as usize;
    let parameters: Vec<_> = function
        .body
        .locals
        .iter()
        .take(count)
        .map(|(_, local)| local.clone())
        .collect();
    if parameters.iter().any(|parameter| parameter.ty != single) {
        return;
    }
    let (result, span) = (function.result, function.span);
    let is_pair = matches!(&program.types[result], Type::Tuple(parts) if parts[..] == [single; 2]);
    let fast = Fast::from_name(name).filter(|&fast| fast.arguments() == count && result == single && picked(fast));
    let is_sin_cos = name == "sin_cos" && count == 1 && is_pair && picked(Fast::Sin) && picked(Fast::Cos);
    if fast.is_none() && !is_sin_cos {
        return;
    }
    let mut b = BodyBuilder::new(program);
    b.span = span;
    let locals: Vec<_> = parameters
        .iter()
        .map(|parameter| b.local(&parameter.name, parameter.ty))
        .collect();
    let [x, y] = [locals[0], locals[count - 1]].map(|local| b.get(local));
    let value = match fast {
        Some(fast) => fast.value(&mut b, [x, y]),
        None => {
            let (sine, cosine) = (b.unary(UnaryOp::ApproxSin, x), b.unary(UnaryOp::ApproxCos, y));
            b.construct(result, vec![sine, cosine])
        }
    };
    b.return_(Some(value));
    let body = b.finish();
    program.functions[handle].body = body;
}
