//! Kernels in crates with strict lints, in odd places, among names that collide.

#![forbid(unsafe_code)]
#![deny(
    warnings,
    clippy::all,
    clippy::pedantic,
    missing_docs,
    unreachable_pub,
    unused_qualifications
)]
#![deny(elided_lifetimes_in_paths, single_use_lifetimes, unused_results, let_underscore_drop)]

use vyre::{Device, Result};

/// Names that generated code must not resolve to.
#[allow(dead_code, non_camel_case_types, reason = "they are there to be in the way")]
mod confusing {
    pub(super) struct Ok;
    pub(super) struct Into;
    pub(super) struct Copy;
    pub(super) struct View;
    pub(super) struct Device;
    pub(super) struct Result;
    pub(super) struct Option;
    pub(super) struct Launch;
    pub(super) type f32 = u8;
    pub(super) type usize = u8;
}

mod shadowed {
    #![allow(unused_imports, reason = "they are there to be in the way")]
    use super::confusing::{Copy, Device, Into, Launch, Ok, Option, Result, View};
    use vyre::thread;

    /// Doubles.
    #[vyre::kernel(launcher = Twice)]
    pub(super) fn double(values: &mut [f32]) {
        let i = thread::index();
        if i < values.len() {
            values[i] *= 2.0;
        }
    }
}

/// Parameters that clippy would pass otherwise, as kernels do not take them; casts, and what is generated.
mod passed {
    #![deny(
        clippy::as_conversions,
        clippy::single_call_fn,
        clippy::impl_trait_in_params,
        clippy::exhaustive_structs,
        clippy::pub_use
    )]
    use vyre::thread;

    /// A function that is not inlined away before it is looked at.
    #[vyre::device]
    fn sum(all: [u64; 40], part: &u32) -> u64 {
        let mut sum = u64::from(*part);
        for v in all {
            sum += v;
        }
        sum
    }

    /// Sums.
    #[vyre::kernel]
    pub(super) fn sums(all: [u64; 40], #[each] part: &u32, #[each] y: &mut u64) {
        *y = sum(all, part) + all[thread::index() as u32 as usize];
    }
}

#[test]
fn parameters_are_passed_as_kernels_take_them() -> Result<()> {
    let mut y = [0; 2];
    passed::Sums::dispatch(&Device::cpu(), [2; 40], &[3, 4], &mut y)?;
    assert_eq!(y, [85, 86]);
    Ok(())
}

/// Constants without a mark, which rustc does not count as used by the chain of macros.
mod unmarked {
    const MORE: u32 = 3;

    /// Adds.
    #[vyre::kernel]
    pub(super) fn added(#[each] value: &mut u32) {
        *value += MORE;
    }
}

/// Types of the standard library by paths through modules that have another name, or that bring the type.
mod by_other_modules {
    #![allow(unused_qualifications, reason = "the paths are the test")]
    use std::cmp as order;
    use std::option as maybe;
    use vyre::thread;

    mod inner {
        pub(super) use std::cmp::Ordering;
        pub(super) use std::cmp::Ordering as Order;
    }

    /// Signs.
    #[vyre::kernel]
    pub(super) fn signs(values: &mut [i32]) {
        let i = thread::index();
        if i < values.len() {
            let is_zero = values[i].cmp(&0) == inner::Ordering::Equal;
            let sign = match values[i].cmp(&0) {
                order::Ordering::Less => maybe::Option::Some(-1),
                inner::Order::Greater => maybe::Option::Some(1),
                order::Ordering::Equal => maybe::Option::None,
            };
            values[i] = sign.unwrap_or(if is_zero { 0 } else { 7 });
        }
    }
}

#[test]
fn types_of_core_come_by_any_module() -> Result<()> {
    let mut values = [-5, 0, 9];
    by_other_modules::Signs::dispatch(&Device::cpu(), 3, &mut values)?;
    assert_eq!(values, [-1, 0, 1]);
    Ok(())
}

#[test]
fn constants_without_a_mark_are_used() -> Result<()> {
    let mut values = [1, 2, 3];
    unmarked::Added::dispatch(&Device::cpu(), &mut values)?;
    assert_eq!(values, [4, 5, 6]);
    Ok(())
}

/// Types with names that generated code uses itself, and with raw ones.
mod types {
    #[vyre::device]
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub(super) struct Element {
        pub(super) r#type: Ty,
        pub(super) key: u32,
        pub(super) field: r#Own,
    }

    #[vyre::device]
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub(super) struct Own(pub(super) f64);

