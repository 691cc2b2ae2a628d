//! Statements.

use std::rc::Rc;

use vyre_ir::ir::limits::MAX_OPERATIONS;
use vyre_ir::ir::{self, ExprId, Function, Handle, Local, PlaceId, StmtKind};

use super::Builder;
use super::place::Spot;
use super::state::{Arrival, Loop};
use super::storage::Homes;
use crate::ssa::Value;
use crate::ssa::origin::Inlined;

impl Builder<'_, '_> {
    /// Builds statements in order, as far as control reaches them.
    pub(super) fn stmts(&mut self, stmts: &ir::Block) {
        for stmt in stmts {
            if !self.reachable {
                return;
            }
            self.span = stmt.span;
            self.stmt(&stmt.kind);
        }
    }

    fn stmt(&mut self, kind: &StmtKind) {
        match kind {
            &StmtKind::Store { place, value } => self.store(place, value),
            StmtKind::Call {
                function,
                arguments,
                result,
            } => self.call(*function, arguments, *result),
            StmtKind::Atomic {
                op,
                place,
                operands,
                order,
                scope,
                result,
            } => self.atomic(*op, *place, operands, (*order, *scope), *result),
            StmtKind::Intrinsic {
                intrinsic,
                operands,
                result,
            } => self.intrinsic(*intrinsic, operands, *result),
            StmtKind::If {
                condition,
                then,
                otherwise,
            } => self.if_(*condition, then, otherwise),
            StmtKind::Loop { body, step } => self.loop_(body, step),
            &StmtKind::Break(depth) => {
                let arrival = self.arrive(Vec::new());
                if let Some(target) = self.loop_at(depth) {
                    target.breaks.push(arrival);
                }
            }
            &StmtKind::Continue(depth) => {
                let arrival = self.arrive(Vec::new());
                if let Some(target) = self.loop_at(depth) {
                    target.continues.push(arrival);
                }
            }
            &StmtKind::Return(value) => self.return_(value),
            StmtKind::Assert {
                condition,
                message,
                values,
            } => self.assert(*condition, message, values),
            StmtKind::Print { template, values } => self.print(template, values),
            StmtKind::Ptx {
                text,
                version,
                operands,
                result,
            } => self.ptx((text, *version), operands, *result),
        }
    }

    fn loop_at(&mut self, depth: u32) -> Option<&mut Loop> {
        self.frame.loops.iter_mut().rev().nth(depth as usize)
    }

    fn store(&mut self, place: PlaceId, value: ExprId) {
        let ty = self.body().exprs[value].ty;
        if self.shapes.of(ty).bulky {
            return self.store_bulky(place, value);
        }
        let mut words = Vec::new();
        self.words(value, &mut words);
        let spot = self.spot(place);
        self.begin_value(place);
        self.write(spot, ty, &words);
        self.end_value();
    }

    /// Writes the words of a value of type `ty`.
    pub(super) fn write(&mut self, spot: Spot, ty: ir::TypeId, words: &[Value]) {
        match spot {
            Spot::Variables(first) => self.state.set_all(first as usize, words),
            Spot::Memory { address, offset } => self.store_words(address, offset, ty, words),
        }
    }

    fn if_(&mut self, condition: ExprId, then: &ir::Block, otherwise: &ir::Block) {
        let condition = self.scalar(condition);
        if let Some(holds) = self.decided(condition) {
            self.stmts(if holds { then } else { otherwise });
            return;
        }
        self.nesting += 1;
        let (then_block, otherwise_block) = self.branch(condition);
        let before = self.state.clone();
        let mut arrivals = Vec::with_capacity(2);
        self.block = then_block;
        self.stmts(then);
        if self.reachable {
            arrivals.push(self.arrive(Vec::new()));
        }
        self.block = otherwise_block;
        self.reachable = true;
        self.state = before;
        self.stmts(otherwise);
        if self.reachable {
            arrivals.push(self.arrive(Vec::new()));
        }
        self.nesting -= 1;
        self.join(arrivals);
    }

