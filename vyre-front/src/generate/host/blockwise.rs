//! The code of a body that runs region by region.

use proc_macro2::Literal;
use vyre_ir::ir::{Handle, Kernel, Local, Stmt, StmtKind};

use super::body::{Writer, shared_name};
use super::intrinsic::{Meeting, meeting};
use super::lanes::WarpRun;
use super::regions::{Piece, Region, Regions};
use super::stmt::continues;
use crate::code::{Code, code};

impl<'a> Writer<'a> {
    /// The code of a block: declarations, then its pieces.
    pub(super) fn blockwise(&mut self, kernel: &Kernel, regions: &Regions<'_>) -> Code {
        let span = self.span;
        let mut tokens = Code::default();
        for &shared in &self.info.shared {
            let name = self.ident(&shared_name(shared.index()));
            let ty = self.ty(self.context.program.shared[shared].ty);
            let offset = Literal::u64_unsuffixed(self.context.shared.get(shared));
            tokens.append(code!(span=> let #name = __shared.add(#offset).cast::<#ty>();));
        }
        if let Some((_, bytes)) = regions.memory {
            let bytes = Literal::u64_unsuffixed(bytes);
            tokens.append(code!(span=> let __kept = __block.keep(#bytes);));
        }
        for local in self.body.locals.handles() {
            if regions.is_of_block(local) {
                let (name, ty) = (self.local(local), self.ty(self.body.locals[local].ty));
                tokens.append(code!(span=> let mut #name: #ty = __zero();));
            } else if regions.is_kept(local) {
                let kept = self.kept(kernel, regions, local);
                tokens.append(kept);
            }
        }
        let [x, y, z] = kernel.block.map(Literal::u32_unsuffixed);
        let pieces = self.pieces(&regions.pieces);
        let mutable = &regions.returns.then(|| self.ident("mut"));
        let lanes = self.lanes.map(|lanes| {
            let count = Literal::u32_unsuffixed(lanes.count);
            code! {span=>
                #[cfg(not(debug_assertions))]
                const __N: usize = #count;
            }
        });
        code! {span=>
            #lanes
            let __threads = __block.threads([#x, #y, #z]);
            let #mutable __t = __threads.first();
            #tokens
            let _ = (|| -> __Run {
                #pieces
                __Ok(())
            })();
        }
    }

    /// The elements of a variable, one per thread.
    fn kept(&self, kernel: &Kernel, regions: &Regions<'_>, local: Handle<Local>) -> Code {
        let span = self.span;
        let (name, ty) = (&self.local(local), &self.ty(self.body.locals[local].ty));
        let threads = &Literal::u64_unsuffixed(kernel.block_threads());
        let elements = &self.ident(&format!("__kept{}", local.index()));
        let (declared, place) = match &regions.memory {
            Some((offsets, _)) => {
                let offset = Literal::u64_unsuffixed(offsets[local.index()]);
                (None, code!(span=> __kept.add(#offset)))
            }
            None => {
                let declared = code!(span=> let mut #elements = __v::Kept::<#ty, #threads>::uninit(););
                (Some(declared), code!(span=> #elements.as_mut_ptr()))
            }
        };
        let value = match local.index() < kernel.parameters.len() {
            true => Some(code!(span=> #name)),
            false => self
                .info
                .local(local)
                .read_unwritten
                .then(|| code!(span=> __zero::<#ty>())),
        };
        // A parameter has the same name.
        let filled = value.map(|value| code!(span=> let __value = #value;));
        let stored = filled
            .is_some()
            .then(|| code!(span=> for __n in 0..#threads { *#name.add(__n) = __value; }));
        code! {span=>
            #filled
            #declared
            let #name = #place.cast::<#ty>();
            #stored
        }
    }

    fn pieces(&mut self, pieces: &[Piece<'_>]) -> Code {
        let mut tokens = Code::default();
        let mut at = 0;
        while let Some(piece) = pieces.get(at) {
            let number = self.region;
            let run = self.lanes.and_then(|it| it.runs.iter().find(|run| run.first == number));
            if let (Piece::Region(_), Some(run)) = (piece, run) {
                let pieces = &pieces[at..at + run.pieces];
                at += run.pieces;
                self.warps(pieces, run, &mut tokens);
                continue;
            }
            at += 1;
            match piece {
                Piece::Region(region) => {
                    let region = self.region(region);
                    tokens.append(region);
                }
                Piece::Store(stmt) => self.declared(stmt, &mut tokens),
                Piece::Wait(stmt) => self.wait(stmt, &mut tokens),
                Piece::If(stmt, [then, otherwise]) => {
                    let StmtKind::If { condition, .. } = stmt.kind else {
                        continue;
                    };
                    let span = self.at(stmt.span);
                    let outer = std::mem::replace(&mut self.span, span);
                    let condition = self.expr(condition);
                    self.span = outer;
                    let (then, otherwise) = (self.pieces(then), self.pieces(otherwise));
                    tokens.append(code!(span=> if #condition { #then } else { #otherwise }));
                }
                Piece::Loop(stmt, [body, step]) => {
                    let StmtKind::Loop {
                        body: block,
                        step: last,
                    } = &stmt.kind
                    else {
                        continue;
                    };
                    let span = self.span;
                    let number = self.loop_count;
                    self.loop_count += 1;
                    let has_block = !last.is_empty() && continues(block, 0);
                    self.loops.push((number, has_block));
                    let mut inside = self.pieces(body);
                    if has_block {
                        let label = self.label("c", number);
                        inside = code!(span=> #label: { #inside });
                    }
                    let step = self.pieces(step);
                    self.loops.pop();
                    let label = self.label("l", number);
                    tokens.append(code!(span=> #label: loop { #inside #step }));
                }
                Piece::Jump(stmt) => self.declared(stmt, &mut tokens),
            }
        }
        tokens
    }

    /// Regions that a warp runs one after the other. The warps from the first one on that gives up, and all where lanes
    /// are not wanted, run them thread by thread.
    fn warps(&mut self, pieces: &[Piece<'_>], run: &'a WarpRun, tokens: &mut Code) {
        let span = self.span;
        let together = self.lanes_warp(pieces, run);
        let lanes = self.lanes.take();
        let outer = std::mem::replace(&mut self.after_warps, true);
        let apart = self.pieces(pieces);
        (self.lanes, self.after_warps) = (lanes, outer);
        tokens.append(code! {span=>
            #[cfg(not(debug_assertions))]
            let __done = __threads.each_warp(|__t, __n| { #together });
            #[cfg(debug_assertions)]
            let __done = 0;
            if !__threads.are_done(__done) { #apart }
        });
    }

    /// A barrier or exchange, at which all threads are.
    fn wait(&mut self, stmt: &Stmt, tokens: &mut Code) {
        let StmtKind::Intrinsic { intrinsic, result, .. } = stmt.kind else {
            return;
        };
        let span = self.at(stmt.span);
        match meeting(self.context.kernel, intrinsic) {
            Meeting::Votes => {
                let of_block = result.filter(|&local| self.regions.is_some_and(|it| it.is_of_block(local)));
                let target = of_block.map(|local| self.local(local));
                let assigned = target.map(|target| code!(span=> #target =));
                tokens.append(code!(span=> #assigned __threads.count();));
            }
            Meeting::Tile(tile) => {
                let outer = std::mem::replace(&mut self.span, span);
                let exchanged = self.exchanged(intrinsic, tile);
                tokens.append(exchanged);
                self.span = outer;
            }
            // The region before it has ended.
            Meeting::Barrier | Meeting::None | Meeting::Other => {}
        }
    }

    /// A region, for each thread.
    fn region(&mut self, region: &Region<'_>) -> Code {
        let span = self.span;
        let returns = self.regions.is_some_and(|regions| regions.returns);
        let number = self.region;
        self.region += 1;
        let plan = self
            .lanes
            .and_then(|lanes| Some((lanes, lanes.plans.get(number)?.as_ref()?)));
        let lanes = plan.map(|(lanes, plan)| self.lanes_region(region, lanes, plan));
        let mut inside = Code::default();
        if let Some(stmt) = region.receives
            && let StmtKind::Intrinsic {
                intrinsic,
                ref operands,
                result: Some(local),
            } = stmt.kind
        {
            let here = self.at(stmt.span);
            let outer = std::mem::replace(&mut self.span, here);
            let span = self.span;
            let ty = self.ty(self.body.locals[local].ty);
            let value = self.received(intrinsic, operands);
            let value = code!(span=> { let __it: #ty = #value; __it });
            self.result(stmt, Some(local), value, &mut inside);
            self.span = outer;
        }
        let mut ends = true;
        for stmt in &region.stmts {
            self.declared(stmt, &mut inside);
            ends = !matches!(stmt.kind, StmtKind::Return(_));
        }
        if let Some(stmt) = region.offers
            && let StmtKind::Intrinsic {
                intrinsic,
                ref operands,
                ..
            } = stmt.kind
        {
            let here = self.at(stmt.span);
            let outer = std::mem::replace(&mut self.span, here);
            let offer = self.offer(intrinsic, operands);
            inside.append(offer);
            self.span = outer;
        }
        let (each, each_lanes, end, result) = match returns {
            false => ("each", "each_lanes", code!(span=> __Ok(())), None),
            true => (
                "each_left",
                "each_left_lanes",
                code!(span=> __Ok(false)),
                Some(code!(span=> <bool>)),
            ),
        };
        let (each, each_lanes, end) = (self.ident(each), self.ident(each_lanes), ends.then_some(end));
        let run = match lanes {
            Some(lanes) => {
                let each = &each;
                code! {span=>
                    let __region = |__t: __Thread<'_>, __n: usize| -> __Run #result { #inside #end };
                    #[cfg(not(debug_assertions))]
                    __threads.#each_lanes::<__N>(__region, |__t, __n| { #lanes })?;
                    #[cfg(debug_assertions)]
                    __threads.#each(__region)?;
                }
            }
            None if self.after_warps => code!(span=> __threads.each_from(__done, |__t, __n| { #inside #end })?;),
            None => code!(span=> __threads.#each(|__t, __n| { #inside #end })?;),
        };
        if !returns {
            return run;
        }
        code! {span=>
            #run
            __t = __threads.first();
        }
    }
}
