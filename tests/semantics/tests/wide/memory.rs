//! Integers of 128 bits wherever values are: in buffers, structs, enums, arrays, parameters, shared memory, constants,
//! closures and generic functions.

use vyre::prelude::*;
use vyre_semantics::everywhere;

/// A field of 16 bytes, whose alignment leaves padding before it.
#[vyre::device]
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
struct Account {
    id: u32,
    balance: i128,
}

#[vyre::device]
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(u32)]
enum Change {
    Nothing,
    By(i128),
    Two(u64, u32),
}

#[vyre::device]
const PRIME: u128 = (1 << 127) - 1;

#[vyre::device]
const FACTORS: [i128; 3] = [-1, i128::MIN + 1, (7i128 << 70) | 9];

#[vyre::device]
const fn factorial(count: u128) -> u128 {
    let mut product = 1u128;
    let mut factor = 1;
    while factor <= count {
        product *= factor;
        factor += 1;
    }
    product
}

#[vyre::device]
const FACTORIALS: [u128; 2] = [factorial(33), factorial(34)];

/// The sum of two numbers modulo a third.
#[vyre::device]
fn add_modulo(a: u128, b: u128, n: u128) -> u128 {
    let sum = a.wrapping_add(b);
    if sum < a || sum >= n { sum.wrapping_sub(n) } else { sum }
}

#[vyre::device]
fn larger<T: PartialOrd + Copy>(a: T, b: T) -> T {
    if a < b { b } else { a }
}

#[vyre::device]
fn accumulate(total: &mut i128, by: i128) {
    *total += by;
}

#[vyre::kernel(block = 32)]
fn ledger(rate: i128, start: Account, change: &[Change], accounts: &mut [Account]) {
    let i = thread::index();
    if i < change.len() && i < accounts.len() {
        let by = match change[i] {
            Change::Nothing => 0,
            Change::By(by) => by,
            Change::Two(a, b) => a as i128 * b as i128,
        };
        accumulate(&mut accounts[i].balance, by * rate);
        accounts[i].balance -= start.balance;
        accounts[i].id += start.id;
        if accounts[i] < start {
            accounts[i].id = 7;
        }
    }
}

#[test]
fn structs_and_enums() {
    let changes = [
        Change::Nothing,
        Change::By(-(5 << 90)),
        Change::Two(u64::MAX, 3),
        Change::By(1),
        Change::Nothing,
    ];
    let before: Vec<Account> = (0..5)
        .map(|id| Account {
            id,
            balance: i128::from(id) << 80,
        })
        .collect();
    let start = Account {
        id: 2,
        balance: 1 << 64,
    };
    let rate = (1 << 30) + 1;
    let expected: Vec<Account> = before
        .iter()
        .zip(&changes)
        .map(|(account, change)| {
            let by = match *change {
                Change::Nothing => 0,
                Change::By(by) => by,
                Change::Two(a, b) => i128::from(a) * i128::from(b),
            };
            let mut account = *account;
            account.balance = account.balance + by * rate - start.balance;
            account.id += start.id;
            if account < start {
                account.id = 7;
            }
            account
        })
        .collect();
    everywhere(|place| {
        let (change, mut accounts) = (place.device().upload(&changes)?, place.device().upload(&before)?);
        place.over(ledger(rate, start, &change, &mut accounts), 5)?;
        assert_eq!(accounts.download()?, expected, "{}", place.name());
        Ok(())
    });
}

#[vyre::kernel(block = 64)]
fn reversed(x: &[u128], y: &mut [u128], shifted: &mut [u128]) {
    let tile = shared::<[u128; 64]>();
    let i = thread::index();
    let t = thread::idx().x;
    if i < x.len() {
        tile[t] = x[i];
    }
    block::sync();
    let other = tile[63 - t];
    let neighbour = warp::shuffle_xor(other, 1);
    if i < y.len() && i < shifted.len() {
        y[i] = add_modulo(other % PRIME, FACTORIALS[t % 2] % PRIME, PRIME);
        let table = [neighbour, larger(neighbour, other), FACTORS[i % 3] as u128];
        let keep = |a: u128| if i.is_multiple_of(2) { a ^ other } else { a };
        shifted[i] = keep(table[i % 3]) + keep(0);
    }
}

