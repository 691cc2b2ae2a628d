//! Every program gives bit-identical results on the CPU device and in the interpreter.

use std::sync::{Mutex, MutexGuard, PoisonError};

use vyre::{Device, DeviceBuffer, Element, Error, Fault, Result};
use vyre_abi::fault::FaultKind;
use vyre_abi::semantics::Native;
use vyre_core::interp::{self, Argument};
use vyre_core::ir::{Constant, Handle, Program, Scalar};
use vyre_core::validate::validate;
use vyre_test_bodies::launchers::*;
use vyre_test_bodies::programs;
use vyre_test_support::edge_values;

/// Serialises tests: they share the CPU's default stream, and the first wait on it reports a fault
/// of any test.
fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

fn program(name: &str) -> Program {
    let program = programs::all()
        .into_iter()
        .find(|program| program.kernel(name).is_some());
    program.expect("a program of this name")
}

fn interpret(name: &str, arguments: &mut [Argument<'_>], grid: [u32; 3]) -> std::result::Result<(), Box<Fault>> {
    let mut program = program(name);
    let externals: Vec<_> = program.externals.handles().collect();
    for external in externals {
        let value = if program.externals[external].name == "WIDTH" {
            5
        } else {
            u64::from(2.5f32.to_bits())
        };
        program.externals[external].value = Some(value);
    }
    let validated = validate(&program).expect("the program is valid");
    match interp::launch(&validated, Handle::new(0), arguments, grid) {
        Ok(()) => Ok(()),
        Err(interp::Error::Fault(fault)) => Err(fault),
        Err(other) => panic!("{name}: {other}"),
    }
}

/// A slice as bytes for the interpreter and as a buffer of the CPU device.
struct Data<T: Element> {
    bytes: Vec<u8>,
    buffer: DeviceBuffer<T>,
}

impl<T: Element + Native> Data<T> {
    fn new(values: &[T]) -> Self {
        let bytes = values.iter().flat_map(|value| bytes(*value)).collect();
        Data {
            bytes,
            buffer: Device::cpu().upload(values).expect("the host has memory"),
        }
    }

    fn argument(&mut self) -> Argument<'_> {
        Argument::Slice(&mut self.bytes)
    }

    /// Compares the bits, all NaN being one.
    fn check(&self, name: &str) {
        let values = self.buffer.download().expect("the kernel runs");
        let size = size_of::<T>();
        for (index, (value, wanted)) in values.iter().zip(self.bytes.chunks_exact(size)).enumerate() {
            let mut word = [0; 8];
            word[..size].copy_from_slice(wanted);
            let (found, wanted) = (
                value.constant(),
                Constant::new(value.constant().scalar, u64::from_le_bytes(word)),
            );
            assert!(
                same(found, wanted),
                "{name}: element {index} is {found:x?}, not {wanted:x?}"
            );
        }
    }
}

fn bytes<T: Native>(value: T) -> Vec<u8> {
    let constant = value.constant();
    constant.bits.to_le_bytes()[..constant.scalar.size() as usize].to_vec()
}

fn same(a: Constant, b: Constant) -> bool {
    let is_nan = |c: Constant| match c.scalar {
        Scalar::F16 => c.bits & 0x7fff > 0x7c00,
        Scalar::BF16 => c.bits & 0x7fff > 0x7f80,
        Scalar::F32 => f32::from_bits(c.bits as u32).is_nan(),
        Scalar::F64 => f64::from_bits(c.bits).is_nan(),
        _ => false,
    };
    a == b || (a.scalar == b.scalar && is_nan(a) && is_nan(b))
}

fn scalar<T: Native>(value: T) -> Argument<'static> {
    Argument::Scalar(value.constant())
}

/// Pseudorandom numbers.
fn noise(count: usize) -> impl Iterator<Item = u32> {
    let mut state = 0x2545_f491_u32;
    (0..count).map(move |_| {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state
    })
}

#[test]
fn saxpy_inside_and_at_the_end() -> Result<()> {
    let _turn = turn();
    for n in [0usize, 1, 255, 256, 1000, 100_000] {
        let x: Vec<f32> = noise(n).map(|bits| bits as f32 * 1e-6).collect();
        let (mut x, mut y) = (Data::new(&x), Data::new(&vec![0.5f32; n]));
        saxpy(1.5, &x.buffer, &mut y.buffer).over(n).launch(&Device::cpu())?;
        if n <= 1000 {
            let mut arguments = [scalar(1.5f32), x.argument(), y.argument()];
            interpret("saxpy", &mut arguments, [n.div_ceil(256) as u32, 1, 1]).expect("no fault");
            y.check("saxpy");
        } else {
            let (x, y) = (x.buffer.download()?, y.buffer.download()?);
            assert!(x.iter().zip(y).all(|(x, y)| y == 1.5 * x + 0.5));
        }
    }
    Ok(())
}

