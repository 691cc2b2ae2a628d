//! `use` inside a kernel.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Item, ItemUse, Path, PathSegment, UseGlob, UseTree};

use super::outer_item::Outside;
use super::res::is_function;
use super::{Binding, Reader};
use crate::errors::Code;
use crate::surface::Namespace;

impl Reader<'_> {
    /// Brings the names of a `use` into scope, as their full paths: generated code outside the
    /// function does not see the `use`. The names of the block begin at `block`.
    pub(super) fn use_item(&mut self, item: &ItemUse, block: usize) {
        let mut path = Path {
            leading_colon: item.leading_colon,
            segments: syn::punctuated::Punctuated::new(),
        };
        self.use_tree(&item.tree, &mut path, block);
    }

    fn use_tree(&mut self, tree: &UseTree, path: &mut Path, block: usize) {
        match tree {
            UseTree::Path(inner) => {
                path.segments.push(PathSegment::from(inner.ident.clone()));
                self.use_tree(&inner.tree, path, block);
                path.segments.pop();
                // The separator before what follows.
                path.segments.pop_punct();
            }
            UseTree::Name(name) => self.used(&name.ident, &name.ident, path),
            UseTree::Rename(rename) => self.used(&rename.ident, &rename.rename, path),
            UseTree::Group(group) => group
                .items
                .iter()
                .for_each(|tree| self.use_tree(tree, &mut path.clone(), block)),
            UseTree::Glob(glob) => self.use_all(glob, path, block),
        }
    }

    /// Brings the variants of an enum, below the names that the block brings one by one; vyre does not see what a module has.
    fn use_all(&mut self, glob: &UseGlob, path: &Path, block: usize) {
        let of = self
            .as_type(|reader| reader.imported(path))
            .unwrap_or_else(|| path.clone());
        if !of.segments.is_empty() && !is_function(&of) {
            match self.leads_to(&of) {
                Outside::Found(item, ..) => {
                    if let Item::Enum(item) = &*item {
                        for variant in &item.variants {
                            let mut name = variant.ident.clone();
                            name.set_span(glob.star_token.span);
                            self.used(&name, &name, &of);
                        }
                        return self.scopes[block..].rotate_right(item.variants.len());
                    }
                }
                Outside::Elsewhere => {
                    self.awaits_variants = true;
                    return self.want(&of);
                }
                Outside::Refused => return self.errors.elsewhere(),
                Outside::Missing | Outside::Unmarked => {}
            }
        }
        self.errors.refuse_all(
            Code::GlobImport,
            glob,
            "`use ..::*` inside a kernel is not supported: vyre does not see the names that it imports",
            "name what you use, or move the `use` out of the kernel",
        );
    }

    fn used(&mut self, ident: &Ident, name: &Ident, path: &Path) {
        let mut path = path.clone();
        if ident != "self" {
            path.segments.push(PathSegment::from(ident.clone()));
        }
        let name = match (name == "self", path.segments.last()) {
            (true, Some(last)) => last.ident.clone(),
            _ => name.clone(),
        };
        self.paths.push(path);
        self.bring(&name, Binding::Path(self.paths.len() - 1));
    }

    /// The full path of `path`, if a `use` inside the kernel imported its first name.
    pub(super) fn imported(&mut self, path: &Path) -> Option<Path> {
        let (None, Some(first)) = (path.leading_colon, path.segments.first()) else {
            return None;
        };
        let number = match self.lookup(&first.ident) {
            Some(Binding::Path(number)) => number,
            Some(_) => return None,
            None => {
                self.mention(path);
                return None;
            }
        };
        let mut whole = self.paths[number].clone();
        if let Some(last) = whole.segments.last_mut() {
            last.arguments = first.arguments.clone();
        }
        whole.segments.extend(path.segments.iter().skip(1).cloned());
        Some(whole)
    }

    /// Notes that a path from outside is mentioned.
    fn mention(&mut self, path: &Path) {
        let namespace = match self.in_type || path.segments.len() > 1 {
            true => Namespace::Type,
            false => Namespace::Value,
        };
        self.tree
            .mentions
            .extend(path.segments.first().map(|it| (it.ident.to_string(), namespace)));
        for segment in path.segments.iter().filter(|it| !it.arguments.is_none()) {
            self.mention_all(segment.arguments.to_token_stream());
        }
    }

    /// Notes the names in generic arguments, which are read only once the item has come.
    fn mention_all(&mut self, tokens: TokenStream) {
        for token in tokens {
            match token {
                TokenTree::Ident(name) => {
                    let name = name.to_string();
                    self.tree.mentions.insert((name.clone(), Namespace::Type));
                    self.tree.mentions.insert((name, Namespace::Value));
                }
                TokenTree::Group(group) => self.mention_all(group.stream()),
                _ => {}
            }
        }
    }
}
