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

/// Expressions.
impl BodyParser<'_, '_> {
    pub(super) fn expr(&mut self) -> Parsed<ExprId> {
        self.parser.deeper()?;
        let stated = self.parser.eat("(");
        let untyped = self.untyped()?;
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
        let word = match self.parser.peek() {
            Token::Name(word) => word,
            Token::Number(text) => {
                let constant = decimal(text);
                let constant = constant.ok_or_else(|| self.parser.error(ParseErrorKind::BadNumber(text.to_owned())))?;
                self.parser.advance();
                return Ok(Untyped::new(ExprKind::Constant(constant)));
            }
            Token::Mark("&") => return self.reference(),
            Token::Mark("#" | "<") => return Ok(Untyped::new(ExprKind::Load(self.place()?))),
            _ => return Err(self.parser.expected("an expression")),
        };
        if self.parser.peek_second() == Token::Mark("(")
            && !matches!(word, "cast" | "bitcast" | "regroup" | "new" | "repeat")
        {
            return self.operation(word).map(Untyped::new);
        }
        if self.parser.peek_second() == Token::Mark(":")
            && let Some(scalar) = Scalar::from_name(word)
        {
            self.parser.advance();
            self.parser.advance();
            let bits = self.parser.integer()?;
            return Ok(Untyped::new(ExprKind::Constant(Constant { scalar, bits })));
        }
        if let Some(builtin) = self.builtin(word)? {
            return Ok(Untyped::new(ExprKind::Builtin(builtin)));
        }
        match word {
            "true" | "false" => {
                self.parser.advance();
                Ok(Untyped::new(ExprKind::Constant(Constant::bool(word == "true"))))
            }
            "external" => {
                self.parser.advance();
                self.parser.expect("::")?;
                let external = self.parser.external_label()?;
                Ok(Untyped::new(ExprKind::External(external)))
            }
            "cast" | "bitcast" | "regroup" | "new" | "repeat" | "dynamic_shared" => self.typed(word),
            _ => Ok(Untyped::new(ExprKind::Load(self.place()?))),
        }
    }

    /// An expression that names its type.
    fn typed(&mut self, word: &str) -> Parsed<Untyped> {
        self.parser.advance();
        let ty = self.parser.ty()?;
        self.parser.expect("(")?;
        let kind = if word == "new" {
            let mut parts = Vec::new();
            while !self.parser.peek_is(")") {
                if !parts.is_empty() {
                    self.parser.expect(",")?;
                }
                parts.push(self.expr()?);
            }
            ExprKind::Construct(parts)
        } else {
            let operand = self.expr()?;
            match word {
                "dynamic_shared" => {
                    let length = if self.parser.eat(",") { Some(self.expr()?) } else { None };
                    ExprKind::DynamicShared {
                        offset: operand,
                        length,
                    }
                }
                "cast" => ExprKind::Cast(operand),
                "bitcast" => ExprKind::Bitcast(operand),
                "regroup" => ExprKind::Regroup(operand),
                _ => ExprKind::Repeat(operand),
            }
        };
        self.parser.expect(")")?;
        Ok(Untyped {
            kind,
            mutable: false,
            ty: Some(ty),
        })
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

    fn operation(&mut self, word: &str) -> Parsed<ExprKind> {
        let unary = UnaryOp::from_name(word);
        let binary = BinaryOp::from_name(word);
        if unary.is_none()
            && binary.is_none()
            && !matches!(
                word,
                "length" | "field" | "mul_add" | "select" | "and_then" | "or_else" | "row" | "column" | "map_shared"
            )
        {
            return Err(self.parser.expected("an operation"));
        }
        self.parser.advance();
        self.parser.expect("(")?;
        let kind = match word {
            "length" => ExprKind::Length(self.place()?),
            "field" => {
                let operand = self.expr()?;
                self.parser.expect(",")?;
                let index = self.parser.integer()?;
                ExprKind::Field { operand, index }
            }
            "mul_add" => {
                let [a, b, c] = self.operands()?;
                ExprKind::MulAdd { a, b, c }
            }
            "select" => {
                let [condition, then, otherwise] = self.operands()?;
                ExprKind::Select {
                    condition,
                    then,
                    otherwise,
                }
            }
            "and_then" | "or_else" | "row" | "column" | "map_shared" => {
                let [left, right] = self.operands()?;
                let within = |extent| ExprKind::Within {
                    index: left,
                    length: right,
                    extent,
                };
                match word {
                    "and_then" => ExprKind::And { left, right },
                    "or_else" => ExprKind::Or { left, right },
                    "map_shared" => ExprKind::MapShared {
                        reference: left,
                        rank: right,
                    },
                    "row" => within(Extent::Rows),
                    _ => within(Extent::Columns),
                }
            }
            _ => match (unary, binary) {
                (Some(op), _) => {
                    let [operand] = self.operands()?;
                    ExprKind::Unary { op, operand }
                }
                (None, Some(op)) => {
                    let [left, right] = self.operands()?;
                    ExprKind::Binary { op, left, right }
                }
                (None, None) => return Err(self.parser.expected("an operation")),
            },
        };
        self.parser.expect(")")?;
        Ok(kind)
    }

    fn operands<const N: usize>(&mut self) -> Parsed<[ExprId; N]> {
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
        let (path, mut access, mut range) = self.steps(ranged && !stated)?;
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

    /// The projections of a place, its cache operator, and a range after them.
    fn steps(&mut self, ranged: bool) -> Parsed<(Vec<Projection>, Access, Option<Range>)> {
        let mut path = Vec::new();
        loop {
            if self.parser.eat(".") {
                if self.parser.eat("*") {
                    path.push(Projection::Deref);
                } else if let Token::Name(_) = self.parser.peek() {
                    return Ok((path, self.word("an access", access_from_name)?, None));
                } else {
                    path.push(Projection::Field(self.parser.integer()?));
                }
            } else if self.parser.eat("[") {
                let checked = !self.parser.eat_word("unchecked");
                let index = self.expr()?;
                if ranged && self.parser.eat("..") {
                    return Ok((path, Access::Plain, Some(self.range(index, checked)?)));
                }
                self.parser.expect("]")?;
                path.push(Projection::Index { index, checked });
            } else {
                return Ok((path, Access::Plain, None));
            }
        }
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
