//! Reading: from Rust's syntax to the kernel tree. Resolves names by Rust's scoping rules and
//! refuses what kernels do not have, each fault at its own place.

mod adt;
mod advice;
pub(crate) mod any_slice;
mod assignment;
pub(crate) mod assoc_items;
mod assoc_path;
mod async_copy;
mod binding;
pub(crate) mod body;
pub(crate) mod bundle;
mod call;
mod chain;
pub(crate) mod children;
mod chosen_tuple;
mod claims;
mod closure;
pub(crate) mod constant;
mod core_call;
mod cuda_names;
mod device_function;
pub(crate) mod endless;
pub(crate) mod evaluate;
mod expr;
mod fragment;
pub(crate) mod generic_function;
mod generic_type;
mod group;
pub(crate) mod host_type;
mod hygiene;
mod inline_ptx;
mod inner_attributes;
mod inner_function;
pub(crate) mod instance;
mod intrinsic_call;
mod iterator;
mod iterator_text;
mod known_constant;
pub(crate) mod launcher_name;
mod let_chain;
mod library_call;
mod library_text;
mod literal;
mod long;
mod loops;
mod macros;
mod match_;
mod message;
mod method;
pub(crate) mod obligations;
pub(crate) mod operator;
mod outer_item;
mod param_env;
pub(crate) mod parameter;
pub(crate) mod passes;
mod path;
mod pattern;
pub(crate) mod placeholder;
mod question_mark;
mod range;
mod regroup;
mod res;
mod shared_memory;
pub(crate) mod signature;
mod source_text;
mod statement;
pub(crate) mod tree;
mod types_of_std;
mod unresolved;
mod unsupported;
mod use_decl;
mod variant;
mod written_types;

use std::fmt::Display;

use proc_macro2::{Ident, Span};
use syn::{Expr as Syntax, ItemConst, ItemFn, ReturnType, Stmt, Type};

use vyre_ir::ir::limits::MAX_PARAMETER_SCALARS;

use passes::Passes;

use crate::errors::{Code, Errors};
use crate::resolve::attributes::is_kernel_body;
use crate::resolve::names::Names;
use crate::resolve::spelling::is_capitalized;
use crate::surface::{Element, ParameterKind, SurfaceParameter};
use crate::types::{Kind, Ty, Types};

use signature::Signature;
use tree::{Expr, ExprKind, Instance, Local, Origin, Tree};

pub(crate) use adt::{definition, may_be_type};
pub(crate) use assoc_items::missing;
pub(crate) use assoc_items::{Candidate, Receiver, Trait, Traits, callee, candidates, in_scope, takes_second};
pub(crate) use closure::named;
pub(crate) use generic_function::type_bounds;
pub(crate) use generic_function::{Generic, TRAITS};
pub(crate) use generic_type::unfit;
pub(crate) use library_call::{Placed, library, placed, short};
pub(crate) use method::unknown_method;
pub(crate) use param_env::{output, polymorphic};

/// Reads the body of the kernel `item` into a tree, and the constants that are extents of its block.
pub(crate) fn read(
    passes: &'static Passes,
    item: &ItemFn,
    signature: &Signature,
    constants: &[(usize, Syntax)],
    names: &Names,
    errors: &mut Errors,
) -> Tree {
    let mut reader = Reader::new(passes, item.sig.ident.to_string(), names, errors);
    reader.item = Some(item.sig.ident.clone());
    for (_, extent) in constants {
        let value = match names_parameter(item, extent) {
            Some(name) => {
                reader.errors.refuse_all(
                    Code::BlockExtents,
                    extent,
                    format_args!("`{name}` is a parameter, which each launch gives another value"),
                    format_args!(
                        "write a literal or a constant, or make the kernel generic: `#[vyre::kernel(N = [64, 128], block = N)]`, \
                         with `const N: usize`"
                    ),
                );
                None
            }
            None => reader.block_extent(extent),
        };
        reader.tree.extents.push(value);
    }
    reader.tree.is_kernel = crate::syntax::signature::result(&item.sig).is_none();
    let before = reader.errors.count();
    reader.launcher = Some(signature.surface.launcher.clone()).filter(|_| names.is_carried());
    for (parameter, &mutable) in signature.surface.parameters.iter().zip(&signature.mutable) {
        reader.parameter(parameter, mutable);
    }
    reader.launcher = None;
    reader.tree.is_passable = reader.errors.count() == before && signature.refused.is_empty();
    for name in &signature.refused {
        reader.bring(name, Binding::Refused);
    }
    reader.tree.parameters = reader.tree.locals.len();
    reader.claim_signature(&item.sig);
    reader.tree.body = reader.block(&item.block);
    reader.tree
}

