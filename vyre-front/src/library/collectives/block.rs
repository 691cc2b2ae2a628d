/// Threads of the block.
fn size() -> u32 {
    (block::dim().x * block::dim().y * block::dim().z) as u32
}

/// The number of this thread in its block, in the order of warps.
fn index() -> u32 {
    let (x, y, z) = (thread::idx().x as u32, thread::idx().y as u32, thread::idx().z as u32);
    x + block::dim().x as u32 * (y + block::dim().y as u32 * z)
}

/// The number of this thread's warp in the block.
fn warp_index() -> u32 {
    index() / 32
}

/// A step of a reduction of a whole warp: lanes whose number is a multiple of twice the distance get it.
fn join<T: Copy>(value: T, distance: usize, combine: impl Fn(T, T) -> T + Copy) -> T {
    let next = warp::shuffle_xor(value, distance);
    combine(value, next)
}

/// The same in a warp of so many lanes.
fn join_part<T: Copy>(value: T, distance: usize, lanes: usize, combine: impl Fn(T, T) -> T + Copy) -> T {
    let next = warp::shuffle_down(value, distance);
    if lane::index() + distance < lanes { combine(value, next) } else { value }
}

/// The combination of the values of a warp, in its lane 0. The last warp of the block may have fewer than 32 lanes.
fn reduce_warp<T: Copy>(value: T, combine: impl Fn(T, T) -> T + Copy) -> T {
    // Step by step, since the compiler knows outside of loops that all lanes come here.
    if size() % 32 == 0 {
        let value = join(value, 1, combine);
        let value = join(value, 2, combine);
        let value = join(value, 4, combine);
        let value = join(value, 8, combine);
        join(value, 16, combine)
    } else {
        let lanes = (size() - 32 * warp_index()).min(32) as usize;
        let value = join_part(value, 1, lanes, combine);
        let value = join_part(value, 2, lanes, combine);
        let value = join_part(value, 4, lanes, combine);
        let value = join_part(value, 8, lanes, combine);
        join_part(value, 16, lanes, combine)
    }
}

fn reduce<T: Copy>(value: T, combine: impl Fn(T, T) -> T + Copy) -> T {
    let own = reduce_warp(value, combine);
    if size() <= 32 {
        warp::shuffle(own, 0)
    } else {
        // Of an earlier call, `warps` has been read before its second barrier, and `total` is before the first one here.
        let warps = shared::<[T; 32]>();
        let total = shared::<[T; 1]>();
        if lane::index() == 0 {
            warps[warp_index() as usize] = own;
        }
        block::sync();
        if index() == 0 {
            let mut all = own;
            for warp in 1..size().div_ceil(32) {
                all = combine(all, warps[warp as usize]);
            }
            total[0] = all;
        }
        block::sync();
        total[0]
    }
}

fn sum<T: Number>(value: T) -> T {
    reduce(value, |a, b| a + b)
}

fn product<T: Number>(value: T) -> T {
    reduce(value, |a, b| a * b)
}

fn min<T: Number>(value: T) -> T {
    reduce(value, |a, b| a.min(b))
}

fn max<T: Number>(value: T) -> T {
    reduce(value, |a, b| a.max(b))
}

fn and<T: Integer>(value: T) -> T {
    reduce(value, |a, b| a & b)
}

fn or<T: Integer>(value: T) -> T {
    reduce(value, |a, b| a | b)
}

fn xor<T: Integer>(value: T) -> T {
    reduce(value, |a, b| a ^ b)
}

/// A step of a scan.
fn join_below<T: Copy>(value: T, distance: usize, combine: impl Fn(T, T) -> T + Copy) -> T {
    let below = warp::shuffle_up(value, distance);
    if lane::index() >= distance { combine(below, value) } else { value }
}

/// The combination of the values of this lane and those below.
fn scan_warp<T: Copy>(value: T, combine: impl Fn(T, T) -> T + Copy) -> T {
    let value = join_below(value, 1, combine);
    let value = join_below(value, 2, combine);
    let value = join_below(value, 4, combine);
    let value = join_below(value, 8, combine);
    join_below(value, 16, combine)
}

fn inclusive_scan<T: Copy>(value: T, combine: impl Fn(T, T) -> T + Copy) -> T {
    let own = scan_warp(value, combine);
    if size() <= 32 {
        own
    } else {
        let warps = shared::<[T; 32]>();
        // Threads may still read what an earlier call has left there.
        block::sync();
        if lane::index() == 31 {
            warps[warp_index() as usize] = own;
        }
        block::sync();
        let mut before = warps[0];
        for warp in 1..size().div_ceil(32) - 1 {
            // Loaded in any case, so that the loads need not wait for each other.
            let next = warps[warp as usize];
            if warp < warp_index() {
                before = combine(before, next);
            }
        }
        if warp_index() == 0 { own } else { combine(before, own) }
    }
}

fn exclusive_scan<T: Copy>(value: T, first: T, combine: impl Fn(T, T) -> T + Copy) -> T {
    let own = scan_warp(value, combine);
    let below = warp::shuffle_up(own, 1);
    let mut before = first;
    if size() > 32 {
        let warps = shared::<[T; 32]>();
        // Threads may still read what an earlier call has left there.
        block::sync();
        if lane::index() == 31 {
            warps[warp_index() as usize] = own;
        }
        block::sync();
        for warp in 0..size().div_ceil(32) - 1 {
            let next = warps[warp as usize];
            if warp < warp_index() {
                before = combine(before, next);
            }
        }
    }
    if lane::index() == 0 { before } else { combine(before, below) }
}

fn inclusive_sum<T: Number>(value: T) -> T {
    inclusive_scan(value, |a, b| a + b)
}

