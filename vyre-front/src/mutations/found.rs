//! Mutants that broke the compiler once: each ended it, took long, or was called a bug of vyre.

use super::corpus;
use super::judge::{self, Judged};

const FOUND: &[&str] = &[
    // Values that were refused, as statements: the lowering recursed without end.
    "#[vyre::kernel(T = [f32, f64])]
     fn detrend<T: Float>(x: &[T], y: &mut [T]) {
         let i = thread::index();
         if i < y.len() { let mut sum = T::value; for k in 0..2 { sum += x[i + k]; } y[i] = x[i] - sum; }
     }",
    "#[vyre::kernel(T = [f32, f64], WINDOW = [2, 4])]
     fn detrend<T: Float, const WINDOW: usize>(x: &[T], y: &mut [T]) {
         let i = thread::index();
         if i < y.len() {
             let mut sum = T::letters;
             for k in 0..WINDOW { sum += x[i + k]; }
             y[i] = x[i] - sum * T::from_f64(1.0 / WINDOW as f64);
         }
     }",
    "#[vyre::kernel(block = 32)]
     fn round_to_tf32(x: &[f32], y: &mut [f32]) {
         let columns = shared::<[f32; 16 * 4]>();
         let values = mma::A::<mma::Tf32, 16, 4>::load;
         let ones = mma::B::<mma::Tf32, 4, 8>::load(columns, 0, 8);
         let rounded = mma::multiply_add(values, ones, mma::C::<f32, 16, 8>::fill(0.0));
         for i in 0..4 { y[rounded.row(i)] = rounded[i]; }
     }",
    // Integers have no such method.
    "#[vyre::kernel]
     fn methods(flags: &[AtomicBool], bytes: &[AtomicU8]) { bytes[0].fetch_not(Ordering::Relaxed); }",
    "#[vyre::kernel]
     fn rows(y: &mut [f32]) { fn fill(x: &[&[f32]], y: &mut [f32]) { y[0] = x[0][0]; } y[0] = 1.0; }",
    "#[vyre::kernel]
     fn rows(y: &mut [f32]) { let first = |x: &[&mut f32]| *x[0]; y[0] = 1.0; }",
    // A crate in place of a value.
    "#[vyre::kernel]
     fn clamped(x: &[i32], y: &mut [i32], reach: i32) {
         let mut largest = ::MIN;
         for offset in -reach..=reach { largest = largest.max(x[offset as usize]); }
         y[0] = largest;
     }",
    // The places of atomics and barriers, whose values are not loaded.
    "#[vyre::kernel]
     fn of_an_atomic(x: &[AtomicU32], y: &mut [u32]) { (&x[0]); let _ = &x[1]; y[0] = 1; }",
    "#[vyre::kernel(block = 64)]
     fn waits(y: &mut [u32]) {
         let empty = shared::barriers::<2, 64>();
         let _ = empty[y.len() % 2];
         y[0] = 1;
     }",
    // Keywords that are paths.
    "#[vyre::kernel(launcher = Self)]
     fn fill(y: &mut [f32]) {}",
    "#[vyre::kernel(launcher = super)]
     fn fill(y: &mut [f32]) {}",
    // A constant whose type no use of it determines.
    "const MIN: i32 = -5;
     #[vyre::kernel]
     fn least(x: &[i32], y: &mut [i32]) {
         let mut largest = MIN;
         for i in 0..3 { largest = largest.max(x[i]); }
         y[0] = largest;
     }",
    "#[vyre::kernel(block = 64)]
     fn total(x: &[f32], y: &mut [f32]) { y[0] = block::sum::<f32>(x[thread::index()]); }",
    // A field without a name, which syn reads.
    "#[vyre::device]
     #[derive(Clone, Copy)]
     struct Point { _: f32, y: f32 }
     #[vyre::kernel]
     fn first(points: &[Point], y: &mut [f32]) { y[0] = points[0].x; }",
    // A `let` and `else` that the printer writes with a brace before `else`.
    "#[vyre::kernel]
     fn bounded(x: &[u32], y: &mut [u32]) {
         let bounded = |a: u32| if a > 7 { 7 }.min(1) else { a };
         y[0] = bounded(x[0]);
     }",
    // Elements from the end, of a pattern whose variables are assigned later.
    "#[vyre::kernel]
     fn ends(x: &[u32], y: &mut [u32]) {
         let [first, .., last]: [u32; 3];
         first = x[0];
         last = x[1];
         y[0] = first + last;
     }",
    "#[vyre::kernel]
     fn ends(#[each] row: &[u32; 6], #[each] y: &mut u32) {
         let [first, middle @ .., last]: row;
         let halves: [f32; 4] = core::array::from_fn(|i| middle[i] as f32);
         *y = first + last + halves[0] as u32;
     }",
    // Arguments of a generic kernel that are no types, and a constant of no type.
    "#[vyre::kernel(T = [Vector::<u32, \" Words, \">, u32])]
     fn measure<T: Copy>(#[each] x: &T, #[each] y: &mut T) { *y = *x; }",
    "#[vyre::kernel(T = [f32, u32], N = [2, 4])]
     fn fill<T: Number, const N: impl Fn(u32) -> u32>(with: T, y: &mut [T]) {
         let values = [with; N];
         y[thread::index()] = values[0];
     }",
    // Loops that never end, of a constant of 128 bits.
    "#[vyre::device]
     const fn factorial(count: u128) -> u128 {
         let mut product = 1u128;
         let mut factor = 1;
         while factor <= count { product *= factor; factor = 1; }
         product
     }
     #[vyre::device]
     const FACTORIALS: [u128; 2] = [factorial(33), factorial(34)];
     #[vyre::kernel]
     fn values(y: &mut [u128]) { y[0] = FACTORIALS[y.len() % 2]; }",
    // Variables without `mut` that are borrowed as `&mut`, or assigned again.
    "#[vyre::device]
     fn set(own: &mut [u32]) { own[0] = 1; }
     #[vyre::kernel]
     fn part(y: &mut [u32], from: usize) {
         let own = [1, 2, 3, 4];
         set(&mut own[from..]);
         y[0] = own[1];
     }",
    "#[vyre::kernel]
     fn halves(y: &mut [u32], middle: usize) {
         let (mut low, high) = y.split_at_mut(middle);
         core::mem::swap(&mut low, &mut high);
         low[0] = 1;
     }",
    // A launcher of the name of a parameter: the error had no place.
    "#[vyre::kernel(T = [f32, f64])]
     fn t<T: Float>(#[each] x: &T, #[each] y: &mut T) { *y = *x + *x; }",
    "#[vyre::kernel(T = [f32, f64])]
     fn T<T: Float>(#[each] x: &mut T) { *x = *x * *x; }",
    // A variant of 958 million elements: the expansion ran out of memory.
    "#[vyre::device]
     #[derive(Clone, Copy)]
     enum Either { Number(u32), Bytes([u8; 0x391c_0cb3]) }
     #[vyre::kernel]
     fn reset(#[each] either: &mut Either) { *either = Either::Number(1); }",
    "#[vyre::device]
     #[derive(Clone, Copy)]
     enum Generic<const N: usize> { Number(u32), Bytes([u8; N]) }
     #[vyre::kernel]
     fn instance(#[each] e: &mut Generic<\"Around\">) { *e = Generic::Number(1); }",
    "#[vyre::device]
     #[derive(Clone, Copy)]
     enum Generic<const N: usize> { Number(u32), Bytes([u8; N]) }
     #[vyre::kernel]
     fn instance(#[each] e: &mut Generic<_>) { *e = Generic::Number(1); }",
    // A function inside that is not called and takes too much memory: its error had no place.
    "#[vyre::kernel]
     fn one(y: &mut [f32]) {
         fn large(n: usize, y: &mut [f32]) {
             let mut a = [0.0f32; 140_000];
             a[n] = 1.0;
             y[0] = a[n + 1];
         }
         y[0] = 1.0;
     }",
    // The never type, in a field: each value of the struct was of another type.
    "#[vyre::device]
     #[derive(Clone, Copy)]
     enum Shape { Slab(f32, !), Nothing }
     #[vyre::device]
     fn hit(shape: Shape) -> f32 { match shape { Shape::Slab(low, _) => low, _ => 0.0 } }
     #[vyre::kernel]
     fn cast(#[each] y: &mut f32) { for shape in [Shape::Nothing, Shape::Slab(1.0, 2.0)] { *y += hit(shape); } }",
    // A `cfg` where no attribute may stand.
    "#[vyre::kernel]
     fn first(y: &mut [u32]) { y[#[cfg(any())] 0] = 1; }",
];

#[test]
fn mutants_that_were_found() {
    for source in FOUND {
        let mut units = Vec::new();
        corpus::of_source(source, &mut units);
        let judged: Vec<Judged> = units.iter().map(|unit| judge::judge(unit, 0)).collect();
        assert_eq!(judged.len(), 1, "{source}");
        assert!(judged[0].findings.is_empty(), "{:#?}", judged[0].findings);
    }
}
