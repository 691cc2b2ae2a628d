//! Structs without fields, which choose functions by their traits.

use vyre::Kernel as _;
use vyre_semantics::{everywhere, ptx};

#[vyre::device]
mod operators {
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub(super) struct Sum;

    #[derive(Clone, Copy)]
    pub(super) struct Most {}

    pub(super) trait Operator {
        const FIRST: u32;
        fn of(self, a: u32, b: u32) -> u32;
    }

    impl Operator for Sum {
        const FIRST: u32 = 0;
        fn of(self, a: u32, b: u32) -> u32 {
            a + b
        }
    }

    impl Operator for Most {
        const FIRST: u32 = 1;
        fn of(self, a: u32, b: u32) -> u32 {
            a.max(b)
        }
    }

    #[derive(Clone, Copy)]
    pub(super) enum Either {
        Operator(Sum),
        Number(u32),
    }
}

use operators::{Either, Most, Operator, Sum};

#[vyre::device]
#[derive(Clone, Copy)]
struct Marker;

#[vyre::device]
fn fold<O: Operator + Copy>(operator: O, values: &[u32]) -> u32 {
    let mut all = O::FIRST;
    for value in values {
        all = operator.of(all, *value);
    }
    all
}

#[vyre::device]
fn counted(_marker: Marker, x: u32) -> u32 {
    x + 1
}

/// A name in capitals is not always that of a constant.
#[vyre::device]
#[derive(Clone, Copy)]
struct XY;

#[vyre::device]
fn both(of: XY, x: u32) -> u32 {
    match of {
        XY => x * 3,
    }
}

#[vyre::device]
fn total_of(values: &[u32]) -> u32 {
    let sum = Sum;
    let pair = (sum, 3);
    let optional = if values[0] > 9 { Some(sum) } else { None };
    let either = if values[1] < 4 {
        Either::Operator(Sum)
    } else {
        Either::Number(5)
    };
    let by = match either {
        Either::Operator(operator) => fold(operator, values),
        Either::Number(number) => number,
    };
    let capitals = (XY, 4);
    let closure = |a: u32| sum.of(a, 2);
    let mut other = sum;
    if values[0] > 3 {
        other = Sum;
    }
    let first = match optional {
        Some(operator) => fold(operator, values),
        None => fold(Most {}, values),
    };
    first
        ^ by
        ^ closure(pair.1)
        ^ other.of(1, values[2])
        ^ (pair.0 == Sum) as u32
        ^ counted(Marker, 7)
        ^ both(capitals.0, capitals.1)
        ^ both(XY, 5)
}

#[vyre::kernel]
fn every(#[each] x: &[u32; 3], #[each] y: &mut u32) {
    *y = total_of(x);
}

/// Instances by their operators.
#[vyre::kernel(O = [Sum, Most])]
fn folded<O: Operator + Copy>(first: u32, #[each] x: &[u32; 3], #[each] y: &mut u32) {
    *y = O::FIRST + first + x[0];
}

#[test]
fn values_without_content() {
    everywhere(|place| {
        let x: Vec<[u32; 3]> = (0..40u32).map(|i| [i, i * 7 % 11, i * i % 13]).collect();
        let (there, mut y) = (place.device().upload(&x)?, place.device().zeros(40)?);
        place.over(every(&there, &mut y), 40)?;
        assert_eq!(
            y.download()?,
            x.iter().map(|x| total_of(x)).collect::<Vec<u32>>(),
            "on {}",
            place.name()
        );
        place.over(folded::<Most>(2, &there, &mut y), 40)?;
        assert_eq!(
            y.download()?,
            x.iter().map(|x| 3 + x[0]).collect::<Vec<u32>>(),
            "on {}",
            place.name()
        );
        Ok(())
    });
    ptx::assembled(&[Every::info(), FoldedSum::info(), FoldedMost::info()]);
}