    #[vyre::device]
    #[derive(Clone, Copy, Debug, PartialEq)]
    #[repr(u32)]
    pub(super) enum Ty {
        Tag,
        Element,
    }

    /// Changes every field.
    #[vyre::kernel]
    pub(super) fn change(own: Own, #[each] element: &mut Element) {
        let Element { r#type: ty, key, .. } = *element;
        element.r#type = match ty {
            Ty::Tag => Ty::Element,
            Ty::Element => Ty::Tag,
        };
        let value = &mut element.field;
        value.0 += own.0;
        element.key = key + 1;
    }
}

/// A kernel with every visibility, seen from its neighbour.
mod outer {
    pub(crate) mod inner {
        use vyre::prelude::*;

        /// Adds.
        #[vyre::kernel]
        pub(in crate::outer) fn add(x: &[u32], y: &mut [u32]) {
            let i = thread::index();
            if i < y.len() {
                y[i] += x[i];
            }
        }
    }

    pub(super) fn run(device: &vyre::Device, x: &[u32], y: &mut [u32]) -> vyre::Result<()> {
        inner::Add::dispatch(device, y.len(), x, y)
    }
}

/// Names of parameters and locals that generated code uses itself.
#[vyre::kernel]
fn names(device: u32, domain: u32, arguments: &[u32], block: &mut [u32], thread: usize) {
    let i = vyre::thread::index();
    let info = device + domain;
    if i < block.len() {
        let launch = arguments[i] + info;
        let entry = launch;
        block[i] = entry + thread as u32;
    }
}

/// Many parameters, and loops over ranges that index.
#[vyre::kernel]
#[allow(clippy::many_single_char_names, reason = "many parameters are the point")]
fn many(a: u32, b: u32, c: u32, d: u32, e: u32, f: u32, g: u32, h: u32, x: &[u32], y: &mut [u32]) {
    let i = vyre::thread::index();
    if i < y.len() {
        let mut sum = a + b + c + d + e + f + g + h;
        for j in 0..x.len() {
            sum += x[j];
        }
        y[i] = sum;
    }
}

/// Compiled only with a feature.
#[vyre::kernel]
#[cfg(not(test))]
fn never(values: &mut [f32]) {
    this_is_not_compiled(values);
}

/// Documented, and with lints of its own.
#[vyre::kernel]
#[allow(unused_variables, reason = "the launcher and the CPU body get along with it too")]
fn lints(values: &mut [u32]) {
    let unused = 5;
    let i = vyre::thread::index();
    if i < values.len() {
        values[i] = 1;
    }
}

#[test]
fn shadowed_names_are_not_meant() -> Result<()> {
    let mut values = [1.0, 2.0];
    shadowed::Twice::dispatch(&Device::cpu(), 2, &mut values)?;
    assert_eq!(values.map(f32::to_bits), [2.0f32, 4.0].map(f32::to_bits));
    Ok(())
}

#[test]
fn types_have_any_names() -> Result<()> {
    use types::{Change, Element, Own, Ty};
    let element = |ty, key, value| Element {
        r#type: ty,
        key,
        field: Own(value),
    };
    let mut elements = [element(Ty::Tag, 4, 0.5), element(Ty::Element, 9, 1.5)];
    Change::dispatch(&Device::cpu(), Own(2.0), &mut elements)?;
    assert_eq!(elements, [element(Ty::Element, 5, 2.5), element(Ty::Tag, 10, 3.5)]);
    Ok(())
}

#[test]
fn visibility_is_that_of_the_kernel() -> Result<()> {
    let mut y = [1, 2, 3];
    outer::run(&Device::cpu(), &[1, 1, 1], &mut y)?;
    assert_eq!(y, [2, 3, 4]);
    Ok(())
}

#[test]
fn names_of_the_user_stay_apart() -> Result<()> {
    let mut block = [0; 3];
    Names::dispatch(&Device::cpu(), 3, 1, 2, &[1, 2, 3], &mut block, 10)?;
    assert_eq!(block, [14, 15, 16]);
    let mut y = [0; 2];
    Many::dispatch(&Device::cpu(), 2, 1, 1, 1, 1, 1, 1, 1, 1, &[1, 2], &mut y)?;
    assert_eq!(y, [11, 11]);
    let mut values = [0; 2];
    Lints::dispatch(&Device::cpu(), 2, &mut values)?;
    assert_eq!(values, [1, 1]);
    Ok(())
}

