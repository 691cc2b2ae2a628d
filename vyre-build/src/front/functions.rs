//! The device functions that a kernel reaches: each is read and typed once, by itself, because its
//! signature says all that its callers need to know.

use std::collections::HashMap;
use std::rc::Rc;

use syn::ItemFn;

use super::tree::{Callee, Tree};
use super::{infer, read};
use crate::errors::{Code, Errors};

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
    Reached {
        functions: search.functions,
        calls,
    }
}

struct Search<'e> {
    /// The number of each function that is done, by its key.
    known: HashMap<u64, usize>,
    functions: Vec<Function>,
    /// The keys and names of the functions around the one that is read.
    path: Vec<(u64, String)>,
    errors: &'e mut Errors,
}

impl Search<'_> {
    fn calls(&mut self, tree: &Tree) -> Vec<usize> {
        tree.calls.iter().map(|callee| self.function(callee)).collect()
    }

    /// The number of a function, which is read if it is new. Any number where something is wrong.
    fn function(&mut self, callee: &Callee) -> usize {
        if let Some(&known) = self.known.get(&callee.key) {
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
        let tree = function(callee, &mut own);
        let calls = self.calls(&tree);
        self.path.pop();
        if !own.is_empty() {
            self.errors.leave_elsewhere();
        }
        let number = self.functions.len();
        self.known.insert(callee.key, number);
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

/// Reads and types one function.
fn function(callee: &Callee, errors: &mut Errors) -> Tree {
    let mut tree = read::function(&callee.item, &callee.names, errors);
    infer::infer(&mut tree, errors);
    tree
}
