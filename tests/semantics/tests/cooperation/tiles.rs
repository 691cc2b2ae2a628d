//! Tiles of a warp, on every back end and of every size, against plain Rust: full ones, partial
//! ones, diverging ones, and ones that lose a lane by a fault.

use vyre::prelude::*;
use vyre::{Error, FaultKind};
use vyre_runtime::kernel::Kernel;
use vyre_semantics::places::everywhere;
use vyre_semantics::ptx::assemble_quickly;

vyre_semantics::kernels! { Apart Combined Held }

/// The values of a tile's lanes; `None` for inactive ones.
type Lanes<T> = [Option<T>];

/// The reduction of the lanes by `op`, in the documented order.
fn reduced<T: Copy>(lanes: &Lanes<T>, op: fn(T, T) -> T) -> Vec<T> {
    let there: Vec<T> = lanes.iter().copied().flatten().collect();
    if there.len() < lanes.len() {
        let all = there.iter().copied().reduce(op).unwrap();
        return vec![all; lanes.len()];
    }
    let mut values = there;
    let mut distance = values.len() / 2;
    while distance > 0 {
        values = (0..values.len()).map(|i| op(values[i], values[i ^ distance])).collect();
        distance /= 2;
    }
    values
}

/// The inclusive scan of the lanes.
fn scanned<T: Copy>(lanes: &Lanes<T>, op: fn(T, T) -> T) -> Vec<Option<T>> {
    let there: Vec<T> = lanes.iter().copied().flatten().collect();
    if there.len() < lanes.len() {
        let mut running = None;
        let step = |lane: &Option<T>| {
            let value = (*lane)?;
            running = Some(running.map_or(value, |before| op(before, value)));
            running
        };
        return lanes.iter().map(step).collect();
    }
    let mut values = there;
    let mut distance = 1;
    while distance < values.len() {
        let add = |i: usize| match i.checked_sub(distance) {
            Some(below) => op(values[below], values[i]),
            None => values[i],
        };
        values = (0..values.len()).map(add).collect();
        distance *= 2;
    }
    values.into_iter().map(Some).collect()
}

