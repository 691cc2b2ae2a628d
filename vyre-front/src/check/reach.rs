//! The device functions reachable from a kernel: each is read and typed once, separately, because
//! callers only depend on its signature.

use std::cell::RefCell;
use std::rc::Rc;
use vyre_abi::list;

use proc_macro2::Span;
use syn::{GenericParam, TypeParamBound};

use super::recursion;
use crate::by_name::ByName;
use crate::errors::{self, Code, Errors};
use crate::infer;
use crate::infer::calls::{self, Called, Scope};
use crate::resolve::attributes::is_kernel_body;
use crate::resolve::impls::shown;
use crate::resolve::transport;
use crate::syntax;
use crate::syntax::assoc_items::Trait;
use crate::syntax::generic_function::type_bounds;
use crate::syntax::passes::Passes;
use crate::syntax::tree::{Callable, Callee, ExprKind, Tree};
use crate::types::{Kind, Types};

/// Limit of the calls of a kernel and its callees after inlining, which the compiler does for every
/// call: functions that call others twice double the code with every level.
const MOST_CALLS: u64 = 20_000;

/// A function of the program: a device function that a kernel reaches, or a closure.
pub(crate) struct Function {
    /// Its name, and the span of that.
    pub(crate) name: String,
    pub(crate) span: Span,
    /// The index of the body that it is or belongs to.
    pub(crate) body: usize,
    /// The number in the tree, for a closure.
    pub(crate) closure: Option<usize>,
    /// True for vyre's functions of mathematics, whose accuracy rests on each rounding.
    pub(crate) exact: bool,
    /// The functions that it calls.
    pub(crate) calls: Vec<usize>,
}

/// The body of the kernel or of a device function, with the closures in it.
pub(crate) struct Body {
    pub(crate) tree: Rc<Tree>,
    /// Its file; `None` for the kernel.
    pub(crate) file: String,
    /// For each call in the tree, the number of the function.
    pub(crate) calls: Vec<usize>,
    /// For each closure among the types of the tree, the number of the function.
    pub(crate) closures: Vec<usize>,
}

/// The functions and bodies that a kernel reaches.
pub(crate) struct Reached {
    /// Each after those that it calls.
    pub(crate) functions: Vec<Function>,
    /// The first is the kernel's.
    pub(crate) bodies: Vec<Body>,
}

/// Limit of the instances of one function on a call path from the kernel: a function that calls
/// itself with ever larger types has infinitely many.
const MOST_NESTED: usize = 32;

/// Limit of the scalars of a type with which a function calls itself.
const MOST_SCALARS: u64 = 1 << 10;

/// A function that is being read.
struct Around {
    key: u64,
    /// The identity of its instance.
    instance: String,
    name: String,
}

/// In the place of the number of a function that has not been read.
const UNREAD: usize = usize::MAX;

/// Reads and types the functions reachable from a kernel. Errors of a single function are reported
/// at the function; this reports those that involve several.
pub(crate) fn reach(kernel: &Rc<Tree>, errors: &mut Errors) -> Reached {
    let mut search = Search {
        passes: kernel.passes,
        known: ByName::new(),
        functions: Vec::new(),
        bodies: Vec::new(),
        path: Vec::new(),
        is_circular: false,
        errors,
    };
    let calls = search.body(Rc::clone(kernel), String::new()).1;
    search.size(kernel, &calls);
    Reached {
        functions: search.functions,
        bodies: search.bodies,
    }
}

struct Search<'e> {
    passes: &'static Passes,
    /// The number of each function that is done, by its key and instance.
    known: ByName<usize>,
    functions: Vec<Function>,
    bodies: Vec<Body>,
    /// The functions around the one that is read.
    path: Vec<Around>,
    /// True if a function that calls itself has been refused.
    is_circular: bool,
    errors: &'e mut Errors,
}

