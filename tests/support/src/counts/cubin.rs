//! Counts of machine code: the size of a kernel's section in the cubin, and what ptxas reports.

use super::table::MACHINE_COLUMNS;
use crate::ptxas::Assembled;

/// Bytes of an instruction of every GPU since Volta.
const INSTRUCTION: usize = 16;

/// The low bits of an unconditional `NOP`, which pads sections.
const NOP: [u8; 2] = [0x18, 0x79];

/// Instructions, registers, spilled bytes, bytes of the stack frame and of shared memory of a kernel.
pub(super) fn count(code: &Assembled, kernel: &str) -> Result<[u64; MACHINE_COLUMNS], String> {
    let missing = || format!("ptxas does not report `{kernel}`:\n{}", code.report);
    let text = section(&code.cubin, &format!(".text.{kernel}"))
        .ok_or_else(|| format!("the cubin has no code of `{kernel}`"))?;
    let instructions = text.chunks(INSTRUCTION).filter(|code| !code.starts_with(&NOP)).count();
    let said = code
        .report
        .split("Compiling entry function ")
        .find(|part| part.strip_prefix('\'').and_then(|part| part.split('\'').next()) == Some(kernel))
        .ok_or_else(missing)?;
    Ok([
        instructions as u64,
        before(said, " registers").ok_or_else(missing)?,
        before(said, " bytes spill stores").unwrap_or(0) + before(said, " bytes spill loads").unwrap_or(0),
        before(said, " bytes stack frame").unwrap_or(0),
        before(said, " bytes smem").unwrap_or(0),
    ])
}

/// The number before a phrase, where the phrase has one.
fn before(text: &str, phrase: &str) -> Option<u64> {
    text.match_indices(phrase).find_map(|(at, _)| {
        let head = &text[..at];
        head.rsplit(|letter: char| !letter.is_ascii_digit())
            .next()?
            .parse()
            .ok()
    })
}

/// The content of a section of an ELF file of 64 bits.
fn section<'a>(elf: &'a [u8], wanted: &str) -> Option<&'a [u8]> {
    let number = |at: usize, bytes: usize| {
        let field = elf.get(at..at + bytes)?;
        let value = field
            .iter()
            .rev()
            .fold(0u64, |value, &byte| value << 8 | u64::from(byte));
        usize::try_from(value).ok()
    };
    let (headers, size, count, names) = (number(40, 8)?, number(58, 2)?, number(60, 2)?, number(62, 2)?);
    let content = |header: usize| {
        let start = number(header + 24, 8)?;
        elf.get(start..start + number(header + 32, 8)?)
    };
    let names = content(headers + names * size)?;
    (0..count).map(|section| headers + section * size).find_map(|header| {
        let name = names.get(number(header, 4)?..)?.split(|&byte| byte == 0).next()?;
        (name == wanted.as_bytes()).then(|| content(header))?
    })
}
