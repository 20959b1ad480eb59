//! Equality of texts in collations that are not deterministic: those that the rules do not tell apart are equal.
//!
//! Whatever asks for equality compares sort keys there, as what asks for an order does. A group, and a row of DISTINCT, shows the first of its values. LIKE compares
//! the pieces of its pattern; what else searches within texts knows bytes only, and is refused.
//!
//! Invariants:
//! 1. Where no column and no COLLATE is of such a collation, expressions stay as they are.
//!
//! Must not know: how sort keys are made.

use super::Binder;
use crate::plan::expr::Expr;
use crate::plan::{AggCall, Column};
use evenkeel_types::error::SqlError;
use evenkeel_types::{Collation, ScalarFn, Type, lookup_aggregates};

/// What looks for patterns, and how the error calls it.
const PATTERNS: [(&str, &[&str]); 3] = [
    ("regular expressions", &["~", "!~", "~*", "!~*"]),
    ("ILIKE", &["~~*", "!~~*"]),
    ("substring searches", &["starts_with", "^@"]),
];

/// What else looks for texts within texts or lists, where only bytes are compared here.
const SEARCHES: [&str; 18] = [
    "strpos",
    "position",
    "replace",
    "split_part",
    "string_to_array",
    "string_to_table",
    "array_position",
    "array_positions",
    "array_remove",
    "array_replace",
    "array_sort",
    "@>",
    "<@",
    "&&",
    "arraycontains",
    "arraycontained",
    "arrayoverlap",
    "texteq",
];

/// Whether it is LIKE of texts: it compares the pieces of its pattern.
pub(super) fn is_like(f: &ScalarFn) -> bool {
    matches!(f.name, "~~" | "!~~") && f.args.iter().all(|ty| matches!(ty, Type::Text | Type::Bpchar))
}

/// What is not done in such a collation.
pub(super) fn unsupported(what: &str) -> SqlError {
    SqlError::unsupported(format!("nondeterministic collations are not supported for {what}"))
}

impl Binder<'_> {
    /// The collation in which values of several are compared for equality, if that is not of their bytes.
    pub(super) fn equality_collation(&self, of: &[(&Expr, Type)]) -> Result<Option<Collation>, SqlError> {
        if !self.has_nondeterministic {
            return Ok(None);
        }
        let collation = self.common_collation(of)?;
        Ok(Some(collation).filter(|c| !c.is_deterministic()))
    }

    /// What a value is compared for equality by, alone: a key of GROUP BY, DISTINCT ON, PARTITION BY.
    pub(super) fn told_apart(&self, e: Expr, ty: Type) -> Result<Expr, SqlError> {
        let collation = self.equality_collation(&[(&e, ty)])?;
        Ok(collation.map_or_else(|| e.clone(), |c| e.clone().in_order_of(c)))
    }

    /// Both sides of something that compares them for equality.
    pub(super) fn equal_pair(
        &self,
        (l, lt): (Expr, Type),
        (r, rt): (Expr, Type),
    ) -> Result<(Expr, Expr), SqlError> {
        Ok(match self.equality_collation(&[(&l, lt), (&r, rt)])? {
            Some(c) => (l.in_order_of(c), r.in_order_of(c)),
            None => (l, r),
        })
    }

    /// A value and a list that it is looked for in.
    pub(super) fn equal_list(
        &self,
        x: Expr,
        ty: Type,
        list: Vec<Expr>,
    ) -> Result<(Expr, Vec<Expr>), SqlError> {
        let all: Vec<(&Expr, Type)> = std::iter::once(&x).chain(&list).map(|e| (e, ty)).collect();
        Ok(match self.equality_collation(&all)? {
            Some(c) => (x.in_order_of(c), list.into_iter().map(|e| e.in_order_of(c)).collect()),
            None => (x, list),
        })
    }

    /// Fails for a function that would look for bytes in such texts.
    pub(super) fn check_searches(&self, f: &ScalarFn, args: &[(&Expr, Type)]) -> Result<(), SqlError> {
        if !self.has_nondeterministic {
            return Ok(());
        }
        let is_regexp =
            f.name.starts_with("regexp_") || (f.name == "substring" && f.args.get(1) == Some(&Type::Text));
        let pattern = PATTERNS.iter().find(|p| p.1.contains(&f.name)).map(|p| p.0);
        let pattern = pattern.or(is_regexp.then_some("regular expressions"));
        let is_search = pattern.is_some() || SEARCHES.contains(&f.name);
        if !is_search || self.equality_collation(args)?.is_none() {
            return Ok(());
        }
        Err(match pattern {
            Some(pattern) => unsupported(pattern),
            None => unsupported(&format!("{}()", f.name)),
        })
    }

    /// Fails for LIKE ANY and ALL of such texts.
    pub(super) fn check_like_of_many(&self, f: &ScalarFn, args: &[(&Expr, Type)]) -> Result<(), SqlError> {
        match is_like(f) && self.equality_collation(args)?.is_some() {
            true => Err(unsupported("LIKE ANY and ALL")),
            false => Ok(()),
        }
    }

    /// Gives the keys of GROUP BY that are such texts aggregates that show a group's first value. Expressions are to be grouped before the keys become what
    /// is compared (`compare_groups`).
    pub(super) fn show_groups(&mut self, keys: &[Expr], aggs: &mut Vec<AggCall>) -> Result<(), SqlError> {
        if !self.has_nondeterministic {
            return Ok(());
        }
        for (n, key) in keys.iter().enumerate() {
            if self.equality_collation(&[(key, Type::Text)])?.is_none() {
                continue;
            }
            if !self.frame()?.sets.is_empty() {
                return Err(unsupported("GROUPING SETS"));
            }
            let found = lookup_aggregates("any_value").first();
            let f = found.ok_or_else(|| SqlError::internal("any_value() is missing"))?;
            let at = aggs.len();
            self.frame()?.shown_groups.push((n, at));
            aggs.push(AggCall {
                f,
                arg_types: vec![Type::Text],
                args: [key.clone()].into(),
                distinct: false,
                filter: None,
                order: [].into(),
                is_order_implied: false,
                within: None,
            });
        }
        Ok(())
    }

    /// The keys of such texts as they are compared.
    pub(super) fn compare_groups(&mut self, keys: &mut [Expr]) -> Result<(), SqlError> {
        for (n, _) in std::mem::take(&mut self.frame()?.shown_groups) {
            keys[n] = self.told_apart(keys[n].clone(), Type::Text)?;
        }
        Ok(())
    }

    /// Columns of such collations, by their places.
    pub(super) fn distinct_collations(&self, columns: &[Column]) -> Vec<(usize, Collation)> {
        let all = columns.iter().enumerate().map(|(n, c)| (n, c.collation));
        all.filter(|(_, c)| !c.is_deterministic()).collect()
    }
}
