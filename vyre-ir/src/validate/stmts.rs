//! Checks of statements.

use vyre_abi::fault::MAX_FAULT_VALUES;
use vyre_abi::format::{Part, Template, parts};
use vyre_abi::list;
use vyre_abi::print::MAX_PRINT_VALUES;

use super::body::BodyCheck;
use super::error::InvalidKind;
use crate::ir::{
    AssertMessage, AtomicOp, Block, Builtin, ExprId, ExprKind, Handle, Local, MAX_PTX_OPERANDS, MAX_PTX_RESULTS,
    MemoryOrder, PlaceId, PtxPlace, Scalar, Span, Stmt, StmtKind, Type, TypeId, is_ptx_version,
};

/// An enclosing loop, and the part of it that contains the statement.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Around {
    Body,
    Step,
}

impl BodyCheck<'_, '_> {
    /// Checks the statements of a block; `loops` are the enclosing ones, the innermost last.
    pub(super) fn block(&mut self, block: &Block, loops: &mut Vec<Around>) {
        for stmt in block {
            self.stmt(stmt, loops);
        }
    }

    fn stmt(&mut self, stmt: &Stmt, loops: &mut Vec<Around>) {
        let (span, bool_type) = (stmt.span, self.scalar_type(Scalar::Bool));
        match &stmt.kind {
            StmtKind::Store { place, value } => {
                let ty = self.place_type(*place);
                self.expect(*value, ty);
                self.writable(*place);
                if self.facts.of(ty).atomics {
                    self.error(span, InvalidKind::AtomicStore(ty));
                }
            }
            StmtKind::Call {
                function,
                arguments,
                result,
            } => {
                let program = self.program;
                let function_handle = *function;
                let function = &program.functions[function_handle];
                if arguments.len() != function.parameters as usize {
                    let (expected, found) = (function.parameters, arguments.len());
                    self.error(
                        span,
                        InvalidKind::ArgumentCount {
                            function: function_handle,
                            expected,
                            found,
                        },
                    );
                }
                let parameters = function.body.locals.iter().take(function.parameters as usize);
                for (&argument, (_, parameter)) in arguments.iter().zip(parameters) {
                    self.expect(argument, parameter.ty);
                }
                self.result_local(stmt, *result, function.result);
            }
            StmtKind::Atomic {
                op,
                place,
                operands,
                order,
                result,
                ..
            } => self.atomic(stmt, *op, *place, operands, *order, *result),
            StmtKind::Intrinsic {
                intrinsic,
                operands,
                result,
            } => self.intrinsic(stmt, *intrinsic, operands, *result),
            StmtKind::If {
                condition,
                then,
                otherwise,
            } => {
                self.expect(*condition, bool_type);
                let condition = &self.body.exprs[*condition].kind;
                let outside = self.on_gpu;
                self.on_gpu |= *condition == ExprKind::Builtin(Builtin::OnGpu);
                self.block(then, loops);
                self.on_gpu = outside;
                self.block(otherwise, loops);
            }
            StmtKind::Loop { body, step } => {
                loops.push(Around::Body);
                self.block(body, loops);
                loops.pop();
                loops.push(Around::Step);
                self.block(step, loops);
                loops.pop();
            }
            StmtKind::Break(depth) | StmtKind::Continue(depth) => {
                let around = loops.iter().rev().nth(*depth as usize);
                match around {
                    None => self.error(span, InvalidKind::NoLoop(*depth)),
                    Some(Around::Step) if matches!(stmt.kind, StmtKind::Continue(_)) => {
                        self.error(span, InvalidKind::ContinueInStep);
                    }
                    Some(_) => {}
                }
            }
            StmtKind::Return(value) => match (*value, self.result) {
                (Some(value), Some(result)) => self.expect(value, result),
                (None, Some(result)) => self.error(span, InvalidKind::ReturnWithout(result)),
                (Some(_), None) => self.error(span, InvalidKind::ReturnWith),
                (None, None) => {}
            },
            StmtKind::Assert {
                condition,
                message,
                values,
            } => {
                self.expect(*condition, bool_type);
                let (AssertMessage::Assertion(text) | AssertMessage::Panic(text)) = message;
                self.template(span, text, values, MAX_FAULT_VALUES);
            }
            StmtKind::Ptx {
                text,
                version,
                operands,
                result,
            } => {
                if let Some(version) = version.filter(|&version| !is_ptx_version(version)) {
                    self.error(span, InvalidKind::PtxVersion(version));
                }
                self.ptx(span, text, operands, *result);
            }
            StmtKind::Print { template, values } => self.template(span, template, values, MAX_PRINT_VALUES),
        }
    }

