//! Kernels that deny races on a driver that is played on the host: a launch that is refused makes no call of it.

use crate::kernels::on_driver;
use vyre_runtime::{Device, Error, Result, Sequence};

mod denying {
    use vyre::prelude::*;

    /// Without a guard: the columns past a row are those of the next one.
    #[vyre::kernel(block = [16, 16], deny(races))]
    pub(crate) fn fill(y: &mut [f32], width: usize) {
        let (column, row) = thread::index_2d();
        y[row * width + column] = 1.0;
    }
}

use denying::fill;

/// The calls that a launch makes.
const CALLS: [&str; 4] = [
    "cuLaunchKernel",
    "cuLaunchKernelEx",
    "cuGraphLaunch",
    "cuGraphExecKernelNodeSetParams",
];

fn is_refused<T>(result: Result<T>) -> bool {
    matches!(result, Err(Error::MayRace { .. }))
}

#[test]
fn refused_launches_make_no_call() {
    on_driver("races::refused_launches_make_no_call", |driver| {
        let gpu = Device::cuda(0).unwrap();
        let mut y = gpu.zeros::<f32>(64 * 64).unwrap();
        let calls = || CALLS.map(|call| driver.calls(call));
        let before = calls();
        assert!(is_refused(fill(&mut y, 40).over([40, 40]).launch(&gpu)));
        assert!(is_refused(fill(&mut y, 64).grid([5, 1]).launch(&gpu)));
        assert!(is_refused(fill(&mut y, 40).over([40, 40]).launch_timed(&gpu)));
        assert_eq!(calls(), before);
        fill(&mut y, 64).over([64, 64]).launch(&gpu).unwrap();
        assert_eq!(calls()[0], before[0] + 1);

        let mut steps = Sequence::new(&gpu);
        assert!(is_refused(steps.launch(fill(&mut y, 40).over([40, 40]))));
        let node = steps.node(fill(&mut y, 64).over([64, 64])).unwrap();
        let mut graph = steps.into_graph().unwrap();
        graph.run().unwrap();
        let before = calls();
        assert!(is_refused(graph.set(&node, fill(&mut y, 40).over([40, 40]))));
        assert_eq!(calls(), before);
        graph.set(&node, fill(&mut y, 32).over([32, 64])).unwrap();
        graph.run().unwrap();
        assert_eq!(calls()[2..], [before[2] + 1, before[3] + 1]);
    });
}
