/// Lanes of this warp: the last one of a block may have fewer than 32.
fn lanes() -> usize {
    let threads = (block::dim().x * block::dim().y * block::dim().z) as u32;
    let (x, y, z) = (thread::idx().x as u32, thread::idx().y as u32, thread::idx().z as u32);
    let index = x + block::dim().x as u32 * (y + block::dim().y as u32 * z);
    (threads - index / 32 * 32).min(32) as usize
}

/// A step of a reduction: lanes whose number is a multiple of twice the distance get it.
fn join<T: Copy>(value: T, distance: usize, lanes: usize, combine: impl Fn(T, T) -> T + Copy) -> T {
    let next = warp::shuffle_down(value, distance);
    if lane::index() + distance < lanes { combine(value, next) } else { value }
}

fn reduce<T: Copy>(value: T, combine: impl Fn(T, T) -> T + Copy) -> T {
    let lanes = lanes();
    // Step by step, since the compiler knows outside of loops that all lanes come here.
    let value = join(value, 1, lanes, combine);
    let value = join(value, 2, lanes, combine);
    let value = join(value, 4, lanes, combine);
    let value = join(value, 8, lanes, combine);
    warp::shuffle(join(value, 16, lanes, combine), 0)
}

fn elect() -> bool {
    lane::index() == warp::active_mask().trailing_zeros() as usize
}
