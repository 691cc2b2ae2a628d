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

/// The greatest sum of 64 bits, and one more.
#[test]
fn factors_of_more_than_64_bits_are_encoded() {
    let length = Symbol::argument(0, 8, 8);
    let all = |factor: u128| {
        [Inequality {
            left: vec![product(1, &[length, Symbol::Grid(0)])],
            right: vec![product(factor, &[])],
        }]
    };
    assert!(evaluate(&all(1 << 64), 1 << 32, 0, 1 << 32));
    assert!(!evaluate(&all(1 << 64), (1 << 32) + 1, 0, 1 << 32));
    assert!(evaluate(&all(3 << 63), 3 << 31, 0, 1 << 32));
    assert!(!evaluate(&all(3 << 63), 3 << 31, 0, (1 << 32) + 1));
    assert_eq!(encode(&all((1 << 64) + 1), &|parameter| parameter), None);
}

#[test]
fn the_sides_are_told() {
    let need = Inequality {
        left: vec![product(16, &[Symbol::Grid(0)])],
        right: vec![product(1, &[N]), product(3, &[])],
    };
    let code = encode(&[need], &|parameter| [0, 2, 3][parameter as usize]).expect("it can be encoded");
    let value = |blocks: u64| move |source| if let Source::Grid(0) = source { blocks } else { 29 };
    for blocks in [1, 2, 3] {
        assert_eq!(sides(&code, value(blocks)), Some((16 * u128::from(blocks), 32)));
        assert_eq!(holds(&code, value(blocks)), blocks <= 2);
    }
    assert_eq!(sides(&[], value(1)), None);
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

/// Code that ends before its inequality does holds for no launch.
#[test]
fn parts_of_a_program_are_false() {
    let length = Symbol::argument(0, 8, 8);
    let all = [Inequality {
        left: vec![product(16, &[Symbol::Grid(0), N]), product(3, &[])],
        right: vec![product(1, &[length])],
    }];
    let code = encode(&all, &|parameter| [0, 2, 3][parameter as usize]).expect("it can be encoded");
    let value = |source| match source {
        Source::Argument { pointer: 1, .. } => 1 << 40,
        _ => 1,
    };
    assert!(holds(&code, value));
    for length in 0..code.len() {
        assert!(!holds(&code[..length], value), "{length} of {} bytes", code.len());
    }
}

/// Sums of up to four products of up to four symbols, quotients and large constants among them.
#[test]
fn programs_compute_what_the_inequalities_say() {
    let mut state = 37u64;
    let mut random = |below: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let (mut held, mut count) = (0, 0);
    for _ in 0..20_000 {
        let symbol = |number: u64| match number {
            0 => Symbol::argument(0, 8, 8),
            1 => N,
            2 => Symbol::Grid(0),
            number => Symbol::Argument {
                parameter: 1,
                offset: 0,
                bytes: 4,
                more: number as u32,
                by: number as u32 - 2,
            },
        };
        let mut side = || {
            let products = 0..random(5);
            let mut one = || {
                let bits = random(31);
                let factor = random(2) * random(1 << bits) + random(9);
                let symbols = 0..random(5);
                product(factor.into(), &symbols.map(|_| symbol(random(9))).collect::<Vec<_>>())
            };
            products.map(|_| one()).collect()
        };
        let all = [(); 3].map(|()| Inequality {
            left: side(),
            right: side(),
        });
        let all = &all[random(3) as usize..];
        if encode(all, &|parameter| parameter).is_some() {
            count += 1;
            held += u32::from(evaluate(all, random(300), random(300), random(20)));
        }
    }
    assert!(
        held > count / 20 && held < count / 2 && count > 10_000,
        "{held} of {count} hold"
    );
}

/// An assumption with more numbers than a launch has room for is not encoded.
#[test]
fn programs_have_a_limit() {
    let all = |count| {
        let one = |parameter| Inequality {
            left: vec![product(1, &[Symbol::argument(parameter, 0, 8)])],
            right: vec![product(9, &[])],
        };
        encode(&(1..count).map(one).collect::<Vec<_>>(), &|parameter| parameter)
    };
    let most = all(MAX_VALUES as u32).expect("there is room");
    assert!(holds(&most, |_| 9) && !holds(&most, |_| 10));
    assert_eq!(all(MAX_VALUES as u32 + 1), None);
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