impl Search<'_> {
    /// Refuses kernels that would take minutes to compile, at the call with the most inlined calls.
    fn size(&mut self, kernel: &Tree, calls: &[usize]) {
        let mut sizes: Vec<u64> = Vec::with_capacity(self.functions.len());
        for function in &self.functions {
            // Each follows its callees, except in cycles, which have been refused.
            let size = 1u64.saturating_add(total(&function.calls, &sizes));
            sizes.push(size);
        }
        let total = total(calls, &sizes);
        let mut largest = None;
        for &number in calls {
            if largest.is_none_or(|largest| size(&sizes, number) >= size(&sizes, largest)) {
                largest = Some(number);
            }
        }
        if let (true, Some(largest)) = (total > MOST_CALLS, largest) {
            let span = match self.bodies[0].calls.iter().position(|&number| number == largest) {
                Some(call) => kernel.calls[call].span,
                // A closure has no name at the call.
                None => self.functions[largest].span,
            };
            self.errors.refuse(
                Code::KernelSize,
                span,
                format_args!("{total} calls of functions and closures, when those in functions are counted each time"),
                "call a function once, in a loop, or keep its value in a variable",
            );
        }
    }

    /// Reports the errors of a generic function that only occur in its instances; the others have
    /// been reported.
    fn own_faults(&mut self, callee: &Callee, mut own: Errors) {
        // A function of the library has the faults of the closure that it takes.
        if callee.instance.arguments.is_empty() || callee.names.is_library() && self.errors.refuses() {
            return self.errors.elsewhere();
        }
        if callee.names.is_library()
            && own.has(Code::FunctionResult)
            && let Some(first) = own.first()
        {
            // rustc may refuse the call too: a reference has no `Default`.
            return self.errors.conditional_of(first.at(callee.span));
        }
        if own.has(Code::UnknownMethod)
            && has_own_bound(callee)
            && let Some(first) = own.first()
        {
            // A trait brings its methods: an argument that lacks it is refused by rustc.
            return self.errors.late(first.at(callee.span));
        }
        if own.is_all_left() && own.first().is_none() {
            let name = shown(callee.owner.as_deref(), &callee.item);
            own.late(errors::disagreement_of_instance(&name, callee.span));
        }
        self.errors.append_called(own);
    }

    /// Reads what a body calls. Its number, and the functions that it calls itself.
    fn body(&mut self, tree: Rc<Tree>, file: String) -> (usize, Vec<usize>) {
        let number = self.bodies.len();
        let closures = list::map(&tree.types.closures, |of| {
            self.known.get(&closure_identity(of.key)).copied().unwrap_or(UNREAD)
        });
        self.bodies.push(Body {
            tree: Rc::clone(&tree),
            file,
            calls: vec![UNREAD; tree.calls.len()],
            closures,
        });
        let own = calls::written(&tree);
        let scope = Scope {
            number,
            tree: &tree,
            closures: &own,
        };
        let called = calls::called(&tree, &tree.body);
        let calls = self.calls(&scope, &called);
        // Uncalled closures are checked too.
        for closure in &own {
            self.closure(&scope, closure.number);
        }
        (number, calls)
    }

    /// The functions that a body calls, each once for every call.
    fn calls(&mut self, scope: &Scope, called: &Called) -> Vec<usize> {
        let mut calls = list::map(&called.calls, |&call| self.call(scope, call));
        for &closure in &called.closures {
            calls.push(self.of_type(scope, closure));
        }
        calls
    }

    /// The number of the function that a call calls; the closures that it takes come first.
    fn call(&mut self, scope: &Scope, call: usize) -> usize {
        let known = self.bodies[scope.number].calls[call];
        if known != UNREAD {
            return known;
        }
        let callee = &scope.tree.calls[call];
        for &argument in &callee.instance.arguments {
            if let Some(closure) = scope.tree.types.as_closure(argument) {
                self.of_type(scope, closure);
            }
        }
        let number = self.function(callee, &scope.tree.types);
        self.bodies[scope.number].calls[call] = number;
        number
    }

    /// The number of the function of a closure, by its number among the types.
    fn of_type(&mut self, scope: &Scope, closure: usize) -> usize {
        let known = self.bodies[scope.number].closures[closure];
        let own = || scope.tree.closures.iter().position(|own| own.of == closure);
        match known {
            UNREAD => own().map_or(0, |own| self.closure(scope, own)),
            known => known,
        }
    }

    /// The number of the function of a closure that the body writes.
    fn closure(&mut self, scope: &Scope, closure: usize) -> usize {
        let own = &scope.tree.closures[closure];
        let known = self.bodies[scope.number].closures[own.of];
        if known != UNREAD {
            return known;
        }
        // One in an expression that was refused is not in the tree.
        let Some(written) = scope.closures.iter().find(|written| written.number == closure) else {
            return 0;
        };
        let called = calls::called(scope.tree, &written.body);
        let calls = self.calls(scope, &called);
        let number = self.functions.len();
        self.functions.push(Function {
            name: "closure".to_owned(),
            span: own.span,
            body: scope.number,
            closure: Some(closure),
            exact: false,
            calls,
        });
        self.bodies[scope.number].closures[own.of] = number;
        let key = scope.tree.types.closures[own.of].key;
        self.known.insert(closure_identity(key), number);
        number
    }

    /// The number of a function, which is read if it is new. Any number where something is wrong.
    fn function(&mut self, callee: &Callee, types: &Types) -> usize {
        let instance = identity(callee, types);
        if let Some(&known) = self.known.get(&instance) {
            return known;
        }
        let name = shown(callee.owner.as_deref(), &callee.item);
        if callee.names.is_collectives() && callee.instance.arguments.iter().any(|&of| types.is_reference(of)) {
            let fault = format!("`{name}` takes values: a reference is not one");
            let help = "pass the element, `x[i]`, or what the reference refers to, `*value`";
            if self.errors.refuses() {
                // Perhaps the closure that takes them.
                self.errors.elsewhere();
                return 0;
            }
            self.errors.refuse(Code::FunctionParameter, callee.span, fault, help);
            return 0;
        }
        let nested = self.path.iter().filter(|around| around.key == callee.key).count();
        if nested > 0 && self.is_circular {
            return 0;
        }
        // An instance that calls another one for a part of its type ends with the parts.
        let mut arguments = callee.instance.arguments.iter();
        let is_large = nested > 0 && arguments.any(|&argument| types.scalars(argument) > MOST_SCALARS);
        let start = match nested {
            ..MOST_NESTED if !is_large => self.path.iter().position(|around| around.instance == instance),
            _ => self.path.iter().rposition(|around| around.key == callee.key),
        };
        if let Some(start) = start {
            self.is_circular = true;
            let circle: Vec<&str> = list::map(&self.path[start..], |around| around.name.as_str());
            self.errors
                .refuse(Code::Recursion, callee.span, recursion::fault(&circle), recursion::HELP);
            return 0;
        }
        self.path.push(Around {
            key: callee.key,
            instance: instance.clone(),
            name: name.clone(),
        });
        let mut own = Errors::default();
        let tree = Rc::new(function(self.passes, callee, types, &instance, &mut own));
        let file = callee.names.file.clone();
        let file = file.unwrap_or_else(|| callee.item.sig.ident.span().file());
        let (body, calls) = self.body(tree, file);
        self.path.pop();
        if !own.is_empty() {
            self.own_faults(callee, own);
        }
        let number = self.functions.len();
        self.known.insert(instance, number);
        self.functions.push(Function {
            name,
            span: callee.item.sig.ident.span(),
            body,
            closure: None,
            exact: callee.names.is_math(),
            calls,
        });
        number
    }
}

