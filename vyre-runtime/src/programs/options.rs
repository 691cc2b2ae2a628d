//! Named sets of options of the compiler.

use crate::error::{Error, Result};

/// A set of options.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum OptionSet {
    #[default]
    Release,
    /// PTX has line tables, for debuggers and profilers.
    Profiling,
}

impl OptionSet {
    const ALL: [OptionSet; 2] = [OptionSet::Release, OptionSet::Profiling];

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
        }
    }

    pub(crate) fn has_line_info(self) -> bool {
        self == OptionSet::Profiling
    }
}

#[cfg(test)]
mod tests;
