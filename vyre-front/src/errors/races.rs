//! Races of a kernel that does not allow them, in the words of someone who wrote it.

use proc_macro2::Span;
use vyre_ir::ir::Program;
use vyre_ir::module::Race;

use super::{Code, Diagnostic, diagnostic};

/// The most accesses that an error names.
const MOST: usize = 5;

/// The diagnostic of accesses that may race, and of barriers before which threads may part: at the first one, with the
/// others in its text. There is at least one.
pub(crate) fn races(kernel: &str, found: &[Race], program: &Program, place: &dyn Fn(&Race) -> Span) -> Diagnostic {
    let span = found.first().map_or_else(Span::call_site, place);
    let mut fault = format!("in `{kernel}` ");
    for (number, race) in found.iter().take(MOST).enumerate() {
        if number > 0 {
            fault += "\n  and ";
        }
        fault += match (race.is_access(), number) {
            (true, 0) => "this ",
            (true, _) => "the ",
            (false, 0) => "at this ",
            (false, _) => "at the ",
        };
        fault += &race.what();
        if number > 0 {
            let file = program.files.get(race.span.file as usize).map_or("?", String::as_str);
            fault += &format!(" at {file}:{}:{}", race.span.line, race.span.column);
        }
        fault += " ";
        fault += &race.reason;
    }
    if found.len() > MOST {
        fault += &format!("\n  and {} more", found.len() - MOST);
    }
    let help = match found.first() {
        Some(race) if race.kind == "barrier" => {
            "put it where all threads of the block come to it: outside of the branch, or below a condition that is the same \
             for the block"
        }
        Some(race) if race.kind == "exchange" => {
            "put it where all lanes of the warp come to it: outside of the branch, or below a condition that is the same for \
             the warp; or let the others return"
        }
        Some(race) if race.space == "shared" => {
            "put `block::sync()` between accesses to the same element, in a loop also before the next iteration; or use \
             atomics, or let one thread do it: `if thread::idx().x == 0 { .. }`"
        }
        _ => {
            "give each thread elements of its own: by an index that only it has, a guard such as `if column < width { .. }`, or \
             `#[each]`; let threads share elements by atomics, or those of a block after `block::sync()`"
        }
    };
    let meant = match found.first() {
        Some(race) if race.is_access() => {
            "`store::relaxed(&mut y[i], value)` and `load::relaxed(&y[i])` are for elements that you know to be apart, or mean to \
             share"
        }
        _ => "the option `allow(races)` is for kernels that mean it",
    };
    diagnostic(Code::Races, span, fault, format_args!("{help}; {meant}"))
}
