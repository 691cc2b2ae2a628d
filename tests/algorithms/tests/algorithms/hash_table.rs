//! A hash table with open addressing: key and value share a word of 64 bits, which a
//! compare-exchange claims.

use std::collections::HashMap;

use vyre::prelude::*;
use vyre_algorithms::Random;
use vyre_semantics::everywhere;

super::kernels! { Insert LookUp }

/// A slot without a key. No key has all bits set.
const EMPTY: u64 = u64::MAX;

/// The first slot to probe for a key, in a table whose number of slots is a power of two.
#[vyre::device]
fn first_slot(key: u32, slots: usize) -> usize {
    (key.wrapping_mul(0x9e37_79b1) >> 7) as usize & (slots - 1)
}

/// Inserts pairs into the table; the least value of a key stays. Counts new keys and keys that
/// found no room.
#[vyre::kernel(block = 64)]
fn insert(keys: &[u32], values: &[u32], slots: &[AtomicU64], added: &[AtomicU32], lost: &[AtomicU32]) {
    let i = thread::index();
    if i >= keys.len() {
        return;
    }
    let (key, pair) = (keys[i], (keys[i] as u64) << 32 | values[i] as u64);
    let mut at = first_slot(key, slots.len());
    for _ in 0..slots.len() {
        match slots[at].compare_exchange(EMPTY, pair, Ordering::Relaxed, Ordering::Relaxed) {
            Ok(_) => {
                added[0].fetch_add(1, Ordering::Relaxed);
                return;
            }
            Err(seen) if (seen >> 32) as u32 == key => {
                slots[at].fetch_min(pair, Ordering::Relaxed);
                return;
            }
            Err(_) => at = (at + 1) & (slots.len() - 1),
        }
    }
    lost[0].fetch_add(1, Ordering::Relaxed);
}

/// Looks up the value of each key, or `absent`.
#[vyre::kernel(block = 64)]
fn look_up(keys: &[u32], slots: &[u64], values: &mut [u32], absent: u32) {
    let i = thread::index();
    if i >= keys.len() {
        return;
    }
    let mut at = first_slot(keys[i], slots.len());
    let mut value = absent;
    for _ in 0..slots.len() {
        let pair = slots[at];
        if (pair >> 32) as u32 == keys[i] && pair != EMPTY {
            value = pair as u32;
        }
        if (pair >> 32) as u32 == keys[i] || pair == EMPTY {
            break;
        }
        at = (at + 1) & (slots.len() - 1);
    }
    values[i] = value;
}

#[test]
fn finds_what_was_put_in() {
    everywhere(|place| {
        // Pairs, slots, and how many different keys there are about.
        for (count, slots, different) in [
            (0, 1, 1),
            (1, 1, 1),
            (64, 64, 1),
            (200, 256, 150),
            (200, 256, 10),
            (90, 64, 40),
        ] {
            let mut random = Random::new(11);
            let keys: Vec<u32> = (0..count)
                .map(|_| (random.index(different) as u32).wrapping_mul(0x0101_0101))
                .collect();
            let values = random.words(count);
            let mut expected = HashMap::new();
            for (&key, &value) in keys.iter().zip(&values) {
                let least = expected.entry(key).or_insert(value);
                *least = value.min(*least);
            }

            let (keys, values) = (place.device().upload(&keys)?, place.device().upload(&values)?);
            let mut table = place.device().upload(&vec![EMPTY; slots])?;
            let (mut added, mut lost) = (place.device().zeros::<u32>(1)?, place.device().zeros::<u32>(1)?);
            place.over(insert(&keys, &values, &mut table, &mut added, &mut lost), count)?;
            assert_eq!(added.download()?, [expected.len() as u32]);
            assert_eq!(lost.download()?, [0]);

            let asked: Vec<u32> = (0..2 * different as u32).map(|k| k.wrapping_mul(0x0101_0101)).collect();
            let mut found = place.device().zeros::<u32>(asked.len())?;
            let asked_of = place.device().upload(&asked)?;
            place.over(look_up(&asked_of, &table, &mut found, 5), asked.len())?;
            let expected: Vec<u32> = asked
                .iter()
                .map(|key| expected.get(key).copied().unwrap_or(5))
                .collect();
            assert_eq!(found.download()?, expected, "{count} in {slots}");
        }
        Ok(())
    });
}

#[test]
fn a_full_table_loses_keys() {
    everywhere(|place| {
        let keys: Vec<u32> = (0..100).collect();
        let keys = place.device().upload(&keys)?;
        let mut table = place.device().upload(&[EMPTY; 64])?;
        let (mut added, mut lost) = (place.device().zeros::<u32>(1)?, place.device().zeros::<u32>(1)?);
        place.over(insert(&keys, &keys, &mut table, &mut added, &mut lost), 100)?;
        assert_eq!((added.download()?, lost.download()?), (vec![64], vec![36]));

        let mut found = place.device().zeros::<u32>(100)?;
        place.over(look_up(&keys, &table, &mut found, 1000), 100)?;
        let found = found.download()?;
        assert_eq!(found.iter().filter(|&&value| value == 1000).count(), 36);
        assert!((0..100).zip(found).all(|(key, value)| value == key || value == 1000));
        Ok(())
    });
}
