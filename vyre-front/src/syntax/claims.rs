//! Names of Rust's and vyre's that reading takes for what they are, for rustc to confirm.

use syn::{Path, PathArguments};

use super::obligations::{Arguments, Claim, Obligation};
use super::{Binding, Reader};

impl Reader<'_> {
    /// Notes what a path is taken for.
    ///
    /// A name that another item has written is confirmed there, and a generic parameter is what the instance says.
    pub(super) fn claim(&mut self, path: &Path, claim: Claim) {
        if self.is_elsewhere || claim != Claim::Macro && self.generic(path).is_some() {
            return;
        }
        let mut path = self.seen_at_head(path);
        if let (Claim::Type(_, Arguments::Types(_) | Arguments::Numbers(_)), Some(last)) =
            (claim, path.segments.last_mut())
        {
            last.arguments = PathArguments::None;
        }
        let mut text = String::new();
        for segment in &path.segments {
            text.push_str("::");
            text.push_str(&segment.ident.to_string());
        }
        if path.leading_colon.is_none() {
            text.drain(..2);
        }
        self.tree.oblige(Obligation::Claim(path, text, claim));
    }

    /// Notes that a path is taken for a macro of Rust's or vyre's; false where its crate is none of theirs.
    pub(super) fn claim_macro(&mut self, path: &Path) -> bool {
        let whole = self.seen_at_head(path);
        let is_known = match whole.segments.len() {
            1 => true,
            2 => ["core", "std", "vyre"]
                .iter()
                .any(|known| whole.segments[0].ident == known),
            _ => false,
        };
        self.claim(path, Claim::Macro);
        is_known
    }

    /// A path as it is found at the head of the body, where what a `use` in a block has brought is not in sight.
    fn seen_at_head(&mut self, path: &Path) -> Path {
        if let (None, Some(first)) = (path.leading_colon, path.segments.first())
            && let Some(Binding::Path(number)) = self.lookup(&first.ident)
        {
            let mut whole = self.paths[number].clone();
            whole.segments.extend(path.segments.iter().skip(1).cloned());
            return whole;
        }
        path.clone()
    }
}
