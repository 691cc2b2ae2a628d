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
        let warps = shared::<[T; 32]>();
        // Threads may still read what an earlier call has left there.
        block::sync();
        if lane::index() == 0 {
            warps[warp_index() as usize] = own;
        }
        block::sync();
        let mut all = warps[0];
        for warp in 1..size().div_ceil(32) {
            all = combine(all, warps[warp as usize]);
        }
        all
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
            if warp < warp_index() {
                before = combine(before, warps[warp as usize]);
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
            if warp < warp_index() {
                before = combine(before, warps[warp as usize]);
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
