//! What the launcher says about its kernel: PTX, program text, sites.
//!
//! Externals have no value while the macro runs. PTX and text hold placeholders for them, of fixed
//! width ([`vyre_core::module`]); constants that rustc evaluates overwrite these with the digits of
//! the values, at offsets that are found here.

use proc_macro2::{Ident, Literal, Span};
use vyre_core::fault::{FaultKind, FaultSite};
use vyre_core::ir::Program;
use vyre_core::module::{Module, ModuleKernel};
use vyre_core::text;

use super::code::{Code, code};
use super::host;
use crate::surface::Lowered;

/// The `KernelInfo` of a kernel whose PTX is what `ptx` yields.
pub(super) fn info(lowered: &Lowered, module: &Module, compiled: Option<&ModuleKernel>, ptx: Code) -> Code {
    let span = Span::mixed_site();
    let program = &lowered.program;
    let kernel = &program.kernels[lowered.kernel];
    let location = location(program, kernel.span);
    let name = Literal::string(&kernel.name);
    let dimensions = Literal::u32_unsuffixed(kernel.dimensions);
    let [x, y, z] = kernel.block.map(Literal::u32_unsuffixed);
    let cluster = kernel.cluster.into_iter().flatten().map(Literal::u32_unsuffixed);
    let cluster: Vec<_> = cluster.collect();
    let shared_bytes = Literal::u32_unsuffixed(compiled.map_or(0, |compiled| compiled.shared_bytes));
    let cooperative = Ident::new(if kernel.is_cooperative() { "true" } else { "false" }, span);
    let parameters = kernel
        .parameters
        .iter()
        .map(|parameter| Literal::string(&parameter.name));
    let parameters: Vec<_> = parameters.collect();
    let constants = program.host_tables().map(|(handle, table)| {
        let key = Literal::u64_unsuffixed(table.host.unwrap_or(0));
        let initial = Ident::new(&host::table_name(handle.index()), span);
        code!(span=> __v::HostConstant { key: #key, initial: __v::bytes(&#initial) })
    });
    let constants: Vec<_> = constants.collect();
    let entries = kernel.entries.iter().map(|entry| {
        let (symbol, coarsening) = (
            Literal::string(&entry.symbol),
            Literal::u32_unsuffixed(entry.coarsening),
        );
        code!(span=> __v::EntryInfo { symbol: #symbol, coarsening: #coarsening })
    });
    let entries: Vec<_> = entries.collect();
    let target = Literal::u32_unsuffixed(module.target);
    let text = embedded(&text::print(program), lowered);
    // The CPU body's own sites follow.
    let sites = Literal::usize_unsuffixed(compiled.map_or(0, |compiled| compiled.sites.len()));
    let prints = compiled.map_or(&[][..], |compiled| &compiled.prints).iter();
    let prints: Vec<_> = prints.map(|template| Literal::string(template)).collect();
    code! {span=>
        __v::KernelInfo {
            name: #name,
            location: #location,
            dimensions: #dimensions,
            block: [#x, #y, #z],
            cluster: &[#cluster],
            shared_bytes: #shared_bytes,
            cooperative: #cooperative,
            parameters: &[#parameters],
            constants: &[#constants],
            entries: &[#entries],
            ptx: #ptx,
            target: #target,
            program: #text,
            sites: __v::first(&__SITES, #sites),
            prints: &[#prints],
            host: __host,
            cache: __v::KernelCache::new(),
        }
    }
}

/// The static `__SITES`: a row for each site, and the files that the rows number.
pub(super) fn sites(program: &Program, sites: &[FaultSite]) -> Code {
    let span = Span::mixed_site();
    let length = Literal::usize_unsuffixed(sites.len());
    let mut files = Vec::new();
    let rows = sites.iter().map(|site| {
        let kind = Ident::new(
            match site.kind {
                FaultKind::IndexOutOfBounds => "IndexOutOfBounds",
                FaultKind::RangeOutOfBounds => "RangeOutOfBounds",
                FaultKind::RowOutOfBounds => "RowOutOfBounds",
                FaultKind::ColumnOutOfBounds => "ColumnOutOfBounds",
                FaultKind::SharedMemory => "SharedMemory",
                FaultKind::GridBarrier => "GridBarrier",
                FaultKind::ClusterRank => "ClusterRank",
                FaultKind::DivisionByZero => "DivisionByZero",
                FaultKind::DivisionOverflow => "DivisionOverflow",
                FaultKind::Assertion => "Assertion",
                FaultKind::Panic => "Panic",
            },
            span,
        );
        let file = file(program, site.span);
        let number = files.iter().position(|&known| known == file).unwrap_or_else(|| {
            files.push(file);
            files.len() - 1
        });
        let file = Literal::usize_unsuffixed(number);
        let [line, column] = [site.span.line, site.span.column].map(Literal::u32_unsuffixed);
        let message = Literal::string(&site.message);
        code!(span=> (#kind, #file, #line, #column, #message))
    });
    let rows: Vec<_> = rows.collect();
    let files: Vec<_> = files.into_iter().map(Literal::string).collect();
    code! {span=>
        static __SITES: [__v::Site; #length] = {
            use __v::FaultKind::*;
            __v::sites([#rows], &[#files])
        };
    }
}

fn location(program: &Program, place: vyre_core::ir::Span) -> Code {
    let span = Span::mixed_site();
    let file = Literal::string(file(program, place));
    let [line, column] = [place.line, place.column].map(Literal::u32_unsuffixed);
    code!(span=> __v::location(#file, #line, #column))
}

fn file(program: &Program, place: vyre_core::ir::Span) -> &str {
    match program.files.get(place.file as usize) {
        Some(file) if place.is_some() => file,
        _ => "",
    }
}

/// A text, as a literal, or where it has placeholders as a constant that fills them in.
pub(super) fn embedded(text: &str, lowered: &Lowered) -> Code {
    let span = Span::mixed_site();
    let (mut values, mut patches) = (Vec::new(), Vec::new());
    for ((handle, external), path) in lowered.program.externals.iter().zip(&lowered.externals) {
        if external.value.is_some() {
            continue;
        }
        let digits = if external.scalar.size() == 8 { 16 } else { 8 };
        let placeholder = format!("0xV{:0width$}", handle.index(), width = digits - 1);
        // A placeholder of 8 digits may begin one of 16.
        let ends = |offset: usize| !text[offset + placeholder.len()..].starts_with(|c: char| c.is_ascii_digit());
        let places: Vec<_> = text
            .match_indices(&placeholder)
            .filter(|&(offset, _)| ends(offset))
            .collect();
        if places.is_empty() {
            continue;
        }
        let number = values.len();
        for (offset, _) in places {
            let [offset, digits, number] = [offset + 2, digits, number].map(Literal::usize_unsuffixed);
            patches.push(code!(span=> (#offset, #digits, VALUES[#number])));
        }
        let size = Literal::u32_unsuffixed(external.scalar.size());
        let path = path.clone();
        values.push(code!(span=> __v::bits(#path, #size)));
    }
    if patches.is_empty() {
        // Most is ASCII, which takes much longer to escape as characters than as bytes.
        let text = Literal::byte_string(text.as_bytes());
        return code!(span=> unsafe { __v::text(#text) });
    }
    let (literal, length) = (
        Literal::byte_string(text.as_bytes()),
        Literal::usize_unsuffixed(text.len()),
    );
    let count = Literal::usize_unsuffixed(values.len());
    code! {span=>
        {
            const VALUES: [u64; #count] = [#values];
            const BYTES: [u8; #length] = __v::patch(*#literal, &[#patches]);
            __v::utf8(&BYTES)
        }
    }
}
