//! Runs of regions: those between two barriers of the block, which exchanges of each warp separate.
//!
//! A warp that goes through all of them keeps its variables in registers, and an exchange is a permutation of them. Nothing is
//! stored before the last region, so that a warp which gives up can begin again; then it and the warps after it run the
//! regions thread by thread.

use vyre_ir::ir::{Handle, Local, Mention, Stmt, StmtKind, WARP_SIZE, each_stmt};

use super::plan::{Finder, MOST_BYTES, local_of};
use super::{Form, Lanes, Plan, Variable};
use crate::generate::host::intrinsic::permutes;
use crate::generate::host::regions::{Piece, Region, Regions};
use crate::generate::host::table::Table;

/// Regions that a warp runs one after the other.
#[derive(Debug)]
pub(in crate::generate::host) struct WarpRun {
    /// The number of the first region.
    pub(in crate::generate::host) first: usize,
    /// The number of pieces: regions, the exchanges between them, and stores to variables of the block.
    pub(in crate::generate::host) pieces: usize,
    pub(super) regions: usize,
    /// That of all regions together.
    pub(in crate::generate::host) plan: Plan,
}

/// True if the last region passes operands to an exchange, which would lie beside those of warps that ran thread by thread.
fn ends_with_offer(pieces: &[Piece<'_>]) -> bool {
    let offers = pieces.iter().rev().find_map(|piece| match piece {
        Piece::Region(region) => Some(region.offers),
        _ => None,
    });
    let is_vote = |stmt: &Stmt| match stmt.kind {
        StmtKind::Intrinsic { intrinsic, .. } => intrinsic.is_block_barrier(),
        _ => false,
    };
    offers.flatten().is_some_and(|stmt| !is_vote(stmt))
}

/// The number of regions among some pieces, which are not inside of others.
fn count_regions(pieces: &[Piece<'_>]) -> usize {
    pieces.iter().filter(|piece| matches!(piece, Piece::Region(_))).count()
}

impl Finder<'_> {
    /// The runs of a body, in its order.
    pub(super) fn runs(&self, found: &Lanes, regions: &Regions<'_>, plans: &[Option<Plan>]) -> Vec<WarpRun> {
        let mut runs = Vec::new();
        if found.count == WARP_SIZE && found.whole_warps && !regions.returns {
            self.find_runs(found, &regions.pieces, plans, &mut 0, &mut runs);
        }
        runs
    }

    /// Those of some pieces, the first region of which has a number.
    fn find_runs(
        &self,
        found: &Lanes,
        pieces: &[Piece<'_>],
        plans: &[Option<Plan>],
        number: &mut usize,
        runs: &mut Vec<WarpRun>,
    ) {
        let mut at = 0;
        while let Some(piece) = pieces.get(at) {
            let mut length = 1;
            match piece {
                Piece::Region(_) => {
                    let run = self.run(found, &pieces[at..], plans, *number);
                    length = run.as_ref().map_or(1, |run| run.pieces);
                    *number += run.as_ref().map_or(1, |run| run.regions);
                    runs.extend(run);
                }
                Piece::If(_, parts) | Piece::Loop(_, parts) => {
                    for part in parts {
                        self.find_runs(found, part, plans, number, runs);
                    }
                }
                Piece::Store(_) | Piece::Wait(_) | Piece::Jump(_) => {}
            }
            at += length;
        }
    }

    /// The run that some pieces begin with; `None` if that is one region.
    fn run(&self, found: &Lanes, pieces: &[Piece<'_>], plans: &[Option<Plan>], first: usize) -> Option<WarpRun> {
        let plan_of = |number: usize| plans.get(number)?.as_ref().filter(|plan| !plan.has_atomics);
        let mut last = plan_of(first)?;
        let mut loaded = last.loaded.clone();
        let mut length = 1;
        for (at, piece) in pieces.iter().enumerate().skip(1) {
            match piece {
                Piece::Wait(stmt) if matches!(stmt.kind, StmtKind::Intrinsic { intrinsic, .. } if permutes(intrinsic)) =>
                    {}
                Piece::Store(stmt) if self.is_same_again(stmt) && !self.is_mentioned(stmt, &pieces[..at]) => {}
                Piece::Region(_) => {
                    let Some(next) = plan_of(first + count_regions(&pieces[..at])) else {
                        break;
                    };
                    let stores = !last.stored.is_empty() || !last.later.is_empty();
                    if stores || next.stored.iter().any(|base| loaded.contains(base)) {
                        break;
                    }
                    last = next;
                    loaded.extend(&next.loaded);
                    length = at + 1;
                }
                _ => break,
            }
        }
        let pieces = &pieces[..length];
        let regions = count_regions(pieces);
        if regions < 2 || ends_with_offer(pieces) {
            return None;
        }
        let variables = self.variables_of(pieces, &plans[first..first + regions]);
        let size = |it: &Variable| self.types.layout(self.body.locals[it.local].ty).size;
        let varying = variables.iter().filter(|it| found.local(it.local) == Form::Varying);
        let bytes: u64 = varying.map(|it| size(it) * u64::from(WARP_SIZE)).sum();
        (bytes <= MOST_BYTES).then(|| WarpRun {
            first,
            pieces: length,
            regions,
            plan: Plan {
                later: last.later.clone(),
                variables,
                ..Plan::default()
            },
        })
    }

    /// True if some pieces mention the variable that a statement stores to: a warp would see the value of the one before it.
    fn is_mentioned(&self, stmt: &Stmt, pieces: &[Piece<'_>]) -> bool {
        let StmtKind::Store { place, .. } = stmt.kind else {
            return true;
        };
        let (target, mut found) = (self.body.places[place].local(), false);
        let mut look = |stmt: &Stmt| {
            self.body
                .mentions_of(stmt, &mut |mention| found |= local_of(self.body, mention) == target);
        };
        for piece in pieces {
            match piece {
                Piece::Wait(stmt) | Piece::Store(stmt) => look(stmt),
                Piece::Region(region) => {
                    for stmt in region.stmts.iter().copied().chain(region.receives).chain(region.offers) {
                        look(stmt);
                        stmt.kind.blocks().for_each(|block| each_stmt(block, &mut look));
                    }
                }
                Piece::If(..) | Piece::Loop(..) | Piece::Jump(_) => {}
            }
        }
        found
    }

    /// True of a store to a variable of the block that each warp can repeat: of a value of parameters and constants.
    fn is_same_again(&self, stmt: &Stmt) -> bool {
        let StmtKind::Store { value, .. } = stmt.kind else {
            return false;
        };
        let mut holds = true;
        self.body.inside(Mention::Expr(value), &mut |mention| {
            if let Mention::Place(place, _) = mention {
                let whole = self.body.places[place].whole_local();
                holds &= whole.is_some_and(|local| {
                    local.index() < self.kernel.parameters.len() && self.info.local(local).assigned_at_most(0)
                });
            }
        });
        holds
    }

    /// The variables of a run. One that lives in it alone is none that regions keep.
    fn variables_of(&self, pieces: &[Piece<'_>], plans: &[Option<Plan>]) -> Vec<Variable> {
        let mut all: Vec<Variable> = Vec::new();
        for &variable in plans.iter().flatten().flat_map(|plan| &plan.variables) {
            match all.iter_mut().find(|known| known.local == variable.local) {
                Some(known) => {
                    known.is_assigned |= variable.is_assigned;
                    known.mentions += variable.mentions;
                }
                None => all.push(variable),
            }
        }
        let mut outside: Table<Local, bool> = Table::new();
        let mut mentions: Vec<(Handle<Local>, i64)> = Vec::new();
        let mut count = |mention: Mention, by: i64| {
            let Some(local) = local_of(self.body, mention) else {
                return;
            };
            match mentions.iter_mut().find(|(known, _)| *known == local) {
                Some((_, count)) => *count += by,
                None => mentions.push((local, by)),
            }
        };
        self.body.each_mention(&mut |mention| count(mention, 1));
        let mut within = |stmt: &Stmt| self.body.mentions_of(stmt, &mut |mention| count(mention, -1));
        for piece in pieces {
            match piece {
                Piece::Wait(stmt) | Piece::Store(stmt) => within(stmt),
                Piece::Region(Region { stmts, .. }) => {
                    for stmt in stmts {
                        within(stmt);
                        stmt.kind.blocks().for_each(|block| each_stmt(block, &mut within));
                    }
                }
                _ => {}
            }
        }
        for (local, left) in mentions {
            *outside.at(local) = left != 0;
        }
        for variable in &mut all {
            let may_be_read = variable.is_loaded || self.info.local(variable.local).read_unwritten;
            variable.is_assigned &= may_be_read || outside.get(variable.local);
        }
        all
    }
}
