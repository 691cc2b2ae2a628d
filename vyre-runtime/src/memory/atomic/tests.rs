use super::*;
use Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};

#[test]
fn methods_do_what_they_say() {
    let mut a = AtomicF32::new(1.5);
    assert_eq!(a.load(Acquire), 1.5);
    assert_eq!(a.fetch_add(2.0, AcqRel), 1.5);
    assert_eq!(a.fetch_sub(0.5, Release), 3.5);
    assert_eq!(a.swap(-0.0, SeqCst), 3.0);
    assert_eq!(
        a.compare_exchange(0.0, 1.0, AcqRel, Relaxed).map_err(f32::to_bits),
        Err((-0.0f32).to_bits())
    );
    assert_eq!(a.compare_exchange(-0.0, 1.0, AcqRel, Relaxed), Ok(-0.0));
    assert_eq!(a.fetch_update(AcqRel, Relaxed, |v| (v < 1.0).then_some(9.0)), Err(1.0));
    assert_eq!(a.fetch_update(AcqRel, Relaxed, |v| Some(v * 4.0)), Ok(1.0));
    *a.get_mut() += 1.0;
    assert_eq!(a.into_inner(), 5.0);
}

#[test]
fn minimum_and_maximum_order_zeros_and_ignore_nan() {
    let a = AtomicF64::new(0.0);
    a.fetch_min(-0.0, Relaxed);
    assert!(a.load(Relaxed).is_sign_negative());
    a.fetch_max(0.0, Relaxed);
    assert!(a.load(Relaxed).is_sign_positive());
    a.fetch_min(f64::NAN, Relaxed);
    assert_eq!(a.load(Relaxed), 0.0);
    a.store(f64::NAN, Relaxed);
    a.fetch_max(-7.0, Relaxed);
    assert_eq!(a.load(Relaxed), -7.0);
}

#[test]
fn nans_are_the_same_to_an_exchange() {
    let nans = [0x7fc0_0000, 0xffc0_0000, 0x7f80_0001, 0xffff_ffff].map(f32::from_bits);
    for held in nans {
        for expected in nans {
            let a = AtomicF32::new(held);
            assert!(a.compare_exchange(1.0, 3.0, AcqRel, Relaxed).is_err());
            assert!(a.compare_exchange(expected, 2.0, AcqRel, Relaxed).is_ok());
            assert_eq!(a.load(Relaxed), 2.0);
            assert!(a.compare_exchange(expected, 3.0, AcqRel, Relaxed).is_err());
            a.store(held, Relaxed);
            while a.compare_exchange_weak(expected, 2.0, AcqRel, Relaxed).is_err() {}
            assert_eq!(a.load(Relaxed), 2.0);
        }
    }
}

#[test]
fn additions_of_many_threads_all_count() {
    let sum = AtomicF32::default();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..1000).for_each(|_| _ = sum.fetch_add(1.0, Relaxed)));
        }
    });
    assert_eq!(sum.load(Relaxed), 4000.0);
}
