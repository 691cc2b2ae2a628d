//! The typed kernel tree: a body with its names resolved, whose types inference fills in.
//!
//! It stands between Rust's syntax, which knows more forms than kernels have, and the program,
//! whose expressions have no effects. Reading makes it, inference types it, lowering consumes it.

use std::rc::Rc;

use proc_macro2::{Ident, Span, TokenStream};
use syn::{ItemFn, Path};

use super::Names;
pub(super) use super::body::{
    Argument, Block, Bounds, Closure, End, Expr, ExprKind, For, Inline, Message, MessagePart, MethodCall, OfFragment,
    Pattern, Statement,
};
use super::claims::Claims;
pub(super) use super::operator::Operator;
use super::read::Traits;
use super::stand_in::General;
use super::types::{Ty, Types};

/// The body of a kernel or device function with what it mentions. Numbers index these lists.
pub(super) struct Tree {
    pub(super) types: Types,
    pub(super) locals: Vec<Local>,
    pub(super) constants: Vec<Constant>,
    pub(super) externals: Vec<External>,
    pub(super) shared: Vec<Shared>,
    /// The calls of device functions.
    pub(super) calls: Vec<Callee>,
    /// The closures that the body writes.
    pub(super) closures: Vec<Captures>,
    /// The closures that `fetch_update` calls, by their numbers among the types, and where they stand.
    pub(super) updates: Vec<(usize, Span)>,
    /// For each variable that is a closure, those that hold what it has captured.
    pub(super) held: Vec<(usize, Vec<usize>)>,
    /// How many of the locals come from outside: the parameters, and what closures among them hold.
    pub(super) parameters: usize,
    /// The traits in sight.
    pub(super) traits: Traits,
    /// The paths of items that must be carried here before the body can be read.
    pub(super) wanted: Vec<Path>,
    /// Whether a `break` leaves the loop or labelled block of a number, for each of them.
    pub(super) left_by_break: Vec<bool>,
    /// For each `for`, in the order of the source, the blocks in its range.
    pub(super) for_braces: Vec<usize>,
    /// Whether a `let` or `for` stands somewhere in parentheses or brackets.
    pub(super) binds_inside: bool,
    /// The paths of the vocabulary that the body names, each once, with the function meant.
    pub(super) vocabulary: Vec<(TokenStream, &'static str)>,
    /// What other names are taken for.
    pub(super) claims: Claims,
    /// What its parameters stand for, where a generic function is read by itself.
    pub(super) general: Option<Box<General>>,
    /// Whether the body mentions groups of threads, whose methods have names of their own.
    pub(super) has_groups: bool,
    /// The largest number of axes that the body asks for.
    pub(super) axes: u32,
    /// Whether all parameters of a kernel are of types that can be passed.
    pub(super) is_passable: bool,
    /// Whether this is the body of a kernel, and not of a function or closure; one that is said to return
    /// something has been refused.
    pub(super) is_kernel: bool,
    /// The type that the body yields; unit in a kernel.
    pub(super) result: Ty,
    pub(super) body: Block,
}

/// A parameter or variable.
pub(super) struct Local {
    pub(super) name: Ident,
    pub(super) ty: Ty,
    pub(super) mutable: bool,
    /// Whether its value is read anywhere.
    pub(super) read: bool,
    pub(super) origin: Origin,
}

/// What brings a local about.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// A parameter.
    Parameter,
    /// An `#[each]` parameter: a reference to this thread's element.
    Each,
    /// The `let` of this number, counted in the order of the source, with an initialiser.
    Let(usize),
    /// A `let` without initialiser.
    Declared,
    /// What a `match` takes apart.
    Matched,
    /// The `for` of this number.
    For(usize),
}

/// A constant defined in the kernel or known by its name.
pub(super) struct Constant {
    pub(super) name: String,
    pub(super) ty: Ty,
    /// The scalars in order of memory; one for a scalar. Bits as in the program's constants.
    pub(super) values: Vec<u64>,
    /// Whether that took more than an expression.
    pub(super) computed: bool,
    /// If the host sets it, the key of its item.
    pub(super) host: Option<u64>,
    pub(super) span: Span,
}