/// Every method, in blocks of whole warps and in others some of whose threads have exited.
macro_rules! sizes {
    ($($name:ident $lanes:literal;)*) => { $( mod $name {
        use super::*;

        const N: usize = $lanes;

        #[vyre::device]
        fn moved(tile: warp::Tile<$lanes>, value: f32, amount: usize) -> (f32, f32, f32, f32) {
            (
                tile.shuffle(value, amount),
                tile.shuffle_up(value, amount),
                tile.shuffle_down(value, amount),
                tile.shuffle_xor(value, amount),
            )
        }

        #[vyre::kernel(block = 64)]
        fn whole(x: &[f32], amount: usize, y: &mut [[f32; 4]], sums: &mut [[f32; 3]], words: &mut [[u32; 7]], places: &mut [[usize; 3]]) {
            let tile = warp::tile::<$lanes>();
            let i = thread::index();
            let (by, up, down, xor) = moved(tile, x[i], amount);
            y[i] = [by, up, down, xor];
            sums[i] = [tile.sum(x[i]), tile.inclusive_sum(x[i]), tile.exclusive_sum(x[i])];
            let word = x[i] as u32;
            tile.sync();
            words[i] = [
                tile.ballot(word % 3 == 1),
                tile.match_any(word % 2),
                tile.active_mask(),
                tile.xor(word),
                tile.max(word),
                tile.exclusive_min(word),
                tile.any(word > 60) as u32 + 2 * tile.all(word < 50) as u32 + 4 * tile.match_all(word / $lanes) as u32,
            ];
            places[i] = [tile.lane(), tile.index(), tile.size()];
        }

        #[vyre::kernel(block = [9, 5])]
        fn partial(x: &[f32], amount: usize, y: &mut [[f32; 4]], sums: &mut [[f32; 3]], words: &mut [[u32; 7]], places: &mut [[usize; 3]]) {
            let tile: warp::Tile<$lanes> = warp::tile();
            let i = thread::index();
            if i % 7 == 3 {
                return;
            }
            let (by, up, down, xor) = moved(tile, x[i], amount);
            y[i] = [by, up, down, xor];
            sums[i] = [tile.sum(x[i]), tile.inclusive_sum(x[i]), tile.exclusive_sum(x[i])];
            let word = x[i] as u32;
            tile.sync();
            words[i] = [
                tile.ballot(word % 3 == 1),
                tile.match_any(word % 2),
                tile.active_mask(),
                tile.xor(word),
                tile.max(word),
                tile.exclusive_min(word),
                tile.any(word > 60) as u32 + 2 * tile.all(word < 50) as u32 + 4 * tile.match_all(word / $lanes) as u32,
            ];
            places[i] = [tile.lane(), tile.index(), tile.size()];
        }

        #[test]
        fn agrees() {
            everywhere(|place| {
                for (threads, some, amount) in [64, 45].into_iter().flat_map(|threads| {
                    [0, 1, 5, N, 37].map(|amount| (threads, threads == 45, amount))
                }) {
                    let device = place.device();
                    let x: Vec<f32> = (0..2 * threads).map(|i| ((i * 37) % 64) as f32 + 0.1).collect();
                    let n = x.len();
                    let input = device.upload(&x)?;
                    let (mut y, mut sums) = (device.zeros::<[f32; 4]>(n)?, device.zeros::<[f32; 3]>(n)?);
                    let (mut words, mut places) = (device.zeros::<[u32; 7]>(n)?, device.zeros::<[usize; 3]>(n)?);
                    match some {
                        true => place.grid(partial(&input, amount, &mut y, &mut sums, &mut words, &mut places), [2, 1, 1])?,
                        false => place.grid(whole(&input, amount, &mut y, &mut sums, &mut words, &mut places), [2, 1, 1])?,
                    }
                    let (y, sums) = (y.download()?, sums.download()?);
                    let (words, places) = (words.download()?, places.download()?);
                    let is_there = |block: usize, thread: usize| {
                        thread < threads && !(some && (block * threads + thread) % 7 == 3)
                    };
                    for block in 0..2 {
                        for first in (0..threads).step_by(N) {
                            let at = |lane: usize| block * threads + first + lane;
                            let lanes: Vec<Option<f32>> = (0..N)
                                .map(|lane| is_there(block, first + lane).then(|| x[at(lane)]))
                                .collect();
                            let numbers: Vec<Option<u32>> = lanes.iter().map(|x| x.map(|x| x as u32)).collect();
                            let set = |holds: &dyn Fn(u32) -> bool| -> u32 {
                                (0..N).map(|lane| u32::from(numbers[lane].is_some_and(holds)) << lane).sum()
                            };
                            if numbers.iter().all(Option::is_none) {
                                continue;
                            }
                            let (total, running) = (reduced(&lanes, |a, b| a + b), scanned(&lanes, |a, b| a + b));
                            let [xor, max] = [(|a, b| a ^ b) as fn(u32, u32) -> u32, u32::max].map(|op| reduced(&numbers, op));
                            let below = scanned(&numbers, u32::min);
                            for lane in 0..N {
                                let (Some(own), Some(word)) = (lanes[lane], numbers[lane]) else { continue };
                                let name = format!("on {}: {threads} threads, {amount}, {}", place.name(), at(lane));
                                let amount = amount % N;
                                let from = |source: Option<usize>| {
                                    source.and_then(|source| *lanes.get(source)?).unwrap_or(own)
                                };
                                let moved = [
                                    from(Some(amount)),
                                    from(lane.checked_sub(amount)),
                                    from(Some(lane + amount)),
                                    from(Some(lane ^ amount)),
                                ];
                                assert_eq!(y[at(lane)], moved, "{name}");
                                let before = running[..lane].iter().rev().find_map(|&sum| sum).unwrap_or(0.0);
                                assert_eq!(sums[at(lane)], [total[lane], running[lane].unwrap(), before], "{name}");
                                let any = set(&|v| v > 60) != 0;
                                let all = set(&|v| v >= 50) == 0;
                                let same = set(&|v| v / $lanes != word / $lanes) == 0;
                                let expected = [
                                    set(&|v| v % 3 == 1),
                                    set(&|v| v % 2 == word % 2),
                                    set(&|_| true),
                                    xor[lane],
                                    max[lane],
                                    below[..lane].iter().rev().find_map(|&min| min).unwrap_or(u32::MAX),
                                    u32::from(any) + 2 * u32::from(all) + 4 * u32::from(same),
                                ];
                                assert_eq!(words[at(lane)], expected, "{name}");
                                assert_eq!(places[at(lane)], [lane, first % 32 / N, N], "{name}");
                            }
                        }
                    }
                }
                Ok(())
            });
            for kernel in [Whole::info(), Partial::info()] {
                assemble_quickly(kernel);
            }
        }
    } )* };
}