/// The calls of a function after inlining, 0 if it is not known.
fn size(sizes: &[u64], number: usize) -> u64 {
    sizes.get(number).copied().unwrap_or(0)
}

/// Those of several functions.
fn total(calls: &[usize], sizes: &[u64]) -> u64 {
    let mut total = 0u64;
    for &number in calls {
        total = total.saturating_add(size(sizes, number));
    }
    total
}

/// The identity of an instance of a function.
fn identity(callee: &Callee, types: &Types) -> String {
    let keys = RefCell::new(vec![callee.key]);
    let mut text = String::new();
    for &argument in &callee.instance.arguments {
        text += &format!(" {}", types.show(argument));
        // Several types may have one name.
        types.contains(argument, &|kind| {
            match kind {
                Kind::Adt(number) => keys.borrow_mut().push(types.adts[*number].key),
                Kind::Closure(number) => keys.borrow_mut().push(types.closures[*number].key),
                _ => {}
            }
            false
        });
    }
    format!("{:x?}{text}", keys.into_inner())
}

fn closure_identity(key: u64) -> String {
    format!("closure {key:x}")
}

/// The body of an instance of a generic kernel, in place of the instance, which only calls it: `None` for other
/// kernels.
pub(crate) fn generic_body(kernel: &Tree, errors: &mut Errors) -> Option<Tree> {
    let ExprKind::Call(Callable::Device(number), _) = kernel.body.tail.as_ref()?.kind else {
        return None;
    };
    let callee = &kernel.calls[number];
    if !is_kernel_body(&callee.item.attrs) {
        return None;
    }
    let mut tree = function(
        kernel.passes,
        callee,
        &kernel.types,
        &identity(callee, &kernel.types),
        errors,
    );
    if errors.is_left_to_rustc() && is_excluded(&tree, callee, &kernel.types) {
        // rustc reports this at the list of instances; the user did not write this call.
        errors.hide();
    }
    tree.is_kernel = true;
    for (own, parameter) in tree.locals.iter_mut().zip(&kernel.locals[..kernel.parameters]) {
        own.origin = parameter.origin;
    }
    Some(tree)
}

