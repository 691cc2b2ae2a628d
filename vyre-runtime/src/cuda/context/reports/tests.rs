use super::*;
use crate::cuda::tests::made::kernel;

/// Kernels that come and go do not fill the memory, and those that are loaded stay known.
#[test]
fn the_last_kernels_are_known() {
    let table = ReportTable::default();
    let name = |number| table.get(number).map(|reports| reports.name.clone());
    let stays = table.add(&kernel("stays"));
    for number in 2..=ENDED as u64 + 10 {
        assert_eq!(table.add(&kernel("comes and goes")), number);
        table.end(number);
    }
    assert_eq!(name(stays).as_deref(), Some("stays"));
    // Nine were unloaded more than may be kept, from number 2 on.
    assert_eq!((name(10), name(11)), (None, Some("comes and goes".to_owned())));
    assert_eq!(table.0.lock().known.len(), 1 + ENDED);
}
