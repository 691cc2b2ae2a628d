//! Contraction: a product of floats and the sum that it goes into become one fused multiply-add, which rounds once.
//!
//! It is decided in the program, so that all back ends have the same bits. The results are others than those of the
//! program before, mostly closer to the exact ones.
//!
//! **The rule.** A sum or difference of `f16`, `f32` or `f64` fuses with an operand that is a product or its negation; if
//! both are, with the left one: `a * b + c * d` becomes `a.mul_add(b, c * d)`, and `c - a * b` becomes
//! `(-a).mul_add(b, c)`. A variable stands for a product if that is all it is ever given and it is read once. Nothing fuses
//! with a product that a function returns, or that lies in a field or an element. `bf16` is left as it is, because its
//! fused multiply-add needs newer devices than its other operations.
//!
//! Functions that are [exact](crate::ir::Function::exact) are left alone: those of mathematics rely on each rounding.

use crate::ir::{
    BinaryOp, Block, Body, Expr, ExprId, ExprKind, Function, Handle, Local, Mention, Place, PlaceBase, PlaceId,
    Program, Scalar, Stmt, StmtKind, TypeId, Types, UnaryOp, Use, each_stmt,
};

/// Fuses products with sums in the kernels of a valid program and in their functions.
///
/// ```
/// use vyre_ir::ir::{BinaryOp, Program, Scalar};
///
/// let mut program = Program::default();
/// let f32 = program.types.scalar(Scalar::F32);
/// let parameters = ["a", "b", "c"].map(|name| (name, f32));
/// program.build_function("sum", &parameters, f32, |b, parameters| {
///     let [a, b_, c] = [0, 1, 2].map(|at| b.get(parameters[at]));
///     let product = b.binary(BinaryOp::Mul, a, b_);
///     let sum = b.binary(BinaryOp::Add, c, product);
///     b.return_(Some(sum));
/// });
/// vyre_ir::transform::contract(&mut program);
/// assert!(vyre_ir::text::print(&program).contains("return mul_add(a, b, c)"));
/// ```
pub fn contract(program: &mut Program) {
    contract_but(program, &|_, _| false);
}

/// The same, but for the expressions of functions, or with `None` of kernels, for which `kept` is true: those whose values
/// somebody else computes too.
pub fn contract_but(program: &mut Program, kept: &dyn Fn(Option<Handle<Function>>, ExprId) -> bool) {
    let Program {
        types,
        functions,
        kernels,
        ..
    } = program;
    for handle in functions.handles() {
        let function = &mut functions[handle];
        if !function.exact {
            let kept = |expr| kept(Some(handle), expr);
            Contraction::run(types, &mut function.body, function.parameters as usize, &kept);
        }
    }
    for handle in kernels.handles() {
        let kernel = &mut kernels[handle];
        for entry in &mut kernel.entries {
            Contraction::run(types, &mut entry.body, kernel.parameters.len(), &|expr| {
                kept(None, expr)
            });
        }
    }
}

/// A product: its factors, and true if it is negated.
struct Product {
    factors: [ExprId; 2],
    negated: bool,
}

/// A body on its way.
struct Contraction<'b> {
    body: &'b mut Body,
    kept: &'b dyn Fn(ExprId) -> bool,
    /// For each local that stands for a product, that product.
    products: Vec<Option<ExprId>>,
    /// For each of these that has fused, the locals of its factors.
    factors: Vec<Option<[Handle<Local>; 2]>>,
}