#[test]
fn shared_memory_exchanges_and_constants() {
    let x: Vec<u128> = (0..64u32)
        .map(|i| (u128::from(i) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c834))
        .collect();
    let (mut y, mut shifted) = (vec![0u128; 64], vec![0u128; 64]);
    for i in 0..64 {
        let (other, neighbour) = (x[63 - i], x[63 - (i ^ 1)]);
        let (a, b) = (other % PRIME, FACTORIALS[i % 2] % PRIME);
        y[i] = (a + b) % PRIME;
        let table = [neighbour, neighbour.max(other), FACTORS[i % 3] as u128];
        shifted[i] = if i % 2 == 0 {
            (table[i % 3] ^ other).wrapping_add(other)
        } else {
            table[i % 3]
        };
    }
    everywhere(|place| {
        let device = place.device();
        let input = device.upload(&x)?;
        let (mut got, mut moved) = (device.upload(&[0u128; 64])?, device.upload(&[0u128; 64])?);
        place.over(reversed(&input, &mut got, &mut moved), 64)?;
        assert_eq!(got.download()?, y, "{}", place.name());
        assert_eq!(moved.download()?, shifted, "{}", place.name());
        Ok(())
    });
}

#[vyre::kernel]
fn quotients(#[each] x: &mut i128, by: i128) {
    *x /= by;
}

/// The line of this: that of the division in the kernel is the sixth after it.
const BEFORE: u32 = line!();
#[vyre::kernel]
fn remainders(x: &[u128], by: &[u128], y: &mut [u128]) {
    let i = thread::index();
    if i < x.len() && i < by.len() && i < y.len() {
        y[i] = x[i] / (by[i] | 1);
        y[i] ^= x[i] % by[i];
    }
}

#[test]
fn division_by_zero_and_overflow_fault() {
    everywhere(|place| {
        let device = place.device();
        let mut x = device.upload(&[9i128, -(1 << 100), i128::MIN])?;
        for by in [0, -1] {
            let error = place.over(quotients(&mut x, by), 3).expect_err("a fault").to_string();
            let fault = if by == 0 { "division by zero" } else { "overflow" };
            assert!(error.contains(fault), "{error} on {}", place.name());
        }
        Ok(())
    });
    everywhere(|place| {
        let device = place.device();
        let (x, by) = (device.upload(&[5u128, 7])?, device.upload(&[3u128, 0])?);
        let mut y = device.upload(&[0u128; 2])?;
        let error = place
            .over(remainders(&x, &by, &mut y), 2)
            .expect_err("a fault")
            .to_string();
        assert!(
            error.contains(&format!("memory.rs:{}", BEFORE + 6)),
            "{error} on {}",
            place.name()
        );
        Ok(())
    });
}

#[vyre::kernel(block = 1)]
fn printed(x: &[u128], y: &[i128]) {
    println!(
        "{} {:?} {:#x} {:>42}|{:+}|{:<8}|{:e}",
        x[0], y[0], x[1], y[1], y[2], x[2], x[0]
    );
    println!(
        "{:?}",
        (
            x[0],
            [y[0]; 2],
            Some(y[1]),
            Account { id: 1, balance: y[0] },
            Change::By(y[1])
        )
    );
    assert_eq!(y[2], 4, "of {}", x[1]);
}

#[test]
fn printing_and_assertions() {
    let (x, y) = ([u128::MAX, 0xabc << 100, 7], [i128::MIN, -(1 << 70), 5]);
    let mut expected = format!(
        "{} {:?} {:#x} {:>42}|{:+}|{:<8}|{:e}\n",
        x[0], y[0], x[1], y[1], y[2], x[2], x[0]
    );
    let account = Account { id: 1, balance: y[0] };
    expected += &format!("{:?}\n", (x[0], [y[0]; 2], Some(y[1]), account, Change::By(y[1])));
    for place in vyre_semantics::places::places() {
        let (x, y) = (
            place.device().upload(&x).expect("a buffer"),
            place.device().upload(&y).expect("a buffer"),
        );
        let (output, result) = place.printed(printed(&x, &y), 1);
        assert_eq!(output, expected, "{}", place.name());
        let error = result.expect_err("an assertion").to_string();
        assert!(
            error.contains("left: 5") && error.contains("right: 4"),
            "{error} on {}",
            place.name()
        );
        assert!(
            error.contains("of 3483503849427174395312940408373248"),
            "{error} on {}",
            place.name()
        );
    }
}
