//! Parses expressions and places.

use super::Parsed;
use super::body::{BodyParser, Node};
use super::error::ParseErrorKind;
use super::lexer::Token;
use crate::ir::natural::{self, Natural};
use crate::ir::{
    Access, Axis, BinaryOp, Builtin, Constant, Expr, ExprId, ExprKind, Extent, Handle, Place, PlaceBase, PlaceId,
    Projection, Scalar, Span, TypeId, UnaryOp,
};
use crate::semantics;

/// An expression whose type is not determined yet.
struct Untyped {
    kind: ExprKind,
    /// `&mut`, for references.
    mutable: bool,
    /// The type, if the expression names it.
    ty: Option<TypeId>,
}

impl Untyped {
    fn new(kind: ExprKind) -> Self {
        Untyped {
            kind,
            mutable: false,
            ty: None,
        }
    }
}

/// The range of a sub-slice.
struct Range {
    start: ExprId,
    end: ExprId,
    checked: bool,
}

/// What follows the base of a place.
#[derive(Default)]
struct Steps {
    path: Vec<Projection>,
    access: Access,
    range: Option<Range>,
}

/// Expressions. The functions that call one another again for what is nested keep little on the stack, which a build without
/// optimisation takes for each value of each branch: the rest is in functions of their own.
impl BodyParser<'_, '_> {
    pub(super) fn expr(&mut self) -> Parsed<ExprId> {
        self.parser.deeper()?;
        let stated = self.parser.eat("(");
        self.untyped().and_then(|untyped| self.typed_as(untyped, stated))
    }

    /// Takes an expression over, with the type that follows where one is stated.
    fn typed_as(&mut self, untyped: Untyped, stated: bool) -> Parsed<ExprId> {
        let ty = if stated {
            self.parser.expect(":")?;
            let ty = self.parser.ty()?;
            self.parser.expect(")")?;
            Some(ty)
        } else {
            untyped.ty.or_else(|| self.natural(&untyped))
        };
        let ty = ty.ok_or_else(|| self.parser.error(ParseErrorKind::NoType))?;
        let expr = self.body.exprs.push(Expr {
            kind: untyped.kind,
            ty,
            span: Span::NONE,
        });
        self.nodes.push(Node::Expr(expr));
        self.parser.shallower();
        Ok(expr)
    }

    fn natural(&mut self, untyped: &Untyped) -> Option<TypeId> {
        let natural = natural::expr_type(&self.parser.program, &self.body, &untyped.kind, untyped.mutable)?;
        Some(match natural {
            Natural::Known(ty) => ty,
            Natural::Made(ty) => self.parser.program.types.intern(ty),
        })
    }

    fn untyped(&mut self) -> Parsed<Untyped> {
        match self.parser.peek() {
            Token::Name(word) => {
                if self.parser.peek_second() == Token::Mark("(")
                    && !matches!(word, "cast" | "bitcast" | "regroup" | "new" | "repeat")
                {
                    return self.operation(word);
                }
                match word {
                    "cast" | "bitcast" | "regroup" | "new" | "repeat" | "dynamic_shared" => self.typed(word),
                    _ => match self.leaf(word) {
                        Some(leaf) => leaf,
                        None => self.load(),
                    },
                }
            }
            Token::Mark("&") => self.reference(),
            Token::Mark("#" | "<") => self.load(),
            _ => self.number(),
        }
    }

    fn load(&mut self) -> Parsed<Untyped> {
        self.place_or_range(false)
            .map(|(place, _)| Untyped::new(ExprKind::Load(place)))
    }

    fn number(&mut self) -> Parsed<Untyped> {
        let Token::Number(text) = self.parser.peek() else {
            return Err(self.parser.expected("an expression"));
        };
        let constant = decimal(text);
        let constant = constant.ok_or_else(|| self.parser.error(ParseErrorKind::BadNumber(text.to_owned())))?;
        self.parser.advance();
        Ok(Untyped::new(ExprKind::Constant(constant)))
    }

