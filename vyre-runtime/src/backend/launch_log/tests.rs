use super::{LaunchLog, Write};

#[test]
fn a_log_has_the_writes_of_launches_until_it_forgets_them() {
    let write = |launch, allocation| Write { launch, allocation };
    let mut log = LaunchLog::default();
    log.add(2, &[10, 11]);
    log.add(5, &[]);
    log.add(7, &[10]);
    assert_eq!(log.of(2), [write(2, 10), write(2, 11)]);
    assert_eq!(log.of(5), []);
    assert_eq!(log.of(6), []);
    assert_eq!(log.between(3, 9), [write(7, 10)]);
    assert_eq!(log.between(8, 7), []);
    log.forget(5);
    assert_eq!((log.of(2), log.of(7)), (vec![], vec![write(7, 10)]));
    log.forget(7);
    assert_eq!(log.len(), 0);
}
