//! Set-returning functions in a select list, ORDER BY and GROUP BY: where they may stand, and by what a level tells them apart.
//!
//! Invariants
//! 1. The arguments of a call have only calls with lower numbers.
//! 2. No call is computed both below a level's groups and above them: the planner gives each its one place.
//!
//! Must not know: where in a plan they are computed (`plan::project_set`).

use super::{Binder, Typed};
use crate::plan::expr::Expr;
use crate::plan::{SetCall, SetFunction};
use evenkeel_types::Type;
use evenkeel_types::error::SqlError;
use sqlparser::ast::Expr as Ast;

impl Binder<'_> {
    /// A call in an expression.
    pub(super) fn set_call(&mut self, name: &str, args: &[&Ast]) -> Result<Typed, SqlError> {
        self.may_have_set()?;
        let (function, columns) = self.set_function(name, args)?;
        let (record, ty, typmod) = match &columns[..] {
            [(_, ty, typmod)] => (None, *ty, *typmod),
            several => {
                let names: Vec<String> = several.iter().map(|c| c.0.clone()).collect();
                (Some((names.into(), several.iter().map(|c| c.1).collect())), Type::Record, -1)
            }
        };
        let call = SetCall { name: name.to_owned(), function, record };
        let calls = &mut self.frame()?.set_calls;
        // The same call again is the same value: what is ordered by is found in the select list so.
        let is_same = |c: &SetCall| c.name == call.name && c.function.is_same(&call.function);
        let number = calls.iter().position(is_same).unwrap_or_else(|| {
            calls.push(call);
            calls.len() - 1
        });
        Ok(Typed { expr: Expr::Set(number), ty, typmod })
    }

    /// Fails where no such function may stand.
    fn may_have_set(&mut self) -> Result<(), SqlError> {
        let frame = self.frame()?;
        let hint = "You might be able to move the set-returning function into a LATERAL FROM item.";
        let refused = match frame.without_sets {
            _ if frame.in_agg => {
                Some("aggregate function calls cannot contain set-returning function calls".to_owned())
            }
            _ if frame.in_window => {
                Some("window function calls cannot contain set-returning function calls".to_owned())
            }
            Some(construct) => Some(format!("set-returning functions are not allowed in {construct}")),
            None => None,
        };
        if let Some(message) = refused {
            return Err(SqlError::unsupported(message).with_hint(hint));
        }
        if frame.sets_allowed {
            return Ok(());
        }
        Err(SqlError::unsupported(match frame.place {
            "functions in FROM" => "set-returning functions must appear at top level of FROM".to_owned(),
            "" => "set-returning functions are not allowed here".to_owned(),
            p if p.starts_with("window ") => {
                "set-returning functions are not allowed in window definitions".to_owned()
            }
            p => format!("set-returning functions are not allowed in {p}"),
        }))
    }

    /// Binds what no set-returning function may stand in, such as CASE.
    pub(super) fn without_sets<T>(
        &mut self,
        construct: &'static str,
        bind: impl FnOnce(&mut Self) -> Result<T, SqlError>,
    ) -> Result<T, SqlError> {
        let before = self.frame()?.without_sets.replace(construct);
        let bound = bind(self);
        self.frame()?.without_sets = before;
        bound
    }

    /// Calls that are read above the level's groups are calls of their own there: their arguments are over keys and aggregates.
    pub(super) fn regroup_calls(
        &mut self,
        calls: &mut Vec<SetCall>,
        keys: &[Expr],
        above: &mut [&mut Expr],
    ) -> Result<(), SqlError> {
        let mut late = vec![false; calls.len()];
        above.iter().for_each(|e| mark_calls(e, calls, &mut late));
        let mut early = vec![false; calls.len()];
        keys.iter().for_each(|e| mark_calls(e, calls, &mut early));
        let mut numbers: Vec<usize> = (0..calls.len()).collect();
        let renumbered = |e: Expr, numbers: &[usize]| {
            e.map(&mut |e| if let Expr::Set(n) = e { Expr::Set(numbers[n]) } else { e })
        };
        for n in (0..calls.len()).filter(|n| late[*n]) {
            let mut call = calls[n].clone();
            for e in call.function.exprs_mut() {
                let own = renumbered(std::mem::replace(e, Expr::null()), &numbers);
                *e = self.regroup(own, keys)?;
            }
            if early[n] {
                numbers[n] = calls.len();
                calls.push(call);
            } else {
                calls[n] = call;
            }
        }
        for e in above {
            **e = renumbered(std::mem::replace(e, Expr::null()), &numbers);
        }
        Ok(())
    }
}

/// The calls of an expression, and of their arguments.
fn mark_calls(e: &Expr, calls: &[SetCall], found: &mut [bool]) {
    e.walk(&mut |e| {
        if let Expr::Set(n) = e
            && !std::mem::replace(&mut found[*n], true)
        {
            calls[*n].function.exprs().into_iter().for_each(|e| mark_calls(e, calls, found));
        }
    });
}

impl SetFunction {
    /// Whether it returns the same rows as another.
    fn is_same(&self, other: &SetFunction) -> bool {
        let is_kind = match (self, other) {
            (SetFunction::Series { ty: a, .. }, SetFunction::Series { ty: b, .. }) => a == b,
            (SetFunction::TimeSeries { add: a, .. }, SetFunction::TimeSeries { add: b, .. }) => {
                std::ptr::eq(*a, *b)
            }
            (SetFunction::Rows { f: a, .. }, SetFunction::Rows { f: b, .. }) => std::ptr::eq(*a, *b),
            (a, b) => std::mem::discriminant(a) == std::mem::discriminant(b),
        };
        is_kind && self.exprs() == other.exprs() && !self.exprs().iter().any(|e| e.calls_volatile())
    }
}
