//! GROUP BY with its grouping sets, and GROUPING.
//!
//! Invariants:
//! 1. With grouping sets the last key stands for the number of the set, from 1: it tells apart groups whose other keys are alike, and GROUPING
//!    what is NULL because a set has not its key.
//!
//! Must not know: how groups are made.

use super::select::Out;
use super::{Binder, Typed, split_name};
use crate::parse::DISTINCT_SETS;
use crate::parse::grouping::{INNER_SETS, NO_KEYS};
use crate::plan::expr::Expr;
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::{Datum, EvalCtx, ScalarFn, Type, Volatility};
use sqlparser::ast::{Expr as Ast, FunctionArg, FunctionArgExpr, FunctionArguments, GroupByExpr};
use std::collections::HashSet;

/// Most grouping sets of a query, and elements of a CUBE.
const SETS_MAX: usize = 4096;
const CUBE_MAX: usize = 12;

/// Stands for GROUPING until the keys are known.
pub(super) static GROUPING: ScalarFn = ScalarFn {
    name: "grouping",
    args: &[],
    variadic: false,
    ret: Type::Int4,
    strict: false,
    volatile: Volatility::Stable,
    call: unknown_keys,
};

fn unknown_keys(_: &[Datum], _: &EvalCtx<'_>) -> Result<Datum, SqlError> {
    Err(no_key())
}

fn no_key() -> SqlError {
    let why = "arguments to GROUPING must be grouping expressions of the associated query level";
    SqlError::new(SqlState::GROUPING_ERROR, why)
}

fn too_many() -> SqlError {
    let why = format!("too many grouping sets present (maximum {SETS_MAX})");
    SqlError::new(SqlState::STATEMENT_TOO_COMPLEX, why)
}

/// The keys of GROUP BY.
#[derive(Default)]
pub(super) struct Keys {
    pub exprs: Vec<Expr>,
    /// Which of them are constants, and the output that each is.
    pub constants: Vec<(usize, usize)>,
}

/// Sets of keys, by their numbers.
type Sets = Vec<Vec<usize>>;

/// ROLLUP or CUBE inside of GROUPING SETS, which looks like a call there.
pub(super) fn called(e: &Ast) -> Option<(bool, Vec<Vec<&Ast>>)> {
    let Ast::Function(f) = e else { return None };
    let (None, name) = split_name(&f.name).ok()? else { return None };
    let is_cube = match name.as_str() {
        "cube" => true,
        "rollup" => false,
        _ => return None,
    };
    let FunctionArguments::List(list) = &f.args else { return None };
    let mut groups = Vec::new();
    for a in &list.args {
        let FunctionArg::Unnamed(FunctionArgExpr::Expr(e)) = a else { return None };
        groups.push(match e {
            Ast::Tuple(items) => items.iter().collect(),
            e => vec![e],
        });
    }
    Some((is_cube, groups))
}

/// GROUPING SETS inside of GROUPING SETS, which look like a call there.
pub(super) fn inner_sets(e: &Ast) -> Option<Vec<&Ast>> {
    let Ast::Function(f) = e else { return None };
    let FunctionArguments::List(list) = &f.args else { return None };
    let is_it = matches!(&f.name.0[..], [n] if n.as_ident().is_some_and(|i| i.value == INNER_SETS));
    let item = |a| match a {
        &FunctionArg::Unnamed(FunctionArgExpr::Expr(ref e)) => Some(e),
        _ => None,
    };
    if is_it { list.args.iter().map(item).collect() } else { None }
}

