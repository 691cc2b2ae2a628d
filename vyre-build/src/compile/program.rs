//! Launchers of programs that a build script has made.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use syn::{File, parse_quote};
use vyre_front::camel_case;
use vyre_front::file::quiet;
use vyre_front::surface::{Denied, Element, Lowered, ParameterKind, Primitive, Spans, Surface, SurfaceParameter};
use vyre_ir::ir::{Arena, Handle, Kernel, Program, Scalar, Type, TypeId, Types};
use vyre_ir::module::CompileError;
use vyre_ir::validate::validate;

use super::files::Files;

/// A module with a launcher for each kernel of a program, or what is wrong.
pub(super) fn module(program: &Program, files: &mut Files<'_>) -> Result<File, Vec<String>> {
    if let Err(errors) = validate(program) {
        return Err(errors.iter().map(|error| error.display(program).to_string()).collect());
    }
    let (mut tokens, mut faults) = (TokenStream::new(), Vec::new());
    let mut launchers: Vec<(String, &str)> = Vec::new();
    for (_, kernel) in program.kernels.iter() {
        let launcher = camel_case(&kernel.name);
        if let Some((_, other)) = launchers.iter().find(|(name, _)| *name == launcher) {
            let name = &kernel.name;
            faults.push(format!(
                "the kernels `{other}` and `{name}` are both launched as `{launcher}`; rename one of them"
            ));
            continue;
        }
        launchers.push((launcher, &kernel.name));
        match launched(program, kernel).and_then(|lowered| compiled(&lowered, &kernel.name, files)) {
            Ok(launcher) => tokens.extend(launcher),
            Err(fault) => faults.push(fault),
        }
    }
    if program.kernels.is_empty() {
        faults.push("it has no kernel; add one with `vyre_build::ir::build::kernel`".to_owned());
    }
    if !faults.is_empty() {
        return Err(faults);
    }
    match syn::parse2::<File>(tokens) {
        Ok(mut file) => {
            file.items = file.items.into_iter().map(quiet).collect();
            Ok(file)
        }
        Err(error) => Err(vec![format!(
            "its launchers are no Rust: {error}; this is a bug of vyre"
        )]),
    }
}

fn compiled(lowered: &Lowered, name: &str, files: &mut Files<'_>) -> Result<TokenStream, String> {
    let valid = validate(&lowered.program).map_err(|errors| errors[0].display(&lowered.program).to_string())?;
    let launcher = files.compile(name, lowered, &valid);
    launcher.map_err(|error| match error {
        CompileError::BoundsChecks { .. } => format!("{error}; guard them"),
        CompileError::Races { .. } => format!(
            "{error}; give each thread elements of its own, or use atomics, and put barriers where all threads come"
        ),
        error => format!("{error}; make several kernels of it"),
    })
}

/// A kernel of a program by itself, with its launcher's signature.
fn launched(program: &Program, kernel: &Kernel) -> Result<Lowered, String> {
    let name = &kernel.name;
    let ident = |what: &str, text: &str| {
        syn::parse_str::<Ident>(text).map_err(|_| format!("{what} `{text}` is no name in Rust; give it another one"))
    };
    let mut parameters = Vec::new();
    for parameter in &kernel.parameters {
        let kind = kind(&program.types, parameter.ty).ok_or_else(|| {
            format!(
                "the parameter `{}` of `{name}` is no scalar, array of scalars, or slice of those or of atomics; pass the \
                 fields of a struct one by one",
                parameter.name
            )
        })?;
        parameters.push(SurfaceParameter {
            option: None,
            name: ident(&format!("the parameter of `{name}`"), &parameter.name)?,
            kind,
            any_index: false,
            tells: None,
            each: false,
        });
    }
    let mut externals = Vec::new();
    for (_, external) in program.externals.iter() {
        let path: TokenStream = external
            .name
            .parse()
            .map_err(|_| format!("the external `{}` is no path", external.name))?;
        externals.push(path);
    }
    let docs = format!(" The kernel `{name}`.");
    let surface = Surface {
        attributes: vec![parse_quote!(#[doc = #docs])],
        visibility: parse_quote!(pub),
        name: ident("the kernel", name)?,
        launcher: Ident::new(&camel_case(name), Span::call_site()),
        has_face: false,
        dispatches: true,
        dimensions: kernel.dimensions,
        block: kernel.block,
        cluster: kernel.cluster,
        min_blocks: kernel.min_blocks,
        parameters,
    };
    let mut alone = program.clone();
    alone.kernels = Arena::from_iter([kernel.clone()]);
    Ok(Lowered {
        surface,
        program: alone,
        kernel: Handle::new(0),
        checked: TokenStream::new(),
        externals,
        spans: Spans::default(),
        collectives: Vec::new(),
        denied: Denied::default(),
    })
}

/// The type of a parameter, if a launcher can take it.
fn kind(types: &Types, ty: TypeId) -> Option<ParameterKind> {
    match &types[ty] {
        Type::Slice { element, mutable } => match (&types[*element], mutable) {
            (Type::Atomic(scalar), _) => primitive(*scalar).map(ParameterKind::Atomics),
            (_, true) => self::element(types, *element).map(ParameterKind::SliceMut),
            (_, false) => self::element(types, *element).map(ParameterKind::Slice),
        },
        _ => element(types, ty).map(ParameterKind::Value),
    }
}

/// A scalar or array as a type of Rust.
fn element(types: &Types, ty: TypeId) -> Option<Element> {
    match &types[ty] {
        Type::Scalar(scalar) => primitive(*scalar).map(Element::Primitive),
        Type::Array { .. } => array(types, ty).map(Element::Defined),
        _ => None,
    }
}

fn array(types: &Types, ty: TypeId) -> Option<TokenStream> {
    match &types[ty] {
        Type::Scalar(scalar) => {
            let name = Ident::new(primitive(*scalar)?.name(), Span::call_site());
            Some(match scalar.is_half() {
                true => quote!(::vyre::#name),
                false => quote!(::core::primitive::#name),
            })
        }
        Type::Array { element, length } => {
            let (element, length) = (array(types, *element)?, proc_macro2::Literal::u64_unsuffixed(*length));
            Some(quote!([#element; #length]))
        }
        _ => None,
    }
}

fn primitive(scalar: Scalar) -> Option<Primitive> {
    Primitive::from_name(scalar.name())
}
