//! Conditions under which accesses do not meet: a product that is at most another one.

use std::ops::Deref;

use vyre_abi::assumption::{Inequality, Product, Symbol};

/// A condition of the launch that a proof rests on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Need {
    pub(super) inequality: Inequality,
    /// True if a launch that does not keep it has a race, or a fault, or if the access is in no launch proven without it. Other
    /// conditions are enough for the proof, but a launch may break them and have no race.
    pub is_necessary: bool,
}

impl Deref for Need {
    type Target = Inequality;

    fn deref(&self) -> &Inequality {
        &self.inequality
    }
}

/// The condition that the grid has one block along an axis.
pub(super) fn one_block(axis: usize) -> Need {
    let grid = Product {
        factor: 1,
        symbols: vec![Symbol::Grid(axis as u32)],
    };
    Need {
        is_necessary: true,
        ..at_most(grid, Product::constant(1))
    }
}

/// The condition that a product is at most another one, with the constants on one side.
pub(super) fn at_most(mut left: Product, mut right: Product) -> Need {
    if right.symbols.is_empty() && !left.symbols.is_empty() {
        right.factor /= left.factor.max(1);
        left.factor = 1;
    } else {
        let common = gcd(left.factor, right.factor).max(1);
        left.factor /= common;
        right.factor /= common;
    }
    Need {
        inequality: Inequality {
            left: vec![left],
            right: vec![right],
        },
        is_necessary: false,
    }
}

/// Adds a condition to others, of which none follows from another one: a grid has at least one block along each axis. A
/// necessary one does not follow from one that is not.
pub(super) fn add(all: &mut Vec<Need>, one: &Need) {
    let follows = |weak: &Need, strong: &Need| strong.is_necessary >= weak.is_necessary && implies(strong, weak);
    if all.iter().any(|known| follows(one, known)) {
        return;
    }
    all.retain(|known| !follows(known, one));
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