#[test]
fn kernels_stand_in_functions() -> Result<()> {
    const OFFSET: u32 = 7;
    #[vyre::kernel]
    fn local(values: &mut [u32]) {
        let i = vyre::thread::index();
        if i < values.len() {
            values[i] = i as u32 + OFFSET;
        }
    }
    let mut values = [0; 4];
    Local::dispatch(&Device::cpu(), 4, &mut values)?;
    assert_eq!(values, [7, 8, 9, 10]);
    {
        const OFFSET: u32 = 100;
        #[vyre::kernel]
        fn local(values: &mut [u32]) {
            let i = vyre::thread::index();
            if i < values.len() {
                values[i] = OFFSET;
            }
        }
        Local::dispatch(&Device::cpu(), 4, &mut values)?;
        assert_eq!(values, [100; 4]);
    }
    Ok(())
}

#[vyre::device]
fn größer(größe: u32) -> u32 {
    größe + 1
}

/// PTX knows ASCII alone.
#[vyre::kernel]
fn größe(#[each] ß: &mut u32) {
    let 核 = *ß;
    *ß = größer(核);
}

#[vyre::kernel]
fn 核(#[each] x: &mut u32) {
    *x += 2;
}

#[test]
fn names_may_have_any_letters() {
    use vyre::Kernel;
    let device = Device::cpu();
    let mut x = [1, 2];
    Größe::dispatch(&device, &mut x).unwrap();
    核::dispatch(&device, &mut x).unwrap();
    assert_eq!(x, [4, 5]);
    assert!(Größe::info().ptx.contains("gr$f6$$df$e"));
}

/// `dispatch` keeps a buffer for each.
#[vyre::kernel(block = 1)]
fn alike(y: &mut [u32], __y: &[u32], buffer_y: &[u32]) {
    y[0] = __y[0] * 10 + buffer_y[0];
}

#[test]
fn parameters_may_have_like_names() {
    let mut y = [0];
    Alike::dispatch(&Device::cpu(), 1, &mut y, &[3], &[4]).unwrap();
    assert_eq!(y, [34]);
}

/// Generated code allows nothing that a crate forbids.
mod strict {
    #![forbid(dead_code, deprecated, unused, non_snake_case, unsafe_code, unreachable_pub)]

    use vyre::prelude::*;

    #[vyre::constant]
    static FACTORS: [u32; 2] = [2, 3];

    #[vyre::device]
    fn half(x: u32) -> u32 {
        x / 2
    }

    #[vyre::device]
    fn quarter(x: u32) -> u32 {
        half(half(x))
    }

    #[vyre::device]
    mod numbers {
        #[derive(Clone, Copy)]
        pub(super) struct Number(pub(super) u32);

        impl Number {
            pub(super) const ONE: Number = Number(1);
        }
    }

    #[vyre::kernel]
    pub(super) fn scale(#[each] x: &mut u32) {
        *x = quarter(*x) * FACTORS[0] * numbers::Number::ONE.0;
    }

    pub(super) fn set(device: &Device) {
        // Rust 1.88 does not count what a kernel calls or names as used.
        assert_eq!(quarter(40), 10);
        assert_eq!(numbers::Number::ONE.0, 1);
        FACTORS::set(device, &[5, 6]);
        assert_eq!(FACTORS::get(device), [5, 6]);
    }
}

#[test]
fn kernels_stand_under_forbidden_lints() {
    let device = Device::cpu();
    strict::set(&device);
    let mut x = [8, 40];
    strict::Scale::dispatch(&device, &mut x).unwrap();
    assert_eq!(x, [10, 50]);
}

/// Deprecated functions may be accepted, also where a crate denies them.
mod accepted {
    #![deny(deprecated)]

    #[deprecated]
    #[vyre::device]
    fn old(x: u32) -> u32 {
        x + 1
    }

    #[allow(deprecated)]
    #[vyre::kernel]
    pub(super) fn next(#[each] x: &mut u32) {
        *x = old(*x);
    }
}

#[test]
fn deprecated_functions_may_be_accepted() {
    let mut x = [8, 40];
    accepted::Next::dispatch(&Device::cpu(), &mut x).unwrap();
    assert_eq!(x, [9, 41]);
}

/// A device constant has the name of a launcher, and a pattern alone names a type.
mod namespaces {
    #[vyre::device]
    const N: u32 = 4;

    #[vyre::device]
    #[derive(Clone, Copy)]
    struct Pair {
        first: u32,
        second: u32,
    }

    #[vyre::device]
    fn pair(first: u32) -> Pair {
        Pair { first, second: N }
    }

