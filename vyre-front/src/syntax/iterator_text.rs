//! Consumers and adapters of iterators, read from their rows: [`crate::library::consumer`].
//!
//! A row is written over the loop that it becomes: `let`s before it, `for x in this { .. }`, and the variable that is the
//! result. `x` is the element, whose closures are inlined; `yield` is the element that the loop goes on with.

use proc_macro2::Span;
use syn::{Expr as Syntax, ExprMethodCall, Pat, ReturnType};

use super::Reader;
use super::chain::{Chain, Source};
use super::expr::unparenthesised;
use super::iterator::{Element, Pass, finish, local};
use super::library_text::{Named, Text};
use super::tree::{Block, Expr, ExprKind, Origin, Statement};
use crate::errors::Code;
use crate::library::{self, Row};

/// Binds the pattern of a parameter, by its number.
type Bind<'b> = dyn FnMut(&mut Reader<'_>, usize, &Pat, &mut Vec<Statement>) + 'b;

impl Reader<'_> {
    /// A chain with its consumer, if the call is one.
    pub(super) fn iterated(&mut self, call: &ExprMethodCall, whole: &Syntax, span: Span) -> Option<Expr> {
        let Some(row) = library::consumer(&call.method.to_string(), call.args.len()) else {
            return self.no_consumer(call, whole);
        };
        let chain = Chain::of(&call.receiver)?;
        let outside = self.scopes.len();
        let read = self.pass(&chain, chain.methods(), span).map(|mut pass| {
            let found = self.chain_function(row, call, &mut pass, span);
            finish(pass, found, span)
        });
        self.scopes.truncate(outside);
        Some(read.unwrap_or_else(|| self.refused(span)))
    }

    /// Refuses a method of iterators that kernels do not have, and an iterator that is a value.
    fn no_consumer(&mut self, call: &ExprMethodCall, whole: &Syntax) -> Option<Expr> {
        let name = call.method.to_string();
        let is_range = |expr: &Syntax| matches!(unparenthesised(expr), Syntax::Range(_));
        if name == "contains" && is_range(&call.receiver) {
            return None;
        }
        // Types of the user's have methods of the name.
        let begins = !self.tree.has_behaviour() && Chain::of(whole).is_some_and(|chain| chain.methods().is_empty());
        if !begins {
            let chain = Chain::of(&call.receiver)?;
            let is_number =
                matches!(chain.source, Source::Range(_)) && chain.methods().is_empty() && call.method == "len";
            if is_number || !chain.methods().iter().all(|method| adapts(method)) {
                return None;
            }
        }
        let (fault, help) = match begins || adapts(call) {
            true => (
                "an iterator is not a value in a kernel".to_owned(),
                "loop over it, `for v in x.iter()`, or end the chain where it begins: `x.iter().map(..).sum()`",
            ),
            false => (
                format!("`{name}` of iterators is not supported in a kernel"),
                match name.as_str() {
                    "rposition" => "count from the end: `x.iter().rev().position(..)`",
                    "collect" => "nothing allocates in a kernel: assign the elements in a loop",
                    _ => {
                        "there are `sum`, `product`, `count`, `min`, `max`, `min_by`, `max_by`, `min_by_key`, `max_by_key`, `fold`, `reduce`, `any`, \
                         `all`, `position`, `find`, `find_map`, `next`, `nth`, `last` and `for_each`; a loop does all else"
                    }
                },
            ),
        };
        Some(self.fault(Code::LoopRange, call.method.span(), fault, help))
    }

    /// Adds a consumer or adapter to the loop over its chain; the variable that it returns.
    pub(super) fn chain_function(
        &mut self,
        row: &'static Row,
        call: &ExprMethodCall,
        pass: &mut Pass,
        span: Span,
    ) -> Option<usize> {
        let mut text = Text {
            left: row.source,
            names: Vec::new(),
            pass: Some(pass),
            span,
            of: crate::types::Ty::REFUSED,
            reader: self,
        };
        text.eat("fn ");
        text.word();
        let is_typed = text.eat("<T>");
        let turbofish = call.turbofish.as_ref().filter(|_| is_typed);
        let written = turbofish.and_then(|turbofish| turbofish.args.first());
        let ty = written.map(|written| text.reader.written(written));
        text.eat("(this");
        for argument in &call.args {
            text.eat(",");
            let name = text.word();
            text.names.push((name, Named::Written(argument)));
        }
        text.eat(") {");
        while text.eat("let mut ") {
            let (name, typed) = (text.word(), text.eat(": T"));
            text.eat("=");
            let init = text.expr(0);
            text.eat(";");
            let local = text.local(name, Origin::Declared);
            text.reader.tree.locals[local].mutable = true;
            if let Some(ty) = ty.filter(|_| typed) {
                text.reader.tree.locals[local].ty = ty;
            }
            text.pass.as_mut()?.before.push(Statement::bind(local, init));
        }
        text.eat("for x in this {");
        text.names.push(("x", Named::Element));
        while !text.eat("}") {
            if text.eat("yield ") {
                text.yielded();
                continue;
            }
            let (statement, _) = text.statement();
            text.pass.as_mut()?.body.push(statement);
        }
        let result = text.word();
        match text.meaning(result) {
            Some(Named::Local(found)) => Some(found),
            _ => None,
        }
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
            is_constant: false,
        };
        let label = self.tree.left_by_break[number].then_some(number);
        Expr::new(ExprKind::Block(block, label), span)
    }
}

/// True for a method that makes another iterator of one.
fn adapts(call: &ExprMethodCall) -> bool {
    const OF_NUMBERS: [&str; 10] = words![
        into_iter by_ref copied cloned rev enumerate skip take step_by zip
    ];
    let name = call.method.to_string();
    OF_NUMBERS.contains(&&*name) || library::adapter(&name, call.args.len()).is_some()
}

impl Text<'_, '_, '_> {
    /// Lets the loop go on with another element.
    fn yielded(&mut self) {
        let span = self.span;
        if self.eat("(") {
            let (number, _) = (self.word(), self.eat(", x);"));
            if let (Some(Named::Local(number)), Some(pass)) = (self.meaning(number), &mut self.pass) {
                pass.element = Element::Pair(Box::new(Element::Value(number)), Box::new(pass.element.clone()));
            }
        } else if !self.eat("x;") {
            let value = self.expr(0);
            self.eat(";");
            if let Some(pass) = &mut self.pass {
                let value = self.reader.kept("mapped", value, &mut pass.body, span);
                pass.element = Element::Value(value);
            }
        }
    }

    /// A call of the closure that an argument is, with the element, references to it, and variables.
    pub(super) fn applied(&mut self, closure: &Syntax) -> Expr {
        let mut values = Vec::new();
        while !self.eat(")") {
            let by_reference = self.eat("&");
            let name = self.word();
            values.push((self.meaning(name), by_reference));
            self.eat(",");
        }
        let Some(pass) = &self.pass else {
            return self.reader.left_to_rustc(self.span);
        };
        let (element, index) = pass.parts();
        self.reader
            .inlined(closure, values.len(), &mut |reader, place, pattern, statements| {
                let (value, by_reference) = values[place];
                let of_local;
                let element = match value {
                    Some(Named::Local(local)) => {
                        of_local = Element::Value(local);
                        &of_local
                    }
                    _ => &element,
                };
                reader.bind(element, index, by_reference, pattern, Origin::Declared, statements);
            })
    }
}