    /// The expression without parts that begins with a word; `None` if it is a place.
    fn leaf(&mut self, word: &str) -> Option<Parsed<Untyped>> {
        let leaf = self.leaf_kind(word).transpose()?;
        Some(leaf.map(Untyped::new))
    }

    fn leaf_kind(&mut self, word: &str) -> Parsed<Option<ExprKind>> {
        if self.parser.peek_second() == Token::Mark(":")
            && let Some(scalar) = Scalar::from_name(word)
        {
            self.parser.advance();
            self.parser.advance();
            let bits = self.parser.integer()?;
            return Ok(Some(ExprKind::Constant(Constant { scalar, bits })));
        }
        if let Some(builtin) = self.builtin(word)? {
            return Ok(Some(ExprKind::Builtin(builtin)));
        }
        match word {
            "true" | "false" => {
                self.parser.advance();
                Ok(Some(ExprKind::Constant(Constant::bool(word == "true"))))
            }
            "external" => {
                self.parser.advance();
                self.parser.expect("::")?;
                let external = self.parser.external_label()?;
                Ok(Some(ExprKind::External(external)))
            }
            _ => Ok(None),
        }
    }

    /// An expression that names its type.
    fn typed(&mut self, word: &str) -> Parsed<Untyped> {
        let ty = self.type_of_typed()?;
        let kind = match word {
            "new" => self.parts().map(ExprKind::Construct),
            "dynamic_shared" => self.dynamic_shared(),
            "cast" => self.expr().map(ExprKind::Cast),
            "bitcast" => self.expr().map(ExprKind::Bitcast),
            "regroup" => self.expr().map(ExprKind::Regroup),
            _ => self.expr().map(ExprKind::Repeat),
        };
        self.closed(kind, Some(ty))
    }

    fn type_of_typed(&mut self) -> Parsed<TypeId> {
        self.parser.advance();
        let ty = self.parser.ty()?;
        self.parser.expect("(")?;
        Ok(ty)
    }

    /// The end of an expression in brackets.
    fn closed(&mut self, kind: Parsed<ExprKind>, ty: Option<TypeId>) -> Parsed<Untyped> {
        let kind = kind?;
        self.parser.expect(")")?;
        Ok(Untyped {
            kind,
            mutable: false,
            ty,
        })
    }

    fn parts(&mut self) -> Parsed<Vec<ExprId>> {
        let mut parts = Vec::new();
        while !self.parser.peek_is(")") {
            if !parts.is_empty() {
                self.parser.expect(",")?;
            }
            parts.push(self.expr()?);
        }
        Ok(parts)
    }

    fn dynamic_shared(&mut self) -> Parsed<ExprKind> {
        let offset = self.expr()?;
        let length = if self.parser.eat(",") { Some(self.expr()?) } else { None };
        Ok(ExprKind::DynamicShared { offset, length })
    }

    fn reference(&mut self) -> Parsed<Untyped> {
        self.parser.advance();
        let mutable = self.parser.eat_word("mut");
        let (place, range) = self.place_or_range(true)?;
        let kind = match range {
            None => ExprKind::Reference(place),
            Some(Range { start, end, checked }) => ExprKind::Subslice {
                place,
                start,
                end,
                checked,
            },
        };
        Ok(Untyped {
            kind,
            mutable,
            ty: None,
        })
    }

    fn operation(&mut self, word: &str) -> Parsed<Untyped> {
        let kind = match word {
            "length" | "field" => self.of_operand(word),
            "mul_add" | "select" => self.of_three(word),
            "and_then" | "or_else" | "row" | "column" | "map_shared" => self.of_two(word),
            _ => match (UnaryOp::from_name(word), BinaryOp::from_name(word)) {
                (Some(op), _) => self.operands().map(|[operand]| ExprKind::Unary { op, operand }),
                (None, Some(op)) => self
                    .operands()
                    .map(|[left, right]| ExprKind::Binary { op, left, right }),
                (None, None) => Err(self.parser.expected("an operation")),
            },
        };
        self.closed(kind, None)
    }