/// True if a trait marked as device code is among the bounds of a function.
fn has_own_bound(callee: &Callee) -> bool {
    for (_, bounds) in type_bounds(&callee.item.sig.generics) {
        for bound in bounds {
            if let TypeParamBound::Trait(bound) = bound
                && callee.names.find_path(&bound.path).is_some()
            {
                return true;
            }
        }
    }
    false
}

/// Reads and types one function. What is wrong with an instance that a bound excludes follows from that, which rustc reports.
fn function(passes: &'static Passes, callee: &Callee, types: &Types, identity: &str, errors: &mut Errors) -> Tree {
    let mut own = Errors::default();
    let tree = read(passes, callee, types, identity, &mut own);
    match own.first().filter(|_| is_excluded(&tree, callee, types)) {
        Some(first) => {
            errors.late(first.at(callee.span));
        }
        None => errors.append(own),
    }
    tree
}

/// True if a type of the instance is a number that is none of those of vyre's trait which binds it.
fn is_excluded(tree: &Tree, callee: &Callee, types: &Types) -> bool {
    let generics = &callee.item.sig.generics;
    let parameters = generics.params.iter();
    let named = parameters.filter(|it| !matches!(it, GenericParam::Lifetime(_)));
    named.zip(&callee.instance.arguments).any(|(parameter, &argument)| {
        let (GenericParam::Type(parameter), Some(primitive)) = (parameter, types.as_primitive(argument)) else {
            return false;
        };
        let bounds = type_bounds(generics).into_iter();
        let mut of_it = bounds.filter(|(bounded, _)| bounded.as_ref().is_some_and(|it| it.is_ident(&parameter.ident)));
        of_it.any(|(_, bounds)| {
            bounds.iter().any(|bound| {
                let TypeParamBound::Trait(bound) = bound else {
                    return false;
                };
                let last = bound.path.segments.last().map(|last| last.ident.to_string());
                let scalar = primitive.scalar();
                last.is_some_and(|name| {
                    let is_one = match &*name {
                        "Float" => scalar.is_float(),
                        "Integer" => scalar.is_integer(),
                        "Number" => scalar.is_float() || scalar.is_integer(),
                        _ => true,
                    };
                    !is_one && tree.traits.bounds.contains(&Trait::Other(name))
                })
            })
        })
    })
}

fn read(passes: &'static Passes, callee: &Callee, types: &Types, identity: &str, errors: &mut Errors) -> Tree {
    let instance = Some((&callee.instance, types, identity));
    let mut tree = syntax::function(passes, &callee.item, &callee.names, instance, errors);
    if let Some(path) = tree.wanted.first() {
        // All that the definition mentions has come with it.
        let fault = format!("`{}` has not come along", transport::text(path));
        let span = path.segments.last().map_or(callee.span, |last| last.ident.span());
        errors.refuse(Code::NotDevice, span, fault, "put `#[vyre::device]` on it");
        return tree;
    }
    infer::infer(&mut tree, errors);
    tree
}