sizes! {
    pairs 2;
    fours 4;
    eights 8;
    sixteens 16;
    warps 32;
}

/// The sum of the lanes of a tile of any size.
#[vyre::device]
fn total<const N: usize>(tile: &warp::Tile<N>, value: u32) -> u32 {
    let other = warp::tile::<N>();
    tile.sum(value) + other.size() as u32
}

/// The trip count of each tile's loop is its first value, and some tiles exit at once.
#[vyre::kernel(block = 64, allow(races))] // tiles part, and lanes leave
fn apart(x: &[u32], rounds: &mut [u32], sums: &mut [u32]) {
    let (tile, half) = (warp::tile::<4>(), warp::tile::<16>());
    let i = thread::index();
    let first = tile.shuffle(x[i], 0);
    if first == 0 {
        return;
    }
    let mut value = x[i];
    let mut n = 0;
    while n < first {
        value = tile.shuffle_up(value, 1) + 1;
        n += 1;
        if tile.all(value > 1000) {
            break;
        }
    }
    rounds[i] = n;
    sums[i] = if first % 2 == 0 {
        total(&tile, value)
    } else {
        total(&tile, n)
    };
    sums[i] += 1000 * total(&half, 1);
}

#[test]
fn tiles_go_different_ways() {
    everywhere(|place| {
        let x: Vec<u32> = (0..128).map(|i| i / 4 * 5 % 7 + i % 4 * 100).collect();
        let (mut rounds, mut sums) = (place.device().zeros::<u32>(128)?, place.device().zeros::<u32>(128)?);
        place.grid(apart(&place.device().upload(&x)?, &mut rounds, &mut sums), [2, 1, 1])?;
        let (rounds, sums) = (rounds.download()?, sums.download()?);
        for (number, tile) in x.chunks(4).enumerate() {
            let first = tile[0];
            let mut values = tile.to_vec();
            for _ in 0..first {
                values = (0..4usize).map(|lane| values[lane.saturating_sub(1)] + 1).collect();
            }
            let own = if first % 2 == 0 {
                values.iter().sum::<u32>()
            } else {
                4 * first
            } + 4;
            let half = &x[number / 4 * 16..][..16];
            let there = half.chunks(4).filter(|tile| tile[0] != 0).count() as u32 * 4;
            for lane in 0..4 {
                let expected = if first == 0 { 0 } else { own + 1000 * (there + 16) };
                assert_eq!(rounds[4 * number + lane], first, "on {}", place.name());
                assert_eq!(sums[4 * number + lane], expected, "on {}: tile {number}", place.name());
            }
        }
        Ok(())
    });
}

/// A function of the user's, and the first lane that is there, of tiles that may lack lanes.
#[vyre::kernel(block = 45)]
fn combined(x: &[u32], sums: &mut [[u32; 3]], first: &mut [u32]) {
    let i = thread::index();
    let (few, many) = (warp::tile::<4>(), warp::tile::<16>());
    let after = |a: [u32; 2], b: [u32; 2]| [a[0] * b[0], a[1] * b[0] + b[1]];
    let steps = many.reduce([x[i], 1], after);
    let number = few.index() as u32;
    sums[i] = [steps[0], steps[1], few.reduce(x[i], |a, b| a * 3 + b + number)];
    if !x[i].is_multiple_of(3) {
        first[i] = few.elect() as u32 + 2 * many.elect() as u32;
    }
}

