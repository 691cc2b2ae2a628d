//! Kernels on structs and enums, each with what plain Rust makes of the same values in `main.rs`.

use vyre::prelude::*;

/// A point or direction.
#[vyre::device]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Vec3 {
    /// Along x.
    pub x: f32,
    /// Along y.
    pub y: f32,
    /// Along z.
    pub z: f32,
}

/// How a particle behaves.
#[vyre::device]
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(u8)]
pub enum Phase {
    /// Keeps its form.
    Solid,
    /// Flows.
    Liquid = 7,
    /// Fills its room.
    Gas,
}

/// Fields of every size, nested and in arrays.
#[vyre::device]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Particle {
    /// Position.
    pub position: Vec3,
    /// Velocity.
    pub velocity: Vec3,
    /// Its mass.
    pub mass: f64,
    /// Neighbours.
    pub near: [u16; 3],
    /// How it behaves.
    pub phase: Phase,
    /// True if it moves.
    pub free: bool,
}

/// Parameters common to all threads.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
#[vyre::device]
pub struct Step {
    /// Acceleration.
    pub gravity: Vec3,
    /// Length of the step.
    pub dt: f32,
}

/// A place and its value.
#[derive(Clone, Copy, Debug, PartialEq)]
#[vyre::device]
pub struct Best(pub f32, pub u32);

/// Moves particles, each field where it lies.
#[vyre::kernel]
pub fn advance(step: Step, particles: &mut [Particle]) {
    let i = thread::index();
    if i < particles.len() && particles[i].free {
        particles[i].velocity.x += step.gravity.x * step.dt;
        particles[i].velocity.y += step.gravity.y * step.dt;
        particles[i].velocity.z += step.gravity.z * step.dt;
        let v = particles[i].velocity;
        let Vec3 { x, y, z } = particles[i].position;
        particles[i].position = Vec3 {
            x: x + v.x * step.dt,
            y: y + v.y * step.dt,
            z: z + v.z * step.dt,
        };
    }
}

/// Whole particles in and out, with each field changed.
#[vyre::kernel]
pub fn renew(#[each] from: &Particle, #[each] to: &mut Particle) {
    let mut p = *from;
    p.near[1] = p.near[0] + p.near[2];
    p.phase = match p.phase {
        Phase::Solid => Phase::Liquid,
        Phase::Liquid if p.free => Phase::Gas,
        other => other,
    };
    p.free = p.phase == Phase::Gas;
    *to = Particle {
        mass: p.mass * 0.5,
        velocity: from.position,
        ..p
    };
}

/// The least value of each block and where it lies, by structs in shared memory.
#[vyre::kernel(block = 64)]
pub fn least(values: &[f32], found: &mut [Best]) {
    let all = shared::<[Best; 64]>();
    let t = thread::idx().x;
    let i = thread::index();
    let mut best = Best(f32::INFINITY, u32::MAX);
    if i < values.len() {
        best = Best(values[i], i as u32);
    }
    all[t] = best;
    block::sync();
    let mut width = 32;
    while width > 0 {
        if t < width {
            let Best(other, at) = all[t + width];
            if other < all[t].0 || (other == all[t].0 && at < all[t].1) {
                all[t] = Best(other, at);
            }
        }
        block::sync();
        width /= 2;
    }
    if t == 0 && block::idx().x < found.len() {
        let block = block::idx().x;
        // SAFETY: the index is within the length, and no other block has it.
        unsafe { *found.get_unchecked_mut(block) = all[0] };
    }
}

/// Arrays as elements.
#[vyre::kernel]
pub fn turn(#[each] v: &mut [f32; 3], rows: &[[Vec3; 2]]) {
    let [x, y, z] = [v[0], v[1], v[2]];
    let by = rows[thread::index() % rows.len()];
    v[0] = x * by[0].x + y * by[0].y + z * by[0].z;
    v[1] = x * by[1].x + y * by[1].y + z * by[1].z;
    v[2] = z;
}

/// Local arrays of structs, with indices that the compiler does not see.
#[vyre::kernel]
pub fn sort(keys: &[u32], sorted: &mut [u32]) {
    let i = thread::index();
    if i < sorted.len() {
        let mut all = [Best(0.0, 0); 8];
        for k in 0..8 {
            all[k] = Best((keys[8 * i + k] % 100) as f32, k as u32);
        }
        for k in 1..8 {
            let item = all[k];
            let mut at = k;
            while at > 0 && all[at - 1].0 > item.0 {
                all[at] = all[at - 1];
                at -= 1;
            }
            all[at] = item;
        }
        let mut digits = 0;
        for k in 0..8 {
            digits = digits * 8 + all[k].1;
        }
        sorted[i] = digits;
    }
}