    fn ptx(&mut self, span: Span, text: &str, operands: &[ExprId], result: Option<Handle<Local>>) {
        if !self.on_gpu {
            self.error(span, InvalidKind::PtxAnywhere);
        }
        let result = result.map(|result| self.body.locals[result].ty);
        let tuple = match result.map(|ty| &self.program.types[ty]) {
            Some(Type::Tuple(elements)) => Some(&elements[..]),
            Some(_) => None,
            None => Some(&[][..]),
        };
        let fits = |part: &Part<'_>| match part {
            Part::Text(_) => true,
            Part::Place(name) => PtxPlace::of(name, operands.len(), tuple.map(<[_]>::len)).is_some(),
        };
        match parts(text) {
            Ok(parts) if parts.iter().all(fits) => {}
            Ok(_) => self.error(span, InvalidKind::PtxPlace),
            Err(error) => self.error(span, InvalidKind::Template(error)),
        }
        if operands.len() > MAX_PTX_OPERANDS {
            let (most, found) = (MAX_PTX_OPERANDS, operands.len());
            self.error(span, InvalidKind::TooManyValues { most, found });
        }
        let mut types: Vec<TypeId> = list::map(operands, |&operand| self.type_of(operand));
        match tuple {
            Some(elements) if (1..=MAX_PTX_RESULTS).contains(&elements.len()) => types.extend(elements),
            _ => types.extend(result),
        }
        for ty in types {
            let scalar = self.program.types.as_scalar(ty);
            if scalar.is_none_or(|scalar| scalar.size() < 2) {
                self.error(span, InvalidKind::PtxOperand(ty));
            }
        }
    }

    /// Checks a template and its values, of which at most `most` are allowed.
    fn template(&mut self, span: Span, text: &str, values: &[ExprId], most: usize) {
        let template = match Template::parse(text) {
            Ok(template) => template,
            Err(error) => return self.error(span, InvalidKind::Template(error)),
        };
        let (expected, found) = (template.scalars.len(), values.len());
        if expected != found {
            self.error(span, InvalidKind::TemplateValues { expected, found });
        }
        if found > most {
            self.error(span, InvalidKind::TooManyValues { most, found });
        }
        for (&scalar, &value) in template.scalars.iter().zip(values) {
            let ty = self.scalar_type(scalar);
            self.expect(value, ty);
        }
    }

    /// Reports a local that cannot take a result of type `found`.
    pub(super) fn result_local(&mut self, stmt: &Stmt, local: Option<Handle<Local>>, found: TypeId) {
        let Some(local) = local else { return };
        let expected = self.body.locals[local].ty;
        if expected != found {
            self.error(stmt.span, InvalidKind::Mismatch { expected, found });
        }
    }

    fn atomic(
        &mut self,
        stmt: &Stmt,
        op: AtomicOp,
        place: PlaceId,
        operands: &[ExprId],
        order: MemoryOrder,
        result: Option<Handle<Local>>,
    ) {
        let span = stmt.span;
        if operands.len() != op.operands() {
            let found = operands.len();
            self.error(span, InvalidKind::AtomicOperands { op, found });
        }
        let fits = match op {
            AtomicOp::Load => !matches!(order, MemoryOrder::Release | MemoryOrder::AcqRel),
            AtomicOp::Store => !matches!(order, MemoryOrder::Acquire | MemoryOrder::AcqRel),
            _ => true,
        };
        if !fits {
            self.error(span, InvalidKind::AtomicOrder { op, order });
        }
        let ty = self.place_type(place);
        let Type::Atomic(scalar) = *self.ty(ty) else {
            return self.error(self.body.places[place].span, InvalidKind::NotAtomic(ty));
        };
        if !op.accepts(scalar) {
            self.error(span, InvalidKind::Atomic { op, scalar });
        }
        let one = self.scalar_type(scalar);
        let pair = Type::Array {
            element: one,
            length: 2,
        };
        let value = match scalar.is_half() {
            // If the program has no type of pairs, nothing is one.
            true => self.program.types.find(&pair).unwrap_or(one),
            false => one,
        };
        for &operand in operands {
            self.expect(operand, value);
        }
        if !op.has_result() && result.is_some() {
            return self.error(span, InvalidKind::AtomicResult);
        }
        self.result_local(stmt, result, value);
    }
}