#[test]
fn tiles_reduce_and_elect() {
    /// Pairs of neighbours, and so on; what has no successor stays.
    fn tree<T: Copy>(values: &[T], combine: impl Fn(T, T) -> T) -> T {
        let mut level = values.to_vec();
        while level.len() > 1 {
            let pair = |pair: &[T]| if let [a, b] = *pair { combine(a, b) } else { pair[0] };
            level = level.chunks(2).map(pair).collect();
        }
        level[0]
    }
    let x: Vec<u32> = (0..90).map(|i| i * 31 % 17 + 1).collect();
    let after = |a: [u32; 2], b: [u32; 2]| {
        let scaled = a[1].wrapping_mul(b[0]).wrapping_add(b[1]);
        [a[0].wrapping_mul(b[0]), scaled]
    };
    everywhere(|place| {
        let device = place.device();
        let (mut sums, mut first) = (device.zeros::<[u32; 3]>(90)?, device.zeros::<u32>(90)?);
        place.grid(combined(&device.upload(&x)?, &mut sums, &mut first), [2, 1, 1])?;
        let (sums, first) = (sums.download()?, first.download()?);
        for i in 0..90 {
            let (block, thread) = (&x[i / 45 * 45..][..45], i % 45);
            let tile = |lanes: usize| {
                let start = thread / lanes * lanes;
                (start, &block[start..(start + lanes).min(45)])
            };
            let ((start, few), (far, many)) = (tile(4), tile(16));
            let steps = tree(&many.iter().map(|&x| [x, 1]).collect::<Vec<_>>(), after);
            let number = (start % 32 / 4) as u32;
            let sum = tree(few, |a, b| a.wrapping_mul(3).wrapping_add(b).wrapping_add(number));
            assert_eq!(sums[i], [steps[0], steps[1], sum], "{i} on {}", place.name());
            let is_first = |start: usize, tile: &[u32]| tile.iter().position(|x| x % 3 != 0) == Some(thread - start);
            let expected = match x[i] % 3 {
                0 => 0,
                _ => u32::from(is_first(start, few)) + 2 * u32::from(is_first(far, many)),
            };
            assert_eq!(first[i], expected, "{i} on {}", place.name());
        }
        Ok(())
    });
    assemble_quickly(Combined::info());
}

/// Lanes of one tile wait for what those of another write after an exchange of their own.
#[vyre::kernel(block = 32)]
fn held(flag: &[AtomicU32], y: &mut [u32]) {
    let i = thread::index();
    let tile = warp::tile::<16>();
    if tile.index() == 1 {
        while flag[0].load(Ordering::Acquire) == 0 {}
    }
    let sum = tile.sum(i as u32);
    if i == 0 {
        flag[0].store(1, Ordering::Release);
    }
    y[i] = sum;
}

#[test]
fn a_tile_goes_on_while_another_waits() {
    everywhere(|place| {
        let device = place.device();
        let (mut flag, mut y) = (device.zeros::<u32>(1)?, device.zeros::<u32>(32)?);
        place.grid(held(&mut flag, &mut y), [1, 1, 1])?;
        let y = y.download()?;
        assert_eq!((y[0], y[31]), (120, 376), "on {}", place.name());
        Ok(())
    });
}

/// Tiles in tuples, through references, from blocks, and given back by functions.
#[vyre::device]
fn handed<const N: usize>(tile: warp::Tile<N>) -> warp::Tile<N> {
    tile
}

#[vyre::device]
fn applied(of: impl Fn(u32) -> u32, value: u32) -> u32 {
    of(value)
}

#[vyre::kernel(block = 32)]
fn values(y: &mut [[u32; 6]]) {
    let pair = (warp::tile::<8>(), 5u32);
    let other = &pair.0;
    let (tile, five) = pair;
    let mut copied = handed(tile);
    if copied.lane() == 3 {
        copied = {
            let inner = tile;
            inner
        };
    }
    y[thread::index()] = [
        pair.0.sum(five),
        other.sum(1u32),
        copied.sum(2u32),
        if five > 4 { tile } else { copied }.sum(3u32),
        handed(warp::tile::<2>()).sum(five),
        applied(|value| tile.sum(value), 2),
    ];
}

#[test]
fn tiles_are_values() {
    everywhere(|place| {
        let mut y = place.device().zeros::<[u32; 6]>(32)?;
        place.grid(values(&mut y), [1, 1, 1])?;
        assert_eq!(y.download()?, [[40, 8, 16, 24, 10, 16]; 32], "on {}", place.name());
        Ok(())
    });
}

/// User types that are called like groups.
mod named_alike {
    use super::*;

    #[vyre::device]
    #[derive(Clone, Copy)]
    pub(crate) struct Tile {
        pub(crate) sum: u32,
    }

