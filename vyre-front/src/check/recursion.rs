//! Recursion among the functions of a module: reported at the functions, whether or not a kernel
//! calls them.
//!
//! Only the instances of a generic method determine all of its callees, so cycles of those are
//! found where a kernel reaches them.

use proc_macro2::Span;
use vyre_abi::list;

use crate::errors::{Code, Errors};

/// A function of a module.
pub(crate) struct Function {
    /// Its unique key.
    pub(crate) key: u64,
    pub(crate) name: String,
    /// The keys of those that it calls, and where.
    pub(crate) calls: Vec<(u64, Span)>,
}

/// Refuses each circle once, at the call that closes it.
pub(crate) fn refuse(functions: &[Function], errors: &mut Errors) {
    let mut said = vec![false; functions.len()];
    for start in 0..functions.len() {
        let mut path = Vec::new();
        let mut seen = vec![false; functions.len()];
        if said[start] || !leads_back(functions, start, start, &mut seen, &mut path) {
            continue;
        }
        // Found from its end.
        path.reverse();
        let names: Vec<&str> = list::map(&path, |&(number, _)| functions[number].name.as_str());
        if let Some(&(_, span)) = path.last() {
            errors.refuse(Code::Recursion, span, fault(&names), HELP);
        }
        path.iter().for_each(|&(number, _)| said[number] = true);
    }
}

/// True if calls lead from a function to another one, and by which calls, the last one first.
fn leads_back(
    functions: &[Function],
    from: usize,
    to: usize,
    seen: &mut [bool],
    path: &mut Vec<(usize, Span)>,
) -> bool {
    seen[from] = true;
    functions[from].calls.iter().any(|&(key, span)| {
        let Some(called) = functions.iter().position(|function| function.key == key) else {
            return false;
        };
        let is_way = called == to || !seen[called] && leads_back(functions, called, to, seen, path);
        if is_way {
            path.push((from, span));
        }
        is_way
    })
}

/// The fault of functions that call each other in this order, the last one the first again.
pub(crate) fn fault(circle: &[&str]) -> String {
    let name = circle.first().copied().unwrap_or_default();
    let calls = match circle {
        [_] => format!("`{name}` calls itself"),
        _ => format!("`{name}` comes to call itself: {} -> {name}", circle.join(" -> ")),
    };
    format!("{calls}; a GPU thread has no stack to recurse on")
}

pub(crate) const HELP: &str = "write a loop, or keep a small array as a stack";
