//! Names as values: variables, constants of the kernel, of the primitive types, and from elsewhere.

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;
use syn::{Expr as Syntax, ExprPath, ItemConst};

use super::Reader;
use super::known_constant::words;
use super::obligations::Obligation;
use super::res::{Reason, Res, Use, spelled};
use super::tree::{Constant, Expr, ExprKind, External};
use crate::resolve::names::Names;
use crate::surface::Primitive;
use crate::types::Ty;

impl Reader<'_> {
    pub(super) fn path(&mut self, path: &ExprPath, whole: &Syntax) -> Expr {
        let span = super::start(whole);
        let (path, res) = self.resolve(path, Use::Value);
        match res {
            // rustc looks no further.
            Res::Local(_) if self.within_constant => {
                self.errors.elsewhere();
                self.refused(span)
            }
            Res::Local(local) => {
                self.tree.locals[local].read = true;
                Expr::local(local, span)
            }
            Res::Bundle(number) => self.refuse_whole_bundle(number, span),
            Res::Constant(constant) => Expr::new(ExprKind::Constant(constant), span),
            Res::Number(ty, bits) => self.known_constant(spelled(&path.path).join("::"), ty, bits, span),
            Res::Associated(item) => self.associated_constant(item, &path, span),
            Res::Primitive(_) => self.function_as_value(&spelled(&path.path).join("::"), span),
            Res::Parameter(ty) => self.of_parameter(ty, &path.path, span),
            Res::Constructor(named) => self.made_by_name(named, span),
            Res::Outer(item, names, key) => self.outer(&item, names, key, &path, span),
            Res::External(is_unmarked) => self.external(&path, is_unmarked, span),
            Res::Unresolved(reason) => self.unresolved_value(reason, &path, whole),
            // Functions of vyre's and of the user's, which only a call names.
            _ => self.unresolved_value(Reason::Unknown, &path, whole),
        }
    }

    pub(super) fn known_constant(&mut self, name: String, primitive: Primitive, bits: u128, span: Span) -> Expr {
        let number = self.new_constant(name, Ty::primitive(primitive), words(primitive, bits), span);
        Expr::new(ExprKind::Constant(number), span)
    }

    /// A constant of these scalars.
    pub(super) fn new_constant(&mut self, name: String, ty: Ty, values: Vec<u64>, span: Span) -> usize {
        self.tree.constants.push(Constant {
            name,
            ty,
            values,
            computed: false,
            host: None,
            span,
        });
        self.tree.constants.len() - 1
    }

    /// A constant outside of the function, whose item is here.
    fn outer(&mut self, item: &ItemConst, names: Names, key: u64, path: &ExprPath, span: Span) -> Expr {
        let found = self.constant_outside(item, names, key, span);
        if let (ExprKind::Constant(number), false, false) = (&found.kind, self.names.complete, self.is_elsewhere) {
            self.tree.oblige(Obligation::Constant(path.to_token_stream(), *number));
        }
        found
    }

    /// A constant whose value rustc supplies.
    fn external(&mut self, path: &ExprPath, is_unmarked: bool, span: Span) -> Expr {
        let name = path.to_token_stream().to_string().replace(' ', "");
        self.supplied(path.to_token_stream(), name, None, is_unmarked, span)
    }

    /// The constant that rustc evaluates from these tokens, one for each name.
    pub(super) fn supplied(
        &mut self,
        path: TokenStream,
        name: String,
        ty: Option<Ty>,
        is_unmarked: bool,
        span: Span,
    ) -> Expr {
        let known = self.tree.externals.iter().position(|external| external.name == name);
        let number = known.unwrap_or_else(|| {
            let ty = ty.unwrap_or_else(|| self.tree.types.unknown());
            self.tree.externals.push(External {
                path,
                name,
                ty,
                span,
                is_unmarked,
            });
            self.tree.externals.len() - 1
        });
        Expr::new(ExprKind::External(number), span)
    }
}
