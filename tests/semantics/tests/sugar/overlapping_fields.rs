//! Fields of variants that share bytes with fields of another type: names of their parts, and writes through these.

#![allow(clippy::collapsible_if, reason = "the references are made one after the other")]

use vyre::prelude::*;
use vyre_semantics::everywhere;

#[vyre::device]
mod events {
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub(super) enum Event {
        Floats([f32; 4]),
        Ints([u32; 4]),
        Grid { at: Place, rows: [[i16; 2]; 2] },
    }

    #[derive(Clone, Copy, Debug, PartialEq)]
    pub(super) struct Place {
        pub(super) x: u8,
        pub(super) y: u16,
    }

    pub(super) fn changed(event: &mut Event) {
        match event {
            Event::Floats([a, rest @ ..]) => {
                *a += 1.0;
                rest[1] = 5.0;
                double(rest);
                *a += rest[0];
                rest.swap(0, 2);
                for r in rest.iter_mut() {
                    *r += 0.5;
                }
            }
            Event::Ints([a, b, .., d]) => {
                *a += 7;
                *d = *a + 1;
                *b *= *d;
                exchange(a, b);
            }
            Event::Grid { at, rows } => {
                let [first, last] = rows;
                last[1] = first[0] - 3;
                first[0] = -1;
                at.y += last[1] as u16;
                let Place { x, y } = at;
                *x += 1;
                *y += *x as u16;
            }
        }
    }

    pub(super) fn halves(event: &mut Event) {
        if let Event::Ints(all) = event {
            let (low, high) = all.split_at_mut(2);
            low[0] = 7;
            high[1] = low[0] + high[0];
            exchange(&mut low[1], &mut high[0]);
            let end = &mut all[3..];
            end[0] += 1;
        }
    }

    fn double(x: &mut [f32]) {
        for v in x {
            *v *= 2.0;
        }
    }

    fn exchange(a: &mut u32, b: &mut u32) {
        (*a, *b) = (*b, *a);
    }
}

use events::{Event, Place};

#[vyre::kernel]
fn change(#[each] event: &mut Event) {
    events::changed(event);
    events::halves(event);
}

#[test]
fn names_of_parts_are_written_apart() {
    let events = [
        Event::Floats([1.0, 2.0, 3.0, 4.0]),
        Event::Ints([1, 2, 3, 4]),
        Event::Grid {
            at: Place { x: 9, y: 300 },
            rows: [[100, -2], [3, -4]],
        },
    ];
    let mut expected = events;
    for event in &mut expected {
        events::changed(event);
        events::halves(event);
    }
    assert_eq!(expected[0], Event::Floats([6.0, 8.5, 10.5, 4.5]));
    everywhere(|place| {
        let mut found = place.device().upload(&events)?;
        place.over(change(&mut found), events.len())?;
        assert_eq!(found.download()?, expected);
        Ok(())
    });
}

/// Fields of several enums at once, and references to them that are in use together.
#[vyre::device]
mod several {
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub(super) enum Event {
        Ints([u32; 4]),
        Floats([f32; 4]),
        Shorts([[u16; 2]; 4]),
    }

    pub(super) fn through_moving_references(x: &[Event], i: usize) -> u32 {
        let mut r = &x[0];
        let mut i = i % 2;
        if let Event::Ints(a) = r {
            r = &x[1];
            i += 1;
            if let Event::Ints(b) = r {
                r = &x[i];
                if let Event::Ints(c) = r {
                    i = 0;
                    if let Event::Ints(d) = &x[i] {
                        i += 1;
                        if let Event::Ints(e) = &x[i] {
                            return a[0] * 10000 + b[0] * 1000 + c[0] * 100 + d[0] * 10 + e[0];
                        }
                    }
                }
            }
        }
        0
    }

    pub(super) fn of_the_larger(x: &[Event]) -> u32 {
        let mut last = &x[0];
        for k in 0..2 {
            if let Event::Ints(a) = &x[k] {
                if let Event::Ints(b) = last {
                    if a[0] > b[0] {
                        last = &x[k];
                    }
                    if let Event::Ints(c) = last {
                        if c[0] + b[0] == 77 {
                            return a[0];
                        }
                    }
                }
            }
        }
        match last {
            Event::Ints(a) => a[0],
            _ => 0,
        }
    }

    pub(super) fn through_iterators(e: &mut Event) {
        if let Event::Ints(all) = e {
            let [a, b, c, d] = all;
            core::mem::swap(a, d);
            *b = core::mem::replace(c, *b + 5);
            for v in all.iter_mut().rev() {
                *v ^= 1;
            }
            all.reverse();
            let (l, r) = all.split_at_mut(1);
            let (m, n) = r.split_at_mut(2);
            core::mem::swap(&mut l[0], &mut n[0]);
            m[0] += l[0];
            for p in all.chunks_mut(2) {
                p[0] += 1;
                p.swap(0, 1);
            }
            all[1..3].copy_from_slice(&[4, 9]);
        }
    }

    pub(super) fn interleaved(e: &mut Event) {
        if let Event::Shorts(s) = e {
            let [first, .., last] = s;
            let f0 = &mut first[0];
            *f0 += 1;
            let w = &mut last[1];
            *w += *f0;
            *f0 += *w;
            let q = &mut s[1..3];
            q[0][1] = 5;
            let z = &mut q[1];
            z[0] = 6;
            z.swap(0, 1);
        }
    }

    pub(super) fn of_two(p: &mut [Event]) {
        let (l, r) = p.split_at_mut(1);
        if let (Event::Ints(a), Event::Ints(b)) = (&mut l[0], &mut r[0]) {
            a[0] += b[1];
            b[2] += a[0];
            a[3] = b[2];
            core::mem::swap(a, b);
            core::mem::swap(&mut a[1], &mut b[1]);
        }
    }
}

#[vyre::kernel]
fn several_read(events: &[several::Event], found: &mut [u32]) {
    if thread::index() == 0 {
        found[0] = several::through_moving_references(events, 0);
        found[1] = several::of_the_larger(events);
    }
}

#[vyre::kernel]
fn several_written(events: &mut [several::Event]) {
    if thread::index() == 0 {
        several::of_two(events);
        for event in events {
            several::through_iterators(event);
            several::interleaved(event);
        }
    }
}

#[test]
fn references_to_several_fields_are_in_use_together() {
    let events = [
        several::Event::Ints([3, 4, 5, 6]),
        several::Event::Ints([7, 8, 9, 10]),
        several::Event::Floats([1.0; 4]),
        several::Event::Shorts([[1, 2], [3, 4], [5, 6], [7, 8]]),
    ];
    let read = [
        several::through_moving_references(&events, 0),
        several::of_the_larger(&events),
    ];
    let mut written = events;
    several::of_two(&mut written);
    for event in &mut written {
        several::through_iterators(event);
        several::interleaved(event);
    }
    assert_ne!(read[0], 0);
    everywhere(|place| {
        let (mut events, mut found) = (place.device().upload(&events)?, place.device().upload(&[0u32; 2])?);
        place.over(several_read(&events, &mut found), 1)?;
        place.over(several_written(&mut events), 1)?;
        assert_eq!(found.download()?, read, "{}", place.name());
        assert_eq!(events.download()?, written, "{}", place.name());
        Ok(())
    });
}
