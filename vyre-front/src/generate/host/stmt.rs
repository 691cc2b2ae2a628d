//! Statements as Rust.

use proc_macro2::Literal;
use vyre_abi::fault::FaultKind;
use vyre_abi::list;
use vyre_ir::ir::{AssertMessage, AtomicOp, Block, ExprId, Handle, Local, MemoryOrder, PlaceId, Stmt, StmtKind};

use super::body::Writer;
use super::place::Memory;
use super::types;
use crate::code::{Code, code};

/// The message of a thread that waits for a phase when nothing makes progress.
const STAYS_CLOSED: &str = "this barrier waits for threads that never arrive";

/// The message of a thread that polls when all threads of the launch only wait.
const STANDSTILL: &str = "this loop waits for a write by another thread, and all threads of the launch wait";

impl Writer<'_> {
    /// The statements of a block, up to one that jumps.
    pub(super) fn block(&mut self, block: &Block) -> Code {
        if self.are_lanes() {
            return self.lanes_block(&block.iter().collect::<Vec<_>>());
        }
        let mut tokens = Code::default();
        for stmt in block {
            self.declared(stmt, &mut tokens);
            if matches!(
                stmt.kind,
                StmtKind::Break(_) | StmtKind::Continue(_) | StmtKind::Return(_)
            ) {
                break;
            }
        }
        tokens
    }

    /// A statement, at its span, after the declarations before it.
    pub(super) fn declared(&mut self, stmt: &Stmt, tokens: &mut Code) {
        let here = self.at(stmt.span);
        let outer = std::mem::replace(&mut self.span, here);
        let declared = match self.lanewise {
            Some(_) => &[],
            None => self.declarations.before(stmt),
        };
        for &local in declared {
            let span = self.span;
            let (name, ty) = (self.local(local), self.ty(self.body.locals[local].ty));
            tokens.append(code!(span=> let mut #name: #ty = __zero();));
        }
        match self.lanewise {
            Some(_) => self.lanes_statement(stmt, tokens),
            None => self.statement(stmt, tokens),
        }
        self.span = outer;
    }

    pub(super) fn statement(&mut self, stmt: &Stmt, tokens: &mut Code) {
        let span = self.span;
        match &stmt.kind {
            StmtKind::Store { place, value } => self.store(stmt, *place, *value, tokens),
            StmtKind::Call {
                function,
                arguments,
                result,
            } => {
                let name = self.function(*function);
                let arguments: Vec<_> = list::map(arguments, |&argument| self.expr(argument));
                let pauses = self.context.info.function(*function).effects.pauses();
                let passed = self.context.passed();
                // Threads wait together that have come by the same calls.
                let way = pauses.then(|| {
                    let call = Literal::u32_unsuffixed(self.sites.call());
                    code!(span=> .by(#call))
                });
                let value = match pauses && self.context.stack.is_apart(*function) {
                    // The future of the caller does not hold that of the call.
                    true => {
                        let names = (0..arguments.len()).map(|number| self.ident(&format!("__{number}")));
                        let names: Vec<_> = names.collect();
                        // One argument makes a tuple, too.
                        let (pattern, values) = (names.clone(), code!(span=> #arguments));
                        let comma = (names.len() == 1).then(|| code!(span=> ,));
                        let other = comma.clone();
                        code!(span=> {
                            let (#pattern #comma) = (#values #other);
                            __v::boxed(move || #name(__t #way, #passed #names)).await?
                        })
                    }
                    false => {
                        let wait = pauses.then(|| code!(span=> .await));
                        let lane = self.asks_in_lane(*function).then(|| code!(span=> .of_lane(__l)));
                        code!(span=> #name(__t #lane #way, #passed #arguments) #wait ?)
                    }
                };
                self.result(stmt, *result, value, tokens);
            }
            StmtKind::Atomic {
                op,
                place,
                operands,
                order,
                result,
                ..
            } => {
                self.atomic(stmt, (*op, *order), *place, operands, *result, tokens);
            }
            StmtKind::Intrinsic {
                intrinsic,
                operands,
                result,
            } => self.intrinsic(stmt, *intrinsic, operands, *result, tokens),
            // Under `on_gpu`, where no thread of the CPU comes.
            StmtKind::Ptx { .. } => {}
            StmtKind::If {
                condition,
                then,
                otherwise,
            } => {
                let condition = self.expr(*condition);
                let (then, otherwise) = (self.block(then), self.block(otherwise));
                match (then.is_empty(), otherwise.is_empty()) {
                    (true, false) => tokens.append(code!(span=> if !#condition { #otherwise })),
                    (_, true) => tokens.append(code!(span=> if #condition { #then })),
                    (false, false) => tokens.append(code!(span=> if #condition { #then } else { #otherwise })),
                }
            }
            StmtKind::Loop { body, step } => self.loop_(stmt, body, step, tokens),
            StmtKind::Break(depth) => {
                let (number, _) = self.loop_at(*depth);
                let label = self.label("l", number);
                tokens.append(code!(span=> break #label;));
            }
            StmtKind::Continue(depth) => {
                let (number, has_block) = self.loop_at(*depth);
                tokens.append(if has_block {
                    let label = self.label("c", number);
                    code!(span=> break #label;)
                } else {
                    let label = self.label("l", number);
                    code!(span=> continue #label;)
                });
            }
            StmtKind::Return(_) if self.regions.is_some_and(|regions| regions.returns) => {
                tokens.append(code!(span=> return __Ok(true);));
            }
            StmtKind::Return(value) => {
                let value = value.map_or_else(|| code!(span=> ()), |value| self.expr(value));
                tokens.append(code!(span=> return __Ok(#value);));
            }
            StmtKind::Assert {
                condition,
                message,
                values,
            } => {
                let condition = self.expr(*condition);
                let (kind, text) = match message {
                    AssertMessage::Assertion(text) => (FaultKind::Assertion, text),
                    AssertMessage::Panic(text) => (FaultKind::Panic, text),
                };
                let site = self.site(kind, stmt.span, text);
                if values.is_empty() {
                    tokens.append(code!(span=> __t.assert(#condition, #site)?;));
                } else {
                    let values = self.words(values);
                    tokens.append(code!(span=> if !#condition { return __Err(__t.fail(#site, &[#values])); }));
                }
            }
            StmtKind::Print { template, values } => {
                let values = self.words(values);
                let number = self.sites.print(template);
                let site = self.number(number as u64);
                tokens.append(code!(span=> __t.print(#site, &[#values]);));
            }
        }
    }

    /// The bits of the values of a message.
    fn words(&mut self, values: &[ExprId]) -> Vec<Code> {
        let span = self.span;
        let words = values.iter().map(|&value| {
            let value = self.expr(value);
            code!(span=> __word(#value))
        });
        words.collect()
    }

    fn store(&mut self, stmt: &Stmt, place: PlaceId, value: ExprId, tokens: &mut Code) {
        let span = self.span;
        let body = self.body;
        if let Some(local) = body.places[place].whole_local() {
            if self.index(local).is_some() {
                return;
            }
            let value = self.expr(value);
            self.result(stmt, Some(local), value, tokens);
            return;
        }
        let value = self.expr(value);
        let target = self.place(place);
        if target.memory == Memory::Racy && types::is_memory(&self.context.program.types, body.places[place].ty) {
            let pointer = self.pointer(target);
            tokens.append(code!(span=> __store(#value, #pointer);));
        } else {
            let target = self.value(target);
            tokens.append(code!(span=> #target = #value;));
        }
    }

    /// Puts a value into a local, which this statement may declare, or drops it.
    pub(super) fn result(&mut self, stmt: &Stmt, local: Option<Handle<Local>>, value: Code, tokens: &mut Code) {
        let span = self.span;
        let Some(local) = local else {
            tokens.append(code!(span=> #value;));
            return;
        };
        if let Some(begins) = self.begins_in_lane(local) {
            let name = self.local(local);
            tokens.append(code!(span=> #begins #name = #value;));
        } else if self.lanewise.is_none() && self.declarations.declares(stmt, local) {
            let (name, mutable) = (
                self.local(local),
                self.declarations.changes(local).then(|| self.ident("mut")),
            );
            tokens.append(code!(span=> let #mutable #name = #value;));
        } else {
            let variable = self.variable(local);
            tokens.append(code!(span=> #variable = #value;));
        }
    }

    fn atomic(
        &mut self,
        stmt: &Stmt,
        (op, order): (AtomicOp, MemoryOrder),
        place: PlaceId,
        operands: &[ExprId],
        result: Option<Handle<Local>>,
        tokens: &mut Code,
    ) {
        let span = self.span;
        let target = self.place(place);
        let cell = self.ident(if target.memory == Memory::Shared {
            "__Local"
        } else {
            "__Global"
        });
        let (pointer, method) = (self.pointer(target), self.ident(op.name()));
        let mut values: Vec<_> = list::map(operands, |&operand| self.expr(operand));
        values.push(self.order(order));
        self.result(stmt, result, code!(span=> #cell(#pointer).#method(#values)), tokens);
    }

    fn loop_(&mut self, stmt: &Stmt, body: &Block, step: &Block, tokens: &mut Code) {
        let span = self.span;
        let number = self.loop_count;
        self.loop_count += 1;
        let apart = self.apart_loop(stmt, number);
        let waits = self.info.is_wait(stmt);
        // `continue` goes to the step; without a step, Rust's own `continue` suffices.
        let has_block = (waits || !step.is_empty()) && continues(body, 0);
        self.loops.push((number, has_block));
        let mut inside = apart.unwrap_or_default();
        inside.append(self.block(body));
        if has_block {
            let label = self.label("c", number);
            inside = code!(span=> #label: { #inside });
        }
        let for_phase = waits && step.is_empty() && waits_for_phase(body);
        let polls = self.info.only_polls(stmt);
        let pause = match (waits, for_phase) {
            (_, true) => {
                let site = self.site(FaultKind::Panic, stmt.span, STAYS_CLOSED);
                code!(span=> __t.closed(&mut __waited, #site).await?;)
            }
            (true, false) if polls => {
                let site = self.site(FaultKind::Panic, stmt.span, STANDSTILL);
                code!(span=> __t.poll_again(&mut __waited, #site).await?;)
            }
            (true, false) => code!(span=> __t.give_way().await?;),
            (false, false) => Code::default(),
        };
        let step = self.block(step);
        self.loops.pop();
        let label = self.label("l", number);
        if for_phase || polls {
            return tokens.append(code!(span=> { let mut __waited = false; #label: loop { #inside #pause } }));
        }
        tokens.append(code!(span=> #label: loop { #inside #pause #step }));
    }

    /// The loop that a jump of this depth means.
    pub(super) fn loop_at(&self, depth: u32) -> (usize, bool) {
        let index = self.loops.len().checked_sub(depth as usize + 1);
        index
            .and_then(|index| self.loops.get(index).copied())
            .unwrap_or_default()
    }

    pub(super) fn label(&self, kind: &str, number: usize) -> Code {
        let mut label = Code::default();
        label.token(&format!("'__{kind}{number}"), self.span);
        label
    }

    pub(super) fn order(&self, order: MemoryOrder) -> Code {
        let span = self.span;
        let name = self.ident(match order {
            MemoryOrder::Relaxed => "Relaxed",
            MemoryOrder::Acquire => "Acquire",
            MemoryOrder::Release => "Release",
            MemoryOrder::AcqRel => "AcqRel",
            MemoryOrder::SeqCst => "SeqCst",
        });
        code!(span=> __Ordering::#name)
    }
}

/// True if a loop of this body only tests whether a phase of a barrier is complete.
fn waits_for_phase(body: &Block) -> bool {
    match body.as_slice() {
        [asks, leaves] => {
            let opened = AtomicOp::BarrierOpened;
            let asks = matches!(asks.kind, StmtKind::Atomic { op, .. } if op == opened);
            let is_break = |block: &Block| {
                matches!(
                    block.as_slice(),
                    [] | [Stmt {
                        kind: StmtKind::Break(0),
                        ..
                    }]
                )
            };
            asks && matches!(&leaves.kind, StmtKind::If { then, otherwise, .. } if is_break(then) && is_break(otherwise))
        }
        _ => false,
    }
}

/// True if a block continues the loop that is `depth` loops further out.
pub(super) fn continues(block: &Block, depth: u32) -> bool {
    block.iter().any(|stmt| match &stmt.kind {
        StmtKind::Continue(to) => *to == depth,
        StmtKind::If { then, otherwise, .. } => continues(then, depth) || continues(otherwise, depth),
        StmtKind::Loop { body, step } => continues(body, depth + 1) || continues(step, depth + 1),
        _ => false,
    })
}
