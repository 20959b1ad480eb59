//! Parameters of a statement: what tells the type of each, and what is wrong with one that nothing tells.
//!
//! Invariants:
//! 1. The first use that tells a type fixes it. A use that takes values of any type (`IS NULL`, `count`, `concat`) tells none.
//! 2. Whoever prepares a statement is refused one with a parameter of no type; one that was met without and got a type later is refused where PostgreSQL, which goes through a
//!    query in another order than we do, met them in that order for certain, and is else bound again, with the types that were found.
//!
//! Must not know: what parameters are used for.

use super::{Binder, Typed};
use crate::plan::expr::Expr;
use evenkeel_types::Type;
use evenkeel_types::error::{SqlError, SqlState};
use sqlparser::tokenizer::Location;

/// Where a parameter's type was told.
#[derive(Clone, Copy)]
struct Told {
    at: Location,
    /// In the WHERE of a query at this depth.
    condition_of: Option<usize>,
}

/// How a parameter is used.
#[derive(Clone, Copy, Default)]
pub(super) struct Use {
    /// Where it stands that was bound last.
    last: Option<Location>,
    told: Option<Told>,
    /// Where it was first used as a value of any type.
    untold: Option<Location>,
    /// Where it is a query's output, and so a text.
    output: Option<Location>,
    /// The domain that its values become ones of, where that tells its type.
    domain: Option<u32>,
}

/// `$n` of a value, if it is one without a type.
fn untyped(t: &Typed) -> Option<usize> {
    match t.expr {
        Expr::Param(n) if t.ty == Type::Unknown => Some(n),
        _ => None,
    }
}

fn inconsistent(n: usize, one: &str, other: &str) -> SqlError {
    let why = format!("inconsistent types deduced for parameter ${}", n + 1);
    SqlError::new(SqlState::AMBIGUOUS_PARAMETER, why).with_detail(format!("{one} versus {other}"))
}

impl Binder<'_> {
    fn param_use(&mut self, n: usize) -> &mut Use {
        if self.param_uses.len() <= n {
            self.param_uses.resize(n + 1, Use::default());
        }
        &mut self.param_uses[n]
    }

    /// Notes that a parameter stands here.
    pub(super) fn note_param(&mut self, n: usize, at: Location) {
        self.param_use(n).last = Some(at);
    }

    /// Fixes the type of a parameter that nothing has told yet.
    pub(crate) fn set_param(&mut self, n: usize, ty: Type) -> bool {
        match self.params.get_mut(n) {
            Some(p @ None) => *p = Some(if ty == Type::Unknown { Type::Text } else { ty }),
            _ => return false,
        }
        let condition_of = self.frames.last().filter(|f| f.place == "WHERE").map(|_| self.frames.len());
        let told = self.param_use(n);
        told.told = told.last.map(|at| Told { at, condition_of });
        true
    }

    /// A value is used as one of any type; whether it is a parameter that has none. (1)
    pub(super) fn takes_any(&mut self, t: &Typed) -> bool {
        let Some(n) = untyped(t) else { return false };
        let met = self.param_use(n);
        met.untold = met.untold.or(met.last);
        true
    }

    /// A value is to become one of a domain.
    pub(super) fn note_param_domain(&mut self, t: &Typed, domain: Option<u32>) {
        if let Some(n) = untyped(t).filter(|n| self.params.get(*n) == Some(&None)) {
            self.param_use(n).domain = domain;
        }
    }

    /// A value is an output of a query, which makes it a text if it has no type: another one that was told in the query's condition is not its.
    pub(super) fn check_param_output(&mut self, t: &Typed, is_text: bool) -> Result<(), SqlError> {
        let Expr::Param(n) = t.expr else { return Ok(()) };
        let depth = self.frames.len();
        let met = *self.param_use(n);
        if t.ty == Type::Unknown {
            if is_text {
                self.param_use(n).output = met.last;
            }
            return Ok(());
        }
        match (met.last, met.told) {
            (Some(at), Some(told))
                if is_text && told.at > at && told.condition_of == Some(depth) && t.ty.category() != b'S' =>
            {
                Err(self.at(inconsistent(n, &t.ty.sql_name(), "text"), at))
            }
            _ => Ok(()),
        }
    }

    /// A value is cast; one that is an output of the same query, and so a text, is not of another type here.
    pub(super) fn check_param_cast(&self, t: &Typed, to: Type) -> Result<(), SqlError> {
        let Expr::Param(n) = t.expr else { return Ok(()) };
        match self.param_uses.get(n).and_then(|u| u.output) {
            Some(at) if t.ty == Type::Text && to != t.ty => {
                Err(self.at(inconsistent(n, &to.sql_name(), "text"), at))
            }
            _ => Ok(()),
        }
    }

    /// What is wrong with the types of parameters, for whoever prepares the statement. (2)
    pub(super) fn undetermined_param(&self) -> Option<SqlError> {
        let why = |n: usize| format!("could not determine data type of parameter ${}", n + 1);
        (0..self.params.len()).find_map(|n| {
            let met = self.param_uses.get(n).copied().unwrap_or_default();
            match (self.params[n], met.untold, met.told) {
                (Some(_), Some(untold), Some(told)) if told.at > untold => {
                    Some(self.at(SqlError::new(SqlState::AMBIGUOUS_PARAMETER, why(n)), untold))
                }
                (None, untold, _) if untold.is_some() || met.last.is_none() => {
                    Some(SqlError::new(SqlState::INDETERMINATE_DATATYPE, why(n)))
                }
                _ => None,
            }
        })
    }

    /// Some parameter was met before its type was told. (2)
    pub(super) fn has_late_params(&self) -> bool {
        self.params.iter().zip(&self.param_uses).any(|(ty, u)| ty.is_some() && u.untold.is_some())
    }

    /// The domains that parameters' values become ones of.
    pub(super) fn param_domains(&self) -> Vec<Option<u32>> {
        self.param_uses.iter().map(|u| u.domain).collect()
    }
}
