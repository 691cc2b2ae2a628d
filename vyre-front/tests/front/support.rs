//! Test helpers: kernels from text, run in the reference interpreter.

use std::str::FromStr;

use proc_macro2::TokenStream;
use quote::ToTokens;
use vyre_front::surface::Lowered;
use vyre_front::{Names, Rejected, driver};
use vyre_ir::interp::{self, Argument};
use vyre_ir::ir::{Constant, Scalar};
use vyre_ir::validate::validate;

/// Lowers the kernel in `source`, which has no attribute.
pub(crate) fn kernel(source: &str) -> Result<Lowered, Box<Rejected>> {
    kernel_with("", source)
}

/// As `kernel`, with options.
pub(crate) fn kernel_with(options: &str, source: &str) -> Result<Lowered, Box<Rejected>> {
    let tokens = |text: &str| TokenStream::from_str(text).expect("the test's source has tokens");
    driver::kernel(tokens(options), tokens(source), &Names::default())
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
        panic!("invalid: {faults:#?}\n{}", vyre_ir::text::print(&lowered.program));
    }
    lowered
}

/// Lowers the kernel `k` of a file, which may use its other items.
pub(crate) fn in_file(source: &str) -> Result<Lowered, Box<Rejected>> {
    let file = syn::parse_file(source).unwrap_or_else(|error| panic!("{error}\n{source}"));
    let names = Names::of_file("file.rs", &file);
    let kernel = file.items.iter().find_map(|item| match item {
        syn::Item::Fn(function) if function.sig.ident == "k" => Some(function.to_token_stream()),
        _ => None,
    });
    driver::kernel(TokenStream::new(), kernel.expect("a kernel `k`"), &names)
}

/// The diagnostics of the device function of this name at the top level of a file.
pub(crate) fn said_of(source: &str, name: &str) -> Vec<String> {
    let file = syn::parse_file(source).unwrap_or_else(|error| panic!("{error}\n{source}"));
    let names = Names::of_file("file.rs", &file);
    let function = file.items.iter().find_map(|item| match item {
        syn::Item::Fn(function) if function.sig.ident == name => Some(function.to_token_stream()),
        _ => None,
    });
    match driver::device(function.expect("a function"), &names) {
        Ok(_) => vec!["accepted".to_owned()],
        Err(rejected) if rejected.diagnostics().next().is_none() => vec!["left to rustc".to_owned()],
        Err(rejected) => rejected.diagnostics().map(ToString::to_string).collect(),
    }
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
    run_lowered(&accepted(source), data, grid)
}

/// Runs a kernel over a grid of blocks.
#[track_caller]
pub(crate) fn run_lowered(lowered: &Lowered, data: &mut [Data], grid: [u32; 3]) -> Result<(), interp::Error> {
    let validated = match validate(&lowered.program) {
        Ok(validated) => validated,
        Err(faults) => panic!("invalid: {faults:#?}\n{}", vyre_ir::text::print(&lowered.program)),
    };
    let mut arguments: Vec<_> = data
        .iter_mut()
        .map(|data| match data {
            Data::Scalar(constant) => Argument::Scalar(*constant),
            Data::Slice(bytes, _) => Argument::Slice(bytes),
        })
        .collect();
    interp::launch(&validated, lowered.kernel, &mut arguments, grid)
}

/// Checks that a kernel `fn k(x: &[T], y: &mut [U]) { <setup> y[i] = <body of i>; }` computes the
/// same as plain Rust: `body` is compiled once in the kernel and once in a closure.
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
                vyre_ir::text::print(&accepted(&source).program)
            );
        }
    }};
}
