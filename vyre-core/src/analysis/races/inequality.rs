//! Conditions under which accesses do not meet: a product that is at most another one.

use vyre_abi::assumption::{Inequality, Product, Symbol};

/// The condition that a product is at most another one, with the constants on one side.
pub(super) fn at_most(mut left: Product, mut right: Product) -> Inequality {
    if right.symbols.is_empty() && !left.symbols.is_empty() {
        right.factor /= left.factor.max(1);
        left.factor = 1;
    } else {
        let common = gcd(left.factor, right.factor).max(1);
        left.factor /= common;
        right.factor /= common;
    }
    Inequality {
        left: vec![left],
        right: vec![right],
    }
}

/// Adds a condition to others, of which none follows from another one: a grid has at least one block along each axis.
pub(super) fn add(all: &mut Vec<Inequality>, one: &Inequality) {
    if all.iter().any(|known| implies(known, one)) {
        return;
    }
    all.retain(|known| !implies(one, known));
    all.push(one.clone());
}

/// True if one condition holds wherever another one does, because its smaller product is smaller.
pub(crate) fn implies(strong: &Inequality, weak: &Inequality) -> bool {
    let ([strong_left], [strong_right]) = (&strong.left[..], &strong.right[..]) else {
        return false;
    };
    let ([weak_left], [weak_right]) = (&weak.left[..], &weak.right[..]) else {
        return false;
    };
    let mut more = strong_left.symbols.clone();
    for symbol in &weak_left.symbols {
        match more.iter().position(|other| other == symbol) {
            Some(at) => drop(more.remove(at)),
            None => return false,
        }
    }
    let are_grids = more.iter().all(|symbol| matches!(symbol, Symbol::Grid(_)));
    are_grids
        && strong_left.factor >= weak_left.factor
        && strong_right.factor <= weak_right.factor
        && strong_right.symbols == weak_right.symbols
}

fn gcd(a: u128, b: u128) -> u128 {
    if b == 0 { a } else { gcd(b, a % b) }
}
