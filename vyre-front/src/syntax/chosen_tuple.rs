//! Tuples that branches choose, `let (from, to) = if even { (&*a, b) } else { (&*b, a) };`, taken apart where they are
//! made: parts may be references, which a tuple in a variable does not hold.

use super::Reader;
use super::tree::{Block, Callable, Expr, ExprKind, Origin, Statement};

impl Reader<'_> {
    /// The tuple of variables that the branches of a value assign, which goes before it as a statement. Values that are
    /// no choice of tuples with references or variables among their parts stay as they are.
    pub(super) fn chosen_tuple(&mut self, mut value: Expr, to: &mut Vec<Statement>) -> Expr {
        let Some(count) = self.chosen_parts(&value).filter(|&count| count > 0) else {
            return value;
        };
        if !matches!(value.kind, ExprKind::If(..) | ExprKind::Block(..)) || !names_places(&value) {
            return value;
        }
        let span = value.span;
        let hidden: Vec<usize> = (0..count)
            .map(|_| self.hidden("chosen", span, Origin::Declared))
            .collect();
        to.extend(hidden.iter().map(|&local| Statement::let_(Some(local), None, None)));
        assign(&mut value, &hidden);
        to.push(Statement::Expr(value, true));
        let types = hidden.iter().map(|&local| self.tree.locals[local].ty).collect();
        let of = self.tree.types.tuple_case(types);
        let parts = hidden.iter().map(|&local| Expr::local(local, span));
        Expr::new(ExprKind::make(of, (0..).zip(parts).collect()), span)
    }

    /// The number of parts of the tuples among which a value is chosen: 0 if control never comes out of it.
    fn chosen_parts(&self, value: &Expr) -> Option<usize> {
        match &value.kind {
            ExprKind::If(_, then, Some(otherwise)) => {
                agreed(self.chosen_parts(then.tail.as_deref()?), self.chosen_parts(otherwise))
            }
            ExprKind::Block(block, None) => match (&block.tail, block.statements.last()) {
                (Some(tail), _) => self.chosen_parts(tail),
                (None, Some(Statement::Expr(last, _))) => self.chosen_parts(last).filter(|&count| count == 0),
                _ => None,
            },
            ExprKind::Return(_)
            | ExprKind::Break(..)
            | ExprKind::Continue(_)
            | ExprKind::Call(Callable::Panic(_), _) => Some(0),
            _ => self.tuple_parts(value),
        }
    }
}

fn agreed(one: Option<usize>, other: Option<usize>) -> Option<usize> {
    match (one?, other?) {
        (0, count) | (count, 0) => Some(count),
        (one, other) => (one == other).then_some(one),
    }
}

/// True if a part of a tuple is a reference, or a variable, which may hold one.
fn names_places(value: &Expr) -> bool {
    match &value.kind {
        ExprKind::If(_, then, otherwise) => {
            let mut tails = then.tail.iter().chain(otherwise);
            tails.any(|tail| names_places(tail))
        }
        ExprKind::Block(Block { tail: Some(tail), .. }, _) => names_places(tail),
        ExprKind::Make { fields, .. } => {
            let is_place = |part: &Expr| matches!(part.kind, ExprKind::Borrow(..) | ExprKind::Local(_));
            fields.iter().any(|(_, part)| is_place(part))
        }
        _ => false,
    }
}

/// Assigns the parts of each tuple to variables.
fn assign(value: &mut Expr, to: &[usize]) {
    match &mut value.kind {
        ExprKind::If(_, then, Some(otherwise)) => {
            assign_tail(then, to);
            assign(otherwise, to);
        }
        ExprKind::Block(block, _) => assign_tail(block, to),
        ExprKind::Make { .. } => {
            let span = value.span;
            let tuple = value.take();
            let parts = tuple.into_fields().into_iter().zip(to);
            let assign = |((_, part), &local): ((u32, Expr), &usize)| {
                Statement::Expr(Expr::assign(Expr::local(local, span), part, span), true)
            };
            let block = Block::of(parts.map(assign).collect());
            value.kind = ExprKind::Block(block, None);
        }
        _ => {}
    }
}

fn assign_tail(block: &mut Block, to: &[usize]) {
    if let Some(mut tail) = block.tail.take() {
        assign(&mut tail, to);
        block.statements.push(Statement::Expr(*tail, true));
    }
}
