//! Options of the compiler.

use vyre_core::contract;
use vyre_core::fast::{approximate, fast_math};
use vyre_core::ir::Program;

use crate::error::{Error, Result};

/// Options of a compilation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Options {
    pub(crate) set: OptionSet,
    /// The most ulp of an approximation that takes the place of an accurate operation.
    pub(crate) ulp_budget: Option<u32>,
}

impl Options {
    /// Changes a valid program as they say, for every device.
    pub(crate) fn apply(self, program: &mut Program) {
        match self.ulp_budget {
            Some(ulps) => approximate(program, ulps),
            None if self.set == OptionSet::FastMath => fast_math(program),
            None => {}
        }
        if self.set.contracts() {
            contract(program);
        }
    }

    /// Tells them from others; `None` for the usual ones.
    pub(crate) fn key(self) -> Option<String> {
        let name = self.set.name();
        match self.ulp_budget {
            None if self == Options::default() => None,
            None => Some(name.to_owned()),
            Some(ulps) => Some(format!("{name}, {ulps} ulp")),
        }
    }
}

/// A named set of options.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum OptionSet {
    #[default]
    Release,
    /// PTX has line tables, for debuggers and profilers.
    Profiling,
    /// Products fuse with sums.
    Contract,
    /// The same, and approximations take the places of accurate operations and functions.
    FastMath,
}

impl OptionSet {
    const ALL: [OptionSet; 4] = [
        OptionSet::Release,
        OptionSet::Profiling,
        OptionSet::Contract,
        OptionSet::FastMath,
    ];

    /// The set of this name.
    pub(crate) fn of(name: &str) -> Result<OptionSet> {
        let mut all = OptionSet::ALL.into_iter();
        all.find(|set| set.name() == name).ok_or_else(|| Error::UnknownName {
            what: "set of options",
            name: name.to_owned(),
            known: OptionSet::ALL.iter().map(|set| set.name().to_owned()).collect(),
        })
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            OptionSet::Release => "release",
            OptionSet::Profiling => "profiling",
            OptionSet::Contract => "contract",
            OptionSet::FastMath => "fast_math",
        }
    }

    fn contracts(self) -> bool {
        matches!(self, OptionSet::Contract | OptionSet::FastMath)
    }

    pub(crate) fn has_line_info(self) -> bool {
        self == OptionSet::Profiling
    }
}

#[cfg(test)]
mod tests;
