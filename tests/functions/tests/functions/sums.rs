//! Enums with fields of another crate, `Option` and `Result`, in every place.

use vyre::prelude::*;
use vyre_functions::shapes::{Shape, find, measure, shape};
use vyre_semantics::{everywhere, ptx};

/// A classification of shapes.
#[vyre::device]
#[derive(Clone, Copy, PartialEq)]
enum Step {
    Keep,
    Swap(Shape),
    Scale { by: f32, of: Shape },
}

#[vyre::device]
fn stepped(step: Step, from: Shape) -> Shape {
    match step {
        Step::Keep => from,
        Step::Swap(to) => to,
        Step::Scale {
            by,
            of: Shape::Circle(r),
        } => Shape::Circle(by * r),
        Step::Scale { of, .. } => of,
    }
}

#[vyre::kernel]
fn measured(x: &[u32], y: &mut [f32], same: &mut [u32]) {
    let i = thread::index();
    if i < x.len() {
        let first = shape(x[i]);
        let step = match x[i] % 3 {
            0 => Step::Keep,
            1 => Step::Swap(shape(x[i] + 1)),
            _ => Step::Scale { by: 2.5, of: first },
        };
        let next = stepped(step, first);
        y[i] = if let Some(area) = measure(&next) {
            area.min(900.0)
        } else {
            -100.0
        };
        y[i] += measure(&first).unwrap_or(0.25);
        same[i] = (next == first) as u32 + matches!(step, Step::Swap(Shape::Nothing)) as u32 * 10;
    }
}

fn measured_of(x: u32) -> (f32, u32) {
    let first = shape(x);
    let step = match x % 3 {
        0 => Step::Keep,
        1 => Step::Swap(shape(x + 1)),
        _ => Step::Scale { by: 2.5, of: first },
    };
    let next = stepped(step, first);
    let area = measure(&next).map_or(-100.0, |area| area.min(900.0)) + measure(&first).unwrap_or(0.25);
    let swapped = matches!(step, Step::Swap(Shape::Nothing));
    (area, u32::from(next == first) + u32::from(swapped) * 10)
}

#[vyre::kernel]
fn found(table: &[f64], x: &[f64], y: &mut [u32]) {
    let i = thread::index();
    if i < x.len() {
        let place = find(table, x[i]);
        let mut best: Option<(usize, u32)> = None;
        for k in 0..4 {
            let value = (k * 7 + i) % 5;
            best = match best {
                Some((_, v)) if v as usize >= value => best,
                _ => Some((k, value as u32)),
            };
        }
        let (k, v) = best.expect("four were tried");
        y[i] = match place {
            Ok(at @ 1..=2) => 100 * at as u32,
            Ok(at) => at as u32,
            Err(less) => 1000 + less as u32,
        } + 10_000 * (k as u32 + v)
            + place.is_err() as u32 * 1_000_000;
    }
}

/// Inserts each key into a table of free slots; the result of the exchange is stored and matched
/// twice.
#[vyre::kernel]
fn claim(keys: &[u32], table: &[AtomicU32], places: &mut [u32]) {
    let i = thread::index();
    if i >= keys.len() {
        return;
    }
    let mut place = keys[i] as usize % table.len();
    let mut taken = None;
    while taken.is_none() {
        let result = table[place].compare_exchange(0, keys[i], Ordering::Relaxed, Ordering::Relaxed);
        if result.is_ok() {
            taken = Some(place as u32);
        }
        let was = match result {
            Ok(was) | Err(was) => was,
        };
        if result == Err(keys[i]) && was == keys[i] {
            taken = Some(place as u32 + 100);
        }
        place = (place + 1) % table.len();
    }
    places[i] = taken.unwrap();
}

#[vyre::kernel]
fn unwraps(x: &[u32], y: &mut [f32]) {
    let i = thread::index();
    if i < x.len() {
        y[i] = measure(&shape(x[i])).unwrap() + find(x, 3).expect("a three among them") as f32;
    }
}

#[test]
fn enums_with_fields() {
    everywhere(|place| {
        let x: Vec<u32> = (0..64).collect();
        let input = place.device().upload(&x)?;
        let mut y = place.device().zeros::<f32>(x.len())?;
        let mut same = place.device().zeros::<u32>(x.len())?;
        let kernel = Measured {
            x: (&input).into(),
            y: (&mut y).into(),
            same: (&mut same).into(),
        };
        place.over(kernel, x.len())?;
        for ((x, y), same) in x.into_iter().zip(y.download()?).zip(same.download()?) {
            let expected = measured_of(x);
            assert_eq!(
                (y.to_bits(), same),
                (expected.0.to_bits(), expected.1),
                "of {x} on {}",
                place.name()
            );
        }
        Ok(())
    });
}

#[test]
fn options_and_results() {
    everywhere(|place| {
        let (table, x) = ([0.5, 1.5, 2.5, 3.5], [2.5, 1.5, 0.5, 7.0, 2.0, -1.0]);
        let (read, input) = (place.device().upload(&table)?, place.device().upload(&x)?);
        let mut y = place.device().zeros::<u32>(x.len())?;
        let kernel = Found {
            table: (&read).into(),
            x: (&input).into(),
            y: (&mut y).into(),
        };
        place.over(kernel, x.len())?;
        let best = |i: usize| {
            let values = (0..4).map(|k| (k * 7 + i) % 5);
            let best = values.clone().max().unwrap();
            values.clone().position(|value| value == best).unwrap() + best
        };
        let places = [200, 100, 0, 1_001_004, 1_001_002, 1_001_000];
        let expected: Vec<u32> = (0..x.len()).map(|i| places[i] + 10_000 * best(i) as u32).collect();
        assert_eq!(y.download()?, expected, "on {}", place.name());
        Ok(())
    });
}

#[test]
fn kept_results_of_exchanges() {
    everywhere(|place| {
        let keys = [18, 33, 2, 33, 49, 5];
        let input = place.device().upload(&keys)?;
        let mut table = place.device().zeros::<u32>(16)?;
        let mut places = place.device().zeros::<u32>(keys.len())?;
        let kernel = Claim {
            keys: (&input).into(),
            table: (&mut table).into(),
            places: (&mut places).into(),
        };
        place.over(kernel, keys.len())?;
        let table = table.download()?;
        let places = places.download()?;
        for (&key, &at) in keys.iter().zip(&places) {
            assert_eq!(table[at as usize % 100], key, "on {}", place.name());
        }
        assert_eq!(places.iter().filter(|&&at| at >= 100).count(), 1, "on {}", place.name());
        Ok(())
    });
}

#[test]
fn faults() {
    everywhere(|place| {
        let said = |x: &[u32]| -> vyre::Result<String> {
            let input = place.device().upload(x)?;
            let mut y = place.device().zeros::<f32>(x.len())?;
            let kernel = Unwraps {
                x: (&input).into(),
                y: (&mut y).into(),
            };
            let result = place.over(kernel, x.len());
            Ok(result.map_or_else(|error| error.to_string(), |()| String::new()))
        };
        assert_eq!(said(&[3, 1])?, "", "on {}", place.name());
        let none = said(&[3, 4])?;
        assert!(none.contains("called `Option::unwrap()` on a `None` value"), "{none}");
        let err = said(&[1, 2])?;
        assert!(err.contains("a three among them"), "{err}");
        Ok(())
    });
}

#[test]
fn ptxas_accepts_it() {
    use vyre::Kernel as _;
    ptx::assembled(&[Measured::info(), Found::info(), Claim::info(), Unwraps::info()]);
}
