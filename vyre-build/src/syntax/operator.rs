//! The operators on two numbers.

/// An operator on two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    BitAnd,
    BitOr,
    BitXor,
    Shl,
    Shr,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

impl Operator {
    /// True if the result is `bool`.
    pub(crate) fn is_comparison(self) -> bool {
        matches!(
            self,
            Operator::Eq | Operator::Ne | Operator::Lt | Operator::Le | Operator::Gt | Operator::Ge
        )
    }

    /// True if the operands have types of their own.
    pub(crate) fn is_shift(self) -> bool {
        matches!(self, Operator::Shl | Operator::Shr)
    }

    /// The operator as it is written.
    pub(crate) fn symbol(self) -> &'static str {
        match self {
            Operator::Add => "+",
            Operator::Sub => "-",
            Operator::Mul => "*",
            Operator::Div => "/",
            Operator::Rem => "%",
            Operator::BitAnd => "&",
            Operator::BitOr => "|",
            Operator::BitXor => "^",
            Operator::Shl => "<<",
            Operator::Shr => ">>",
            Operator::Eq => "==",
            Operator::Ne => "!=",
            Operator::Lt => "<",
            Operator::Le => "<=",
            Operator::Gt => ">",
            Operator::Ge => ">=",
        }
    }

    /// Its trait and the method of that; of `+=` for `+` if it assigns.
    pub(crate) fn overloaded(self, assigns: bool) -> (String, String) {
        let name = match self {
            Operator::Eq => return ("PartialEq".to_owned(), "eq".to_owned()),
            Operator::Ne => return ("PartialEq".to_owned(), "ne".to_owned()),
            // Compared part by part, or refused.
            _ if self.is_comparison() => return ("PartialOrd".to_owned(), "partial_cmp".to_owned()),
            _ => format!("{self:?}"),
        };
        let method = name.to_lowercase();
        match assigns {
            true => (format!("{name}Assign"), format!("{method}_assign")),
            false => (name, method),
        }
    }

    /// The operation of the program.
    pub(crate) fn binary(self) -> vyre_ir::ir::BinaryOp {
        use vyre_ir::ir::BinaryOp;
        match self {
            Operator::Add => BinaryOp::Add,
            Operator::Sub => BinaryOp::Sub,
            Operator::Mul => BinaryOp::Mul,
            Operator::Div => BinaryOp::Div,
            Operator::Rem => BinaryOp::Rem,
            Operator::BitAnd => BinaryOp::And,
            Operator::BitOr => BinaryOp::Or,
            Operator::BitXor => BinaryOp::Xor,
            Operator::Shl => BinaryOp::Shl,
            Operator::Shr => BinaryOp::Shr,
            Operator::Eq => BinaryOp::Eq,
            Operator::Ne => BinaryOp::Ne,
            Operator::Lt => BinaryOp::Lt,
            Operator::Le => BinaryOp::Le,
            Operator::Gt => BinaryOp::Gt,
            Operator::Ge => BinaryOp::Ge,
        }
    }
}