fn exclusive_sum<T: Number>(value: T) -> T {
    exclusive_scan(value, T::ZERO, |a, b| a + b)
}

fn broadcast<T: Copy>(value: T, from: usize) -> T {
    let size = size() as usize;
    if from >= size {
        panic!("block::broadcast from thread {from} of a block of {size}");
    }
    if size <= 32 {
        warp::shuffle(value, from)
    } else {
        let sent = shared::<[T; 1]>();
        // Threads may still read what an earlier call has left there.
        block::sync();
        if index() as usize == from {
            sent[0] = value;
        }
        block::sync();
        sent[0]
    }
}

/// Waits for the threads that merge with this one: those of the warp or of the block.
fn wait(threads: u32) {
    if threads <= 32 {
        warp::sync();
    } else {
        block::sync();
    }
}

/// The keys of a thread in order.
fn ordered<T: Number, const N: usize>(keys: [T; N]) -> [T; N] {
    let mut keys = keys;
    for round in 1..N {
        for k in 0..N - round {
            let (a, b) = (keys[k], keys[k + 1]);
            if b.__precedes(a) {
                keys[k] = b;
                keys[k + 1] = a;
            }
        }
    }
    keys
}

/// The keys of a thread after its run, of `2^round` threads, is merged with the next one or the one before, and where they
/// were. Of equal keys those of the left run come first. A binary search finds how many keys of the left run come before
/// the thread's own, and the merge goes on from there ("merge path": Green, McColl and Bader, 2012).
fn merged<T: Number, const N: usize>(sorted: &[T], round: u32) -> ([T; N], [u32; N]) {
    let run = (N as u32) << round;
    let count = size() * N as u32;
    let start = (index() >> (round + 1)) * (2 * run);
    let middle = (start + run).min(count);
    let end = (middle + run).min(count);
    let before = index() * N as u32 - start;
    let mut low = before - before.min(end - middle);
    let mut high = before.min(middle - start);
    while low < high {
        let half = (low + high) / 2;
        // SAFETY: both lie in their runs, since `half` lies below `high` and not below `low`.
        let (left, right) = unsafe {
            let place = middle + before - 1 - half;
            (*sorted.get_unchecked((start + half) as usize), *sorted.get_unchecked(place as usize))
        };
        if right.__precedes(left) {
            high = half;
        } else {
            low = half + 1;
        }
    }
    let (mut i, mut j) = (start + low, middle + before - low);
    // Threads that this one does not wait for may write behind both runs.
    let last = end - 1;
    // SAFETY: `last` is below the number of keys.
    let (mut left, mut right) = unsafe {
        (*sorted.get_unchecked(i.min(last) as usize), *sorted.get_unchecked(j.min(last) as usize))
    };
    let mut keys = [left; N];
    let mut places = [0; N];
    for k in 0..N {
        let is_right = j < end && (i >= middle || right.__precedes(left));
        keys[k] = if is_right { right } else { left };
        places[k] = if is_right { j } else { i };
        let next = places[k] + 1;
        // SAFETY: as above.
        let key = unsafe { *sorted.get_unchecked(next.min(last) as usize) };
        i = if is_right { i } else { next };
        j = if is_right { next } else { j };
        left = if is_right { left } else { key };
        right = if is_right { key } else { right };
    }
    (keys, places)
}

// In shared memory, 1024 times as many elements are as many for each thread of the block.

fn sort_items<T: Number, const N: usize>(keys: [T; N]) -> [T; N] {
    let sorted = shared::<[T; 1024 * N]>();
    let first = index() as usize * N;
    let mut keys = ordered(keys);
    // Threads may still read what an earlier call has left there.
    block::sync();
    let mut round = 0;
    while 1 << round < size() {
        for k in 0..N {
            sorted[first + k] = keys[k];
        }
        wait(2 << round);
        let (next, _) = merged(sorted, round);
        keys = next;
        round += 1;
        wait(1 << round);
    }
    keys
}

/// The keys of a thread in order, with their values.
fn ordered_pairs<T: Number, V: Copy, const N: usize>(keys: [T; N], values: [V; N]) -> ([T; N], [V; N]) {
    let (mut keys, mut values) = (keys, values);
    for round in 1..N {
        for k in 0..N - round {
            let (a, b) = (keys[k], keys[k + 1]);
            let (of_a, of_b) = (values[k], values[k + 1]);
            if b.__precedes(a) {
                keys[k] = b;
                keys[k + 1] = a;
                values[k] = of_b;
                values[k + 1] = of_a;
            }
        }
    }
    (keys, values)
}

fn sort_pair_items<T: Number, V: Copy, const N: usize>(keys: [T; N], values: [V; N]) -> ([T; N], [V; N]) {
    let sorted = shared::<[T; 1024 * N]>();
    let beside = shared::<[V; 1024 * N]>();
    let first = index() as usize * N;
    let (mut keys, mut values) = ordered_pairs(keys, values);
    // Threads may still read what an earlier call has left there.
    block::sync();
    let mut round = 0;
    while 1 << round < size() {
        for k in 0..N {
            sorted[first + k] = keys[k];
            beside[first + k] = values[k];
        }
        wait(2 << round);
        let (next, places) = merged(sorted, round);
        keys = next;
        for k in 0..N {
            // SAFETY: places are below the number of keys.
            values[k] = unsafe { *beside.get_unchecked(places[k] as usize) };
        }
        round += 1;
        wait(1 << round);
    }
    (keys, values)
}

fn sort<T: Number>(key: T) -> T {
    sort_items([key])[0]
}

fn sort_pairs<T: Number, V: Copy>(key: T, value: V) -> (T, V) {
    let (keys, values) = sort_pair_items([key], [value]);
    (keys[0], values[0])
}
