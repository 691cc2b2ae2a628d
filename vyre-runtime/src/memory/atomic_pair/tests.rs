use super::*;
use Ordering::{AcqRel, Relaxed, SeqCst};

#[test]
fn halves_are_kept_apart() {
    let pair = |a: f32, b: f32| [a, b].map(bf16::from_f32);
    let cell = AtomicBF16x2::new(pair(1.0, -2.0));
    assert_eq!(cell.fetch_add(pair(0.5, f32::INFINITY), AcqRel), pair(1.0, -2.0));
    assert_eq!(cell.fetch_sub(pair(1.0, 1.0), SeqCst), pair(1.5, f32::INFINITY));
    assert_eq!(cell.swap(pair(3.0, 4.0), Relaxed), pair(0.5, f32::INFINITY));
    cell.store(pair(5.0, -0.0), Relaxed);
    assert_eq!(format!("{cell:?}"), "[5.0, -0.0]");
    assert_eq!(cell.into_inner(), pair(5.0, -0.0));
}

#[test]
fn pairs_are_compared_and_exchanged() {
    let pair = |a: f32, b: f32| [a, b].map(f16::from_f32);
    let cell = AtomicF16x2::new(pair(0.0, f32::NAN));
    let bits = |values: [f16; 2]| values.map(f16::to_bits);
    assert_eq!(cell.fetch_min(pair(-0.0, 2.0), Relaxed)[0].to_bits(), 0);
    assert_eq!(
        bits(cell.fetch_max(pair(f32::NAN, 3.0), Relaxed)),
        bits(pair(-0.0, 2.0))
    );
    assert_eq!(bits(cell.load(Relaxed)), bits(pair(-0.0, 3.0)));
    assert!(
        cell.compare_exchange(pair(0.0, 3.0), pair(1.0, 1.0), AcqRel, Relaxed)
            .is_err()
    );
    assert!(
        cell.compare_exchange(pair(-0.0, 3.0), pair(1.0, 1.0), AcqRel, Relaxed)
            .is_ok()
    );
    assert_eq!(
        cell.fetch_update(AcqRel, Relaxed, |[a, b]| Some([b + b, a])),
        Ok(pair(1.0, 1.0))
    );
    assert_eq!(cell.fetch_update(AcqRel, Relaxed, |_| None), Err(pair(2.0, 1.0)));
}

#[test]
fn additions_of_many_threads_all_count() {
    let sums = AtomicF16x2::default();
    let one = [f16::ONE, -f16::ONE];
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..500).for_each(|_| _ = sums.fetch_add(one, Relaxed)));
        }
    });
    assert_eq!(sums.into_inner(), [2000.0, -2000.0].map(f16::from_f32));
}
