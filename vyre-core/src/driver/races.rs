//! Races that a kernel denies.
//!
//! The verdicts of [`races`] about the last entry, in the graph whose loops are those of the source. What is not proven is an
//! error. What is proven under conditions of the launch asks each launch for them, which the host evaluates. A condition that no
//! launch keeps is an error too.
//!
//! **By default** launches are held against [necessary](races::Need::is_necessary) conditions alone, and accesses that an order may
//! keep apart which vyre does not follow are accepted: so no launch without a race is refused, but where its kernel would not
//! compile otherwise. A kernel that denies races asks for all conditions, and one that has no code, because of a constant that
//! rustc supplies, is an error.

use vyre_abi::assumption::{Inequality, Symbol, encode};
use vyre_abi::order::sort_by_key;
use vyre_ir::ir::Kernel;
use vyre_ir::module::{CompileError, Condition, Race};

use crate::analysis::loop_forest::LoopForest;
use crate::analysis::races::{self, Finding, Launch, Safety};
use crate::driver::CompileOptions;
use crate::opt::licm;
use crate::ssa::Function;

/// The verdicts about the accesses and barriers of an entry, with the invariants of its loops before them.
pub(crate) fn find(function: &Function, launch: Launch<'_>) -> Vec<Finding> {
    let mut function = function.clone();
    let forest = LoopForest::of(&mut function);
    licm::hoist(&mut function, &forest, false);
    races::find(&function, &forest, launch)
}

/// The conditions that each launch has to keep for no access to race; none if the options take them for granted.
///
/// # Errors
/// The accesses that may race, and the barriers before which threads may part.
pub(super) fn conditions(
    kernel: &Kernel,
    files: &[String],
    function: &Function,
    options: &CompileOptions,
) -> Result<Vec<Condition>, CompileError> {
    let launch = Launch {
        dimensions: kernel.dimensions,
        grid: None,
        files,
        apart: &options.apart,
    };
    let are_assumed = options.assume_launches;
    let mut conditions: Vec<Condition> = Vec::new();
    let mut found: Vec<Race> = Vec::new();
    for finding in find(function, launch) {
        let reason = match &finding.safety {
            Safety::Proven => continue,
            Safety::Unknown(reason) => reason.clone(),
            Safety::Unfollowed(reason, _) if !are_assumed => format!("{reason}, in an order that vyre does not follow"),
            Safety::Unfollowed(_, needs) | Safety::Asks(needs) => {
                match needs.iter().find_map(|need| objection(need, kernel, are_assumed)) {
                    Some(objection) => objection,
                    None => {
                        let asked = needs
                            .iter()
                            .filter(|need| !are_assumed || need.is_necessary && has_code(need));
                        asked.for_each(|need| add(&mut conditions, need, &finding));
                        continue;
                    }
                }
            }
        };
        let race = Race {
            span: finding.span,
            kind: finding.kind,
            space: finding.space,
            reason,
        };
        if !found.contains(&race) {
            found.push(race);
        }
    }
    if found.is_empty() {
        return Ok(conditions);
    }
    sort_by_key(&mut found, |race| {
        [race.span.file, race.span.line, race.span.column]
            .into_iter()
            .fold(0, |key, part| key << 32 | u128::from(part))
    });
    Err(CompileError::Races {
        kernel: kernel.name.clone(),
        found,
    })
}

/// True if the host can evaluate a condition.
fn has_code(need: &Inequality) -> bool {
    // Any pointers: the code has a place for each.
    encode(std::slice::from_ref(need), &|parameter| 2 * parameter).is_some()
}

/// The reason why a launch cannot be asked for a condition.
fn objection(need: &Inequality, kernel: &Kernel, are_assumed: bool) -> Option<String> {
    let names: Vec<String> = (kernel.parameters.iter())
        .map(|parameter| parameter.name.clone())
        .collect();
    let text = || format!("is apart from others only if `{}`", need.text(&names));
    if !are_assumed && !has_code(need) {
        let products = need.left.iter().chain(&need.right);
        let is_external = |symbol: &Symbol| matches!(symbol, Symbol::External(_));
        let reason = match products.flat_map(|product| &product.symbols).any(is_external) {
            true => ": vyre does not see the value of the constant",
            false => "",
        };
        return Some(format!("{}, which the host cannot evaluate{reason}", text()));
    }
    let never_holds = match (&need.left[..], &need.right[..]) {
        // A product of arguments may be 0.
        ([left], [right]) => {
            let is_positive = |symbol: &Symbol| matches!(symbol, Symbol::Grid(_));
            // An argument of billions, too.
            let is_huge = left.symbols.is_empty() && right.symbols.len() == 1 && left.factor >> 31 > right.factor;
            is_huge
                || left.symbols == right.symbols && left.factor > right.factor && left.symbols.iter().all(is_positive)
        }
        _ => false,
    };
    let is_below_cluster = match (&need.left[..], &need.right[..], kernel.cluster) {
        ([left], [right], Some(cluster)) => match left.symbols[..] {
            [Symbol::Grid(axis)] if right.symbols.is_empty() => {
                let least = u128::from(cluster[axis as usize]);
                left.factor.saturating_mul(least) > right.factor
            }
            _ => false,
        },
        _ => false,
    };
    (never_holds || is_below_cluster).then(|| format!("{}, which no launch keeps", text()))
}

/// Adds a condition, unless it follows from others.
fn add(conditions: &mut Vec<Condition>, need: &Inequality, finding: &Finding) {
    if conditions.iter().any(|known| races::implies(&known.need, need)) {
        return;
    }
    conditions.retain(|known| !races::implies(need, &known.need));
    conditions.push(Condition {
        need: need.clone(),
        span: finding.span,
    });
}