/// The parameter that an extent of the block names.
fn names_parameter<'e>(item: &ItemFn, extent: &'e Syntax) -> Option<&'e Ident> {
    let Syntax::Path(path) = extent else { return None };
    let name = path.path.get_ident()?;
    let is_of = |input: &syn::FnArg| matches!(input, syn::FnArg::Typed(typed) if matches!(&*typed.pat, syn::Pat::Ident(it) if it.ident == *name));
    item.sig.inputs.iter().any(is_of).then_some(name)
}

/// Reads the device function `item` into a tree whose first locals are its parameters.
///
/// `instance` has the bindings of its generic parameters, with the types that it mentions and the
/// identity of the instance.
pub(crate) fn function(
    passes: &'static Passes,
    item: &ItemFn,
    names: &Names,
    instance: Option<(&Instance, &Types, &str)>,
    errors: &mut Errors,
) -> Tree {
    let mut reader = Reader::new(passes, item.sig.ident.to_string(), names, errors);
    reader.item = Some(item.sig.ident.clone());
    reader.is_device = !is_kernel_body(&item.attrs);
    reader.identity = instance.map_or_else(String::new, |(_, _, identity)| identity.to_owned());
    reader.own_generics(item, instance.map(|(instance, types, _)| (instance, types)));
    reader.is_template = instance.is_none() && !item.sig.generics.params.is_empty();
    let apart = reader.own_signature(item);
    let returned = item.block.stmts.split_last();
    reader.tree.body = match (&item.sig.output, returned) {
        // The signature was refused for it.
        (ReturnType::Type(_, ty), Some((Stmt::Expr(Syntax::Closure(_), None), rest)))
            if matches!(**ty, Type::ImplTrait(_)) =>
        {
            let mut block = (*item.block).clone();
            block.stmts = rest.to_vec();
            reader.block(&block)
        }
        _ => reader.block(&item.block),
    };
    reader.tree.body.begin_with(apart);
    reader.tree
}

/// Reads the constant `item` into a tree of its own; the value of its type, if it has one.
pub(crate) fn constant(
    passes: &'static Passes,
    item: &ItemConst,
    names: &Names,
    errors: &mut Errors,
) -> (Tree, Option<usize>) {
    let mut reader = Reader::new(passes, item.ident.to_string(), names, errors);
    reader.is_device = true;
    let constant = reader.constant(item);
    (reader.tree, constant)
}

/// The binding of a name.
#[derive(Clone, Copy)]
enum Binding {
    Local(usize),
    Constant(usize),
    /// A parameter that is a struct of slices.
    Bundle(usize),
    /// A path that a `use` inside the kernel brought in.
    Path(usize),
    /// Its definition was refused.
    Refused,
    /// A variable of the function around this one, which rustc refuses to capture.
    Around,
}

/// A name in scope.
#[derive(Clone)]
struct Name {
    text: String,
    /// The expansion that wrote it.
    context: u32,
    binding: Binding,
}

/// A target of `break` and `continue`.
struct Target {
    number: usize,
    label: Option<String>,
    /// A labelled block is left only by `break 'label`.
    is_loop: bool,
}