    #[vyre::device]
    #[derive(Clone, Copy)]
    struct Marked;

    #[vyre::device]
    fn marked() -> Marked {
        Marked
    }

    #[vyre::kernel(block = 1)]
    pub(super) fn n(y: &mut [u32]) {
        let Pair { first, second } = pair(3);
        match marked() {
            Marked => y[0] = first * 10 + second * 100 + N,
        }
    }
}

#[test]
fn namespaces_are_apart() {
    let mut y = [0];
    namespaces::N::dispatch(&Device::cpu(), 1, &mut y).unwrap();
    assert_eq!(y, [434]);
}

/// Structs without fields, which patterns name as variables are named.
mod units {
    #[vyre::device]
    #[derive(Clone, Copy)]
    struct Unit;

    #[vyre::device]
    #[derive(Clone, Copy)]
    struct Pair {
        unit: Unit,
        n: u32,
    }

    #[vyre::device]
    fn matched(unit: Unit) -> u32 {
        match unit {
            Unit => 1,
        }
    }

    #[vyre::device]
    fn destructured(unit: Unit) -> u32 {
        let Unit = unit;
        2
    }

    #[vyre::device]
    fn parameter(Unit: Unit) -> u32 {
        let f = |Unit: Unit| 3u32;
        f(Unit)
    }

    #[vyre::device]
    fn inside(pair: Pair) -> u32 {
        match pair {
            Pair { unit: Unit, n: 0 } => 0,
            Pair { unit: Unit, n } => n,
        }
    }

    #[vyre::device]
    fn optional(unit: Option<Unit>) -> u32 {
        match unit {
            Some(Unit) => 5,
            None => 0,
        }
    }

    #[vyre::kernel]
    pub(super) fn count(#[each] y: &mut u32) {
        let unit = Unit;
        let Unit = unit;
        let n = match (unit, *y) {
            (Unit, 0) => 4,
            (Unit, _) => 0,
        };
        *y = matched(unit) + destructured(unit) + parameter(unit) + inside(Pair { unit, n }) + optional(Some(unit));
    }
}

#[test]
fn structs_without_fields_are_no_variables() {
    let mut y = [0];
    units::Count::dispatch(&Device::cpu(), &mut y).unwrap();
    assert_eq!(y, [15]);
}

/// Functions with the names of methods, of vyre's functions and of CUDA's.
mod common {
    #[vyre::device]
    fn sum(x: [u32; 2]) -> u32 {
        x[0] + x[1]
    }

    #[vyre::device]
    pub(super) fn max(a: u32, b: u32) -> u32 {
        if a > b { a } else { b }
    }

    #[vyre::device]
    fn rsqrt(x: u32) -> u32 {
        x + 1
    }

    #[vyre::kernel]
    pub(super) fn all(#[each] x: &mut u32) {
        *x = sum([max(*x, 3), 4]) + rsqrt(1);
    }
}

mod imported {
    use super::common::max;

    #[vyre::kernel]
    pub(super) fn all(#[each] x: &mut u32) {
        *x = max(*x, 3);
    }
}

#[test]
fn functions_may_have_common_names() {
    let mut x = [1, 5];
    common::All::dispatch(&Device::cpu(), &mut x).unwrap();
    assert_eq!(x, [9, 11]);
    imported::All::dispatch(&Device::cpu(), &mut x).unwrap();
    assert_eq!(x, [9, 11]);
}

/// Items of another module, and where the text of the file hardly shows them.
mod elsewhere {
    pub(super) mod items {
        #[vyre::device]
        pub(crate) fn half(x: u32) -> u32 {
            x / 2
        }

        #[vyre::device]
        pub(crate) const r#LEAST: u32 = 3;

        pub(crate) const MOST: u32 = 40;
    }

    macro_rules! thirds {
        () => {
            #[vyre::device]
            pub(crate) fn third(x: u32) -> u32 {
                x / 3
            }
        };
    }

    pub(super) mod made {
        thirds!();
    }
}

mod hardly_shown {
    use super::elsewhere::items::{
        LEAST,
        /* also */ MOST,
        half, // rounds down; as `>> 1` does
    };
    use super::elsewhere::made;

    #[vyre::device]
    fn both(x: u32) -> u32 {
        half(x) + LEAST + made::third(x)
    }

    #[vyre::kernel]
    pub(super) fn all(#[each] x: &mut u32) {
        *x = both(*x) + half(2) + MOST;
    }
}

