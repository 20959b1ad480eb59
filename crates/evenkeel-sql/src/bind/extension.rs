//! What an extension brings: its functions and operators are there for whoever has created it, and for nobody else.
//!
//! Must not know: statements; how a function is chosen.

use super::{Binder, Typed};
use crate::plan::expr::Expr;
use evenkeel_types::error::SqlError;
use evenkeel_types::funcs::{HSTORE_OF_ROW, extension_of};
use evenkeel_types::{
    CastContext, Datum, ResolveError, ScalarFn, Type, function_error, lookup_operators, lookup_own_operators,
    operator_error,
};

impl Binder<'_> {
    /// Whether functions and operators of an extension are there.
    pub(super) fn has_extension(&self, name: &str) -> bool {
        self.catalog.extension_named(name).is_some()
    }

    /// Whether the extension hstore is there.
    pub(super) fn has_hstore(&self) -> bool {
        self.has_extension("hstore")
    }

    /// The operators of a name that are there.
    pub(super) fn operators(&self, name: &str) -> &'static [ScalarFn] {
        let (all, own) = (lookup_operators(name), lookup_own_operators(name));
        if own.len() == all.len() || self.has_hstore() { all } else { own }
    }

    /// `hstore(x)`, of a row whose type has a name, or as a cast; back comes any other argument.
    pub(super) fn hstore_of(&mut self, item: Typed) -> Result<Result<Typed, Typed>, SqlError> {
        Ok(match item.ty {
            Type::Composite(of) => {
                let args = [item.expr, Expr::Const(Datum::Oid(of))];
                Ok(Typed::new(Expr::Call(&HSTORE_OF_ROW, args.into()), Type::Hstore))
            }
            ty if matches!(ty, Type::Unknown | Type::Hstore) || ty.category() == b'S' => {
                let cast = self.coerce(item, Type::Hstore, -1, CastContext::Explicit)?;
                Ok(Typed::new(cast, Type::Hstore))
            }
            _ => Err(item),
        })
    }

    /// Refuses a function of an extension that nobody asked for, as if there were none.
    pub(super) fn check_extension(&self, f: &ScalarFn, types: &[Type]) -> Result<(), SqlError> {
        match extension_of(f) {
            Some(name) if !self.has_extension(name) => {
                let e = ResolveError::NotFound;
                let is_operator = !f.name.starts_with(|c: char| c.is_ascii_alphabetic());
                Err(match types {
                    [left, right] if is_operator => operator_error(f.name, Some(*left), *right, e),
                    _ => function_error(f.name, types, e),
                })
            }
            _ => Ok(()),
        }
    }
}
