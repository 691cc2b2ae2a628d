//! Orders of threads and blocks from a seed.

/// A permutation of the first `count` numbers. Different salts give different ones for a seed.
pub(in crate::interp) fn shuffled(seed: u64, salt: u64, count: u64) -> Vec<usize> {
    let mut state = seed ^ salt.wrapping_mul(0xd134_2543_de82_ef95);
    let mut order: Vec<usize> = (0..count as usize).collect();
    for last in (1..order.len()).rev() {
        let other = random(&mut state) % (last as u64 + 1);
        order.swap(last, other as usize);
    }
    order
}

/// The next word of SplitMix64.
fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut word = *state;
    word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ word >> 31
}

#[cfg(test)]
mod tests {
    use super::shuffled;

    #[test]
    fn an_order_has_each_number_once() {
        let orders = [(7, 0), (7, 1), (8, 0)].map(|(seed, salt)| shuffled(seed, salt, 100));
        for order in &orders {
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert!(sorted.into_iter().eq(0..100));
        }
        assert!(orders[0] != orders[1] && orders[0] != orders[2]);
        assert_eq!(orders[0], shuffled(7, 0, 100));
    }
}
