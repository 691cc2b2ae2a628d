//! Core's `Ordering` by the name of an import is known, and another enum of such variants lacks its mark.

use core::cmp::Ordering as Order;

use vyre::prelude::*;

mod orders {
    #[derive(Clone, Copy, PartialEq)]
    pub enum Other {
        Less,
        Greater,
    }
}

use orders::Other;

#[vyre::kernel]
fn of_core(#[each] x: &u32, #[each] y: &mut u32) {
    *y = match x.cmp(&3) {
        Order::Less => 1,
        Order::Equal => 2,
        Order::Greater => 3,
    };
}

#[vyre::kernel]
fn of_another(#[each] x: &u32, #[each] y: &mut u32) {
    let order = if *x < 3 { Other::Less } else { Other::Greater };
    *y = (order == Other::Less) as u32;
}

fn main() {}