    fn of_operand(&mut self, word: &str) -> Parsed<ExprKind> {
        self.opened()?;
        if word == "length" {
            return self.place().map(ExprKind::Length);
        }
        let operand = self.expr()?;
        self.parser.expect(",")?;
        let index = self.parser.integer()?;
        Ok(ExprKind::Field { operand, index })
    }

    fn of_two(&mut self, word: &str) -> Parsed<ExprKind> {
        let [left, right] = self.operands()?;
        let within = |extent| ExprKind::Within {
            index: left,
            length: right,
            extent,
        };
        Ok(match word {
            "and_then" => ExprKind::And { left, right },
            "or_else" => ExprKind::Or { left, right },
            "map_shared" => ExprKind::MapShared {
                reference: left,
                rank: right,
            },
            "row" => within(Extent::Rows),
            _ => within(Extent::Columns),
        })
    }

    fn of_three(&mut self, word: &str) -> Parsed<ExprKind> {
        let [a, b, c] = self.operands()?;
        Ok(match word {
            "mul_add" => ExprKind::MulAdd { a, b, c },
            _ => ExprKind::Select {
                condition: a,
                then: b,
                otherwise: c,
            },
        })
    }

    /// The beginning of an operation.
    fn opened(&mut self) -> Parsed<()> {
        self.parser.advance();
        self.parser.expect("(")
    }

    /// The operands of an operation, behind its name.
    fn operands<const N: usize>(&mut self) -> Parsed<[ExprId; N]> {
        self.opened()?;
        let mut operands = [Handle::new(0); N];
        for (position, operand) in operands.iter_mut().enumerate() {
            if position > 0 {
                self.parser.expect(",")?;
            }
            *operand = self.expr()?;
        }
        Ok(operands)
    }

    fn builtin(&mut self, word: &str) -> Parsed<Option<Builtin>> {
        let along: fn(Axis) -> Builtin = match word {
            "thread_index" => Builtin::ThreadIndex,
            "block_index" => Builtin::BlockIndex,
            "block_size" => Builtin::BlockSize,
            "grid_size" => Builtin::GridSize,
            "cluster_size" => Builtin::ClusterSize,
            "cluster_block" => Builtin::ClusterBlock,
            "cluster_index" => Builtin::ClusterIndex,
            "global_index" => Builtin::GlobalIndex,
            "linear_index" => {
                self.parser.advance();
                return Ok(Some(Builtin::LinearIndex));
            }
            "lane_index" => {
                self.parser.advance();
                return Ok(Some(Builtin::LaneIndex));
            }
            "on_gpu" => {
                self.parser.advance();
                return Ok(Some(Builtin::OnGpu));
            }
            _ => return Ok(None),
        };
        self.parser.advance();
        self.parser.expect(".")?;
        let axis = self.word("an axis", Axis::from_name)?;
        Ok(Some(along(axis)))
    }
}

/// Places.
impl BodyParser<'_, '_> {
    pub(super) fn place(&mut self) -> Parsed<PlaceId> {
        Ok(self.place_or_range(false)?.0)
    }

    /// A place, and the range of it that follows, if `ranged` allows one.
    fn place_or_range(&mut self, ranged: bool) -> Parsed<(PlaceId, Option<Range>)> {
        let stated = self.parser.eat("<");
        let base = self.base()?;
        let mut steps = Steps::default();
        while self.step(ranged && !stated, &mut steps)? {}
        self.placed(base, steps, stated, ranged)
    }

