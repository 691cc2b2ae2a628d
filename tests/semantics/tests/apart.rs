//! Threads that wait at different barriers or exchanges: the CPU reports the fault where the interpreter does. A GPU may do
//! anything, so that none is asked.

use vyre::prelude::*;
use vyre::{Error, Kernel};
use vyre_core::{interp, text, validate};

/// A thread, and the line and column at which it waits.
type Place = ([u32; 3], u32, u32);

/// The place at which the interpreter refuses it.
fn interpreted(info: &vyre::KernelInfo, blocks: u32) -> Place {
    let program = text::parse(info.program).unwrap();
    let valid = validate::validate(&program).unwrap();
    let mut bytes = [0; 1024];
    let arguments = &mut [interp::Argument::Slice(&mut bytes)];
    match interp::launch(&valid, program.kernel(info.name).unwrap(), arguments, [blocks, 1, 1]) {
        Err(interp::Error::Divergence { threads, barriers, .. }) => (threads[0], barriers[0].line, barriers[0].column),
        Err(interp::Error::Deadlock { thread, barrier, .. }) => (thread, barrier.line, barrier.column),
        other => panic!("`{}` by the interpreter: {other:?}", info.name),
    }
}

/// Kernels whose threads wait apart, each with its number of blocks and a part of the message.
macro_rules! apart {
    ($($(#[$attribute:meta])* fn $name:ident($y:ident)[$launcher:ident, $blocks:literal, $message:literal] $body:block)*) => {
        $(
            $(#[$attribute])*
            fn $name($y: &mut [u32]) $body
        )*

        #[test]
        fn the_cpu_faults_where_the_interpreter_does() {
            $({
                let device = Device::cpu();
                let stream = device.stream().unwrap();
                let mut y = device.zeros::<u32>(256).unwrap();
                $name(&mut y).grid($blocks).on(&stream).launch(&device).unwrap();
                let fault = match stream.synchronize() {
                    Err(Error::Fault(fault)) => fault,
                    other => panic!("`{}` on the CPU: {other:?}", stringify!($name)),
                };
                let expected = interpreted(<$launcher<'_> as Kernel>::info(), $blocks);
                let at = (fault.thread, fault.line, fault.column);
                assert_eq!(at, expected, "`{}`: {fault}", stringify!($name));
                assert!(fault.to_string().contains($message), "{fault}");
            })*
        }
    };
}

#[vyre::device]
fn meet() {
    block::sync();
}

apart! {
    #[vyre::kernel(block = 64, allow(races))]
    fn branches(y)[Branches, 1, "threads wait at different barriers or exchanges, others at line "] {
        let t = thread::idx().x;
        if t < 40 {
            block::sync();
            y[t] = 1;
        } else {
            block::sync();
            y[t] = 2;
        }
    }

    /// Some threads have left, and one is alone.
    #[vyre::kernel(block = 64, allow(races))]
    fn one_of_a_few(y)[OneOfAFew, 3, "threads wait at different barriers or exchanges"] {
        let t = thread::idx().x;
        if t > 40 {
            return;
        }
        if t == 17 {
            block::sync();
        } else {
            block::sync();
            y[t] = 2;
        }
    }

    /// The same barrier by two calls.
    #[vyre::kernel(block = 64, allow(races))]
    fn calls(y)[Calls, 1, "threads wait at different barriers or exchanges"] {
        let t = thread::idx().x;
        if t < 32 {
            meet();
        } else {
            meet();
            y[t] = 2;
        }
    }

    #[vyre::kernel(block = 64, allow(races))]
    fn votes(y)[Votes, 1, "threads wait at different barriers or exchanges"] {
        let t = thread::idx().x;
        if t < 32 {
            y[t] = block::sync_count(true) as u32;
        } else {
            block::sync();
        }
    }

    /// Some threads are still in the loop when the others are behind it.
    #[vyre::kernel(block = 64, allow(races))]
    fn turns(y)[Turns, 1, "threads wait at different barriers or exchanges"] {
        let t = thread::idx().x;
        for _ in 0..1 + t / 32 {
            block::sync();
        }
        block::sync();
        y[t] = 1;
    }

    /// A part of a warp is at a barrier.
    #[vyre::kernel(block = 64, allow(races))]
    fn exchange_and_barrier(y)[ExchangeAndBarrier, 1, "threads wait at different barriers or exchanges"] {
        let t = thread::idx().x;
        if t % 32 < 20 {
            y[t] = warp::sum(t as u32);
        } else {
            block::sync();
        }
    }

    #[vyre::kernel(block = 32, allow(races))]
    fn exchanges(y)[Exchanges, 1, "threads wait at different barriers or exchanges"] {
        let t = thread::idx().x;
        if t < 20 {
            y[t] = warp::shuffle_xor(t as u32, 1);
        } else {
            y[t] = warp::shuffle_xor(t as u32, 2);
        }
    }

    #[vyre::kernel(block = 32, allow(races))]
    fn sizes_of_tiles(y)[SizesOfTiles, 1, "threads wait at different barriers or exchanges"] {
        let t = thread::idx().x;
        if t < 4 {
            y[t] = warp::tile::<8>().sum(t as u32);
        } else {
            y[t] = warp::sum(t as u32);
        }
    }

    #[vyre::kernel(block = 32, allow(races))]
    fn warp_barriers(y)[WarpBarriers, 1, "threads wait at different barriers or exchanges"] {
        let t = thread::idx().x;
        if t < 20 {
            warp::sync();
        } else {
            warp::sync();
            y[t] = 1;
        }
    }

    #[vyre::kernel(block = 64, allow(races))]
    fn named_and_not(y)[NamedAndNot, 1, "this barrier waits for warps that never come"] {
        let both = block::barrier::<3, 64>();
        let t = thread::idx().x;
        if t < 32 {
            block::sync();
        } else {
            both.sync();
        }
        y[t] = 1;
    }

    /// A warp of which a part is at another named barrier.
    #[vyre::kernel(block = 64, allow(races))]
    fn two_named(y)[TwoNamed, 1, "this barrier waits for warps that never come"] {
        let (a, b) = (block::barrier::<3, 64>(), block::barrier::<4, 64>());
        let t = thread::idx().x;
        if t < 16 {
            a.sync();
        } else {
            b.sync();
        }
        y[t] = 1;
    }

    #[vyre::kernel(block = 32, allow(races))]
    fn grid_barriers(y)[GridBarriers, 2, "some threads do not come to this `grid::sync()`"] {
        let t = thread::idx().x;
        if t < 16 {
            grid::sync();
        } else {
            grid::sync();
            y[t] = 1;
        }
    }

    /// Each block is at one barrier, and they are at two.
    #[vyre::kernel(block = 32, allow(races))]
    fn grid_barriers_of_blocks(y)[GridBarriersOfBlocks, 3, "some threads do not come to this `grid::sync()`"] {
        let t = thread::idx().x;
        if block::idx().x < 2 {
            grid::sync();
        } else {
            grid::sync();
            y[t] = 1;
        }
    }

    #[vyre::kernel(block = 32, allow(races))]
    fn block_and_grid(y)[BlockAndGrid, 2, "threads wait at different barriers or exchanges"] {
        let t = thread::idx().x;
        if t < 16 {
            block::sync();
        } else {
            grid::sync();
            y[t] = 1;
        }
    }

    #[vyre::kernel(block = 32, cluster = 2, allow(races))]
    fn cluster_barriers(y)[ClusterBarriers, 2, "threads wait at different barriers or exchanges"] {
        let t = thread::idx().x;
        if t < 16 {
            cluster::sync();
        } else {
            cluster::sync();
            y[t] = 1;
        }
    }

    #[vyre::kernel(block = 32, cluster = 2, allow(races))]
    fn cluster_barriers_of_blocks(y)[ClusterBarriersOfBlocks, 4, "threads wait at different barriers or exchanges"] {
        let t = thread::idx().x;
        if block::idx().x.is_multiple_of(2) {
            cluster::sync();
        } else {
            cluster::sync();
            y[t] = 1;
        }
    }

    #[vyre::kernel(block = 32, cluster = 2, allow(races))]
    fn block_and_cluster(y)[BlockAndCluster, 2, "threads wait at different barriers or exchanges"] {
        let t = thread::idx().x;
        if t < 16 {
            block::sync();
        } else {
            cluster::sync();
            y[t] = 1;
        }
    }
}

/// Threads that have left are waited for nowhere, tiles go their own ways, and one barrier may be passed in several turns.
#[vyre::kernel(block = 64)]
fn together(y: &mut [u32]) {
    let t = thread::idx().x;
    if t >= 48 {
        return;
    }
    let mut sum = 0;
    for turn in 0..3u32 {
        block::sync();
        sum += turn;
        meet();
    }
    if t < 32 {
        sum += warp::sum(1);
    } else if t < 40 {
        sum += warp::tile::<8>().sum(1u32);
    } else {
        sum += warp::tile::<8>().sum(2u32);
    }
    block::sync();
    y[t] = sum;
}

#[test]
fn those_that_wait_together_go_on() {
    let device = Device::cpu();
    let mut y = device.zeros::<u32>(64).unwrap();
    together(&mut y).grid(1).launch(&device).unwrap();
    let expected = |t: u32| match t {
        0..32 => 3 + 32,
        32..40 => 3 + 8,
        40..48 => 3 + 16,
        _ => 0,
    };
    assert_eq!(y.download().unwrap(), (0..64).map(expected).collect::<Vec<_>>());
}