struct Reader<'a> {
    tree: Tree,
    /// The names in scope, innermost last.
    scopes: Vec<Name>,
    /// The generic parameters in scope.
    generics: Vec<(Ident, Generic)>,
    /// The paths that `use` brought in.
    paths: Vec<syn::Path>,
    /// True if a `use` brings all variants of an enum that is still wanted.
    awaits_variants: bool,
    /// The loops and labelled blocks around this place, innermost last.
    targets: Vec<Target>,
    /// The macros that the body defines, which is refused.
    macros: Vec<String>,
    /// The name of the kernel or device function.
    function: String,
    /// The same where it is written.
    item: Option<Ident>,
    /// True if it is a device function.
    is_device: bool,
    /// The block that `return` leaves, in an inlined closure.
    returns_to: Option<usize>,
    /// True if this is the body of a closure.
    in_closure: bool,
    /// The unique identity of the function's instance.
    identity: String,
    /// True if the code being read belongs to another item.
    is_elsewhere: bool,
    /// The call of the function whose signature is read.
    called_at: Option<Span>,
    /// The variable whose closure is read.
    naming: Option<Ident>,
    /// True if generic parameters are unbound.
    is_template: bool,
    /// True if what is read is what a reference refers to.
    behind_reference: bool,
    /// True if what is read is a type.
    in_type: bool,
    /// The launcher of the kernel whose parameters are read, where it has been generated.
    launcher: Option<Ident>,
    /// Number of expressions around this place.
    depth: usize,
    /// Number of parentheses and brackets around this place.
    delimiters: usize,
    /// Number of `let`s so far.
    lets: usize,
    /// Number of `for`s so far.
    fors: usize,
    /// True if this is the value of a constant, which mentions no locals.
    within_constant: bool,
    /// The names outside of the kernel, as the place that is read sees them.
    names: Names,
    errors: &'a mut Errors,
}

impl<'a> Reader<'a> {
    /// A reader of a function of this name, with nothing read.
    fn new(passes: &'static Passes, function: String, names: &Names, errors: &'a mut Errors) -> Self {
        let mut tree = Tree::new(passes);
        tree.traits.here = names.clone();
        if names.is_device_mod() {
            tree.traits.modules.push(names.clone());
        }
        Reader {
            tree,
            scopes: Vec::new(),
            generics: Vec::new(),
            paths: Vec::new(),
            awaits_variants: false,
            targets: Vec::new(),
            macros: Vec::new(),
            function,
            item: None,
            is_device: false,
            returns_to: None,
            in_closure: false,
            identity: String::new(),
            is_elsewhere: false,
            called_at: None,
            naming: None,
            is_template: false,
            behind_reference: false,
            in_type: false,
            launcher: None,
            depth: 0,
            delimiters: 0,
            lets: 0,
            fors: 0,
            within_constant: false,
            names: names.clone(),
            errors,
        }
    }

    fn parameter(&mut self, parameter: &SurfaceParameter, mutable: bool) {
        if let ParameterKind::Bundle(written) = &parameter.kind {
            return self.bundle_parameter(&parameter.name, written, mutable);
        }
        let ty = self.type_of_parameter(parameter);
        let origin = match parameter.each {
            true => Origin::Each,
            false => Origin::Parameter,
        };
        self.local(&parameter.name, ty, mutable, origin);
    }

    /// The type of a parameter of a kernel.
    fn type_of_parameter(&mut self, parameter: &SurfaceParameter) -> Ty {
        let (element, writes) = match &parameter.kind {
            ParameterKind::Value(element) => (self.passed(element, true), None),
            ParameterKind::Slice(element) => (self.passed(element, false), Some(false)),
            ParameterKind::SliceMut(element) => (self.passed(element, false), Some(true)),
            ParameterKind::Matrix(element) => (self.matrix(element, false), None),
            ParameterKind::MatrixMut(element) => (self.matrix(element, true), None),
            ParameterKind::AtomicElements(tokens) => match syn::parse2::<syn::Type>(tokens.clone()) {
                Ok(written) => (self.ty(&written), Some(false)),
                Err(_) => (Ty::REFUSED, Some(false)),
            },
            ParameterKind::Atomics(cell) => (self.tree.types.add(Kind::Atomic(*cell)), Some(false)),
            ParameterKind::Bundle(_) => return Ty::REFUSED,
        };
        let types = &mut self.tree.types;
        match writes {
            None => element,
            Some(writes) => {
                let inner = match parameter.each {
                    true => element,
                    false => types.add(Kind::Slice(element, parameter.any_index)),
                };
                types.add(Kind::Reference(inner, writes))
            }
        }
    }

