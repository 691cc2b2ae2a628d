//! Mistakes with a way out that is particular to them, one error each.

use vyre::prelude::*;
use vyre::vector::{Vec3, Vec4};

struct Config {
    steps: u32,
}

const CONFIG: Config = Config { steps: 4 };

static HITS: AtomicU32 = AtomicU32::new(0);

static SCALE: std::sync::LazyLock<f32> = std::sync::LazyLock::new(|| 2.0);

mod host {
    #[derive(Clone, Copy)]
    pub struct Mat2(pub [f32; 4]);

    pub fn random() -> f32 {
        0.5
    }
}

#[derive(Clone, Copy)]
pub struct Point {
    pub x: f32,
}

#[vyre::device]
fn gathered<T: Number>(x: &[T]) -> T {
    let v = x.to_vec();
    v[0]
}

#[vyre::device]
mod tree {
    use vyre::Number;

    #[derive(Clone, Copy)]
    pub struct Tree {
        pub depth: u32,
    }

    impl Tree {
        pub fn walk<T: Number>(self, v: T) -> T {
            if self.depth == 0 { v } else { self.walk(v + v) }
        }
    }
}

#[vyre::device]
mod guard {
    pub struct Guard {
        pub n: u32,
    }

    impl Drop for Guard {
        fn drop(&mut self) {
            self.n = 0;
        }
    }
}

#[vyre::device]
fn norm<T: Number>(x: T, y: T) -> T {
    (x * x + y * y).sqrt()
}

#[vyre::kernel]
fn float_of_no_type(#[each] x: &mut f32) {
    let two = 2.0;
    *x *= two.sqrt();
}

#[vyre::kernel]
fn values_of_c(x: &[u32]) {
    println!("thread %d: %d", thread::index(), x[0]);
}

#[vyre::kernel]
fn texts(x: &[f32]) {
    let sign = if x[0] < 0.0 { "negative" } else { "positive" };
    println!("{}", sign);
}

#[vyre::kernel]
fn byte_of_a_text(x: &[u8], y: &mut [u8]) {
    y[0] = match x[0] {
        "a" => 1,
        _ => 0,
    };
}

#[vyre::kernel]
fn message_before_condition(#[each] x: &f32) {
    assert!("x is negative", *x >= 0.0);
}

#[vyre::kernel]
fn assembly_of_the_host(y: &mut [u32]) {
    let v: u32;
    unsafe { std::arch::asm!("mov.u32 {}, %laneid;", out(reg) v) };
    y[0] = v;
}

#[vyre::kernel]
fn element_of_a_vector(#[each] v: &Vec3, #[each] y: &mut f32) {
    *y = v[0];
}

#[vyre::kernel]
fn method_as_a_field(#[each] q: &Vec4, #[each] p: &mut Vec3) {
    *p = q.xyz;
}

#[vyre::kernel]
fn no_self(#[each] x: &mut f32) {
    *x = self.factor * *x;
}

#[vyre::kernel]
fn remainder(#[each] x: &mut f32) {
    *x = fmod(*x, 1.0);
}

#[vyre::kernel]
fn null(x: &[f32], y: &mut [f32]) {
    if x != std::ptr::null() {
        y[0] = x[0];
    }
}

#[vyre::kernel]
fn sleeps(flags: &[AtomicU32]) {
    while flags[0].load(Ordering::Acquire) == 0 {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
}

#[vyre::kernel]
fn spawns(#[each] y: &mut f32) {
    let t = std::thread::spawn(|| 2.0f32);
    *y = t.join().unwrap();
}

#[vyre::kernel]
fn compares_floats(#[each] a: &f32, #[each] y: &mut bool) {
    *y = a.cmp(&0.0).is_lt();
}

#[vyre::kernel]
fn copies_a_part(x: &[f32], y: &mut [f32]) {
    y[0..4] = x[4..8];
}

#[vyre::kernel]
fn fills_a_part(y: &mut [f32]) {
    y[0..4] = 1.0;
}

#[vyre::kernel]
fn recursive_closure(#[each] n: &mut u32) {
    let factorial = |k: u32| if k <= 1 { 1 } else { k * factorial(k - 1) };
    *n = factorial(*n);
}

#[vyre::kernel]
fn part_of_a_constant(#[each] x: &mut u32) {
    *x += CONFIG.steps;
}

#[vyre::kernel]
fn static_atomic(x: &[f32]) {
    if x[0] > 0.0 {
        HITS.fetch_add(1, Ordering::Relaxed);
    }
}

#[vyre::kernel]
fn static_of_the_host(#[each] x: &mut f32) {
    *x *= *SCALE;
}

#[vyre::kernel]
fn unmarked_beside(#[each] p: &mut Point) {
    p.x += 1.0;
}

#[vyre::kernel]
fn unmarked_in_a_module(m: host::Mat2, #[each] y: &mut f32) {
    *y *= m.0[0];
}

#[vyre::kernel]
fn function_of_a_module(#[each] x: &mut f32) {
    *x += host::random();
}

fn main() {}