#[test]
fn items_may_come_by_any_import() {
    let mut x = [6];
    hardly_shown::All::dispatch(&Device::cpu(), &mut x).unwrap();
    assert_eq!(x, [49]);
}

/// Types with the names of vyre's, which an import of all names or a macro brings.
mod own_views {
    mod types {
        #[vyre::device]
        #[derive(Clone, Copy)]
        pub(crate) struct View<T> {
            pub(crate) at: T,
        }
    }

    pub(super) mod of_host {
        use vyre::View;

        pub(crate) fn len(view: View<'_, u32>) -> usize {
            view.len()
        }
    }

    pub(super) mod kernels {
        use super::types::*;

        #[vyre::device]
        fn at(view: View<u32>) -> u32 {
            view.at
        }

        #[vyre::kernel]
        pub(crate) fn place(#[each] x: &mut u32) {
            *x = at(View { at: *x + 1 });
        }
    }

    macro_rules! views {
        () => {
            #[vyre::device]
            #[derive(Clone, Copy)]
            struct ViewMut<T> {
                at: T,
            }
        };
    }

    pub(super) mod made {
        #[allow(unused_imports, reason = "the type of the macro hides it")]
        use vyre::prelude::*;

        views!();

        #[vyre::device]
        fn at(view: ViewMut<u32>) -> u32 {
            view.at
        }

        #[vyre::kernel]
        pub(crate) fn place(#[each] x: &mut u32) {
            *x = at(ViewMut { at: *x + 1 });
        }
    }
}

#[test]
fn views_may_be_own_types() -> Result<()> {
    let device = Device::cpu();
    let mut x = [6];
    own_views::kernels::Place::dispatch(&device, &mut x)?;
    own_views::made::Place::dispatch(&device, &mut x)?;
    assert_eq!((x, own_views::of_host::len((&device.upload(&x)?).into())), ([8], 1));
    Ok(())
}

/// Rules with the name of a device function, before its callers.
mod rules {
    macro_rules! half {
        ($value:expr) => {
            $value / 2
        };
    }

    #[vyre::device]
    fn half(x: u32) -> u32 {
        x / 2
    }

    /// Halves.
    #[vyre::kernel]
    pub(super) fn halved(#[each] value: &mut u32) {
        *value = half(*value);
    }

    pub(super) fn of(value: u32) -> u32 {
        half!(value)
    }
}

#[test]
fn rules_do_not_hide_a_function() -> Result<()> {
    let mut values = [2, 7];
    rules::Halved::dispatch(&Device::cpu(), &mut values)?;
    assert_eq!(values, [rules::of(2), rules::of(7)]);
    Ok(())
}

/// Text that reads like other items of the names here, and other items of them.
mod alike {
    use vyre::prelude::kernel::*;

    pub(super) const TEXT: &str = stringify!(fn scaled; struct Scaled);
    pub(super) const N: usize = 7;
    pub(super) type T = u8;
    pub(super) fn factor() -> T {
        9
    }
    #[allow(non_camel_case_types)]
    pub(super) struct half {
        pub(super) of: T,
    }

    #[vyre::device]
    fn half<T: Float>(x: &T) -> T {
        x.exp().ln() / (T::ONE + T::ONE)
    }

    #[vyre::device]
    fn total<T: Float, const N: usize>(x: [T; N]) -> T {
        let factor = T::ONE;
        half(&x[0]) + half(&x[N - 1]) * factor
    }

    #[vyre::kernel]
    pub(super) fn scaled(#[each] x: &mut f32) {
        *x = total([*x, *x]);
    }
}

#[test]
fn names_that_are_alike_are_no_faults() -> Result<()> {
    let mut x = [0.0f32, 1.0];
    alike::Scaled::dispatch(&Device::cpu(), &mut x)?;
    assert_eq!(x.map(f32::to_bits), [0.0f32, 1.0].map(f32::to_bits));
    assert!(alike::TEXT.contains("scaled"));
    let of = alike::factor();
    assert_eq!((alike::N, alike::half { of }.of), (7, 9));
    Ok(())
}

/// Primitive types by paths, where their names are those of other types.
mod hidden_primitives {
    #![allow(unused_imports, unused_qualifications, reason = "they are there to be in the way")]
    use super::confusing::{f32, usize};

    /// Halves.
    #[vyre::kernel]
    pub(super) fn halved(#[each] value: &mut ::core::primitive::f32, factors: &[::core::primitive::f32]) {
        *value *= factors[1];
    }
}

