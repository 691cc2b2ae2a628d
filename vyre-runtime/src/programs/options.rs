//! Named sets of options of the compiler.

use vyre_core::contract;
use vyre_core::fast::fast_math;
use vyre_core::ir::Program;

use crate::error::{Error, Result};

/// A set of options.
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

    /// Changes a valid program as the set says, for every device.
    pub(crate) fn apply(self, program: &mut Program) {
        match self {
            OptionSet::Release | OptionSet::Profiling => {}
            OptionSet::Contract => contract(program),
            OptionSet::FastMath => fast_math(program),
        }
    }

    pub(crate) fn has_line_info(self) -> bool {
        self == OptionSet::Profiling
    }
}

#[cfg(test)]
mod tests;