#[test]
fn saxpy_reports_the_shorter_slice() -> Result<()> {
    let _turn = turn();
    let (mut x, mut y) = (Data::new(&[1.0f32; 300]), Data::new(&[1.0f32; 600]));
    saxpy(1.5, &x.buffer, &mut y.buffer).over(600).launch(&Device::cpu())?;
    let wanted = interpret("saxpy", &mut [scalar(1.5f32), x.argument(), y.argument()], [3, 1, 1]);
    let Err(Error::Fault(fault)) = y.buffer.download() else {
        panic!("x is too short")
    };
    assert_eq!(Err(fault), wanted);
    Ok(())
}

/// Launches on the CPU device and in the interpreter, and compares the slices named last.
macro_rules! compare {
    ($name:ident, $grid:expr, [$($argument:ident),*]) => {{
        let grid: [u32; 3] = $grid;
        let launched = compare!(@launch $name, grid, ($($argument),*));
        launched.launch(&Device::cpu()).expect("the launch is good");
        interpret(stringify!($name), &mut [$($argument.argument()),*], grid).expect("no fault");
        $($argument.check(stringify!($name));)*
    }};
    (@launch $name:ident, $grid:ident, ($($argument:ident),*)) => { $name($(&mut $argument.buffer),*).grid($grid[0]) };
}

#[test]
fn control_flow() {
    let _turn = turn();
    let mut out = Data::new(&[0u64; 100]);
    compare!(control, [4, 1, 1], [out]);
    let mut out = Data::new(&[0u32; 100]);
    compare!(deferred, [4, 1, 1], [out]);
}

#[test]
fn parameters_as_bounds() {
    let _turn = turn();
    for n in [0u32, 40, 64, 128, 140] {
        let mut out = Data::new(&[7u32; 150]);
        early(n, &mut out.buffer)
            .grid(3)
            .launch(&Device::cpu())
            .expect("the launch is good");
        interpret("early", &mut [scalar(n), out.argument()], [3, 1, 1]).expect("no fault");
        out.check("early");
    }
}

#[test]
fn hardware_values() {
    let _turn = turn();
    let mut out = Data::new(&[0u64; 24 * 30]);
    places(&mut out.buffer)
        .grid([5, 3, 2])
        .launch(&Device::cpu())
        .expect("the launch is good");
    interpret("places", &mut [out.argument()], [5, 3, 2]).expect("no fault");
    out.check("places");
}

#[test]
fn shared_memory_and_barriers() {
    let _turn = turn();
    let (width, height) = (21u64, 13u64);
    let values: Vec<f32> = noise((width * height) as usize).map(|bits| bits as f32).collect();
    let (mut from, mut to) = (Data::new(&values), Data::new(&vec![0.0f32; values.len()]));
    let launch = transpose(width, height, &from.buffer, &mut to.buffer).over([24, 16]);
    launch.launch(&Device::cpu()).expect("the launch is good");
    let mut arguments = [scalar(width), scalar(height), from.argument(), to.argument()];
    interpret("transpose", &mut arguments, [3, 2, 1]).expect("no fault");
    to.check("transpose");

    let values: Vec<i32> = noise(1000).map(|bits| bits as i32).collect();
    let (mut input, mut total) = (Data::new(&values), Data::new(&[5i32]));
    compare!(reduce, [8, 1, 1], [input, total]);
}

#[test]
fn atomics() {
    let _turn = turn();
    let values: Vec<u8> = noise(999).map(|bits| bits as u8).collect();
    let (mut input, mut counts) = (Data::new(&values), Data::new(&[0u32; 16]));
    compare!(histogram, [63, 1, 1], [input, counts]);
    assert_eq!(counts.buffer.download().expect("no fault").iter().sum::<u32>(), 999);
}

#[test]
fn functions_with_references_and_barriers() {
    let _turn = turn();
    let mut out = Data::new(&[0u32; 90]);
    compare!(functions, [3, 1, 1], [out]);
}

#[test]
fn structs_tuples_arrays_and_tables() {
    let _turn = turn();
    let mut out = Data::new(&[0f64; 11]);
    compare!(aggregates, [3, 1, 1], [out]);
}

#[test]
fn slices_of_everything() {
    let _turn = turn();
    let values: Vec<u32> = noise(30).collect();
    let (mut input, mut out) = (Data::new(&values), Data::new(&[0u32; 30]));
    compare!(slices, [4, 1, 1], [input, out]);
}

#[test]
fn fused_multiply_add() {
    let _turn = turn();
    let values: Vec<f32> = noise(300).map(|bits| bits as f32 * 1e-9).collect();
    let (mut x, mut y) = (Data::new(&values), Data::new(&[1.25f64; 300]));
    compare!(fused, [5, 1, 1], [x, y]);
    let mut y = Data::new(&values[..32]);
    compare!(fused_in_step, [1, 1, 1], [y]);
}

#[test]
fn constants_from_elsewhere() {
    let _turn = turn();
    let mut out = Data::new(&[0f32; 100]);
    compare!(externals, [4, 1, 1], [out]);
    let info = <LaunchExternals as vyre::__private::Kernel>::info();
    assert!(
        !info.ptx.contains("0xV") && !info.program.contains("0xV"),
        "a placeholder is left"
    );
    assert!(
        info.program.contains("0x40200000"),
        "the bits of 2.5 are missing:\n{}",
        info.program
    );
}