#[test]
fn primitives_are_found_behind_their_names() -> Result<()> {
    let mut values = [3.0f32, 5.0];
    hidden_primitives::Halved::dispatch(&Device::cpu(), 2, &mut values, &[1.0, 0.5])?;
    assert_eq!(values.map(f32::to_bits), [1.5f32, 2.5].map(f32::to_bits));
    Ok(())
}

/// Literals out of range are wrapped where the lint is allowed, in constants that vyre computes as in bodies.
mod wrapped {
    #![allow(overflowing_literals)]

    #[vyre::device]
    pub(super) const BYTES: [u8; 2] = [257, 1 + 258];

    #[vyre::device]
    pub(super) const SIGNED: [i8; 2] = [128, -129];

    #[vyre::device]
    pub(super) const WIDE: i128 = 170_141_183_460_469_231_731_687_303_715_884_105_729;

    #[vyre::device]
    #[derive(Clone, Copy)]
    #[repr(u8)]
    pub(super) enum Mode {
        Fast = 259,
    }

    #[vyre::kernel(block = 1)]
    pub(super) fn literals(y: &mut [i128]) {
        const OWN: u8 = 260;
        y[0] = BYTES[0] as i128;
        y[1] = BYTES[1] as i128;
        y[2] = SIGNED[0] as i128;
        y[3] = SIGNED[1] as i128;
        y[4] = WIDE;
        y[5] = Mode::Fast as i128;
        y[6] = OWN as i128;
    }
}

#[test]
fn literals_are_wrapped_where_the_lint_is_allowed() {
    let mut y = [0; 7];
    wrapped::Literals::dispatch(&Device::cpu(), 1, &mut y).unwrap();
    let ([a, b], c) = (wrapped::SIGNED, wrapped::WIDE);
    let mode = wrapped::Mode::Fast as i128;
    assert_eq!(
        y,
        [
            wrapped::BYTES[0].into(),
            wrapped::BYTES[1].into(),
            a.into(),
            b.into(),
            c,
            mode,
            4
        ]
    );
}

#[vyre::device]
#[derive(Clone, Copy)]
struct P {
    x: u32,
}

/// A struct with fields is no value: its name binds in a pattern.
#[vyre::kernel(block = 1)]
#[allow(non_snake_case)]
fn bound(y: &mut [u32]) {
    let p = P { x: 3 };
    y[0] = match p {
        P if P.x > 3 => 0,
        P => P.x,
    };
    if let Some(P) = y.first() {
        y[1] = *P + 1;
    }
}

#[test]
fn patterns_bind_the_names_of_structs_with_fields() {
    let mut y = [0; 2];
    Bound::dispatch(&Device::cpu(), 1, &mut y).unwrap();
    assert_eq!(y, [3, 4]);
}

mod globs {
    #[vyre::device]
    #[derive(Clone, Copy, PartialEq)]
    pub(super) enum Way {
        Left,
        Right,
    }

    #[vyre::device]
    #[derive(Clone, Copy)]
    pub(super) enum Shape {
        Dot,
        Disc(u32),
        Rect { w: u32, h: u32 },
    }

    #[vyre::device]
    pub(super) fn way(right: bool) -> Way {
        use Way::*;
        if right { Right } else { Left }
    }

    #[vyre::device]
    pub(super) fn area(shape: Shape) -> u32 {
        use self::Shape::*;
        match shape {
            Dot => 0,
            Disc(r) => 3 * r * r,
            Rect { w, h } => w * h,
        }
    }
}

/// All variants of an enum, by an import inside of a kernel.
#[vyre::kernel(block = 1)]
fn of_variants(y: &mut [u32]) {
    // A name that is imported by itself wins.
    use globs::Shape::{self, Dot as Disk, *};
    use globs::Way::*;
    y[0] = globs::area(Disc(2)) + globs::area(Rect { w: 2, h: 3 });
    let shape: Shape = Dot;
    if let Disk = shape {
        y[1] = 7;
    }
    y[2] = match globs::way(true) {
        Left => 1,
        Right => 2,
    };
    y[3] = (globs::way(false) == Left) as u32;
    let way = {
        use globs::Way::{Right as Left, *};
        if y[3] == 1 { Left } else { Right }
    };
    y[4] = (way == Right) as u32;
}

#[test]
fn imports_inside_of_functions_bring_all_variants_of_an_enum() {
    use globs::Shape::{Disc, Dot, Rect};
    let mut y = [0; 5];
    OfVariants::dispatch(&Device::cpu(), 1, &mut y).unwrap();
    let on_the_host = globs::area(Dot) + globs::area(Disc(2)) + globs::area(Rect { w: 2, h: 3 });
    assert_eq!(y, [on_the_host, 7, 2, 1, 1]);
}

