//! What the tests stand on: kernels from text, run in the reference interpreter.

use std::str::FromStr;

use proc_macro2::TokenStream;
use vyre_build::front::{self, Names};
use vyre_build::surface::{Lowered, Rejected};
use vyre_core::interp::{self, Argument};
use vyre_core::ir::{Constant, Scalar};
use vyre_core::valid::validate;

/// Lowers the kernel in `source`, which has no attribute.
pub(crate) fn kernel(source: &str) -> Result<Lowered, Box<Rejected>> {
    kernel_with("", source)
}

/// As `kernel`, with options.
pub(crate) fn kernel_with(options: &str, source: &str) -> Result<Lowered, Box<Rejected>> {
    let tokens = |text: &str| TokenStream::from_str(text).expect("the test's source has tokens");
    front::kernel(tokens(options), tokens(source), &Names::default())
}

/// The kernel, which must lower to a valid program.
#[track_caller]
pub(crate) fn accepted(source: &str) -> Lowered {
    let lowered = match kernel(source) {
        Ok(lowered) => lowered,
        Err(rejected) => panic!(
            "refused: {:#?}\nleft to rustc: {}",
            rejected.errors,
            rejected.errors.is_empty()
        ),
    };
    if let Err(faults) = validate(&lowered.program) {
        panic!("invalid: {faults:#?}\n{}", vyre_core::text::print(&lowered.program));
    }
    lowered
}

/// A scalar that kernels take.
pub(crate) trait Value: Copy + PartialEq + std::fmt::Debug {
    const SCALAR: Scalar;
    fn bits(self) -> u64;
    fn of(bits: u64) -> Self;
}

macro_rules! values {
    ($($ty:ident $scalar:ident;)*) => { $(
        impl Value for $ty {
            const SCALAR: Scalar = Scalar::$scalar;
            fn bits(self) -> u64 { Constant::new(Scalar::$scalar, self as u64).bits }
            fn of(bits: u64) -> Self { bits as $ty }
        }
    )* };
}
values! { u8 U8; i8 I8; u16 U16; i16 I16; u32 U32; i32 I32; u64 U64; i64 I64; usize U64; isize I64; }

impl Value for bool {
    const SCALAR: Scalar = Scalar::Bool;
    fn bits(self) -> u64 {
        u64::from(self)
    }
    fn of(bits: u64) -> Self {
        bits != 0
    }
}
impl Value for f32 {
    const SCALAR: Scalar = Scalar::F32;
    fn bits(self) -> u64 {
        u64::from(self.to_bits())
    }
    fn of(bits: u64) -> Self {
        f32::from_bits(bits as u32)
    }
}
impl Value for f64 {
    const SCALAR: Scalar = Scalar::F64;
    fn bits(self) -> u64 {
        self.to_bits()
    }
    fn of(bits: u64) -> Self {
        f64::from_bits(bits)
    }
}

/// An argument of a kernel, as bytes.
pub(crate) enum Data {
    Scalar(Constant),
    Slice(Vec<u8>, u32),
}

/// A scalar argument.
pub(crate) fn scalar<T: Value>(value: T) -> Data {
    Data::Scalar(Constant::new(T::SCALAR, value.bits()))
}

/// A slice argument.
pub(crate) fn slice<T: Value>(values: &[T]) -> Data {
    let size = T::SCALAR.size() as usize;
    let bytes = values
        .iter()
        .flat_map(|v| v.bits().to_le_bytes().into_iter().take(size));
    Data::Slice(bytes.collect(), T::SCALAR.size())
}

impl Data {
    /// The elements of a slice.
    pub(crate) fn values<T: Value>(&self) -> Vec<T> {
        let Data::Slice(bytes, size) = self else {
            panic!("a scalar has no elements")
        };
        let word = |chunk: &[u8]| chunk.iter().rev().fold(0u64, |bits, &byte| bits << 8 | u64::from(byte));
        bytes
            .chunks_exact(*size as usize)
            .map(|chunk| T::of(word(chunk)))
            .collect()
    }
}

/// Runs the kernel in `source` over a grid of blocks.
#[track_caller]
pub(crate) fn run(source: &str, data: &mut [Data], grid: [u32; 3]) -> Result<(), interp::Error> {
    let lowered = accepted(source);
    let validated = validate(&lowered.program).expect("checked above");
    let mut arguments: Vec<_> = data
        .iter_mut()
        .map(|data| match data {
            Data::Scalar(constant) => Argument::Scalar(*constant),
            Data::Slice(bytes, _) => Argument::Slice(bytes),
        })
        .collect();
    interp::launch(validated, lowered.kernel, &mut arguments, grid)
}

/// Checks that a kernel `fn k(x: &[T], y: &mut [U]) { <setup> y[i] = <body of i>; }` computes what
/// plain Rust does: `body` stands once in the kernel and once in a closure.
#[macro_export]
macro_rules! same {
    (|$x:ident: $t:ty| -> $u:ty $body:block, $inputs:expr) => {{
        use $crate::support::*;
        let plain = |$x: $t| -> $u { $body };
        let source = format!(
            "fn k({x}s: &[{t}], ys: &mut [{u}]) {{
                let i = thread::index();
                if i < {x}s.len() {{ let {x} = {x}s[i]; ys[i] = {body}; }}
            }}",
            x = stringify!($x),
            t = stringify!($t),
            u = stringify!($u),
            body = stringify!($body),
        );
        let inputs: Vec<$t> = ($inputs).to_vec();
        let expected: Vec<$u> = inputs.iter().map(|&x| plain(x)).collect();
        let mut data = [slice(&inputs), slice(&vec![<$u as Value>::of(0); inputs.len()])];
        if let Err(error) = run(&source, &mut data, [1 + inputs.len() as u32 / 256, 1, 1]) {
            panic!("{error:?}\n{source}");
        }
        let found: Vec<$u> = data[1].values();
        for ((input, expected), found) in inputs.iter().zip(&expected).zip(&found) {
            let both_nan = expected != expected && found != found;
            assert!(
                both_nan || expected.bits() == found.bits(),
                "of {input:?}: expected {expected:?}, found {found:?}\n{source}\n{}",
                vyre_core::text::print(&accepted(&source).program)
            );
        }
    }};
}