impl Binder<'_> {
    /// The keys of GROUP BY; whether there is one.
    pub(super) fn group_keys(
        &mut self,
        group_by: &GroupByExpr,
        outs: &[Out],
    ) -> Result<(Keys, bool), SqlError> {
        let exprs = match group_by {
            GroupByExpr::Expressions(e, modifiers) if modifiers.is_empty() => e,
            _ => return Err(SqlError::unsupported("this kind of GROUP BY is not supported")),
        };
        let is_distinct = matches!(exprs.first(), Some(Ast::Identifier(i)) if i.quote_style.is_some() && i.value == DISTINCT_SETS);
        let exprs = &exprs[usize::from(is_distinct)..];
        let has_sets =
            exprs.iter().any(|e| matches!(e, Ast::Rollup(_) | Ast::Cube(_) | Ast::GroupingSets(_)));
        let mut keys = Keys::default();
        let mut sets: Sets = vec![Vec::new()];
        for e in exprs {
            let own = self.sets_of(e, outs, &mut keys)?;
            if sets.len() * own.len() > SETS_MAX {
                return Err(too_many());
            }
            // Each of these with each of those.
            let pair = |a: &Vec<usize>, b: &Vec<usize>| a.iter().chain(b).copied().collect();
            sets = sets.iter().flat_map(|a| own.iter().map(move |b| pair(a, b))).collect();
        }
        if has_sets {
            let in_order = |mut set: Vec<usize>| {
                set.sort_unstable();
                set.dedup();
                set.into_boxed_slice()
            };
            let mut sets: Vec<Box<[usize]>> = sets.into_iter().map(in_order).collect();
            if is_distinct {
                let mut seen = HashSet::new();
                sets.retain(|set| seen.insert(set.clone()));
            }
            self.frame()?.sets = sets;
            keys.exprs.push(Expr::Const(Datum::Int4(0))); // invariant 1
        }
        Ok((keys, !exprs.is_empty()))
    }

    /// The number of a key.
    fn key(&mut self, e: &Ast, outs: &[Out], keys: &mut Keys) -> Result<usize, SqlError> {
        let (key, out) = self.group_key(e, outs)?;
        // Of constants those are keys that GROUP BY names, not what is written alike.
        if matches!(key, Expr::Const(_))
            && let Some(out) = out
        {
            if let Some((n, _)) = keys.constants.iter().find(|c| c.1 == out) {
                return Ok(*n);
            }
            keys.constants.push((keys.exprs.len(), out));
            keys.exprs.push(key);
            return Ok(keys.exprs.len() - 1);
        }
        Ok(keys.exprs.iter().position(|k| *k == key).unwrap_or_else(|| {
            keys.exprs.push(key);
            keys.exprs.len() - 1
        }))
    }

    fn set_of<'e>(
        &mut self,
        list: impl IntoIterator<Item = &'e Ast>,
        outs: &[Out],
        keys: &mut Keys,
    ) -> Result<Vec<usize>, SqlError> {
        list.into_iter().map(|e| self.key(e, outs, keys)).collect()
    }

    /// The sets that an item of GROUP BY stands for.
    fn sets_of(&mut self, e: &Ast, outs: &[Out], keys: &mut Keys) -> Result<Sets, SqlError> {
        match e {
            Ast::Rollup(groups) => {
                let groups =
                    groups.iter().map(|g| self.set_of(g, outs, keys)).collect::<Result<Sets, _>>()?;
                Ok(rollup(&groups))
            }
            Ast::Cube(groups) => {
                let groups =
                    groups.iter().map(|g| self.set_of(g, outs, keys)).collect::<Result<Sets, _>>()?;
                cube(&groups)
            }
            Ast::GroupingSets(list) => {
                let mut sets = Vec::new();
                for set in list {
                    match &set[..] {
                        [one] => sets.extend(self.sets_within(one, outs, keys)?),
                        _ => sets.push(self.set_of(set, outs, keys)?),
                    }
                    if sets.len() > SETS_MAX {
                        return Err(too_many());
                    }
                }
                Ok(sets)
            }
            Ast::Tuple(items) => Ok(vec![self.set_of(items, outs, keys)?]),
            e => Ok(vec![vec![self.key(e, outs, keys)?]]),
        }
    }

    /// The sets that an item of GROUPING SETS stands for, which may be sets itself.
    fn sets_within(&mut self, e: &Ast, outs: &[Out], keys: &mut Keys) -> Result<Sets, SqlError> {
        if let Some(items) = inner_sets(e) {
            let mut sets = Vec::new();
            for e in items {
                sets.extend(match e {
                    Ast::Identifier(i) if i.value == NO_KEYS => vec![Vec::new()],
                    Ast::Tuple(list) => vec![self.set_of(list, outs, keys)?],
                    e => self.sets_within(e, outs, keys)?,
                });
                if sets.len() > SETS_MAX {
                    return Err(too_many());
                }
            }
            return Ok(sets);
        }
        let Some((is_cube, groups)) = called(e) else { return Ok(vec![vec![self.key(e, outs, keys)?]]) };
        let groups = groups.into_iter().map(|g| self.set_of(g, outs, keys)).collect::<Result<Sets, _>>()?;
        if is_cube { cube(&groups) } else { Ok(rollup(&groups)) }
    }

    /// GROUPING(…): its arguments are compared with the keys when those are known.
    pub(super) fn grouping_call(&mut self, args: &[&Ast]) -> Result<Typed, SqlError> {
        if args.len() > 31 {
            let why = "GROUPING must have fewer than 32 arguments";
            return Err(SqlError::new(SqlState::TOO_MANY_ARGUMENTS, why));
        }
        let known: Vec<usize> = self.frames.iter().map(|f| f.outer_refs.len()).collect();
        let mut exprs = args.iter().map(|a| self.expr(a).map(|t| t.expr)).collect::<Result<Vec<_>, _>>()?;
        // It is of the level whose keys it asks for, as an aggregate would be.
        let here = self.frames.len() - 1;
        let level = self.level_of(&exprs).unwrap_or(here);
        self.lift(level, &known, |lift| {
            exprs.iter_mut().for_each(|e| *e = std::mem::replace(e, Expr::null()).map(lift));
        });
        let frame = &mut self.frames[level];
        if !frame.aggs_allowed {
            let why = format!("grouping operations are not allowed in {}", frame.place);
            return Err(SqlError::new(SqlState::GROUPING_ERROR, why));
        }
        frame.asks_for_sets = true;
        let call = Expr::Call(&GROUPING, exprs.into());
        Ok(Typed::new(self.outer_reference(level, call), Type::Int4))
    }

    /// The value of GROUPING over keys and aggregates: a bit for each argument, set where the set has not its key.
    pub(super) fn grouping_mask(&self, args: &[Expr], keys: &[Expr]) -> Result<Expr, SqlError> {
        let sets = self.frames.last().map_or(&[][..], |f| &f.sets[..]);
        let known = &keys[..keys.len() - usize::from(!sets.is_empty())];
        let places = args
            .iter()
            .map(|a| known.iter().position(|k| k == a).ok_or_else(no_key))
            .collect::<Result<Vec<_>, _>>()?;
        if sets.is_empty() {
            return Ok(Expr::Const(Datum::Int4(0)));
        }
        let mask = |set: &[usize]| places.iter().fold(0, |m, p| m << 1 | i32::from(!set.contains(p)));
        let masks = sets.iter().map(|s| Expr::Const(Datum::Int4(mask(s)))).collect();
        let number = Expr::Column(keys.len() - 1);
        Ok(Expr::Subscript(Box::new(Expr::Array(Type::Int4, masks)), [number].into()))
    }
}

fn rollup(groups: &[Vec<usize>]) -> Sets {
    (0..=groups.len()).rev().map(|n| groups[..n].concat()).collect()
}

fn cube(groups: &[Vec<usize>]) -> Result<Sets, SqlError> {
    if groups.len() > CUBE_MAX {
        let why = format!("CUBE is limited to {CUBE_MAX} elements");
        return Err(SqlError::new(SqlState::TOO_MANY_COLUMNS, why));
    }
    let subset = |mask: usize| {
        let in_it = |n: &usize| mask >> n & 1 == 1;
        (0..groups.len()).filter(in_it).flat_map(|n| groups[n].iter().copied()).collect()
    };
    Ok((0..1usize << groups.len()).rev().map(subset).collect())
}