/// A constant from elsewhere, whose value rustc supplies.
pub(super) struct External {
    pub(super) path: TokenStream,
    pub(super) name: String,
    pub(super) ty: Ty,
    pub(super) span: Span,
    /// Whether it is known to carry no more than that.
    pub(super) is_unmarked: bool,
}

/// A variable in shared memory.
pub(super) struct Shared {
    pub(super) name: String,
    pub(super) ty: Ty,
    /// Of barriers, how many arrivals end a phase.
    pub(super) arrivals: Option<u64>,
    /// The variable that names it, once it is read.
    pub(super) local: Option<usize>,
    pub(super) span: Span,
}

/// A device function as a call sees it.
pub(super) struct Callee {
    /// Tells it from all other items.
    pub(super) key: u64,
    pub(super) item: Rc<ItemFn>,
    /// The type or trait that it belongs to.
    pub(super) owner: Option<String>,
    /// The names in sight where it stands.
    pub(super) names: Names,
    /// The instance that is called.
    pub(super) instance: Instance,
    /// The types of its parameters and result.
    pub(super) parameters: Vec<Ty>,
    pub(super) result: Ty,
    /// For each parameter that is a closure, what that takes and yields.
    pub(super) takes: Vec<Option<(Vec<Ty>, Ty)>>,
    /// Where it is called.
    pub(super) span: Span,
}

/// What a closure captures of the function around it, which is known when all types are.
pub(super) struct Captures {
    /// Its number in [`Types::closures`].
    pub(super) of: usize,
    pub(super) span: Span,
    /// Whether it keeps the values that its variables have where it is written.
    pub(super) is_move: bool,
    /// The locals of the function around it that it mentions.
    pub(super) locals: Vec<usize>,
    /// Those that hold their values: others only where they are kept in a variable.
    pub(super) held: Vec<usize>,
}

/// What the generic parameters of a function stand for, in order: types, and for a length an array of
/// it.
#[derive(Clone, Default)]
pub(super) struct Instance {
    pub(super) arguments: Vec<Ty>,
}

impl Tree {
    /// A tree of nothing.
    pub(super) fn new() -> Self {
        Tree {
            types: Types::new(),
            locals: Vec::new(),
            constants: Vec::new(),
            externals: Vec::new(),
            shared: Vec::new(),
            calls: Vec::new(),
            closures: Vec::new(),
            updates: Vec::new(),
            held: Vec::new(),
            parameters: 0,
            traits: Traits::default(),
            wanted: Vec::new(),
            left_by_break: Vec::new(),
            for_braces: Vec::new(),
            binds_inside: false,
            vocabulary: Vec::new(),
            claims: Claims::default(),
            general: None,
            has_groups: false,
            axes: 1,
            is_passable: true,
            is_kernel: false,
            result: Ty::UNIT,
            body: Block::empty(),
        }
    }

    /// The locals that hold what a closure has captured, by whatever expression it is named.
    pub(super) fn held_by(&self, closure: &Expr) -> &[usize] {
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

    /// Whether a type or trait is in sight, or must come, that may have methods of the user's.
    pub(super) fn has_behaviour(&self) -> bool {
        let types = &self.types;
        let structs = types.structs.iter().map(|of| &of.home);
        let enums = types.enums.iter().map(|of| &of.home);
        let sums = types.sums.iter().map(|of| &of.home);
        let has_some = !self.wanted.is_empty() || !self.traits.modules.is_empty();
        has_some || structs.chain(enums).chain(sums).any(Names::is_device_mod)
    }

    /// Asks for constants from elsewhere, by number.
    pub(super) fn want(&mut self, externals: Vec<usize>) {
        for number in externals {
            let external = &self.externals[number];
            // `cfg!(..)` is no path.
            if let (false, Ok(path)) = (external.is_unmarked, syn::parse2(external.path.clone())) {
                self.wanted.push(path);
            }
        }
    }
}
