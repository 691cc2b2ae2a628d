//! The typed tree of a kernel: a body with resolved names, whose types inference fills in.
//!
//! It lies between Rust's syntax, which has more forms than kernels support, and the IR, whose
//! expressions have no effects. Reading builds it, inference types it, lowering consumes it.

use std::cell::Cell;
use std::collections::HashSet;
use std::fmt::Display;
use std::rc::Rc;

use proc_macro2::{Ident, Span, TokenStream};
use syn::{ItemFn, Path};

use super::Traits;
use super::obligations::Obligation;
use super::passes::Passes;
use super::placeholder::ParamEnv;
use crate::errors::{Code, Errors};
use crate::resolve::names::{Names, plain};
use crate::surface::{Namespace, Primitive};
use crate::types::adt::ATOMIC;
use crate::types::{Kind, Ty, Types};

pub(crate) use super::body::{
    Argument, Block, Bounds, Callable, Closure, Expr, ExprKind, For, Inline, Message, MessagePart, MethodCall,
    OfFragment, Regroup, Statement,
};
pub(crate) use super::operator::Operator;

/// A function of the library for integers of 128 bits, and the primitive type whose method it is.
pub(crate) type Operation = (&'static str, Primitive);

/// The body of a kernel or device function with what it mentions. Numbers index these lists.
pub(crate) struct Tree {
    /// The passes that compute constants while the body is read.
    pub(crate) passes: &'static Passes,
    pub(crate) types: Types,
    pub(crate) locals: Vec<Local>,
    pub(crate) constants: Vec<Constant>,
    pub(crate) externals: Vec<External>,
    pub(crate) shared: Vec<Shared>,
    /// The calls of device functions.
    pub(crate) calls: Vec<Callee>,
    /// The operations of 128 bits in the body, and the numbers of their calls.
    pub(crate) wide: Vec<(Operation, usize)>,
    /// True if there are some.
    pub(crate) has_wide: Cell<bool>,
    /// The closures that the body writes.
    pub(crate) closures: Vec<Captures>,
    /// The closures in which no thread may wait for others.
    pub(crate) lone: Vec<LoneClosure>,
    /// For each variable that is a closure, those that hold what it has captured.
    pub(crate) held: Vec<(usize, Vec<usize>)>,
    /// The parameters that are structs of slices.
    pub(crate) bundles: Vec<Bundle>,
    /// Number of locals that are parameters, including the captures of closures among them.
    pub(crate) parameters: usize,
    /// The traits in sight.
    pub(crate) traits: Traits,
    /// The paths of items that must be carried here before the body can be read.
    pub(crate) wanted: Vec<Path>,
    /// The names from outside that the body mentions, each with its namespace.
    pub(crate) mentions: HashSet<(String, Namespace)>,
    /// True if a `break` leaves the loop or labelled block of a number, for each of them.
    pub(crate) left_by_break: Vec<bool>,
    /// For each `for`, in the order of the source, the blocks in its range.
    pub(crate) for_braces: Vec<usize>,
    /// True if there is a `let` or `for` inside parentheses or brackets.
    pub(crate) binds_inside: bool,
    /// The decisions that rustc must confirm.
    pub(crate) obligations: Vec<Obligation>,
    /// The placeholders for its parameters, if it is a generic function typed by itself.
    pub(crate) param_env: Option<Box<ParamEnv>>,
    /// The modules of `vyre_abi::math` that calls have needed, by their number type and name.
    pub(crate) math: Vec<((Primitive, String), Names)>,
    /// The modules of collectives that calls have needed, by their names.
    pub(crate) collectives: Vec<(&'static str, Names)>,
    /// True if the body mentions groups of threads, whose methods have names of their own.
    pub(crate) has_groups: bool,
    /// The number of axes whose indices the body names: `thread::idx().y` and its like.
    pub(crate) axes: u32,
    /// The number of axes of the grid along which the body names the index of its block, and the place of the last of
    /// them: `block::idx().y`.
    pub(crate) grid_axes: (u32, Option<Span>),
    /// The number of axes of the domain that the body goes through: `thread::index_2d()`.
    pub(crate) domain_axes: u32,
    /// The extents of the block that are constants: `None` where that has been refused, or must come.
    pub(crate) extents: Vec<Option<u64>>,
    /// True if all parameters of a kernel are of types that can be passed.
    pub(crate) is_passable: bool,
    /// The types of parameters that lack the attribute.
    pub(crate) unmarked: Vec<Ident>,
    /// True if this is the body of a kernel, and not of a function or closure; one that is said to return
    /// something has been refused.
    pub(crate) is_kernel: bool,
    /// The type that the body yields; unit in a kernel.
    pub(crate) result: Ty,
    pub(crate) body: Block,
}

/// A parameter or variable.
pub(crate) struct Local {
    pub(crate) name: Ident,
    pub(crate) ty: Ty,
    pub(crate) mutable: bool,
    /// True if its value is read anywhere.
    pub(crate) read: bool,
    pub(crate) origin: Origin,
}

/// A parameter that is a struct of slices.
pub(crate) struct Bundle {
    pub(crate) name: String,
    pub(crate) fields: Vec<BundleField>,
}

/// A field of such a struct.
pub(crate) struct BundleField {
    pub(crate) name: String,
    /// The parameter that it is.
    pub(crate) local: usize,
    /// True of a value of a struct behind `&mut`, for which the parameter is a reference.
    pub(crate) is_behind: bool,
}

/// The origin of a local.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    /// A parameter.
    Parameter,
    /// An `#[each]` parameter: a reference to this thread's element.
    Each,
    /// The `let` of this number, counted in the order of the source, with an initialiser.
    Let(usize),
    /// A `let` without initialiser.
    Declared,
    /// A function inside the body.
    Function,
    /// The scrutinee of a `match`.
    Matched,
    /// A parameter of a function of the library whose body stands in place of a call.
    Passed,
    /// The `for` of this number.
    For(usize),
    /// The array or slice that a loop goes through.
    Iterated,
}

/// A constant defined in the kernel or known by its name.
pub(crate) struct Constant {
    pub(crate) name: String,
    pub(crate) ty: Ty,
    /// The scalars in order of memory; one for a scalar. Bits as in the program's constants.
    pub(crate) values: Vec<u64>,
    /// True if that took more than an expression.
    pub(crate) computed: bool,
    /// If the host sets it, the key of its item.
    pub(crate) host: Option<u64>,
    pub(crate) span: Span,
}

/// A constant from elsewhere, whose value rustc supplies.
pub(crate) struct External {
    pub(crate) path: TokenStream,
    pub(crate) name: String,
    pub(crate) ty: Ty,
    pub(crate) span: Span,
    /// True if it is known to carry no more than that.
    pub(crate) is_unmarked: bool,
}

impl External {
    /// Refuses a constant of which vyre must know more. rustc reports one that does not exist: an unmarked one of a longer
    /// path where a chain of macros imports it.
    pub(crate) fn refuse(&self, errors: &mut Errors, code: Code, fault: impl Display, help: impl Display) {
        match syn::parse2::<syn::Path>(self.path.clone()) {
            Ok(path) if path.segments.len() > 1 && self.is_unmarked => {
                errors.conditional(code, self.span, fault, help);
            }
            // rustc has other words for a name that is not there.
            _ => errors.refuse(code, self.span, fault, help),
        }
    }
}

/// A variable in shared memory.
pub(crate) struct Shared {
    pub(crate) name: String,
    pub(crate) ty: Ty,
    /// The number of arrivals that end a phase, for barriers.
    pub(crate) arrivals: Option<u64>,
    /// The variable that names it, once it is read.
    pub(crate) local: Option<usize>,
    pub(crate) span: Span,
}

/// A device function as a call sees it.
pub(crate) struct Callee {
    /// Its unique key.
    pub(crate) key: u64,
    pub(crate) item: Rc<ItemFn>,
    /// The type or trait that it belongs to.
    pub(crate) owner: Option<String>,
    /// The names in scope at its definition.
    pub(crate) names: Names,
    /// The instance that is called.
    pub(crate) instance: Instance,
    /// The types of its parameters and result.
    pub(crate) parameters: Vec<Ty>,
    pub(crate) result: Ty,
    /// For each parameter that is a closure, what that takes and yields.
    pub(crate) takes: Vec<Option<(Vec<Ty>, Ty)>>,
    /// The span of the call.
    pub(crate) span: Span,
}

/// The captures of a closure, which are known when all types are.
pub(crate) struct Captures {
    /// Its number in [`Types::closures`].
    pub(crate) of: usize,
    pub(crate) span: Span,
    /// True if it keeps the values that its variables have where it is written.
    pub(crate) is_move: bool,
    /// The locals of the function around it that it mentions.
    pub(crate) locals: Vec<usize>,
    /// Those that hold their values: others only where they are kept in a variable.
    pub(crate) held: Vec<usize>,
}

/// A closure that runs in some threads and not, or not as often, in others.
pub(crate) struct LoneClosure {
    /// Its number among the types.
    pub(crate) of: usize,
    /// The collective that calls it; `None` for `fetch_update`.
    pub(crate) collective: Option<String>,
}

/// The generic arguments of a function, in order: types, and for a length an array of
/// it.
#[derive(Clone, Default)]
pub(crate) struct Instance {
    pub(crate) arguments: Vec<Ty>,
}

impl Tree {
    /// A tree of nothing.
    pub(crate) fn new(passes: &'static Passes) -> Self {
        Tree {
            passes,
            types: Types::new(),
            locals: Vec::new(),
            constants: Vec::new(),
            externals: Vec::new(),
            shared: Vec::new(),
            calls: Vec::new(),
            wide: Vec::new(),
            has_wide: Cell::new(false),
            closures: Vec::new(),
            lone: Vec::new(),
            held: Vec::new(),
            bundles: Vec::new(),
            parameters: 0,
            traits: Traits::default(),
            wanted: Vec::new(),
            mentions: HashSet::new(),
            left_by_break: Vec::new(),
            for_braces: Vec::new(),
            binds_inside: false,
            obligations: Vec::new(),
            param_env: None,
            math: Vec::new(),
            collectives: Vec::new(),
            has_groups: false,
            axes: 1,
            grid_axes: (1, None),
            domain_axes: 1,
            extents: Vec::new(),
            is_passable: true,
            unmarked: Vec::new(),
            is_kernel: false,
            result: Ty::UNIT,
            body: Block::empty(),
        }
    }

    /// The locals that hold what a closure has captured, by whatever expression it is named.
    pub(crate) fn held_by(&self, closure: &Expr) -> &[usize] {
        match &closure.kind {
            ExprKind::Closure(closure) => &self.closures[closure.number].held,
            ExprKind::Local(local) => {
                let known = self.held.iter().find(|(known, _)| known == local);
                known.map_or(&[], |(_, held)| held)
            }
            ExprKind::Borrow(inner, _) | ExprKind::Deref(inner) => self.held_by(inner),
            _ => &[],
        }
    }

    /// The name of a parameter; of a field of a struct of slices, `mesh.x`.
    pub(crate) fn parameter_name(&self, local: usize) -> String {
        match self.bundle_of(local) {
            Some((bundle, field)) => format!("{}.{field}", bundle.name),
            None => plain(&self.locals[local].name),
        }
    }

    /// True if a field of a struct of slices is one of atomics.
    pub(crate) fn has_bundled_atomics(&self) -> bool {
        let is_atomic = |kind: &Kind| match kind {
            Kind::Atomic(_) => true,
            Kind::Adt(number) => self.types.adts[*number].key == ATOMIC,
            _ => false,
        };
        let mut fields = self.bundles.iter().flat_map(|bundle| &bundle.fields);
        fields.any(|field| self.types.contains(self.locals[field.local].ty, &is_atomic))
    }

    /// The struct of slices that a local is a field of, and the field.
    pub(crate) fn bundle_of(&self, local: usize) -> Option<(&Bundle, &str)> {
        self.bundles.iter().find_map(|bundle| {
            let field = bundle.fields.iter().find(|field| field.local == local)?;
            Some((bundle, &*field.name))
        })
    }

    /// True if a type or trait is in sight, or must come, that may have methods of the user's.
    pub(crate) fn has_behaviour(&self) -> bool {
        let mut homes = self.types.adts.iter().filter_map(|of| of.home.as_ref());
        !self.wanted.is_empty() || !self.traits.modules.is_empty() || homes.any(Names::is_device_mod)
    }

    /// Requests imported constants, by index.
    pub(crate) fn want(&mut self, externals: Vec<usize>) {
        for number in externals {
            let external = &self.externals[number];
            // `cfg!(..)` is no path.
            if let (false, Ok(path)) = (external.is_unmarked, syn::parse2(external.path.clone())) {
                self.wanted.push(path);
            }
        }
    }
}
