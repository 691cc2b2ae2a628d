//! A table of GPUs, for planning without one.
//!
//! Sources, all by NVIDIA: V100, the white paper "Tesla V100 GPU Architecture"; T4, "Turing GPU Architecture",
//! appendix B; A100, "A100 Tensor Core GPU Architecture" and the data sheet of the A100 80GB; RTX 3090, "Ampere
//! GA102 GPU Architecture"; RTX 4090, L4 and L40S, "Ada GPU Architecture" and the data sheets of L4 and L40S;
//! H100, "H100 Tensor Core GPU Architecture" and its data sheet; H200, its data sheet, which has no size of
//! the L2 cache; RTX 5090, "RTX Blackwell GPU Architecture".

use vyre_abi::limits::MAX_CLUSTER_BLOCKS;

use super::Profile;
use crate::error::{Error, Result};
use vyre_abi::architecture::{REGISTERS, architecture};

/// A row of the table.
struct Gpu {
    name: &'static str,
    title: &'static str,
    capability: (u32, u32),
    multiprocessors: u32,
    /// GiB.
    memory: u64,
    /// KiB; 0 where no source has it.
    l2: u64,
    /// GB/s, of 10^9 bytes.
    bandwidth: u64,
}

const fn gpu(
    name: &'static str,
    title: &'static str,
    capability: (u32, u32),
    multiprocessors: u32,
    [memory, l2, bandwidth]: [u64; 3],
) -> Gpu {
    Gpu {
        name,
        title,
        capability,
        multiprocessors,
        memory,
        l2,
        bandwidth,
    }
}

const GPUS: [Gpu; 12] = [
    gpu("v100-sxm", "V100-SXM2-32GB", (7, 0), 80, [32, 6144, 900]),
    gpu("t4", "T4", (7, 5), 40, [16, 4096, 320]),
    gpu("a100-sxm-40gb", "A100-SXM4-40GB", (8, 0), 108, [40, 40960, 1555]),
    gpu("a100-sxm-80gb", "A100-SXM4-80GB", (8, 0), 108, [80, 40960, 2039]),
    gpu("rtx-3090", "GeForce RTX 3090", (8, 6), 82, [24, 6144, 936]),
    gpu("rtx-4090", "GeForce RTX 4090", (8, 9), 128, [24, 73728, 1008]),
    gpu("l4", "L4", (8, 9), 58, [24, 49152, 300]),
    gpu("l40s", "L40S", (8, 9), 142, [48, 98304, 864]),
    gpu("h100-pcie", "H100 PCIe", (9, 0), 114, [80, 51200, 2000]),
    gpu("h100-sxm", "H100 80GB HBM3", (9, 0), 132, [80, 51200, 3350]),
    gpu("h200-sxm", "H200", (9, 0), 132, [141, 0, 4800]),
    gpu("rtx-5090", "GeForce RTX 5090", (12, 0), 170, [32, 98304, 1792]),
];

impl Profile {
    /// The names that [`known`](Profile::known) knows.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// use vyre::Profile;
    /// for name in Profile::names() {
    ///     let profile = Profile::known(name)?;
    ///     println!("{name}: {} multiprocessors", profile.multiprocessors);
    /// }
    /// assert!(Profile::names().any(|name| name == "l4"));
    /// # Ok(())
    /// # }
    /// ```
    pub fn names() -> impl Iterator<Item = &'static str> {
        GPUS.iter().map(|gpu| gpu.name)
    }

    /// A GPU by name, for planning without it: `h100-sxm`.
    ///
    /// The numbers are those of NVIDIA's publications. A device at hand reports a little less memory, of which
    /// the driver keeps some, and the number of its copy engines, which no publication has.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// let planned = vyre::Profile::known("h100-sxm")?;
    /// assert_eq!((planned.multiprocessors, planned.compute_capability), (132, Some((9, 0))));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::UnknownName`], with the known names.
    pub fn known(name: &str) -> Result<Profile> {
        let found = GPUS.iter().find(|gpu| gpu.name == name);
        found.map(Gpu::profile).ok_or_else(|| Error::UnknownName {
            what: "profile",
            name: name.to_owned(),
            known: Profile::names().map(str::to_owned).collect(),
        })
    }
}

impl Gpu {
    fn profile(&self) -> Profile {
        let mut profile = Profile::common("cuda", &format!("NVIDIA {}", self.title));
        profile.set_capability(self.capability);
        profile.multiprocessors = self.multiprocessors;
        if let Some(row) = architecture(self.capability) {
            profile.multiprocessor_threads = Some(row.threads);
            profile.multiprocessor_blocks = Some(row.blocks);
            profile.multiprocessor_shared_bytes = Some(row.shared);
            profile.max_shared_bytes = row.block_shared;
        }
        if self.capability >= (9, 0) {
            profile.max_cluster_blocks = MAX_CLUSTER_BLOCKS;
        }
        profile.multiprocessor_registers = Some(REGISTERS);
        profile.memory_bytes = Some(self.memory << 30);
        profile.max_buffer_bytes = self.memory << 30;
        profile.l2_bytes = (self.l2 != 0).then_some(self.l2 << 10);
        profile.memory_bandwidth = Some(self.bandwidth * 1_000_000_000);
        profile
    }
}
