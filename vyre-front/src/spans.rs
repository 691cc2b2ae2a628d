//! Maps spans of a program to those of the user's tokens.

use proc_macro2::Span;
use vyre_ir::ir::Span as Place;

/// The tokens' spans of the places in a program, by line and column.
///
/// A hash table with chains through a list: every expression of a kernel is noted here, and the
/// standard map takes a multiple of the time where nothing is optimised, as in most macros.
#[derive(Clone, Debug, Default)]
pub struct Spans {
    /// One more than the first entry of the chain of each hash; 0 if there is none.
    heads: Vec<u32>,
    /// Place, span, and one more than the next entry of the chain.
    entries: Vec<(Place, Span, u32)>,
}

impl Spans {
    /// Notes the tokens' span of a place; the first one of each place counts.
    pub fn insert(&mut self, place: Place, span: Span) {
        if self.find(place).is_some() {
            return;
        }
        if self.entries.len() >= self.heads.len() {
            self.heads = vec![0; (self.heads.len() * 2).max(256)];
            for entry in 0..self.entries.len() {
                self.link(entry);
            }
        }
        self.entries.push((place, span, 0));
        self.link(self.entries.len() - 1);
    }

    /// The tokens' span of a place; that of the macro call where the place is not known.
    pub fn get(&self, place: Place) -> Span {
        self.find(place).unwrap_or_else(Span::call_site)
    }

    fn find(&self, place: Place) -> Option<Span> {
        if self.heads.is_empty() {
            return None;
        }
        let mut next = self.heads[self.bucket(place)];
        while next != 0 {
            let (known, span, after) = self.entries[next as usize - 1];
            if known == place {
                return Some(span);
            }
            next = after;
        }
        None
    }

    fn link(&mut self, entry: usize) {
        let bucket = self.bucket(self.entries[entry].0);
        self.entries[entry].2 = std::mem::replace(&mut self.heads[bucket], entry as u32 + 1);
    }

    /// The number of buckets is a power of two.
    fn bucket(&self, place: Place) -> usize {
        let mixed = place.line.wrapping_mul(0x9e37_79b1) ^ place.column.wrapping_mul(0x85eb_ca6b) ^ place.file;
        (mixed ^ mixed >> 15) as usize & (self.heads.len() - 1)
    }
}

#[cfg(test)]
mod tests;
