//! Dynamic shared memory beside a kernel's own, on a driver that is played on the host, which refuses what a real one does.

use std::ffi::c_void;

use crate::kernels::on_driver;
use vyre_abi::kernel::{EntryInfo, Location};
use vyre_runtime::body::BlockContext;
use vyre_runtime::kernel::{Arguments, Kernel, KernelCache, KernelInfo};
use vyre_runtime::{Device, Error, Launch, LaunchLimit, Result, Sequence};

/// A kernel of this index.
struct Sharing<const N: usize>;

// SAFETY: the kernels take no arguments, and do nothing.
unsafe impl<const N: usize> Kernel for Sharing<N> {
    fn info() -> &'static KernelInfo {
        &KERNELS[N]
    }

    fn arguments<'a>(&'a self, _: &mut Arguments<'a>) {}
}

unsafe fn nothing(_: &[*const c_void], _: &BlockContext<'_>) {}

macro_rules! kernel {
    ($bytes:literal, $cooperative:literal, $cluster:expr) => {
        KernelInfo {
            name: "sharing",
            location: Location {
                file: "shared_memory.rs",
                line: 1,
                column: 1,
            },
            dimensions: 1,
            block: [32, 1, 1],
            cluster: $cluster,
            shared_bytes: $bytes,
            cooperative: $cooperative,
            parameters: &[],
            constants: &[],
            entries: &[EntryInfo {
                symbol: "sharing",
                coarsening: 1,
            }],
            assumed: &[],
            cubins: &[],
            ptx: concat!(
                ".version 7.8\n.target sm_70\n.address_size 64\n.extern .shared .align 16 .b8 dynamic[];\n\
                 .visible .entry sharing(.param .align 8 .b8 channel[24]) {\n\t.shared .align 4 .b8 own[",
                $bytes,
                "];\nret; }\n"
            ),
            target: 70,
            newer: &[],
            program: "",
            sites: &[],
            prints: &[],
            host: nothing,
            cache: KernelCache::new(),
        }
    };
}

static KERNELS: [KernelInfo; 7] = [
    kernel!(0, false, &[]),
    kernel!(4, false, &[]),
    kernel!(20, false, &[]),
    kernel!(1000, false, &[]),
    kernel!(49151, false, &[]),
    kernel!(4, true, &[]),
    kernel!(4, false, &[2]),
];

/// All sums around what every block has, and around what one may have at most, by launches, sequences and graphs.
fn sweep<const N: usize>(device: &Device) {
    const USUAL: usize = 48 << 10;
    let most = device.max_shared_bytes();
    let own = (KERNELS[N].shared_bytes as usize).next_multiple_of(16);
    for edge in [USUAL, most] {
        for dynamic in (edge - own).saturating_sub(40).max(1)..=edge + 4 {
            let launch = || Launch::grid(Sharing::<N>, [2, 1, 1]).shared_bytes(dynamic);
            let recorded = || -> Result<()> {
                let mut steps = Sequence::new(device);
                steps.launch(launch())?;
                steps.start()?.wait()?;
                let mut graph = steps.into_graph()?;
                graph.launch(&device.default_stream())?;
                graph.wait()?;
                Ok(())
            };
            // The sums at which the answer changes, and where it would without alignment.
            let own_sum = KERNELS[N].shared_bytes as usize + dynamic;
            let is_near = [own + dynamic, own_sum].iter().any(|sum| sum.abs_diff(edge) <= 1);
            for found in [Some(launch().launch(device)), is_near.then(recorded)]
                .into_iter()
                .flatten()
            {
                let at = format!("{N}: {dynamic} bytes");
                if own + dynamic <= most {
                    found.unwrap_or_else(|error| panic!("{at}: {error}"));
                    continue;
                }
                let expected = Error::TooLarge {
                    kernel: "sharing".into(),
                    what: LaunchLimit::SharedMemory {
                        own: own as u64,
                        dynamic: dynamic as u64,
                    },
                    requested: (own + dynamic) as u64,
                    limit: most as u64,
                };
                assert_eq!(found, Err(expected), "{at}");
            }
        }
    }
}

#[test]
fn dynamic_memory_begins_at_its_alignment() {
    on_driver("shared_memory::dynamic_memory_begins_at_its_alignment", |_| {
        let device = Device::cuda(0).unwrap();
        sweep::<0>(&device);
        sweep::<1>(&device);
        sweep::<2>(&device);
        sweep::<3>(&device);
        sweep::<4>(&device);
        sweep::<5>(&device);
        sweep::<6>(&device);
    });
}
