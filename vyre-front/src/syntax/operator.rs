//! The operators on two numbers.

use vyre_ir::ir::BinaryOp;

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
        self as usize >= Operator::Eq as usize
    }

    /// True if the operands have types of their own.
    pub(crate) fn is_shift(self) -> bool {
        matches!(self, Operator::Shl | Operator::Shr)
    }

    /// The operator as it is written.
    pub(crate) fn symbol(self) -> &'static str {
        ROWS[self as usize].0
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
    pub(crate) fn binary(self) -> BinaryOp {
        ROWS[self as usize].1
    }
}

/// For each operator, in their order, how it is written, and the operation of the program.
const ROWS: [(&str, BinaryOp); 16] = [
    ("+", BinaryOp::Add),
    ("-", BinaryOp::Sub),
    ("*", BinaryOp::Mul),
    ("/", BinaryOp::Div),
    ("%", BinaryOp::Rem),
    ("&", BinaryOp::And),
    ("|", BinaryOp::Or),
    ("^", BinaryOp::Xor),
    ("<<", BinaryOp::Shl),
    (">>", BinaryOp::Shr),
    ("==", BinaryOp::Eq),
    ("!=", BinaryOp::Ne),
    ("<", BinaryOp::Lt),
    ("<=", BinaryOp::Le),
    (">", BinaryOp::Gt),
    (">=", BinaryOp::Ge),
];
