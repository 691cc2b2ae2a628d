//! To come.
use super::Function;
pub(crate) fn print(_function: &Function) -> String {
    String::new()
}
