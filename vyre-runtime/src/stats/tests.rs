use super::{CacheAudit, Counters, Gauge, Stats};

/// The names that users have in their dashboards.
#[test]
fn names_of_metrics_stay() {
    let names: Vec<_> = Stats::default().metrics().into_iter().map(|(name, _)| name).collect();
    assert_eq!(
        names,
        [
            "launches",
            "faults",
            "uploaded_bytes",
            "downloaded_bytes",
            "copied_bytes",
            "peer_bytes",
            "staged_bytes",
            "allocations",
            "frees",
            "pool_hits",
            "kernels_loaded",
            "cubins_loaded",
            "cubins_refused",
            "ptx_loaded",
            "programs_lowered",
            "events_recorded",
            "graph_launches",
            "graph_turns",
            "timed_launches",
            "timed_without_device",
            "timed_wall_ns",
            "timed_device_ns",
            "timed_enqueue_ns",
            "timed_wait_ns",
            "timed_device_max_ns",
        ]
    );
}

#[test]
fn metrics_are_the_fields() {
    let counters = Counters::default();
    counters.faults.add(2);
    counters.events_recorded.add(7);
    let stats = Stats {
        launches: 5,
        ..counters.snapshot()
    };
    let metrics = stats.metrics();
    assert_eq!(
        (metrics[0], metrics[1], metrics[15]),
        (("launches", 5), ("faults", 2), ("events_recorded", 7))
    );
    assert_eq!(metrics.iter().map(|&(_, value)| value).sum::<u64>(), 14);
    let earlier = Stats {
        launches: 3,
        faults: 9,
        ..Stats::default()
    };
    // Where there was a reset in between, nothing wraps.
    let since = stats.since(&earlier);
    assert_eq!((since.launches, since.faults, since.events_recorded), (2, 0, 7));
}

#[test]
fn a_gauge_keeps_the_most_that_it_was() {
    let gauge = Gauge::default();
    gauge.add(10);
    gauge.add(5);
    gauge.subtract(12);
    gauge.add(1);
    assert_eq!((gauge.now(), gauge.high_water()), (4, 15));
    gauge.reset_high_water();
    assert_eq!((gauge.now(), gauge.high_water()), (4, 4));
}

#[test]
fn an_audit_has_hits_misses_and_unknowns() {
    let mut audit = CacheAudit::default();
    for hit in [Some(true), Some(true), Some(false), None] {
        audit.observe(hit);
    }
    assert_eq!((audit.hits, audit.misses, audit.unknowns), (2, 1, 1));
    assert!(audit.is_below(0.7) && !audit.is_below(2.0 / 3.0));
    audit.add(audit);
    assert_eq!((audit.hits, audit.rate()), (4, Some(2.0 / 3.0)));
}

/// Unknowns move no rate, and without data there is no alarm.
#[test]
fn no_data_is_no_alarm() {
    let mut audit = CacheAudit::default();
    audit.observe(None);
    assert_eq!(audit.rate(), None);
    assert!(!audit.is_below(1.0));
    audit.observe(Some(false));
    assert_eq!(audit.rate(), Some(0.0));
    assert!(audit.is_below(0.01) && !audit.is_below(0.0));
    assert!(!audit.is_below(f64::NAN));
}
