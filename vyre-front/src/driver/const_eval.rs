//! Constants that take more than an expression, such as the table that a `const fn` makes: the interpreter runs what
//! yields them, in a kernel of one thread that stores the value.
//!
//! rustc computes them too, and holds what was found here against that.

use std::cell::Cell;

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};
use syn::ItemConst;
use vyre_ir::interp::{self, Argument, Error, Options};
use vyre_ir::ir::Scalar;
use vyre_ir::validate;

use crate::errors::{self, Code, Errors};
use crate::resolve::names::Names;
use crate::surface::Primitive;
use crate::syntax::passes::Computed;

/// Statements that a constant may take: up to ten seconds where macros are not optimised. rustc itself refuses constants of
/// more than two million basic blocks, by its lint `long_running_const_eval`.
const STEPS: u64 = 1 << 22;

/// Numbers that a constant may have.
const MOST: u64 = 1 << 20;

/// Limit of the nesting of constants, which only a cycle exceeds.
const DEPTH: u32 = 16;

/// Computes a constant of numbers `cell`, in arrays of these lengths, the outermost first.
pub(crate) fn values(
    item: &ItemConst,
    cell: Primitive,
    lengths: &[u64],
    names: &Names,
    errors: &mut Errors,
) -> Computed {
    thread_local!(static INSIDE: Cell<u32> = const { Cell::new(0) });
    let inside = INSIDE.get();
    if inside == DEPTH {
        return Computed::Unknown;
    }
    INSIDE.set(inside + 1);
    let lowered = super::kernel(quote!(block = 1), kernel(item, cell, lengths), names);
    INSIDE.set(inside);
    let lowered = match lowered {
        Ok(lowered) if lowered.externals.is_empty() => lowered,
        Ok(_) => return Computed::Unknown,
        Err(rejected) if rejected.is_waiting() => return Computed::Wanted(rejected.wanted),
        Err(rejected) => {
            errors.adopt(*rejected);
            return Computed::Refused;
        }
    };
    let Ok(program) = validate::validate(&lowered.program) else {
        return Computed::Unknown;
    };
    let count = lengths
        .iter()
        .try_fold(1u64, |count, &length| count.checked_mul(length));
    let Some(count) = count.filter(|&count| count <= MOST) else {
        return Computed::Unknown;
    };
    let size = cell.scalar().size() as usize;
    // Numbers of 128 bits are two.
    let words = if cell.is_wide() { 2 } else { 1 };
    let mut memory = vec![0; size * words * count as usize];
    let options = Options {
        step_limit: STEPS,
        ..Options::default()
    };
    let mut arguments = [Argument::Slice(&mut memory)];
    match interp::launch_with(&program, lowered.kernel, &mut arguments, [1; 3], options) {
        Ok(()) => {}
        // rustc comes to it as well, and says so.
        Err(Error::Fault(_)) => {
            errors.late(errors::no_value(item.ident.span()));
            return Computed::Refused;
        }
        Err(Error::StepLimit) => {
            errors.refuse_all(
                Code::UncomputableConstant,
                &item.expr,
                format_args!(
                    "vyre does not compute `{}`, which takes more than {STEPS} statements",
                    item.ident
                ),
                "pass it to the kernel as a slice",
            );
            return Computed::Refused;
        }
        Err(_) => return Computed::Unknown,
    }
    let mut values = Vec::new();
    for bytes in memory.chunks(size) {
        let mut number = 0;
        for &byte in bytes.iter().rev() {
            number = number << 8 | u64::from(byte);
        }
        values.push(number);
    }
    Computed::Values(values)
}

/// The kernel that stores the numbers of the constant one after the other.
fn kernel(item: &ItemConst, cell: Primitive, lengths: &[u64]) -> TokenStream {
    let (name, ty, expr) = (&item.ident, &item.ty, &item.expr);
    let cell = format_ident!("{}", cell.name());
    let (mut axes, mut place, mut element) = (Vec::new(), quote!(0), quote!(__vyre_value));
    for (number, &length) in lengths.iter().enumerate() {
        let (counter, size) = (format_ident!("at{number}"), Literal::u64_unsuffixed(length));
        place = quote!((#place) * #size + #counter);
        element.extend(quote!([#counter]));
        axes.push((counter, size));
    }
    let mut store = quote!(__vyre_out[#place] = #element;);
    for (counter, size) in axes.iter().rev() {
        store = quote!(for #counter in 0..#size { #store });
    }
    quote! {
        fn #name(__vyre_out: &mut [#cell]) {
            let __vyre_value: #ty = #expr;
            #store
        }
    }
}

/// The numbers of a constant as an expression of its type.
pub(crate) fn literal(cell: Primitive, lengths: &[u64], values: &[u64]) -> TokenStream {
    let [length, inner @ ..] = lengths else {
        return number(cell, values);
    };
    let each = values.len() / (*length).max(1) as usize;
    let parts = values.chunks(each.max(1)).map(|part| literal(cell, inner, part));
    quote!([#(#parts),*])
}

fn number(cell: Primitive, words: &[u64]) -> TokenStream {
    let word = |number: usize| words.get(number).copied().unwrap_or_default();
    if cell.is_wide() {
        let bits = u128::from(word(1)) << 64 | u128::from(word(0));
        return signed(bits as i128, cell.scalar().is_signed());
    }
    let bits = word(0);
    let ty = format_ident!("{}", cell.name());
    let scalar = cell.scalar();
    let literal = Literal::u64_unsuffixed(bits);
    match scalar {
        Scalar::Bool if bits == 0 => quote!(false),
        Scalar::Bool => quote!(true),
        _ if scalar.is_float() => quote!(#ty::from_bits(#literal)),
        _ => signed(vyre_ir::ir::Constant::new(scalar, bits).as_i128(), true),
    }
}

/// A literal of these bits.
fn signed(bits: i128, is_signed: bool) -> TokenStream {
    let is_negative = is_signed && bits < 0;
    let magnitude = Literal::u128_unsuffixed(if is_negative { bits.unsigned_abs() } else { bits as u128 });
    match is_negative {
        true => quote!(-#magnitude),
        false => quote!(#magnitude),
    }
}
