//! The PTX that an operation needs.

use super::{Kernel, Program, Scalar, UnaryOp};
use vyre_abi::fault::FaultChannel;

/// The lowest PTX `.version` and `.target` that something requires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Needs {
    pub version: (u32, u32),
    pub target: u32,
}

/// The PTX that a device and its driver take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PtxLimits {
    /// The highest `.version`, major and minor.
    pub version: (u32, u32),
    /// The highest `.target`: 80 for `sm_80`.
    pub target: u32,
}

impl PtxLimits {
    /// True if code with these needs can be loaded.
    #[doc(hidden)]
    pub fn admit(self, needs: Needs) -> bool {
        needs.version <= self.version && needs.target <= self.target
    }
}

/// The devices that code is for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Devices {
    /// The most that the device takes, if the code is for one.
    pub limits: Option<PtxLimits>,
    /// The `.target` that all of them have; 0 for the baseline.
    pub target: u32,
}

impl Devices {
    /// True unless a device is known to lack what an operation needs.
    pub fn admit(self, needs: Needs) -> bool {
        self.limits.is_none_or(|limits| limits.admit(needs))
    }

    /// True if all devices have what an operation needs.
    pub fn offer(self, needs: Needs) -> bool {
        needs.target <= self.target && self.admit(needs)
    }
}

/// Bytes of parameters allowed in every PTX version.
const SMALL_PARAMETERS: u64 = 4096;

impl Needs {
    /// Requirements of every module.
    pub const ALWAYS: Needs = Needs {
        version: (6, 0),
        target: 70,
    };

    /// Requirements of kernels with clusters.
    pub const CLUSTERS: Needs = Needs {
        version: (7, 8),
        target: 90,
    };

    /// Requirements of a fused multiply-add.
    pub const fn mul_add(scalar: Scalar) -> Needs {
        match scalar {
            Scalar::BF16 => Needs {
                version: (7, 0),
                target: BF16_TARGET,
            },
            _ => Needs::ALWAYS,
        }
    }

    /// Requirements of an operation on one scalar.
    pub const fn unary(op: UnaryOp) -> Needs {
        match op {
            UnaryOp::ApproxTanh => Needs {
                version: (7, 0),
                target: 75,
            },
            _ => Needs::ALWAYS,
        }
    }

    /// Requirements of inline PTX that asks for a version.
    pub const fn inline(version: Option<(u32, u32)>) -> Needs {
        match version {
            Some(version) => Needs { version, target: 70 },
            None => Needs::ALWAYS,
        }
    }

    /// Requirements of `bytes` bytes of parameters.
    pub const fn parameters(bytes: u64) -> Needs {
        match bytes > SMALL_PARAMETERS {
            true => Needs {
                version: (8, 1),
                target: 70,
            },
            false => Needs::ALWAYS,
        }
    }

    /// The maximum of both.
    pub fn and(self, other: Needs) -> Needs {
        Needs {
            version: self.version.max(other.version),
            target: self.target.max(other.target),
        }
    }
}

/// The first target with instructions for `bf16`.
pub const BF16_TARGET: u32 = 80;

/// The bytes of a kernel's parameters, with the constants set by the host and the fault channel.
pub fn parameter_bytes(program: &Program, kernel: &Kernel) -> u64 {
    let parameters = kernel.parameters.iter().map(|parameter| parameter.ty);
    let tables = program.host_tables().map(|(_, table)| table.ty);
    let end = parameters.chain(tables).fold(0_u64, |end, ty| {
        let layout = program.types.layout(ty);
        end.next_multiple_of(layout.align.max(1)) + layout.size
    });
    end.next_multiple_of(8) + size_of::<FaultChannel>() as u64
}