/// A field behind an index that may be out of bounds.
#[vyre::kernel]
pub fn beyond(at: usize, particles: &mut [Particle]) {
    if thread::index() == 0 {
        let mass = particles[at].mass;
        particles[0].mass = mass;
    }
}

/// Elements and fields by references, and loops over arrays and slices.
#[vyre::kernel(allow(races))] // references into an element
pub fn visit(weights: &[f32], #[each] p: &mut Particle, rows: &mut [[u32; 4]]) {
    let velocity = &mut p.velocity;
    for (k, w) in weights.iter().enumerate() {
        match k % 3 {
            0 => velocity.x += w,
            1 => velocity.y += w,
            _ => velocity.z -= *w,
        }
    }
    let near = &mut p.near;
    for n in near.iter_mut() {
        *n += 1;
    }
    if let Phase::Gas = p.phase {
        near[2] = 0;
    }
    let i = thread::index();
    if i < rows.len() {
        let row = &mut rows[i];
        let mut last = row[3];
        for v in row {
            (*v, last) = (last, *v);
        }
        let mut sum = 0;
        for &n in p.near.iter().rev() {
            sum = sum * 3 + n as u32;
        }
        while let 10.. = sum {
            sum /= 2;
        }
        let row = &mut rows[i];
        row[0] += sum;
    }
}

/// A reference to an element that is not there, which nothing reads.
#[vyre::kernel]
pub fn refer(at: usize, particles: &mut [Particle]) {
    if thread::index() == 0 {
        let _phase = &particles[at].phase;
        particles[0].mass = 0.0;
    }
}

/// A matrix and a shift, as arrays within a struct.
#[derive(Clone, Copy)]
#[vyre::device]
pub struct Affine {
    /// The rows.
    pub rows: [[f32; 3]; 3],
    /// The translation.
    pub shift: [f32; 3],
    /// The axes that are changed.
    pub axes: [bool; 4],
}

/// Arrays by value, with indices that the compiler does not see.
#[vyre::kernel]
pub fn transform(by: Affine, order: [u32; 3], #[each] v: &mut [f32; 3]) {
    let old = *v;
    for k in 0..3 {
        let axis = order[k] as usize;
        if by.axes[axis] {
            let mut sum = by.shift[axis];
            for (x, w) in old.iter().enumerate() {
                sum += by.rows[axis][x] * w;
            }
            v[k] = sum;
        }
    }
}

/// Whole structs, compared.
#[vyre::kernel]
pub fn same(#[each] a: &Particle, #[each] b: &Particle, #[each] same: &mut bool) {
    *same = *a == *b && (a.mass, a.near) != (0.0, [0; 3]);
}

/// A node of a tree.
#[vyre::device]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Node<K, const N: usize> {
    /// The search key.
    pub key: K,
    /// The numbers of those below it.
    pub below: [u32; N],
}

/// A node of two.
#[vyre::device]
pub type Fork<K> = Node<K, 2>;

/// Types with parameters that have behaviour.
#[vyre::device]
pub mod spans {
    use super::Fork;

    /// Values from one to another.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Span<T> {
        /// The first one.
        pub low: T,
        /// The last one.
        pub high: T,
    }

    impl<T: Copy + PartialOrd> Span<T> {
        /// Around one value.
        pub fn of(value: T) -> Self {
            Self {
                low: value,
                high: value,
            }
        }

        /// Takes in another value.
        pub fn extend(&mut self, value: T) {
            if value < self.low {
                self.low = value;
            }
            if value > self.high {
                self.high = value;
            }
        }
    }

    /// The keys on the way down by the bits of a number.
    pub fn way(nodes: &[Fork<f32>], from: Fork<f32>, mut bits: u32) -> Span<f32> {
        let mut keys = Span::of(from.key);
        let mut node = from;
        for _ in 0..4 {
            node = nodes[node.below[(bits % 2) as usize] as usize];
            keys.extend(node.key);
            bits /= 2;
        }
        keys
    }
}

/// Goes down from a root, once for each thread.
#[vyre::kernel]
pub fn descend(root: Node<f32, 2>, nodes: &[Fork<f32>], #[each] keys: &mut spans::Span<f32>) {
    let bits = thread::index() as u32;
    let mut own = spans::way(nodes, root, bits);
    own.extend(keys.high);
    *keys = own;
}