    #[vyre::device]
    pub(crate) type Barrier = [u32; 2];

    #[vyre::device]
    fn twice(tile: Tile, barrier: Barrier) -> Tile {
        Tile {
            sum: tile.sum * 2 + barrier[1],
        }
    }

    #[vyre::kernel(block = 32)]
    fn sums(y: &mut [u32]) {
        let tile: Tile = Tile {
            sum: thread::index() as u32,
        };
        let lanes: warp::Tile<4> = warp::tile();
        y[thread::index()] = lanes.sum(twice(tile, [1, 2]).sum);
    }

    #[test]
    fn types_of_the_user_stay_what_they_are() {
        everywhere(|place| {
            let mut y = place.device().zeros::<u32>(32)?;
            place.grid(sums(&mut y), [1, 1, 1])?;
            let expected: Vec<u32> = (0..32)
                .map(|i| (0..4).map(|lane| 2 * (i / 4 * 4 + lane) + 2).sum())
                .collect();
            assert_eq!(y.download()?, expected, "on {}", place.name());
            Ok(())
        });
    }
}

/// One tile of a warp waits in a loop for an action of another one after its shuffle.
#[vyre::kernel(block = 32)]
fn waits(flag: &[AtomicU32], y: &mut [u32]) {
    let tile = warp::tile::<8>();
    let i = thread::index();
    let mut v = 0;
    if tile.index() == 0 {
        while v == 0 {
            v = flag[0].load(Ordering::Acquire);
        }
    } else if tile.index() == 2 {
        v = tile.sum(1u32);
        if tile.lane() == 0 {
            flag[0].store(v, Ordering::Release);
        }
    }
    y[i] = v;
}

#[test]
fn a_tile_waits_for_another_one() {
    everywhere(|place| {
        let (mut flag, mut y) = (place.device().zeros::<u32>(1)?, place.device().zeros::<u32>(32)?);
        place.grid(waits(&mut flag, &mut y), [1, 1, 1])?;
        let expected: Vec<u32> = (0..32).map(|i| if i / 8 % 2 == 0 { 8 } else { 0 }).collect();
        assert_eq!(y.download()?, expected, "on {}", place.name());
        Ok(())
    });
}

/// Tiles do not wait for a lane that faults.
#[vyre::kernel(block = 64)]
fn faults(x: &[u32], y: &mut [u32]) {
    let tile = warp::tile::<16>();
    let i = thread::index();
    let mut sum = 0;
    for round in 0..100 {
        assert!(x[i] != round, "round {round}");
        sum += tile.sum(x[i]);
        tile.sync();
    }
    y[i] = sum;
}

