use super::*;

const N: Symbol = Symbol::Argument {
    parameter: 1,
    offset: 0,
    bytes: 4,
    more: 0,
    by: 1,
};

fn product(factor: u128, symbols: &[Symbol]) -> Product {
    Product {
        factor,
        symbols: symbols.to_vec(),
    }
}

/// Evaluates both forms for a slice of a length, a number and blocks along x.
fn evaluate(all: &[Inequality], length: u64, n: u64, blocks: u64) -> bool {
    let decoded = all.iter().all(|one| {
        let value = |symbol| match symbol {
            Symbol::Argument { parameter: 0, .. } => Some(length),
            Symbol::Argument { parameter: 1, .. } => Some(n),
            Symbol::Grid(0) => Some(blocks),
            _ => None,
        };
        one.holds(&value) == Some(true)
    });
    let code = encode(all, &|parameter| [0, 2, 3][parameter as usize]).expect("it can be encoded");
    let encoded = holds(&code, |source| match source {
        Source::Argument {
            pointer: 1,
            offset: 0,
            bytes: 8,
        } => length,
        Source::Argument {
            pointer: 2,
            offset: 0,
            bytes: 4,
        } => n,
        Source::Grid(0) => blocks,
        other => panic!("{other:?} is not asked for"),
    });
    assert_eq!(decoded, encoded, "{all:?} for {length}, {n}, {blocks}");
    encoded
}

#[test]
fn sums_are_compared() {
    let length = Symbol::argument(0, 8, 8);
    let tiles = Symbol::Argument {
        parameter: 1,
        offset: 0,
        bytes: 4,
        more: 15,
        by: 16,
    };
    let all = [
        Inequality {
            left: vec![product(16, &[Symbol::Grid(0), N]), product(16, &[tiles])],
            right: vec![product(1, &[N]), product(1, &[length])],
        },
        Inequality {
            left: vec![product(1, &[])],
            right: vec![product(1, &[N])],
        },
    ];
    assert!(evaluate(&all, 256, 16, 1));
    assert!(!evaluate(&all, 255, 16, 1));
    assert!(!evaluate(&all, 256, 16, 2));
    assert!(!evaluate(&all, 256, 0, 1));
    assert!(evaluate(&all, 16 * 17 + 32 - 17, 17, 1));
    assert!(!evaluate(&all, 16 * 17 + 32 - 18, 17, 1));
    assert!(evaluate(&[], 0, 0, 1));
    let names = ["x".to_owned(), "n".to_owned()];
    assert_eq!(
        all[0].text(&names),
        "16 * grid.x * n + 16 * ((n + 15) / 16) <= n + x.len()"
    );
    assert_eq!(all[1].text(&names), "1 <= n");
}

/// If a number does not fit, the inequality does not hold.
#[test]
fn overflow_is_false() {
    let length = Symbol::argument(0, 8, 8);
    let cube = [length, length, length];
    let all = |left, right| {
        [Inequality {
            left: vec![left],
            right: vec![right],
        }]
    };
    let zero = product(0, &[]);
    assert!(evaluate(&all(zero.clone(), product(1, &cube)), 1 << 30, 0, 1));
    assert!(!evaluate(&all(zero, product(1, &cube)), u64::MAX, 0, 1));
    assert!(!evaluate(
        &all(product(1, &cube), product(1, &[length])),
        u64::MAX,
        0,
        1
    ));
    assert!(evaluate(
        &all(product(1, &[length; 2]), product(1, &[length; 2])),
        u64::MAX,
        0,
        1
    ));
    assert!(!evaluate(
        &all(product(2, &[length; 2]), product(3, &[length; 2])),
        u64::MAX,
        0,
        1
    ));
    let rounded = Symbol::Argument {
        parameter: 0,
        offset: 8,
        bytes: 8,
        more: 1,
        by: 2,
    };
    assert!(!evaluate(&all(product(1, &[]), product(1, &[rounded])), u64::MAX, 0, 1));
    assert!(evaluate(
        &all(product(1, &[]), product(1, &[rounded])),
        u64::MAX - 1,
        0,
        1
    ));
    let two = [product(1, &[length; 2]), product(1, &[length; 2])];
    let sum = Inequality {
        left: two.to_vec(),
        right: two.to_vec(),
    };
    assert!(!evaluate(&[sum], u64::MAX, 0, 1));
}

#[test]
fn constants_of_rustc_are_not_encoded() {
    let one = Inequality {
        left: vec![product(1, &[])],
        right: vec![product(1, &[Symbol::External(0)])],
    };
    assert_eq!(encode(&[one], &|parameter| parameter), None);
    assert!(!holds(&NEVER, |_| 0));
}