#[test]
fn the_first_entry_that_holds_is_chosen() {
    let _turn = turn();
    use vyre::__private::Kernel;
    for (a, length, wanted) in [(3.0, 8, 0), (3.0, 9, 1), (2.0, 8, 1), (f32::NAN, 0, 1)] {
        let mut x = Data::new(&vec![1.5f32; length]);
        assert_eq!(two_entries(a, &mut x.buffer).entry(), wanted, "{a}, {length}");
        two_entries(a, &mut x.buffer)
            .grid(1)
            .launch(&Device::cpu())
            .expect("the launch is good");
        interpret("two_entries", &mut [scalar(a), x.argument()], [1, 1, 1]).expect("no fault");
        x.check("two_entries");
    }
}

type LaunchExternals = Launchexternals<'static>;

#[test]
fn each_fault_is_reported() {
    let _turn = turn();
    let device = Device::cpu();
    for (kind, wanted) in [
        (1, FaultKind::IndexOutOfBounds),
        (2, FaultKind::DivisionByZero),
        (3, FaultKind::DivisionOverflow),
        (4, FaultKind::RangeOutOfBounds),
        (5, FaultKind::Assertion),
    ] {
        let mut out = Data::new(&[0i32; 96]);
        faults(70, kind, 0, &mut out.buffer)
            .grid(3)
            .launch(&device)
            .expect("the launch is good");
        let arguments = &mut [scalar(70u32), scalar(kind), scalar(0i32), out.argument()];
        let fault = interpret("faults", arguments, [3, 1, 1]).expect_err("it faults");
        assert_eq!((fault.kind, fault.block, fault.thread), (wanted, [2, 0, 0], [6, 0, 0]));
        match device.synchronize() {
            Err(Error::Fault(found)) => assert_eq!(found, fault),
            other => panic!("{other:?}"),
        }
        assert!(device.synchronize().is_ok(), "a fault is reported once");
    }
}

#[test]
fn loops_that_wait() {
    let _turn = turn();
    let mut flags = Data::new(&[0u32; 16 * 40]);
    chain(u32::MAX, &mut flags.buffer)
        .grid(40)
        .launch(&Device::cpu())
        .expect("the launch is good");
    assert!(flags.buffer.download().expect("no fault").iter().copied().eq(1..=640));
    // A thread that faults before it sets its flag does not hang those after it.
    let mut flags = Data::new(&[0u32; 16 * 40]);
    chain(100, &mut flags.buffer)
        .grid(40)
        .launch(&Device::cpu())
        .expect("the launch is good");
    let Err(Error::Fault(fault)) = flags.buffer.download() else {
        panic!("it faults")
    };
    assert_eq!(
        (fault.block, fault.thread, &*fault.message),
        ([6, 0, 0], [4, 0, 0], "not the broken one")
    );
}

macro_rules! for_each_scalar {
    ($($ty:ident, $operations:ident, $casts:ident;)*) => {
        #[test]
        fn every_operation_of_every_type() { let _turn = turn(); $({
            let (mut left, mut right) = (Vec::new(), Vec::new());
            let edges: Vec<$ty> = edge_values(Scalar::from_name(stringify!($ty)).expect("a scalar"))
                .into_iter()
                .map(Native::of)
                .collect();
            for &a in &edges {
                for &b in &edges {
                    left.push(a);
                    right.push(b);
                }
            }
            let (unary, binary, comparisons) = programs::of_scalar(left[0].constant().scalar);
            let count = left.len();
            let zero = <$ty as Native>::of(Constant::new(left[0].constant().scalar, 0));
            let mut flags = Data::new(&vec![false; count * comparisons.len()]);
            let mut out = Data::new(&vec![zero; count * (unary.len() + binary.len())]);
            let (mut left, mut right) = (Data::new(&left), Data::new(&right));
            compare!($operations, [count.div_ceil(32) as u32, 1, 1], [left, right, out, flags]);
        })*}

        #[test]
        fn every_cast() { let _turn = turn(); $({
            let scalar = Scalar::from_name(stringify!($ty)).expect("a scalar");
            let values: Vec<$ty> = edge_values(scalar).into_iter().map(Native::of).collect();
            let mut out = Data::new(&vec![0u64; values.len() * programs::targets(scalar).len()]);
            let mut input = Data::new(&values);
            compare!($casts, [values.len().div_ceil(32) as u32, 1, 1], [input, out]);
        })*}
    };
}
for_each_scalar! {
    bool, operations_bool, casts_bool;
    i8, operations_i8, casts_i8;
    i16, operations_i16, casts_i16;
    i32, operations_i32, casts_i32;
    i64, operations_i64, casts_i64;
    u8, operations_u8, casts_u8;
    u16, operations_u16, casts_u16;
    u32, operations_u32, casts_u32;
    u64, operations_u64, casts_u64;
    f32, operations_f32, casts_f32;
    f64, operations_f64, casts_f64;
}