    fn matrix(&mut self, element: &Element, writes: bool) -> Ty {
        let element = self.passed(element, false);
        self.tree.types.add(Kind::Matrix(element, writes))
    }

    /// The type of what is passed, by value or as an element.
    fn passed(&mut self, element: &Element, by_value: bool) -> Ty {
        let tokens = match element {
            Element::Primitive(primitive) => return Ty::primitive(*primitive),
            Element::Defined(tokens) => tokens,
        };
        let Ok(written) = syn::parse2::<syn::Type>(tokens.clone()) else {
            return Ty::REFUSED;
        };
        let ty = self.ty(&written);
        if ty == Ty::REFUSED {
            return ty;
        }
        let (code, what) = match by_value {
            true => (Code::ParameterType, "a parameter"),
            false => (Code::ElementType, "an element of a buffer"),
        };
        if !self.data(code, ty, &written, what) {
            return Ty::REFUSED;
        }
        if self.tree.types.is_open(ty) {
            // Arguments are missing, which rustc reports.
            self.errors.mismatch();
            return Ty::REFUSED;
        }
        let scalars = self.tree.types.scalars(ty);
        if by_value && scalars > MAX_PARAMETER_SCALARS {
            self.errors.refuse_all(
                Code::ParameterType,
                &written,
                format_args!(
                    "`{}` has {scalars} scalars, and at most {MAX_PARAMETER_SCALARS} are passed by value",
                    self.tree.types.show(ty)
                ),
                "pass a slice with one element",
            );
        }
        ty
    }

    /// A new local, in scope from here on.
    fn local(&mut self, name: &Ident, ty: Ty, mutable: bool, origin: Origin) -> usize {
        let number = self.tree.locals.len();
        self.tree.locals.push(Local {
            name: name.clone(),
            ty,
            mutable,
            read: false,
            origin,
        });
        self.bring(name, Binding::Local(number));
        number
    }

    /// Brings a name into scope.
    fn bring(&mut self, name: &Ident, binding: Binding) {
        self.scopes.push(Name {
            text: name.to_string(),
            context: hygiene::context(name.span()),
            binding,
        });
    }

    /// The binding of a name here.
    fn lookup(&mut self, name: &Ident) -> Option<Binding> {
        let text = name.to_string();
        let mut innermost: Option<(Binding, u32)> = None;
        let mut is_clear = true;
        // In macros nothing is optimised: a loop is faster than adapters, and lengths than texts.
        let (scopes, length) = (self.scopes.as_slice(), text.len());
        let mut place = scopes.len();
        while place > 0 {
            place -= 1;
            let known = &scopes[place];
            if known.text.len() != length || known.text != text {
                continue;
            }
            // A function inside of this one may mean something else by a name that another expansion wrote.
            if matches!(known.binding, Binding::Around) && known.context != hygiene::context(name.span()) {
                continue;
            }
            match innermost {
                None => innermost = Some((known.binding, known.context)),
                Some((_, context)) => is_clear &= known.context == context,
            }
        }
        let Some((binding, context)) = innermost else {
            return (self.awaits_variants && is_capitalized(&text)).then_some(Binding::Refused);
        };
        if is_clear {
            return Some(binding);
        }
        // Names that different expansions wrote: two variables of the same name may be in sight.
        let own = hygiene::context(name.span());
        if own == context {
            return Some(binding);
        }
        self.errors.refuse(
            Code::AmbiguousName,
            name.span(),
            format_args!("macros wrote several variables called `{name}`, and vyre cannot tell which one this is"),
            "give them different names",
        );
        Some(Binding::Refused)
    }

