//! Consumers of iterators: `.sum()`, `.fold(0, |a, x| ..)`, `.any(|x| ..)`.

use proc_macro2::Span;
use syn::{Expr as Syntax, ExprMethodCall, Pat, ReturnType};

use super::Reader;
use super::chain::Chain;
use super::expr::unparenthesised;
use super::iterator::{Element, assign, finish, local, when};
use super::tree::{Block, Expr, ExprKind, Operator, Origin, Statement};
use crate::errors::Code;
use crate::surface::Primitive;
use crate::types::adt::{NONE, SOME};

/// The methods that end a chain, with how many arguments they take.
const ENDS: &[(&str, usize)] = &[
    ("sum", 0),
    ("product", 0),
    ("count", 0),
    ("min", 0),
    ("max", 0),
    ("last", 0),
    ("fold", 2),
    ("any", 1),
    ("all", 1),
    ("position", 1),
    ("find", 1),
    ("find_map", 1),
    ("for_each", 1),
];

/// Binds the pattern of a parameter, by its number.
type Bind<'b> = dyn FnMut(&mut Reader<'_>, usize, &Pat, &mut Vec<Statement>) + 'b;

impl Reader<'_> {
    /// A chain with its end, if the call is one.
    pub(super) fn iterated(&mut self, call: &ExprMethodCall, span: Span) -> Option<Expr> {
        let name = call.method.to_string();
        let end = (name.as_str(), call.args.len());
        if !ENDS.contains(&end) {
            return None;
        }
        let chain = Chain::of(&call.receiver)?;
        let outside = self.scopes.len();
        let read = self.ended(call, &chain, &name, span);
        self.scopes.truncate(outside);
        Some(read.unwrap_or_else(|| self.refused(span)))
    }

    fn ended(&mut self, call: &ExprMethodCall, chain: &Chain<'_>, name: &str, span: Span) -> Option<Expr> {
        let mut pass = self.pass(chain, chain.methods(), span)?;
        let number = pass.number;
        let bool = |value| Expr::new(ExprKind::Bool(value), span);
        let some = |reader: &mut Self, value| reader.in_option(SOME, vec![(0, value)], span);
        let leave = || Statement::Expr(Expr::new(ExprKind::Break(number, None), span), true);
        // The initial value, before the first element.
        let start = match name {
            "for_each" => None,
            "sum" => Some(self.helper("__sum", Vec::new(), span)),
            "product" => Some(self.helper("__product", Vec::new(), span)),
            "count" => Some(Expr::new(ExprKind::Integer(0, Some(Primitive::Usize)), span)),
            "any" => Some(bool(false)),
            "all" => Some(bool(true)),
            "fold" => Some(self.expr(&call.args[0])),
            _ => Some(self.in_option(NONE, Vec::new(), span)),
        };
        let found = start.map(|start| self.variable("found", start, &mut pass.before, span));
        let closure = call.args.last();
        if let (Some(found), Some(turbofish), "sum" | "product") = (found, &call.turbofish, name) {
            let written = turbofish.args.first().map(|argument| self.written(argument));
            self.tree.locals[found].ty = written?;
        }
        match (found, name, closure) {
            (Some(found), "sum" | "product", _) => {
                let operator = match name {
                    "sum" => Operator::Add,
                    _ => Operator::Mul,
                };
                let element = self.element(&mut pass, span);
                // The element first: its type is known.
                let kind = ExprKind::Binary(operator, Box::new(element), Box::new(local(found, span)));
                pass.round.push(assign(found, Expr::new(kind, span), span));
            }
            (Some(found), "count", _) => {
                let next = self.helper_of("__next", &[found], span);
                pass.round.push(assign(found, next, span));
            }
            (Some(found), "min" | "max", _) => {
                let value = self.element(&mut pass, span);
                let function = if name == "min" { "__least" } else { "__most" };
                let best = self.helper(function, vec![local(found, span), value], span);
                pass.round.push(assign(found, best, span));
            }
            (Some(found), "last", _) => {
                let value = self.element(&mut pass, span);
                pass.round.push(assign(found, some(self, value), span));
            }
            (Some(found), "fold", Some(closure)) => {
                let (element, index) = pass.parts();
                let value = self.inlined(closure, 2, &mut |reader, place, pattern, statements| match place {
                    0 => reader.bind(
                        &Element::Value(found),
                        index,
                        false,
                        pattern,
                        Origin::Declared,
                        statements,
                    ),
                    _ => reader.bind(&element, index, false, pattern, Origin::Declared, statements),
                });
                pass.round.push(assign(found, value, span));
            }
            (Some(found), "any" | "all", Some(closure)) => {
                let holds = self.applied(&mut pass, closure, false);
                let decides = match name {
                    "any" => holds,
                    _ => Expr::new(ExprKind::Not(Box::new(holds)), span),
                };
                let decided = vec![assign(found, bool(name == "any"), span), leave()];
                pass.round.push(when(decides, decided, span));
            }
            (Some(found), "position", Some(closure)) => {
                let zero = Expr::new(ExprKind::Integer(0, Some(Primitive::Usize)), span);
                let count = self.variable("count", zero, &mut pass.before, span);
                let holds = self.applied(&mut pass, closure, false);
                let decided = vec![assign(found, some(self, local(count, span)), span), leave()];
                let next = self.helper_of("__next", &[count], span);
                pass.round
                    .extend([when(holds, decided, span), assign(count, next, span)]);
            }
            (Some(found), "find", Some(closure)) => {
                let value = self.element(&mut pass, span);
                let holds = self.applied(&mut pass, closure, true);
                let decided = vec![assign(found, some(self, value), span), leave()];
                pass.round.push(when(holds, decided, span));
            }
            (Some(found), _, Some(closure)) => {
                let value = self.applied(&mut pass, closure, false);
                pass.round.push(assign(found, value, span));
                let of = self.option_case(SOME);
                let is = Expr::new(ExprKind::Is(Box::new(local(found, span)), of), span);
                pass.round.push(when(is, vec![leave()], span));
            }
            (_, _, Some(closure)) => {
                let effect = self.applied(&mut pass, closure, false);
                pass.round.push(Statement::Expr(effect, true));
            }
            _ => return None,
        }
        Some(finish(pass, found, span))
    }

    /// The result of a closure that is inlined, with parameters bound by `bind`.
    pub(super) fn inlined(&mut self, closure: &Syntax, count: usize, bind: &mut Bind<'_>) -> Expr {
        let span = super::start(closure);
        let made;
        let closure = match unparenthesised(closure) {
            Syntax::Closure(closure) => closure,
            Syntax::Path(path) => match super::closure::calling(path, count, span) {
                Some(closure) => {
                    made = closure;
                    &made
                }
                None => return self.left_to_rustc(span),
            },
            other => {
                return self.refuse(
                    Code::Closure,
                    other,
                    "this argument is a closure or the name of a function",
                    "write the closure out: `|x| ..`",
                );
            }
        };
        if let Some(token) = &closure.capture {
            self.errors.refuse(
                Code::Closure,
                token.span,
                "a closure that is inlined keeps nothing",
                "leave out `move`",
            );
        }
        if closure.inputs.len() != count || closure.asyncness.is_some() || closure.constness.is_some() {
            return self.left_to_rustc(span);
        }
        let outside = self.scopes.len();
        let number = self.target();
        let targets = std::mem::take(&mut self.targets);
        let returns = self.returns_to.replace(number);
        let mut statements = Vec::new();
        for (place, input) in closure.inputs.iter().enumerate() {
            bind(self, place, input, &mut statements);
        }
        let body = self.boxed(&closure.body);
        let tail = match &closure.output {
            ReturnType::Default => body,
            ReturnType::Type(_, ty) => {
                let ty = self.ty(ty);
                let result = self.kept("result", *body, &mut statements, span);
                self.tree.locals[result].ty = ty;
                Box::new(local(result, span))
            }
        };
        self.returns_to = returns;
        self.targets = targets;
        self.scopes.truncate(outside);
        let block = Block {
            statements,
            tail: Some(tail),
            diverges: false,
        };
        let label = self.tree.left_by_break[number].then_some(number);
        Expr::new(ExprKind::Block(block, label), span)
    }
}