    /// The place of its parts, and the type and what else stands behind one with `<`.
    fn placed(
        &mut self,
        base: PlaceBase,
        steps: Steps,
        stated: bool,
        ranged: bool,
    ) -> Parsed<(PlaceId, Option<Range>)> {
        let Steps {
            path,
            mut access,
            mut range,
        } = steps;
        let ty = if stated {
            self.parser.expect(":")?;
            let ty = self.parser.ty()?;
            self.parser.expect(">")?;
            if self.parser.eat(".") {
                access = self.word("an access", access_from_name)?;
            }
            if ranged && self.parser.eat("[") {
                let checked = !self.parser.eat_word("unchecked");
                let start = self.expr()?;
                self.parser.expect("..")?;
                range = Some(self.range(start, checked)?);
            }
            Some(ty)
        } else {
            natural::place_type(&self.parser.program, &self.body, base, &path)
        };
        let ty = ty.ok_or_else(|| self.parser.error(ParseErrorKind::NoType))?;
        let place = self.body.places.push(Place {
            base,
            path,
            ty,
            access,
            span: Span::NONE,
        });
        self.nodes.push(Node::Place(place));
        Ok((place, range))
    }

    fn base(&mut self) -> Parsed<PlaceBase> {
        for (word, shared) in [("shared", true), ("table", false)] {
            if self.parser.eat_word(word) {
                self.parser.expect("::")?;
                return Ok(if shared {
                    PlaceBase::Shared(self.parser.shared_label()?)
                } else {
                    PlaceBase::Table(self.parser.table_label()?)
                });
            }
        }
        let label = self.parser.label()?;
        Ok(PlaceBase::Local(Handle::new(self.local_index(&label)?)))
    }

    /// The next projection of a place, its cache operator, or a range after them; false behind the last one.
    fn step(&mut self, ranged: bool, steps: &mut Steps) -> Parsed<bool> {
        if self.parser.eat("[") {
            return self.index(ranged, steps);
        }
        if !self.parser.eat(".") {
            return Ok(false);
        }
        if self.parser.eat("*") {
            steps.path.push(Projection::Deref);
        } else if let Token::Name(_) = self.parser.peek() {
            steps.access = self.word("an access", access_from_name)?;
            return Ok(false);
        } else {
            steps.path.push(Projection::Field(self.parser.integer()?));
        }
        Ok(true)
    }

    /// The rest of an index or a range, after `[`.
    fn index(&mut self, ranged: bool, steps: &mut Steps) -> Parsed<bool> {
        let checked = !self.parser.eat_word("unchecked");
        let index = self.expr()?;
        if ranged && self.parser.eat("..") {
            steps.range = Some(self.range(index, checked)?);
            return Ok(false);
        }
        self.parser.expect("]")?;
        steps.path.push(Projection::Index { index, checked });
        Ok(true)
    }

    /// The rest of a range, after `..`.
    fn range(&mut self, start: ExprId, checked: bool) -> Parsed<Range> {
        let end = self.expr()?;
        self.parser.expect("]")?;
        Ok(Range { start, end, checked })
    }
}

/// The access of a name that is not plain.
fn access_from_name(name: &str) -> Option<Access> {
    let named = Access::ALL.iter().find(|access| access.name() == name);
    named.copied().filter(|&access| access != Access::Plain)
}

/// The constant of a decimal number with a suffix, or `None` if it is out of range.
fn decimal(text: &str) -> Option<Constant> {
    // From the back: `bf16` ends in another name.
    let (digits, scalar) = Scalar::ALL
        .into_iter()
        .rev()
        .find_map(|scalar| Some((text.strip_suffix(scalar.name())?, scalar)))?;
    match scalar {
        Scalar::Bool => None,
        Scalar::F16 | Scalar::BF16 | Scalar::F32 => {
            let value: f32 = digits.parse().ok()?;
            let wide = Constant::new(Scalar::F32, u64::from(value.to_bits()));
            let constant = semantics::cast(wide, scalar);
            // For 16 bits only exactly representable values.
            (value.is_finite() && semantics::cast(constant, Scalar::F32) == wide).then_some(constant)
        }
        Scalar::F64 => {
            let value: f64 = digits.parse().ok()?;
            value.is_finite().then(|| Constant::new(scalar, value.to_bits()))
        }
        _ => {
            let value: i128 = digits.parse().ok()?;
            let constant = Constant::new(scalar, value as u64);
            (constant.as_i128() == value).then_some(constant)
        }
    }
}
