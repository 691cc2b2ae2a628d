//! User structs and enums, against plain Rust: each body is compiled once in a kernel and once in a
//! closure.

#![allow(
    clippy::all,
    dead_code,
    unreachable_pub,
    unused_variables,
    reason = "the bodies are what kernels look like, odd ones included"
)]

use std::str::FromStr;

use vyre_front::{Names, driver};
use vyre_ir::interp;
use vyre_ir::validate::validate;

/// Defines items for the closures, and their text for the kernels.
macro_rules! items {
    ($($items:tt)*) => {
        $($items)*
        const ITEMS: &str = stringify!($($items)*);
    };
}
/// Nothing: kernels know the attribute, rustc does not.
macro_rules! device_items {
    ($($items:tt)*) => { items! { $($items)* } };
}
device_items! {
    #[derive(Clone, Copy)]
    #[repr(C)]
    struct Vec3 { x: f32, y: f32, z: f32 }

    #[derive(Clone, Copy)]
    struct Particle { position: Vec3, mass: f32, kinds: [u32; 4] }

    #[derive(Clone, Copy, Debug, PartialEq)]
    struct Pair(u32, u32);

    #[derive(Clone, Copy, PartialEq)]
    struct Compared { a: [f32; 3], pair: Pair, kind: Kind, more: [Kind; 3] }

    #[derive(Clone, Copy)]
    #[allow(non_camel_case_types, reason = "a raw name is what is tested")]
    struct r#struct { r#type: u32, r#if: inner::Pair }

    #[derive(Clone, Copy, PartialEq)]
    #[repr(u8)]
    enum Kind { Solid, Liquid = 5, Gas }

    #[derive(Clone, Copy)]
    enum Sign { Minus = -1, Zero, Plus }

    #[derive(Clone, Copy, PartialEq)]
    #[allow(non_camel_case_types, reason = "names in lower case are what is tested")]
    enum state { On, Off }

    type Many = [Pair; 3];

    #[allow(non_camel_case_types, reason = "names in lower case are what is tested")]
    type word = u32;

    mod inner {
        #[derive(Clone, Copy)]
        pub struct Deep { pub pair: super::Pair, pub more: [Flag; LENGTH] }
        pub const LENGTH: usize = 8;
        /// Another struct of this name.
        #[derive(Clone, Copy)]
        pub struct Pair { pub of: u32 }
        #[derive(Clone, Copy)]
        pub struct Flag { pub on: bool }
        pub const ORIGIN: super::Vec3 = super::Vec3 { x: 1.0, y: X, z: -2.5 };
        const X: f32 = 0.5;
    }
}
use inner::Deep;

/// The names of the items, each type marked as one of the device.
fn names() -> Names {
    let mut file = syn::parse_file(&format!("{ITEMS} use inner::Deep;")).expect("the items are Rust");
    mark(&mut file.items);
    Names::of_file("types.rs", &file)
}

fn mark(items: &mut [syn::Item]) {
    for item in items {
        let attributes = match item {
            syn::Item::Struct(item) => &mut item.attrs,
            syn::Item::Enum(item) => &mut item.attrs,
            syn::Item::Mod(item) => {
                mark(&mut item.content.as_mut().expect("an inline module").1);
                continue;
            }
            _ => continue,
        };
        attributes.push(syn::parse_quote!(#[vyre::device]));
    }
}

/// Runs `fn k(xs: &[u32], ys: &mut [u32])` with this body of each element.
fn run(body: &str, inputs: &[u32]) -> Vec<u32> {
    let source = format!(
        "fn k(xs: &[u32], ys: &mut [u32]) {{
            let i = thread::index();
            if i < xs.len() {{ let x = xs[i]; ys[i] = {body}; }}
        }}"
    );
    let tokens = proc_macro2::TokenStream::from_str(&source).expect("the source has tokens");
    let lowered = match driver::kernel(Default::default(), tokens, &names()) {
        Ok(lowered) => lowered,
        Err(rejected) => panic!("{:#?} or left to rustc\n{source}", rejected.errors),
    };
    let program = match validate(&lowered.program) {
        Ok(program) => program,
        Err(faults) => panic!("{faults:#?}\n{}", vyre_ir::text::print(&lowered.program)),
    };
    vyre_core::compile(&program, &Default::default()).expect("compiles");
    let text = vyre_ir::text::print(&lowered.program);
    let parsed = vyre_ir::text::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(vyre_ir::text::print(&parsed), text);
    let mut x: Vec<u8> = inputs.iter().flat_map(|x| x.to_le_bytes()).collect();
    let mut y = vec![0u8; x.len()];
    let mut arguments = [interp::Argument::Slice(&mut x), interp::Argument::Slice(&mut y)];
    interp::launch(&program, lowered.kernel, &mut arguments, [1, 1, 1]).expect("runs");
    y.chunks(4)
        .map(|word| u32::from_le_bytes(word.try_into().expect("4 bytes")))
        .collect()
}

macro_rules! same {
    (|$x:ident| $body:block) => {{
        let plain = |$x: u32| -> u32 { $body };
        let inputs = [0u32, 1, 2, 3, 5, 6, 7, 100, 1000];
        let expected: Vec<u32> = inputs.iter().map(|&x| plain(x)).collect();
        assert_eq!(run(stringify!($body), &inputs), expected, "{}", stringify!($body));
    }};
}

mod control;
mod places;
mod values;
