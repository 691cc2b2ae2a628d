//! Fields of variants that share bytes with fields of another type: names of their parts, and writes through these.

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
