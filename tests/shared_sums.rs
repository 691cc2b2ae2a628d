//! Dynamic shared memory beside a kernel's own: all sums around what every block has, and around what one may have at most.
//! On the CPU, and on a GPU if there is one.

use vyre::ir::text;
use vyre::prelude::*;
use vyre::{Error, Kernel, Launch, LaunchLimit, Sequence};

#[allow(unreachable_pub, reason = "other tests share the file")]
#[path = "examples/devices.rs"]
mod devices;

use devices::devices;

/// Kernels that write the first and the last byte of dynamic shared memory, beside memory of their own, and say its size.
macro_rules! kernels {
    ($($name:ident[$($shape:tt)*], $own:literal, $sync:expr;)*) => { $(
        #[vyre::kernel($($shape)*)]
        fn $name(y: &mut [u32]) {
            let own = shared::<[u32; $own]>();
            let given = shared::dynamic::<u8>();
            let (i, last) = (thread::idx().x, given.len() - 1);
            if i == 0 {
                own[$own - 1] = 7;
                given[0] = 1;
                given[last] = 5;
            }
            block::sync();
            $sync;
            if i == 31 && block::idx().x == 0 {
                y[0] = own[$own - 1] + given[last] as u32 + given.len() as u32 * 16;
            }
        }
    )* };
}

kernels! {
    beside_one[block = 32], 1, {};
    beside_five[block = 32], 5, {};
    beside_many[block = 32], 250, {};
    beside_one_in_grids[block = 32], 1, grid::sync();
    beside_one_in_clusters[block = 32, cluster = 2], 1, cluster::sync();
}

/// Without memory of its own.
#[vyre::kernel(block = 32)]
fn alone(y: &mut [u32]) {
    let given = shared::dynamic::<u8>();
    let (i, last) = (thread::idx().x, given.len() - 1);
    if i == 0 {
        given[0] = 1;
        given[last] = 5;
    }
    block::sync();
    if i == 31 && block::idx().x == 0 {
        y[0] = 7 + given[last] as u32 + given.len() as u32 * 16;
    }
}

/// The shared memory of every block without an opt-in.
const USUAL: usize = 48 << 10;

/// A way to launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Launch,
    Pipeline,
    Sequence,
    Graph,
}

/// Launches on a buffer in a way, with so many bytes, and returns what the kernel has written.
type Run = fn(&Device, Way, usize) -> vyre::Result<u32>;

macro_rules! run {
    ($kernel:ident) => {
        |device, way, bytes| {
            let mut y = device.zeros::<u32>(1)?;
            let launch = $kernel(&mut y).grid(2).shared_bytes(bytes);
            match way {
                Way::Launch => launch.launch(device)?,
                Way::Pipeline => {
                    let program = text::parse(program(&launch)).unwrap_or_else(|error| panic!("{error}"));
                    // SAFETY: the call passes what the launcher would.
                    let pipeline = unsafe { device.compile_trusted(program) }?;
                    let call = pipeline.call().resident_mut(&mut y).grid([2, 1, 1]);
                    call.shared_bytes(bytes).launch()?;
                }
                Way::Sequence => {
                    let mut steps = Sequence::new(device);
                    steps.launch(launch)?;
                    steps.start()?.wait()?;
                }
                Way::Graph => {
                    let mut steps = Sequence::new(device);
                    steps.launch(launch)?;
                    let mut graph = steps.into_graph()?;
                    graph.launch(&device.default_stream())?;
                    graph.wait()?;
                }
            }
            Ok(y.download()?[0])
        }
    };
}

/// The program of a launch.
fn program<K: Kernel>(_: &Launch<K>) -> &'static str {
    K::info().program
}

/// All sums around both edges.
fn sweep(device: &Device, name: &str, declared: usize, run: Run) {
    let most = device.max_shared_bytes();
    let own = declared.next_multiple_of(16);
    for edge in [USUAL, most] {
        for dynamic in edge - own - 36..=edge + 4 {
            for way in [Way::Launch, Way::Sequence, Way::Graph, Way::Pipeline] {
                let is_near = [USUAL, most].iter().any(|edge| edge.abs_diff(own + dynamic) <= 1);
                if way != Way::Launch && !is_near && declared + dynamic != edge {
                    continue;
                }
                let found = run(device, way, dynamic);
                let at = format!("{name}, {dynamic} bytes on {device}, {way:?}");
                if own + dynamic <= most {
                    assert_eq!(
                        found.unwrap_or_else(|error| panic!("{at}: {error}")),
                        12 + 16 * dynamic as u32,
                        "{at}"
                    );
                    continue;
                }
                let expected = Error::TooLarge {
                    kernel: name.to_owned().into(),
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
fn all_sums_with_static_memory() {
    for device in devices("all_sums_with_static_memory") {
        sweep(&device, "alone", 0, run!(alone));
        sweep(&device, "beside_one", 4, run!(beside_one));
        sweep(&device, "beside_five", 20, run!(beside_five));
        sweep(&device, "beside_many", 1000, run!(beside_many));
        sweep(&device, "beside_one_in_grids", 4, run!(beside_one_in_grids));
        if device.max_cluster_blocks() > 1 {
            sweep(&device, "beside_one_in_clusters", 4, run!(beside_one_in_clusters));
        }
    }
}

/// The largest number is told as it is, alone and in a sum.
#[test]
fn the_largest_number_is_told() {
    for device in devices("the_largest_number_is_told") {
        for way in [Way::Launch, Way::Sequence, Way::Graph, Way::Pipeline] {
            let run: Run = run!(beside_one);
            let error = run(&device, way, usize::MAX).unwrap_err();
            let expected = LaunchLimit::SharedMemory {
                own: 16,
                dynamic: u64::MAX,
            };
            assert!(
                matches!(error, Error::TooLarge { what, .. } if what == expected),
                "{error:?}"
            );
            assert!(error.to_string().contains(" 18446744073709551631 bytes"), "{error}");
        }
        let mut y = device.zeros::<u32>(1).unwrap();
        let error = device.resident_blocks(&beside_one(&mut y), usize::MAX).unwrap_err();
        assert!(
            error
                .to_string()
                .contains("16 of its own and 18446744073709551615 of the launch"),
            "{error}"
        );
    }
}
