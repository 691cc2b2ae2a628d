//! Checking mode of the CPU: kernels run in the reference interpreter, with a recorder of what their threads do.
//!
//! - This file reads what the environment asks for, also without the feature `check`, which it then names.
//! - `checker` is the state of a checked device.
//! - `memory` knows the allocations of checked devices, and which of their bytes have been written.

#[cfg(feature = "check")]
mod checker;
#[cfg(feature = "check")]
mod memory;

#[cfg(feature = "check")]
pub(crate) use checker::Checker;

use std::env;
use std::sync::OnceLock;

use crate::error::{Error, Result};

/// The variable that asks for checking mode.
const VARIABLE: &str = "VYRE_CHECK";
/// The variable with the order of the threads.
const SEED: &str = "VYRE_CHECK_SEED";

/// A way to check launches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    not(feature = "check"),
    allow(dead_code, reason = "the feature reads them; without it they are refused")
)]
pub(crate) struct Mode {
    /// True if each launch runs in two orders, whose results are compared.
    pub(crate) order: bool,
    /// The order of the threads of all launches; `None` for another one in each.
    pub(crate) seed: Option<u64>,
}

/// How kernels run on the CPU.
#[derive(Clone, Debug, Default)]
pub(crate) enum Checking {
    /// By their bodies.
    #[default]
    Off,
    /// In checking mode.
    #[cfg_attr(not(feature = "check"), allow(dead_code, reason = "no device is checked without it"))]
    On(Mode),
    /// Not at all: a feature is missing, or the environment asks for what there is not.
    Refused(Error),
}

impl Checking {
    /// The one that the environment asks for. It is read once.
    pub(crate) fn of_environment() -> &'static Checking {
        static ASKED: OnceLock<Checking> = OnceLock::new();
        ASKED.get_or_init(|| {
            let [check, seed] = [VARIABLE, SEED].map(|name| env::var(name).unwrap_or_default());
            match parse(&check, &seed) {
                Ok(None) => Checking::Off,
                Ok(Some(_)) if cfg!(not(feature = "check")) => Checking::Refused(Error::MissingFeature {
                    feature: "check",
                    asked: format!("`{VARIABLE}={check}`"),
                }),
                Ok(Some(mode)) => Checking::On(mode),
                Err(error) => Checking::Refused(error),
            }
        })
    }

    /// The one of the CPU as a device: refused without the feature that runs bodies.
    pub(crate) fn of_cpu() -> Checking {
        match cfg!(feature = "cpu") {
            true => Checking::of_environment().clone(),
            false => Checking::Refused(Error::without_cpu("the CPU as a device")),
        }
    }

    /// Checking mode where the environment does not ask for it, in the order that it says.
    #[cfg(feature = "check")]
    pub(crate) fn of_choice() -> Checking {
        match parse("1", &env::var(SEED).unwrap_or_default()) {
            Ok(mode) => Checking::On(mode.unwrap_or_default()),
            Err(error) => Checking::Refused(error),
        }
    }
}

/// The mode that the values of the variables say.
fn parse(check: &str, seed: &str) -> Result<Option<Mode>> {
    let order = match check {
        "" | "0" => return Ok(None),
        "1" => false,
        "order" => true,
        other => {
            return Err(Error::UnknownName {
                what: "value of `VYRE_CHECK`",
                name: other.to_owned(),
                known: ["0", "1", "order"].map(str::to_owned).to_vec(),
            });
        }
    };
    let seed = match seed {
        "" => None,
        number => Some(number.parse().map_err(|_| Error::UnknownName {
            what: "value of `VYRE_CHECK_SEED`",
            name: number.to_owned(),
            known: ["0", "1", "..", "18446744073709551615"].map(str::to_owned).to_vec(),
        })?),
    };
    Ok(Some(Mode { order, seed }))
}

#[cfg(test)]
mod tests {
    use super::{Mode, parse};

    #[test]
    fn the_variables_say_the_mode() {
        let mode = |order, seed| Some(Mode { order, seed });
        let cases = [
            (("", "5"), None),
            (("0", ""), None),
            (("1", ""), mode(false, None)),
            (("order", "12"), mode(true, Some(12))),
        ];
        for ((check, seed), expected) in cases {
            assert_eq!(parse(check, seed), Ok(expected));
        }
        let text = |check, seed| parse(check, seed).unwrap_err().to_string();
        assert_eq!(
            text("yes", ""),
            "there is no value of `VYRE_CHECK` `yes`; there are 0, 1, order"
        );
        assert!(text("1", "-1").starts_with("there is no value of `VYRE_CHECK_SEED` `-1`; there are 0, 1"));
    }
}
