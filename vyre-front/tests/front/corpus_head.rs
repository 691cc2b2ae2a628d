#![allow(warnings, arithmetic_overflow, overflowing_literals, unconditional_panic, reason = "random kernels follow")]
thread_local! { static INDEX: std::cell::Cell<usize> = std::cell::Cell::new(0); }
mod thread {
    pub fn index() -> usize { super::INDEX.with(|it| it.get()) }
    pub fn index_2d() -> (usize, usize) { (index(), 0) }
}
trait Value: Copy { fn of(bits: u64) -> Self; fn bits(self) -> u64; }
macro_rules! integers { ($($ty:ident)*) => { $(
    impl Value for $ty {
        fn of(bits: u64) -> Self { bits as $ty }
        fn bits(self) -> u64 { self as u64 & (u64::MAX >> (64 - <$ty>::BITS)) }
    }
)* } }
integers!(u8 i8 u16 i16 u32 i32 u64 i64 usize isize);
impl Value for bool { fn of(bits: u64) -> Self { bits != 0 } fn bits(self) -> u64 { self as u64 } }
impl Value for f32 {
    fn of(bits: u64) -> Self { f32::from_bits(bits as u32) }
    fn bits(self) -> u64 { (if self.is_nan() { f32::NAN } else { self }).to_bits() as u64 }
}
impl Value for f64 {
    fn of(bits: u64) -> Self { f64::from_bits(bits) }
    fn bits(self) -> u64 { (if self.is_nan() { f64::NAN } else { self }).to_bits() }
}
fn run<X: Value, Y: Value>(kernel: fn(&[X], &mut [Y]), inputs: &[u64]) {
    let xs: Vec<X> = inputs.iter().map(|&bits| X::of(bits)).collect();
    let mut ys: Vec<Y> = xs.iter().map(|_| Y::of(0)).collect();
    let all = std::panic::AssertUnwindSafe(|| for i in 0..256 { INDEX.with(|it| it.set(i)); kernel(&xs, &mut ys); });
    match std::panic::catch_unwind(all) {
        Ok(()) => println!("{}", ys.iter().map(|y| y.bits().to_string()).collect::<Vec<_>>().join(",")),
        Err(_) => println!("fault"),
    }
}