/// A generic kernel may take values alone.
#[vyre::kernel(T = [f32, u32])]
fn positive<T: vyre::prelude::Number>(value: T) {
    assert!(value + value > value);
}

#[test]
fn generic_kernels_take_values_alone() {
    let device = Device::cpu();
    Positive::<f32>::dispatch(&device, 4, 1.5).unwrap();
    positive(2u32).over(4).launch(&device).unwrap();
    assert!(
        positive(0u32)
            .over(4)
            .launch(&device)
            .and_then(|()| device.synchronize())
            .is_err()
    );
}

/// Names that a look at the file alone could mistake.
mod looked_at {
    use Kind::*;
    use inner::{Disc, E};

    /// An enum of the host, one of whose variants has the name of a device struct.
    #[allow(dead_code)]
    #[derive(Clone, Copy)]
    enum Kind {
        Disc,
        Square,
    }

    mod inner {
        #[vyre::device]
        #[derive(Clone, Copy)]
        pub(super) struct Disc(pub(super) u32);

        #[vyre::device]
        #[derive(Clone, Copy, PartialEq)]
        pub(super) enum E {
            On,
            Off,
        }
    }

    /// Modules with the names of vyre's and of the standard library's.
    mod fast {
        #[vyre::device]
        pub(super) fn floor(x: f32) -> f32 {
            x + 100.0
        }
    }

    pub(super) mod alloc {
        #[vyre::device]
        #[derive(Clone, Copy)]
        pub(crate) struct Cell {
            pub(crate) value: u32,
        }
    }

    #[vyre::device]
    fn is_on(e: E) -> bool {
        e == E::On
    }

    #[vyre::device]
    const LIMIT: u32 = 3;

    #[vyre::kernel(block = 1)]
    pub(super) fn read(x: u32, cell: alloc::Cell, y: &mut [u32]) {
        use E::{Off, On};
        // A test of a constant brings no variable.
        let LIMIT = x else { return };
        fn above(i: u32) -> u32 {
            i + LIMIT
        }
        y[0] = above(x);
        y[1] = Disc(4).0;
        y[2] = fast::floor(2.5) as u32;
        y[3] = cell.value;
        y[4] = is_on(Off) as u32 + is_on(On) as u32;
        if let (On, On) = (On, On) {
            y[5] = match Off {
                On => 1,
                Off => 2,
            };
        }
    }

    pub(super) fn cell() -> alloc::Cell {
        let _ = Square;
        assert!(is_on(E::On) && !is_on(E::Off));
        alloc::Cell { value: 9 }
    }
}

#[test]
fn names_are_those_that_rust_finds() {
    let mut y = [0; 6];
    looked_at::Read::dispatch(&Device::cpu(), 1, 3, looked_at::cell(), &mut y).unwrap();
    assert_eq!(y, [6, 4, 102, 9, 1, 2]);
}

#[vyre::device]
fn x(a: f32) -> f32 {
    a + 1.0
}

/// A function of an argument's tokens sees none of the macro's variables.
macro_rules! around {
    ($y:ident, $body:expr) => {
        #[vyre::kernel(block = 1)]
        fn of_tokens(x: u32, $y: &mut [f32]) {
            let i = x;
            $y[i as usize] = $body;
        }
    };
}
around!(y, {
    fn twice(a: f32) -> f32 {
        x(x(a))
    }
    twice(1.0)
});

#[test]
fn functions_inside_see_no_variables_of_a_macro() {
    let mut y = [0.0; 2];
    OfTokens::dispatch(&Device::cpu(), 1, 1, &mut y).unwrap();
    assert_eq!(y.map(f32::to_bits), [0.0f32, 3.0].map(f32::to_bits));
}

/// Types in lower case, aliases of primitive types, and raw names.
#[allow(non_camel_case_types, unused_qualifications, reason = "the names are the test")]
mod spelled {
    use vyre::{Number, thread};