impl Contraction<'_> {
    fn run(types: &Types, body: &mut Body, parameters: usize, kept: &dyn Fn(ExprId) -> bool) {
        let mut sums = Vec::new();
        body.each_mention(&mut |mention| {
            if let Mention::Expr(expr) = mention
                && let ExprKind::Binary {
                    op: BinaryOp::Add | BinaryOp::Sub,
                    ..
                } = body.exprs[expr].kind
                && is_fusible(types, body.exprs[expr].ty)
                && !kept(expr)
            {
                sums.push(expr);
            }
        });
        if sums.is_empty() {
            return;
        }
        let products = products(types, body, parameters, kept);
        let factors = vec![None; products.len()];
        let mut contraction = Contraction {
            body,
            kept,
            products,
            factors,
        };
        for sum in sums {
            contraction.fuse(sum);
        }
        if contraction.factors.iter().any(Option::is_some) {
            let block = std::mem::take(&mut contraction.body.block);
            contraction.body.block = contraction.split_stores(block);
        }
    }

    /// Makes a fused multiply-add of a sum with a product.
    fn fuse(&mut self, sum: ExprId) {
        let ExprKind::Binary { op, left, right } = self.body.exprs[sum].kind else {
            return;
        };
        let minus = op == BinaryOp::Sub;
        let (product, summand) = if let Some(product) = self.product(left) {
            (product, if minus { self.negated(right) } else { right })
        } else if let Some(mut product) = self.product(right) {
            product.negated ^= minus;
            (product, left)
        } else {
            return;
        };
        let [mut a, b] = product.factors;
        if product.negated {
            a = self.negated(a);
        }
        self.body.exprs[sum].kind = ExprKind::MulAdd { a, b, c: summand };
    }

    /// The product that an operand of a sum is. Nothing else uses its factors.
    fn product(&mut self, operand: ExprId) -> Option<Product> {
        if (self.kept)(operand) {
            return None;
        }
        match self.body.exprs[operand].kind {
            ExprKind::Binary {
                op: BinaryOp::Mul,
                left,
                right,
            } => Some(Product {
                factors: [left, right],
                negated: false,
            }),
            ExprKind::Unary {
                op: UnaryOp::Neg,
                operand,
            } => {
                let mut product = self.product(operand)?;
                product.negated ^= true;
                Some(product)
            }
            ExprKind::Load(place) => {
                let local = self.body.places[place].whole_local()?;
                let value = self.products[local.index()]?;
                let negated = self.product(value)?.negated;
                let locals = [(); 2].map(|()| {
                    let Local { ty, span, .. } = self.body.locals[local];
                    self.body.locals.push(Local {
                        name: String::new(),
                        ty,
                        span,
                    })
                });
                self.factors[local.index()] = Some(locals);
                let factors = locals.map(|factor| {
                    let place = self.place(factor, operand);
                    self.node(ExprKind::Load(place), operand)
                });
                Some(Product { factors, negated })
            }
            _ => None,
        }
    }

    /// The negation, which is exact.
    fn negated(&mut self, operand: ExprId) -> ExprId {
        let kind = ExprKind::Unary {
            op: UnaryOp::Neg,
            operand,
        };
        self.node(kind, operand)
    }

    /// A node of the type and at the location of another.
    fn node(&mut self, kind: ExprKind, like: ExprId) -> ExprId {
        let Expr { ty, span, .. } = self.body.exprs[like];
        self.body.exprs.push(Expr { kind, ty, span })
    }

    fn place(&mut self, local: Handle<Local>, at: ExprId) -> PlaceId {
        let ty = self.body.locals[local].ty;
        self.body.places.push(Place {
            base: PlaceBase::Local(local),
            path: Vec::new(),
            ty,
            access: Default::default(),
            span: self.body.exprs[at].span,
        })
    }

    /// The statements of a block, in which stores of fused products are those of their factors.
    fn split_stores(&mut self, block: Block) -> Block {
        let mut statements = Vec::with_capacity(block.len());
        for mut stmt in block {
            if let StmtKind::Store { place, value } = stmt.kind
                && let Some(local) = self.body.places[place].whole_local()
                && let Some(&Some(locals)) = self.factors.get(local.index())
                && let Some(Product { factors, .. }) = self.product(value)
            {
                for (local, value) in locals.into_iter().zip(factors) {
                    let place = self.place(local, value);
                    let kind = StmtKind::Store { place, value };
                    statements.push(Stmt { kind, span: stmt.span });
                }
                continue;
            }
            for inner in stmt.kind.blocks_mut() {
                *inner = self.split_stores(std::mem::take(inner));
            }
            statements.push(stmt);
        }
        statements
    }
}

fn is_fusible(types: &Types, ty: TypeId) -> bool {
    matches!(types.as_scalar(ty), Some(Scalar::F16 | Scalar::F32 | Scalar::F64))
}

/// For each local that stands for a product, that product: the local is assigned by one statement, and read by one
/// expression. Before its assignment it is 0, and so are the factors.
fn products(types: &Types, body: &Body, parameters: usize, kept: &dyn Fn(ExprId) -> bool) -> Vec<Option<ExprId>> {
    let mut stores: Vec<(u32, Option<ExprId>)> = vec![(0, None); body.locals.len()];
    let mut loads = vec![0u32; body.locals.len()];
    each_stmt(&body.block, &mut |stmt| {
        if let StmtKind::Store { place, value } = stmt.kind
            && let Some(local) = body.places[place].whole_local()
        {
            stores[local.index()].0 += 1;
            stores[local.index()].1 = Some(value);
        }
        body.mentions_of(stmt, &mut |mention| match mention {
            Mention::Expr(_) => {}
            Mention::Result(local) => stores[local.index()].0 += 2,
            Mention::Place(place, how) => {
                if let Some(local) = body.places[place].local() {
                    match (how, body.places[place].path.is_empty()) {
                        (Use::Load, true) => loads[local.index()] += 1,
                        (Use::Store, true) => {}
                        // The address may be anywhere.
                        _ => loads[local.index()] += 2,
                    }
                }
            }
        });
    });
    let stands = |local: Handle<Local>| {
        let at = local.index();
        let (1, Some(value), 1) = (stores[at].0, stores[at].1, loads[at]) else {
            return None;
        };
        let fits =
            at >= parameters && is_fusible(types, body.locals[local].ty) && is_product(body, value) && !kept(value);
        fits.then_some(value)
    };
    body.locals.handles().map(stands).collect()
}

/// True for a product in the expression itself, and its negation.
fn is_product(body: &Body, expr: ExprId) -> bool {
    match body.exprs[expr].kind {
        ExprKind::Binary { op: BinaryOp::Mul, .. } => true,
        ExprKind::Unary {
            op: UnaryOp::Neg,
            operand,
        } => is_product(body, operand),
        _ => false,
    }
}
