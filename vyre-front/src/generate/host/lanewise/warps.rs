//! The code of a warp that goes through several regions; [`runs`](super::super::lanes) has the idea.

use proc_macro2::Literal;
use vyre_ir::ir::{ExprId, Intrinsic};

use super::Lanewise;
use crate::code::{Code, code};
use crate::generate::host::body::Writer;
use crate::generate::host::lanes::WarpRun;
use crate::generate::host::regions::Piece;
use crate::generate::host::types;

impl<'a> Writer<'a> {
    /// The code of the regions of a run for the lanes of a warp, of which `__n` is the number of the first.
    pub(in crate::generate::host) fn lanes_warp(&mut self, pieces: &[Piece<'_>], run: &'a WarpRun) -> Code {
        let Some(lanes) = self.lanes else {
            return Code::default();
        };
        self.lanewise = Some(Lanewise::new(lanes, &run.plan));
        let span = self.span;
        let (mut inside, mut tokens, mut offer) = (Code::default(), Code::default(), None);
        for (number, piece) in pieces.iter().enumerate() {
            match piece {
                Piece::Region(region) => {
                    if let (0, Some(stmt)) = (number, region.receives) {
                        self.lanes_receive(stmt, &mut inside);
                    }
                    inside.append(self.lanes_block(&region.stmts));
                    if let (true, Some(stmt)) = (number + 1 == pieces.len(), region.offers) {
                        offer = Some(self.lanes_offer(stmt, &mut tokens, &mut inside));
                    }
                }
                Piece::Wait(stmt) => {
                    let mut exchange = Code::default();
                    for code in self.lanes_offered(stmt).into_iter().flatten() {
                        exchange.append(code);
                    }
                    self.lanes_received(stmt, Writer::received_in_warp, &mut exchange);
                    inside.append(code!(span=> { #exchange }));
                }
                Piece::Store(stmt) => self.declared(stmt, &mut inside),
                Piece::If(..) | Piece::Loop(..) | Piece::Jump(_) => {}
            }
        }
        tokens.append(self.lanes_variables());
        tokens.append(inside);
        self.lanes_end(&mut tokens);
        self.lanes_keep(&mut tokens);
        tokens.append(offer.unwrap_or_default());
        tokens.append(code!(span=> __Ok(())));
        self.lanewise = None;
        tokens
    }

    /// The results of an exchange of what the lanes of a whole warp have offered.
    fn received_in_warp(&mut self, intrinsic: Intrinsic, operands: &[ExprId], _: &Code) -> Code {
        let span = self.span;
        match intrinsic {
            Intrinsic::Shuffle { from, tile } => {
                let (from, tile) = (self.number(from as u64), self.number(tile.into()));
                let amount = operands.get(1).map(|&amount| self.expr(amount));
                code!(span=> __v::shuffled(&__offered, #from, #tile, |__l| #amount))
            }
            Intrinsic::Reduce { op, scalar, tile } => {
                let combined = self.combined(op, self.half_of(scalar), code!(span=> __a), code!(span=> __b));
                let (ty, tile) = (&self.ident(types::scalar_name(scalar)), Literal::u32_unsuffixed(tile));
                code!(span=> __v::reduced(__offered, #tile, |__a: #ty, __b: #ty| #combined))
            }
            // A ballot.
            Intrinsic::Ballot { tile } => {
                let tile = Literal::u32_unsuffixed(tile);
                code!(span=> __v::balloted(&__offered, #tile))
            }
            _ => code!(span=> __offered),
        }
    }
}
