//! Placeholders in inline PTX.

/// The register that a placeholder in inline PTX stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PtxPlace {
    /// `{0}`: the register of an operand.
    Operand(usize),
    /// `{result}`, or `{result.0}` of a tuple: the register of a result.
    Result(usize),
}

impl PtxPlace {
    /// Resolves a placeholder name, if there is such an operand or result. `tuple` is the number of
    /// elements of a tuple result, `Some(0)` for `()`, or `None` for a scalar.
    pub fn of(name: &str, operands: usize, tuple: Option<usize>) -> Option<PtxPlace> {
        let below = |digits: &str, count: usize| digits.parse().ok().filter(|&number: &usize| number < count);
        match (name.strip_prefix("result"), tuple) {
            (None, _) => below(name, operands).map(PtxPlace::Operand),
            (Some(""), None) => Some(PtxPlace::Result(0)),
            (Some(element), Some(count)) => below(element.strip_prefix('.')?, count).map(PtxPlace::Result),
            _ => None,
        }
    }
}