    fn loop_(&mut self, body: &ir::Block, step: &ir::Block) {
        let (header, variables) = self.loop_header(body, step);
        self.frame.loops.push(Loop::default());
        self.nesting += 1;
        self.stmts(body);
        let mut continues = match self.frame.loops.last_mut() {
            Some(this) => std::mem::take(&mut this.continues),
            None => Vec::new(),
        };
        if self.reachable {
            continues.push(self.arrive(Vec::new()));
        }
        self.join(continues);
        self.stmts(step);
        self.nesting -= 1;
        if self.reachable {
            self.loop_latch(header, &variables);
        }
        let breaks = self.frame.loops.pop().map_or_else(Vec::new, |this| this.breaks);
        self.join(breaks);
    }

    fn return_(&mut self, value: Option<ExprId>) {
        let mut words = Vec::new();
        if let Some(value) = value {
            let ty = self.body().exprs[value].ty;
            match self.frame.result {
                Some(result) => {
                    let source = self.bulky(value);
                    self.copy(result, 0, source, ty);
                }
                None => self.words(value, &mut words),
            }
        }
        let arrival = self.arrive(words);
        self.frame.returns.push(arrival);
    }

    fn call(&mut self, called: Handle<Function>, arguments: &[ExprId], result: Option<Handle<Local>>) {
        if self.function.values.len() > MAX_OPERATIONS {
            return;
        }
        let function = {
            let program = self.program;
            self.inlined(called);
            (&program.functions[called], self.homes[called.index()].clone())
        };
        let (function, Some(homes)) = function else { return };
        let span = self.span;
        // The arguments are values of this frame; a bulky one is the address of its source.
        let mut words = Vec::new();
        let mut ends = Vec::with_capacity(arguments.len());
        for &argument in arguments {
            if self.shapes.of(self.body().exprs[argument].ty).bulky {
                let source = self.bulky(argument);
                words.push(source);
            } else {
                self.words(argument, &mut words);
            }
            ends.push(words.len());
        }
        let bulky = self.shapes.of(function.result).bulky;
        let place = bulky.then(|| {
            let shape = self.shapes.of(function.result);
            self.add_object(shape.size, shape.align)
        });

        let info = self.info.function(called);
        let caller = self.frame.inlined;
        let held = self.large_objects.len();
        let outer = self.enter(&function.body, info, homes, function.parameters as usize);
        self.frame.inlined = Some(self.function.origins.inlined.len() as u32);
        self.function.origins.inlined.push(Inlined {
            function: called,
            caller,
            span,
        });
        self.frame.result = place;
        let mut start = 0;
        for (number, end) in ends.into_iter().enumerate() {
            let local = Handle::new(number);
            let ty = function.body.locals[local].ty;
            match (self.shapes.of(ty).bulky, self.frame.locals[number]) {
                (true, super::state::Home::Memory(address)) => self.copy(address, 0, words[start], ty),
                _ => self.initialise(local, &words[start..end]),
            }
            start = end;
        }
        self.nesting += 1;
        self.stmts(&function.body.block);
        self.nesting -= 1;
        if self.reachable {
            // Only a function without a result ends without a return; for any other, the zeros
            // would be unreachable.
            let words = match place {
                Some(_) => Vec::new(),
                None => self.zeros(function.result),
            };
            let arrival = self.arrive(words);
            self.frame.returns.push(arrival);
        }
        let frame = self.leave(outer);
        self.free_objects(held);
        let arrivals: Vec<Arrival> = frame.returns;
        let words = self.join(arrivals);
        self.span = span;
        if !self.reachable {
            return;
        }
        if let Some(result) = result {
            match (place, self.frame.locals[result.index()]) {
                (Some(source), super::state::Home::Memory(address)) => self.copy(address, 0, source, function.result),
                _ => self.initialise(result, &words),
            }
        }
    }

    fn zeros(&mut self, ty: ir::TypeId) -> Vec<Value> {
        let shape = self.shapes.of(ty);
        shape
            .leaves
            .iter()
            .map(|leaf| self.constant(leaf.kind.ty(), 0))
            .collect()
    }

    /// Ensures that the storage of a function's locals is decided.
    fn inlined(&mut self, function: Handle<Function>) {
        if self.homes[function.index()].is_none() {
            let body = &self.program.functions[function].body;
            let homes = Homes::of(body, self.info.function(function), &mut self.shapes);
            self.homes[function.index()] = Some(Rc::new(homes));
        }
    }
}
