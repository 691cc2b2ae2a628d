//! The device functions that a kernel reaches: each is read and typed once, by itself, because its
//! signature says all that its callers need to know.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use syn::ItemFn;

use super::tree::{Callee, Tree};
use super::types::{Kind, Types};
use super::{carried, infer, read};
use crate::errors::{Code, Errors};

/// The most calls of a kernel and of the functions that it reaches, each call written out where it
/// stands, as the compiler does: functions that call others twice double with every level.
const MOST_CALLS: u64 = 20_000;

/// A device function that a kernel reaches.
pub(super) struct Function {
    pub(super) item: Rc<ItemFn>,
    /// The file that it stands in.
    pub(super) file: String,
    pub(super) tree: Tree,
    /// For each call in the tree, the number of the function.
    pub(super) calls: Vec<usize>,
}

/// What a kernel reaches.
pub(super) struct Reached {
    /// Each after those that it calls.
    pub(super) functions: Vec<Function>,
    /// For each call in the kernel's tree, the number of the function.
    pub(super) calls: Vec<usize>,
}

/// Reads and types the functions that a kernel reaches. Their own faults are reported where they
/// stand; here are reported those of functions together.
pub(super) fn reach(kernel: &Tree, errors: &mut Errors) -> Reached {
    let mut search = Search {
        known: HashMap::new(),
        functions: Vec::new(),
        path: Vec::new(),
        errors,
    };
    let calls = search.calls(kernel);
    search.size(kernel, &calls);
    Reached {
        functions: search.functions,
        calls,
    }
}

struct Search<'e> {
    /// The number of each function that is done, by its key and instance.
    known: HashMap<String, usize>,
    functions: Vec<Function>,
    /// The keys and names of the functions around the one that is read.
    path: Vec<(u64, String)>,
    errors: &'e mut Errors,
}

impl Search<'_> {
    /// Refuses kernels that would take minutes to compile, at the call that has most behind it.
    fn size(&mut self, kernel: &Tree, calls: &[usize]) {
        let mut sizes: Vec<u64> = Vec::with_capacity(self.functions.len());
        for function in &self.functions {
            // Each stands after those that it calls, but for circles, which have been refused.
            let behind = function
                .calls
                .iter()
                .map(|&number| sizes.get(number).copied().unwrap_or(0));
            sizes.push(behind.fold(1, u64::saturating_add));
        }
        let behind = calls.iter().map(|&number| sizes.get(number).copied().unwrap_or(0));
        let total = behind.fold(0, u64::saturating_add);
        let largest = kernel
            .calls
            .iter()
            .zip(calls)
            .max_by_key(|&(_, &number)| sizes.get(number).copied());
        if let (true, Some((callee, _))) = (total > MOST_CALLS, largest) {
            self.errors.refuse(
                Code::KernelSize,
                callee.span,
                format_args!("{total} calls of device functions, when those in functions are counted each time"),
                "call a function once, in a loop, or keep its value in a variable",
            );
        }
    }

    /// What is wrong with a generic function shows in its instances alone; else it has been said.
    fn own_faults(&mut self, callee: &Callee, own: Errors) {
        match callee.instance.arguments.is_empty() {
            true => self.errors.leave_elsewhere(),
            false => self.errors.append(own),
        }
    }

    fn calls(&mut self, tree: &Tree) -> Vec<usize> {
        tree.calls
            .iter()
            .map(|callee| self.function(callee, &tree.types))
            .collect()
    }

    /// The number of a function, which is read if it is new. Any number where something is wrong.
    fn function(&mut self, callee: &Callee, types: &Types) -> usize {
        let instance = identity(callee, types);
        if let Some(&known) = self.known.get(&instance) {
            return known;
        }
        let name = callee.item.sig.ident.to_string();
        if let Some(start) = self.path.iter().position(|(key, _)| *key == callee.key) {
            let circle: Vec<&str> = self.path[start..].iter().map(|(_, name)| name.as_str()).collect();
            let fault = match circle[..] {
                [_] => format!("`{name}` calls itself"),
                _ => format!("`{name}` comes to call itself: {} -> {name}", circle.join(" -> ")),
            };
            self.errors.refuse(
                Code::Recursion,
                callee.span,
                format_args!("{fault}; a GPU thread has no stack to recurse on"),
                "write a loop, or keep a small array as a stack",
            );
            return 0;
        }
        self.path.push((callee.key, name));
        let mut own = Errors::default();
        let tree = function(callee, types, &mut own);
        let calls = self.calls(&tree);
        self.path.pop();
        if !own.is_empty() {
            self.own_faults(callee, own);
        }
        let number = self.functions.len();
        self.known.insert(instance, number);
        self.functions.push(Function {
            item: Rc::clone(&callee.item),
            file: callee
                .names
                .file
                .clone()
                .unwrap_or_else(|| callee.item.sig.ident.span().file()),
            tree,
            calls,
        });
        number
    }
}

/// What tells an instance of a function from all others.
fn identity(callee: &Callee, types: &Types) -> String {
    let keys = RefCell::new(vec![callee.key]);
    let mut text = String::new();
    for &argument in &callee.instance.arguments {
        text += &format!(" {}", types.show(argument));
        // Several types may have one name.
        types.contains(argument, &|kind| {
            match kind {
                Kind::Struct(number) => keys.borrow_mut().push(types.structs[*number].key),
                Kind::Enum(number) => keys.borrow_mut().push(types.enums[*number].key),
                _ => {}
            }
            false
        });
    }
    format!("{:x?}{text}", keys.into_inner())
}

/// Reads and types one function.
fn function(callee: &Callee, types: &Types, errors: &mut Errors) -> Tree {
    let instance = Some((&callee.instance, types));
    let mut tree = read::function(&callee.item, &callee.names, instance, errors);
    if let Some(path) = tree.wanted.first() {
        // All that the definition mentions has come with it.
        let fault = format!("`{}` has not come along", carried::text(path));
        let span = path.segments.last().map_or(callee.span, |last| last.ident.span());
        errors.refuse(Code::NotDevice, span, fault, "put `#[vyre::device]` on it");
        return tree;
    }
    infer::infer(&mut tree, errors);
    tree
}
