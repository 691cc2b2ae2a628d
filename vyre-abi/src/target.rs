//! The architectures for which machine code is made, and the devices that run it.

use std::fmt;

/// An architecture of machine code, `sm_80` or `sm_90a`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Target {
    /// The compute capability: 90 for 9.0.
    pub capability: u32,
    /// The devices that have its features.
    pub features: Features,
}

/// The features of a [`Target`] by the devices that have them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Features {
    /// Those of all later capabilities, too: `sm_90`.
    Baseline,
    /// Those of the capability's family: `sm_100f`.
    Family,
    /// Those of this capability alone: `sm_90a`.
    Architecture,
}

impl Target {
    /// The targets that ptxas of CUDA 13.0 has. It has no code for older devices.
    pub const ALL: [Target; 23] = {
        use Features::{Architecture, Baseline, Family};
        [
            Target::new(75, Baseline),
            Target::new(80, Baseline),
            Target::new(86, Baseline),
            Target::new(87, Baseline),
            Target::new(88, Baseline),
            Target::new(89, Baseline),
            Target::new(90, Baseline),
            Target::new(90, Architecture),
            Target::new(100, Baseline),
            Target::new(100, Family),
            Target::new(100, Architecture),
            Target::new(103, Baseline),
            Target::new(103, Family),
            Target::new(103, Architecture),
            Target::new(110, Baseline),
            Target::new(110, Family),
            Target::new(110, Architecture),
            Target::new(120, Baseline),
            Target::new(120, Family),
            Target::new(120, Architecture),
            Target::new(121, Baseline),
            Target::new(121, Family),
            Target::new(121, Architecture),
        ]
    };

    /// A target of its parts.
    pub const fn new(capability: u32, features: Features) -> Target {
        Target { capability, features }
    }

    /// The target of this name, or `None` if there is none.
    pub fn from_name(name: &str) -> Option<Target> {
        Target::ALL.into_iter().find(|target| target.to_string() == name)
    }

    /// True if code for PTX's `.target sm_N` can be assembled to this target, `N` being `capability`.
    pub const fn assembles(self, capability: u32) -> bool {
        capability <= self.capability
    }

    /// True if a device of a compute capability runs machine code of this target.
    ///
    /// A device runs code of its own capability, and of lower ones of the same major number unless the code has
    /// features that only one architecture has. The boards with a CPU (Jetson and the like) run no code of other devices, and
    /// others none of theirs.
    pub const fn runs_on(self, capability: u32) -> bool {
        if self.capability == capability {
            return true;
        }
        let is_older = self.capability / 10 == capability / 10 && self.capability < capability;
        let is_board = Target::is_board(self.capability) || Target::is_board(capability);
        is_older && !is_board && !matches!(self.features, Features::Architecture)
    }

    /// True for the capabilities of boards with a CPU: Xavier, Orin and its successors, Thor.
    const fn is_board(capability: u32) -> bool {
        matches!(capability, 72 | 87 | 88 | 101 | 110)
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let suffix = match self.features {
            Features::Baseline => "",
            Features::Family => "f",
            Features::Architecture => "a",
        };
        write!(f, "sm_{}{suffix}", self.capability)
    }
}

#[cfg(test)]
mod tests;
