//! Constants that get their values while a program runs.
//!
//! An [`External`] without a value is a run-time constant: [`give`] finds it by its name. Then [`fold`] puts constants
//! in place of all externals, so that later steps see them as they see the numbers in the source: trip counts,
//! divisors and conditions are known.

use std::fmt;

use crate::ir::{Arena, Body, Constant, ExprKind, External, Program, Scalar};

/// Error of a constant that a program does not take, or lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExternalError {
    /// The program has no external of this name.
    Unknown {
        /// The name.
        name: String,
        /// The names of those that it has.
        known: Vec<String>,
    },
    /// The value is not one of the external's type.
    Value {
        /// The name.
        name: String,
        /// The type of the external.
        expected: Scalar,
        /// The value.
        given: Constant,
    },
    /// An external that the program uses has no value.
    Missing {
        /// The name.
        name: String,
        /// Its type.
        scalar: Scalar,
    },
}

impl fmt::Display for ExternalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExternalError::Unknown { name, known } if known.is_empty() => {
                write!(
                    f,
                    "the program has no constant `{name}`, and none at all that is set at run time"
                )
            }
            ExternalError::Unknown { name, known } => {
                write!(
                    f,
                    "the program has no constant `{name}`; there are {}",
                    known.join(", ")
                )
            }
            ExternalError::Value { name, expected, given } => write!(
                f,
                "the constant `{name}` is a `{}`, of which the given `{}` is no value",
                expected.name(),
                given.scalar.name()
            ),
            ExternalError::Missing { name, scalar } => {
                write!(f, "the constant `{name}`, a `{}`, has no value", scalar.name())
            }
        }
    }
}

impl std::error::Error for ExternalError {}

/// Sets the externals of a name. An integer may be given in any integer type that holds it.
///
/// # Errors
/// [`ExternalError::Unknown`] and [`ExternalError::Value`]. The program is then unchanged.
pub fn give(program: &mut Program, name: &str, value: Constant) -> Result<(), ExternalError> {
    let mut found = Vec::new();
    for (handle, external) in program.externals.iter().filter(|(_, external)| external.name == name) {
        let converted = converted(value, external.scalar).ok_or_else(|| ExternalError::Value {
            name: name.to_owned(),
            expected: external.scalar,
            given: value,
        })?;
        found.push((handle, converted));
    }
    if found.is_empty() {
        let names = program.externals.iter().map(|(_, external)| external.name.clone());
        return Err(ExternalError::Unknown {
            name: name.to_owned(),
            known: names.collect(),
        });
    }
    for (handle, value) in found {
        program.externals[handle].value = Some(value.bits);
    }
    Ok(())
}

/// The value as one of a type, if it is one.
fn converted(value: Constant, scalar: Scalar) -> Option<Constant> {
    if value.scalar == scalar {
        return Some(Constant::new(scalar, value.bits));
    }
    let converted = Constant::new(scalar, value.bits);
    let is_same = value.scalar.is_integer() && scalar.is_integer() && converted.as_i128() == value.as_i128();
    is_same.then_some(converted)
}

/// Puts constants in place of externals.
///
/// # Errors
/// [`ExternalError::Missing`] if one has no value. Handles that lead nowhere are left to validation.
pub fn fold(program: &mut Program) -> Result<(), ExternalError> {
    let Program {
        externals,
        functions,
        kernels,
        ..
    } = program;
    for handle in functions.handles() {
        fold_body(&mut functions[handle].body, externals)?;
    }
    for handle in kernels.handles() {
        for entry in &mut kernels[handle].entries {
            fold_body(&mut entry.body, externals)?;
        }
    }
    Ok(())
}

fn fold_body(body: &mut Body, externals: &Arena<External>) -> Result<(), ExternalError> {
    for handle in body.exprs.handles() {
        let expr = &mut body.exprs[handle];
        let ExprKind::External(external) = expr.kind else {
            continue;
        };
        let Some(external) = externals.get(external) else {
            continue;
        };
        let bits = external.value.ok_or_else(|| ExternalError::Missing {
            name: external.name.clone(),
            scalar: external.scalar,
        })?;
        expr.kind = ExprKind::Constant(Constant::new(external.scalar, bits));
    }
    Ok(())
}