/// The thread whose assertion failed, and its message.
fn said(result: vyre::Result<()>) -> (u32, String) {
    match result {
        Err(Error::Fault(fault)) if fault.kind == FaultKind::Assertion => (fault.thread[0], fault.message),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_fault_takes_a_lane_away() {
    everywhere(|place| {
        let mut x = vec![1000; 64];
        x[21] = 50;
        let mut y = place.device().zeros::<u32>(64)?;
        let error = place.grid(faults(&place.device().upload(&x)?, &mut y), [1, 1, 1]);
        assert_eq!(said(error), (21, "round 50".to_owned()), "on {}", place.name());
        Ok(())
    });
}

/// Operations of the whole warp, block and grid after those of tiles, also if the tiles' results
/// are unused.
#[vyre::kernel(block = 100, allow(races))] // the trip count is the same for all in the test
fn together(x: &[u32], y: &mut [[u32; 7]]) {
    let i = thread::index();
    warp::tile::<4>().shuffle_down(1775u32, lane::index());
    let there = warp::ballot(true);
    warp::tile::<2>().shuffle(0u32, lane::index());
    block::sync();
    let mut votes = 0;
    for _ in 0..x[i] {
        warp::tile::<4>().shuffle_down(9i32, 0);
        block::sync();
        votes += block::sync_count(true) as u32;
    }
    let four = warp::tile::<4>().shuffle_down(x[i], 1);
    let lanes = warp::ballot(four < 1000);
    let eight = warp::tile::<8>().sum(four);
    let same = warp::match_any(eight / 1000);
    let two = warp::tile::<2>().shuffle_up(eight, 1);
    let last = warp::shuffle_xor(two / 1000 + lane::index() as u32, 16);
    let half = warp::tile::<16>().any(two > 1000) as u32;
    grid::sync();
    y[i] = [
        votes,
        there,
        lanes,
        same,
        last,
        half,
        block::sync_count(half == 0) as u32,
    ];
}

#[test]
fn the_whole_comes_together_again() {
    everywhere(|place| {
        let x = place.device().upload(&[3u32; 300])?;
        let mut y = place.device().zeros::<[u32; 7]>(300)?;
        place.grid(together(&x, &mut y), [3, 1, 1])?;
        for (i, found) in y.download()?.into_iter().enumerate() {
            let lane = (i % 100 % 32) as u32;
            // The last warp of a block has four lanes.
            let (all, last) = match i % 100 < 96 {
                true => (u32::MAX, lane ^ 16),
                false => (0xf, lane),
            };
            assert_eq!(found[..3], [300, all, all], "thread {i} on {}", place.name());
            assert_eq!(found[3] & all, all, "thread {i} on {}", place.name());
            assert_eq!(found[4..], [last, 0, 100], "thread {i} on {}", place.name());
        }
        Ok(())
    });
}

/// The whole warp, block and grid do not wait for a lane that faults either.
#[vyre::kernel(block = 64)]
fn faults_before_the_whole(x: &[u32], y: &mut [u32]) {
    let i = thread::index();
    let mut sum = 0;
    for round in 0..20 {
        sum += warp::tile::<4>().sum(x[i]);
        assert!(x[i] != round, "round {round}");
        block::sync();
        sum += block::sync_count(x[i] > 3) as u32;
        sum += warp::ballot(true);
    }
    y[i] = sum;
}

#[test]
fn a_fault_takes_a_lane_away_from_the_whole() {
    everywhere(|place| {
        let mut x = vec![1000; 64];
        x[42] = 5;
        let mut y = place.device().zeros::<u32>(64)?;
        let error = place.grid(faults_before_the_whole(&place.device().upload(&x)?, &mut y), [1, 1, 1]);
        assert_eq!(said(error), (42, "round 5".to_owned()), "on {}", place.name());
        Ok(())
    });
}

/// Products of warps and tiles, of which the last have fewer lanes.
#[vyre::kernel(block = [9, 5])]
fn products(x: &[f32], y: &mut [[f32; 2]], words: &mut [u32]) {
    let i = thread::index();
    y[i] = [warp::product(x[i]), warp::tile::<8>().product(x[i])];
    words[i] = warp::product(x[i].to_bits() | 1);
}

#[test]
fn products_agree() {
    let x: Vec<f32> = (0..45).map(|i| 0.6 + (i * 37 % 45) as f32 * 0.02).collect();
    let by_lanes = |lanes: usize| -> Vec<u32> {
        let mut all = Vec::new();
        for tile in x.chunks(lanes) {
            let mut there: Vec<Option<f32>> = tile.iter().copied().map(Some).collect();
            there.resize(lanes, None);
            all.extend(reduced(&there, |a, b| a * b)[..tile.len()].iter().map(|x| x.to_bits()));
        }
        all
    };
    let expected: Vec<[u32; 2]> = by_lanes(32).into_iter().zip(by_lanes(8)).map(|(a, b)| [a, b]).collect();
    let word = |warp: &[f32]| warp.iter().fold(1u32, |all, x| all.wrapping_mul(x.to_bits() | 1));
    let of_words: Vec<u32> = x.chunks(32).flat_map(|warp| vec![word(warp); warp.len()]).collect();
    everywhere(|place| {
        let device = place.device();
        let (x, mut y, mut words) = (
            device.upload(&x)?,
            device.upload(&[[0.0f32; 2]; 45])?,
            device.zeros::<u32>(45)?,
        );
        place.grid(products(&x, &mut y, &mut words), [1, 1, 1])?;
        let y: Vec<[u32; 2]> = y.download()?.into_iter().map(|y| y.map(f32::to_bits)).collect();
        assert_eq!(y, expected, "on {}", place.name());
        assert_eq!(words.download()?, of_words, "on {}", place.name());
        Ok(())
    });
    assemble_quickly(Products::info());
}
