//! The description of a kernel in its launcher: PTX, machine code, program text, sites.
//!
//! Externals have no value while the macro runs. PTX and text hold placeholders for them, of fixed
//! width ([`vyre_ir::module`]); constants that rustc evaluates overwrite these with the digits of
//! the values, at offsets that are found here.

use std::path::Path;
use vyre_abi::list;

use proc_macro2::{Ident, Literal, Span};
use vyre_abi::target::Target;
use vyre_ir::ir::Program;
use vyre_ir::module::FaultSite;
use vyre_ir::module::{Module, ModuleKernel};
use vyre_ir::text;

use super::{Embedding, host};
use crate::code::{Code, code};
use crate::surface::Lowered;

/// The `KernelInfo` of a kernel.
pub(super) fn info(lowered: &Lowered, module: &Module, compiled: Option<&ModuleKernel>, embedding: &Embedding) -> Code {
    let span = Span::mixed_site();
    let mut texts = None;
    let (ptx, cubins) = match embedding {
        Embedding::Files { ptx, newer, cubins } if !lowered.is_patched() => {
            let path = Literal::string(ptx);
            texts = newer.as_ref().map(|path| {
                let path = Literal::string(path);
                code!(span=> include_str!(#path))
            });
            let cubins = match cubins {
                None => code!(span=> &[]),
                Some(path) => {
                    let path = Literal::string(path);
                    code!(span=> include!(#path))
                }
            };
            (code!(span=> include_str!(#path)), cubins)
        }
        Embedding::Literal(cubins) if !cubins.is_empty() => {
            let cubins: Vec<_> = list::map(cubins, |(target, path)| cubin(*target, path));
            (embedded(&module.ptx, lowered), code!(span=> &[#cubins]))
        }
        _ => (embedded(&module.ptx, lowered), code!(span=> &[])),
    };
    let program = &lowered.program;
    let kernel = &program.kernels[lowered.kernel];
    let location = location(program, kernel.span);
    let name = Literal::string(&kernel.name);
    let dimensions = Literal::u32_unsuffixed(kernel.dimensions);
    let [x, y, z] = kernel.block.map(Literal::u32_unsuffixed);
    let cluster = kernel
        .cluster
        .map_or(Vec::new(), |cluster| cluster.map(Literal::u32_unsuffixed).to_vec());
    let shared_bytes = Literal::u32_unsuffixed(compiled.map_or(0, |compiled| compiled.shared_bytes));
    let cooperative = compiled.is_some_and(|compiled| compiled.cooperative);
    let cooperative = Ident::new(if cooperative { "true" } else { "false" }, span);
    let (mut parameters, mut constants, mut entries) = (Vec::new(), Vec::new(), Vec::new());
    for parameter in &kernel.parameters {
        parameters.push(Literal::string(&parameter.name));
    }
    for (handle, table) in program.host_tables() {
        let key = Literal::u64_unsuffixed(table.host.unwrap_or(0));
        let initial = Ident::new(&host::table_name(handle.index()), span);
        constants.push(code!(span=> __v::HostConstant { key: #key, initial: __v::bytes(&#initial) }));
    }
    for entry in &kernel.entries {
        let symbol = Literal::string(&entry.symbol);
        let coarsening = Literal::u32_unsuffixed(entry.coarsening);
        entries.push(code!(span=> __v::EntryInfo { symbol: #symbol, coarsening: #coarsening }));
    }
    let assumed = compiled.and_then(|compiled| compiled.assumed.as_ref()).map(|assumed| {
        let symbol = Literal::string(&assumed.symbol);
        let needs = Literal::byte_string(&assumed.code(program, kernel));
        code!(span=> __v::AssumedInfo { symbol: #symbol, needs: #needs })
    });
    let target = Literal::u32_unsuffixed(module.target);
    let newer = module.newer.as_ref().map(|newer| {
        let target = Literal::u32_unsuffixed(newer.target);
        let ptx = texts.unwrap_or_else(|| embedded(&newer.ptx, lowered));
        code!(span=> __v::NewerPtx { target: #target, ptx: #ptx })
    });
    let text = embedded(&text::print(program), lowered);
    // The CPU body's own sites follow.
    let sites = Literal::usize_unsuffixed(compiled.map_or(0, |compiled| compiled.sites.len()));
    let prints = compiled.map_or(&[][..], |compiled| &compiled.prints);
    let prints = list::map(prints, |template| Literal::string(template));
    let host = match cfg!(feature = "cpu") {
        true => code!(span=> __host),
        false => code!(span=> ()),
    };
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
            assumed: &[#assumed],
            cubins: #cubins,
            ptx: #ptx,
            target: #target,
            newer: &[#newer],
            program: #text,
            sites: __v::first(&__SITES, #sites),
            prints: &[#prints],
            host: #host,
            cache: __v::KernelCache::new(),
        }
    }
}

/// Machine code of a file.
fn cubin(target: Target, path: &Path) -> Code {
    let span = Span::mixed_site();
    let capability = Literal::u32_unsuffixed(target.capability);
    let features = Ident::new(&format!("{:?}", target.features), span);
    let path = Literal::string(&path.to_string_lossy());
    code! {span=>
        __v::Cubin {
            target: __v::Target::new(#capability, __v::Features::#features),
            code: {
                const CODE: &__v::Aligned<[u8]> = &__v::Aligned(*include_bytes!(#path));
                &CODE.0
            },
        }
    }
}

/// The static `__SITES`: a number for each site, and the files and messages that these name.
pub(super) fn sites(program: &Program, sites: &[FaultSite]) -> Code {
    let span = Span::mixed_site();
    let length = Literal::usize_unsuffixed(sites.len());
    let (mut rows, mut files, mut messages) = (Vec::with_capacity(sites.len()), Vec::new(), Vec::new());
    for site in sites {
        let file = number(&mut files, file(program, site.span));
        let message = match site.message.as_str() {
            "" => 0,
            message => 1 + number(&mut messages, message),
        };
        let row = (message as u128) << 104 | (site.kind as u128) << 96 | (file as u128) << 64;
        let row = row | u128::from(site.span.line) << 32 | u128::from(site.span.column);
        rows.push(Literal::u128_unsuffixed(row));
    }
    let messages = list::map(&messages, |text| Literal::string(text));
    let files = list::map(&files, |text| Literal::string(text));
    code!(span=> static __SITES: [__v::Site; #length] = __v::sites([#rows], &[#files], &[#messages]);)
}

/// The number of a text in a list, added if new.
fn number<'t>(list: &mut Vec<&'t str>, text: &'t str) -> usize {
    list.iter().position(|&known| known == text).unwrap_or_else(|| {
        list.push(text);
        list.len() - 1
    })
}

pub(super) fn location(program: &Program, place: vyre_ir::ir::Span) -> Code {
    let span = Span::mixed_site();
    let file = Literal::string(file(program, place));
    let line = Literal::u32_unsuffixed(place.line);
    let column = Literal::u32_unsuffixed(place.column);
    code!(span=> __v::location(#file, #line, #column))
}

fn file(program: &Program, place: vyre_ir::ir::Span) -> &str {
    match program.files.get(place.file as usize) {
        Some(file) if place.is_some() => file,
        _ => "",
    }
}

/// A text, as a literal, or where it has placeholders as a constant that fills them in.
fn embedded(text: &str, lowered: &Lowered) -> Code {
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
            let (offset, digits) = (Literal::usize_unsuffixed(offset + 2), Literal::usize_unsuffixed(digits));
            let number = Literal::usize_unsuffixed(number);
            patches.push(code!(span=> (#offset, #digits, VALUES[#number])));
        }
        let size = Literal::u32_unsuffixed(external.scalar.size());
        let path = path.clone();
        values.push(code!(span=> __v::bits(&#path, #size)));
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
