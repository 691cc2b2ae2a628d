//! The text form of programs: readable output of the front end, and embedded beside the PTX so that
//! it can be lowered again.
//!
//! [`print()`] and [`parse`] are inverse: the text contains everything, and a program whose bodies
//! are in [canonical order](crate::validate::Validated::canonical) is parsed back as an equal one.
//!
//! ```text
//! vyre 1
//! file "src/main.rs"
//! type &[f32]
//! type &mut [f32]
//!
//! kernel saxpy(a: f32 @3:14, x: &[f32] @3:22, y: &mut [f32] @3:33) dimensions 1 block 256 1 1 {  @3:8
//!     entry saxpy {
//!         let i: u64  @4:9
//!         store i = global_index.x  @4:13
//!         if lt(i, length(y)) {  @5:5 8*2 12
//!             store y[i] = add(mul(a, x[i]), y[i])  @6:9
//!         }
//!     }
//! }
//! ```
//!
//! **Items** occur in this order: `file`, `type` and `struct`, `external`, `shared`, `table`, `fn`,
//! `kernel`. Types used only in bodies need no line of their own when written by hand; the printer
//! writes one for each, in the order of [`Types`](crate::ir::Types).
//!
//! **Names** are bare if they are plain identifiers, unique and not reserved; otherwise they carry
//! their number (`i#3`), and if they are not identifiers at all, only the number (`#3`, declared
//! `let #3 "r#type": u32`).
//!
//! **Types** are as in Rust, with `AtomicU32` and the other atomics. A struct that asks for an alignment names it after
//! its name: `struct Quad align 16 { .. }`. **Constants** carry their
//! type: `7u32`, `-1.5f32`, `true`, or their bits, `f32:0x7fc00000`. **Operations** are calls:
//! `add(a, b)`; [`And`](crate::ir::ExprKind::And) and [`Or`](crate::ir::ExprKind::Or) are
//! `and_then` and `or_else`. Those whose type is not determined by their operands name it: `cast
//! f32(i)`, `bitcast u32(x)`, `new (f32, u32)(x, n)`, `repeat [f32; 4](x)`. An expression with a
//! type other than the derived one is written `(expression : type)`, such a place `<place : type>`.
//! **Places** are `x`, `shared::tile` or `table::weights`, then `.0` for fields, `[i]` or
//! `[unchecked i]` for elements and `.*` for the target of a reference.
//!
//! **Spans** follow at the end of a line after `@`: first that of the statement or item, then those
//! of the places and expressions of the line, operands before operators. A part that is missing
//! from `file/line:column` is as in the span before; `9*3` stands for three; the last one holds for
//! all that follow; `-` is no location; without `@` the line has no locations at all.
//!
//! **Externals** without a value are placeholders of fixed width, see [`crate::module`].

mod names;
#[cfg(feature = "programs")]
mod parse;
mod print;

#[doc(hidden)]
pub use names::write_string;
#[cfg(feature = "programs")]
#[doc(hidden)]
pub use parse::unescape;
#[cfg(feature = "programs")]
pub use parse::{ParseError, ParseErrorKind, parse};
pub use print::print;
pub(crate) use print::type_text;
