//! The code of a warp that goes through several regions; [`runs`](super::super::lanes) has the idea.

use super::Lanewise;
use crate::code::{Code, code};
use crate::generate::host::body::Writer;
use crate::generate::host::lanes::WarpRun;
use crate::generate::host::regions::Piece;

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
        tokens.append(code!(span=> '__end: { #inside }));
        self.lanes_end(&mut tokens);
        self.lanes_keep(&mut tokens);
        tokens.append(offer.unwrap_or_default());
        tokens.append(code!(span=> __Ok(())));
        self.lanewise = None;
        tokens
    }
}