    /// A new loop or labelled block.
    fn target(&mut self) -> usize {
        self.tree.left_by_break.push(false);
        self.tree.left_by_break.len() - 1
    }

    /// Runs `read` with a loop or labelled block around it.
    fn inside<R>(
        &mut self,
        number: usize,
        label: Option<&syn::Label>,
        is_loop: bool,
        read: impl FnOnce(&mut Self) -> R,
    ) -> R {
        self.targets.push(Target {
            number,
            label: label.map(|label| label.name.ident.to_string()),
            is_loop,
        });
        let result = read(self);
        self.targets.pop();
        result
    }

    /// Refuses an expression.
    fn refuse(&mut self, code: Code, tokens: &Syntax, fault: &str, help: &str) -> Expr {
        self.errors.refuse_all(code, tokens, fault, help);
        self.refused(start(tokens))
    }

    /// Refuses the expression at a span.
    fn fault(&mut self, code: Code, span: Span, fault: impl Display, help: impl Display) -> Expr {
        self.errors.refuse(code, span, fault, help);
        self.refused(span)
    }

    /// The expression in place of one that was refused.
    fn refused(&mut self, span: Span) -> Expr {
        Expr::new(ExprKind::Refused, span)
    }

    /// The expression in place of one that rustc refuses.
    fn left_to_rustc(&mut self, span: Span) -> Expr {
        self.errors.mismatch();
        self.refused(span)
    }
}

/// The span of an expression's first token.
fn start(expr: &Syntax) -> Span {
    match expr {
        Syntax::Binary(e) => start(&e.left),
        Syntax::Assign(e) => start(&e.left),
        Syntax::Cast(e) => start(&e.expr),
        Syntax::Index(e) => start(&e.expr),
        Syntax::MethodCall(e) => start(&e.receiver),
        Syntax::Call(e) => start(&e.func),
        Syntax::Field(e) => start(&e.base),
        Syntax::Group(e) => start(&e.expr),
        Syntax::Paren(e) => e.paren_token.span.open(),
        Syntax::Lit(e) => e.lit.span(),
        Syntax::Unary(e) => match &e.op {
            syn::UnOp::Deref(token) => token.span,
            syn::UnOp::Not(token) => token.span,
            syn::UnOp::Neg(token) => token.span,
            _ => start(&e.expr),
        },
        Syntax::Path(e) => match e.path.segments.first() {
            Some(first) => first.ident.span(),
            None => Span::call_site(),
        },
        Syntax::If(e) => e.if_token.span,
        Syntax::Block(e) => e.block.brace_token.span.open(),
        Syntax::Macro(e) => match e.mac.path.segments.first() {
            Some(first) => first.ident.span(),
            None => e.mac.bang_token.span,
        },
        Syntax::Array(e) => e.bracket_token.span.open(),
        Syntax::Repeat(e) => e.bracket_token.span.open(),
        Syntax::Tuple(e) => e.paren_token.span.open(),
        Syntax::Break(e) => e.break_token.span,
        Syntax::Continue(e) => e.continue_token.span,
        Syntax::Return(e) => e.return_token.span,
        Syntax::Loop(e) => e.loop_token.span,
        Syntax::While(e) => e.while_token.span,
        Syntax::ForLoop(e) => e.for_token.span,
        Syntax::Unsafe(e) => e.unsafe_token.span,
        Syntax::Reference(e) => e.and_token.span,
        Syntax::Closure(e) => e.capture.map_or(e.inputs_begin.span, |token| token.span),
        Syntax::Struct(e) => match e.path.segments.first() {
            Some(first) => first.ident.span(),
            None => e.brace_token.span.open(),
        },
        other => syn::spanned::Spanned::span(other),
    }
}