    #[vyre::device]
    #[derive(Clone, Copy)]
    pub(super) struct particle {
        pub(super) r#in: real,
    }
    #[vyre::device]
    #[derive(Clone, Copy)]
    pub(super) struct pair(pub(super) f32, pub(super) f32);
    #[vyre::device]
    #[derive(Clone, Copy, PartialEq)]
    pub(super) enum r#type {
        First,
        r#Second,
    }
    #[vyre::device]
    #[derive(Clone, Copy)]
    pub(super) struct of<t> {
        pub(super) a: t,
    }
    #[vyre::device]
    pub(super) type real = f32;

    #[vyre::device]
    pub(super) mod vectors {
        pub(crate) trait r#trait {
            fn r#do(self) -> f32;
        }
        impl r#trait for f32 {
            fn r#do(self) -> f32 {
                self + 1.0
            }
        }
        #[derive(Clone, Copy)]
        pub(crate) struct float3 {
            pub(crate) x: f32,
            pub(crate) y: f32,
        }
        impl float3 {
            pub(crate) const ONE: f32 = 1.0;
            pub(crate) fn r#new(x: f32) -> Self {
                float3 { x, y: x.r#do() }
            }
            pub(crate) fn r#dyn(self, o: float3) -> f32 {
                self.x * o.y
            }
        }
    }
    use vectors::float3;

    #[vyre::device]
    fn energy(p: particle, q: &[particle]) -> real {
        p.r#in * q[0].r#in
    }

    #[vyre::device]
    fn first(p: pair) -> real {
        let pair(a, _) = p;
        a
    }

    #[vyre::kernel]
    pub(super) fn lower(x: &[particle], m: of<f32>, #[each] y: &mut float3) {
        let four = particle { r#in: 4.0 };
        let of_energy = float3::new(energy(four, x));
        let w = vectors::float3::new(of_energy.r#dyn(float3 { x: 0.0, y: 3.0 }));
        let kind = if w.x > 3.0 { r#type::First } else { r#type::Second };
        let part = match kind {
            r#type::First => first(pair(2.0, 1.0)),
            r#type::r#Second => of { a: 1.0 }.a,
        };
        let [root] = [m.a].map(real::sqrt);
        *y = float3 {
            x: real::max(w.x, real::from(2u8)) + root,
            y: w.y + part + float3::ONE + real::EPSILON,
        };
    }

    #[vyre::kernel(T = [real, u32], N = [2], block = 32)]
    pub(super) fn r#move<T: Number, const N: usize>(r#in: &[T], r#out: &mut [[T; N]]) {
        let i = thread::index();
        if i < r#in.len() && i < r#out.len() {
            r#out[i] = [r#in[i]; N];
        }
    }

    #[vyre::kernel(T = [particle, of::<particle>], block = 32, launcher = r#Use)]
    pub(super) fn r#use<T: Copy>(r#in: &[T], r#out: &mut [T]) {
        let i = thread::index();
        if i < r#in.len() && i < r#out.len() {
            r#out[i] = r#in[i];
        }
    }
}

#[test]
fn names_are_spelled_in_any_way() {
    use spelled::{Lower, MoveRealN2, UseOfParticle, UseParticle, of, particle, vectors::float3};

    let device = Device::cpu();
    let mut y = [float3 { x: 0.0, y: 0.0 }];
    Lower::dispatch(&device, 1, &[particle { r#in: 1.5 }], of { a: 16.0 }, &mut y).unwrap();
    // The energy is 6, so that of_energy.x is, w is (18, 19), and the kind is the first.
    let of_energy = float3::new(6.0);
    let w = float3::new(of_energy.r#dyn(float3 { x: 0.0, y: 3.0 }));
    let expected = [w.x + 4.0, w.y + 2.0 + float3::ONE + f32::EPSILON];
    assert_eq!([y[0].x, y[0].y].map(f32::to_bits), expected.map(f32::to_bits));
    assert_eq!(
        expected.map(f32::to_bits),
        [22.0f32, 22.0 + f32::EPSILON].map(f32::to_bits)
    );

    let mut pairs = [[0.0; 2]; 2];
    MoveRealN2::dispatch(&device, 2, &[1.0, 2.0], &mut pairs).unwrap();
    assert_eq!(pairs.as_flattened().iter().sum::<f32>().to_bits(), 6f32.to_bits());

    let (mut one, mut other) = (
        [particle { r#in: 0.0 }],
        [of {
            a: particle { r#in: 0.0 },
        }],
    );
    UseParticle::dispatch(&device, 1, &[particle { r#in: 1.5 }], &mut one).unwrap();
    UseOfParticle::dispatch(
        &device,
        1,
        &[of {
            a: particle { r#in: 2.5 },
        }],
        &mut other,
    )
    .unwrap();
    assert_eq!(
        [one[0].r#in, other[0].a.r#in].map(f32::to_bits),
        [1.5f32, 2.5].map(f32::to_bits)
    );
}
