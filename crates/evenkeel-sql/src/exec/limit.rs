//! LIMIT, OFFSET and FETCH FIRST … WITH TIES.
//!
//! Must not know: what the rows are.

use super::eval::eval;
use super::node::{self, State};
use super::{Cx, Row};
use crate::plan::Node;
use crate::plan::expr::Expr;
use evenkeel_types::Datum;
use evenkeel_types::error::{SqlError, SqlState};

/// What is limited, as the plan has it.
pub(super) struct Limited<'p> {
    pub input: &'p Node,
    pub limit: Option<&'p Expr>,
    pub offset: Option<&'p Expr>,
    /// What rows behind the last one have to have as it has it, to come, too.
    pub ties: &'p [Expr],
}

/// How far it is.
pub struct LimitState {
    input: State,
    /// How many rows are left; `None` before the first one; `u64::MAX`: no limit.
    left: Option<u64>,
    /// With what those that follow may tie, when none is left.
    last: Option<Row>,
}

impl LimitState {
    pub(super) fn new(input: &Node) -> LimitState {
        LimitState { input: State::new(input), left: None, last: None }
    }

    pub(super) fn reset(&mut self, input: &Node, cx: &mut Cx<'_>) -> Result<(), SqlError> {
        (self.left, self.last) = (None, None);
        node::reset(input, &mut self.input, cx)
    }

    pub(super) fn next(
        &mut self,
        of: &Limited<'_>,
        row: &mut [Datum],
        cx: &mut Cx<'_>,
    ) -> Result<bool, SqlError> {
        let left = match self.left {
            Some(n) => n,
            None => self.begin(of, row, cx)?,
        };
        if left == 0 {
            return self.tie(of, row, cx);
        }
        if !node::next(of.input, &mut self.input, row, cx)? {
            self.left = Some(0);
            return Ok(false);
        }
        node::complete(of.input, &self.input, row)?;
        let left = if left == u64::MAX { left } else { left - 1 };
        self.left = Some(left);
        if left == 0 && !of.ties.is_empty() {
            self.last = Some(of.ties.iter().map(|e| eval(e, row, cx)).collect::<Result<_, _>>()?);
        }
        Ok(true)
    }

    /// Reads the numbers, and passes over what OFFSET says.
    fn begin(&mut self, of: &Limited<'_>, row: &mut [Datum], cx: &mut Cx<'_>) -> Result<u64, SqlError> {
        let skip = count(of.offset, "OFFSET", cx)?.unwrap_or(0);
        let n = count(of.limit, "LIMIT", cx)?;
        if n.is_none() && !of.ties.is_empty() {
            let why = "row count cannot be null in FETCH FIRST ... WITH TIES clause";
            return Err(SqlError::new(SqlState::INVALID_ROW_COUNT_IN_LIMIT, why));
        }
        let n = n.unwrap_or(u64::MAX);
        self.left = Some(n);
        for _ in 0..if n == 0 { 0 } else { skip } {
            if !node::next(of.input, &mut self.input, row, cx)? {
                self.left = Some(0);
                return Ok(0);
            }
        }
        Ok(n)
    }

    /// A row behind the last one, if it has what that had.
    fn tie(&mut self, of: &Limited<'_>, row: &mut [Datum], cx: &mut Cx<'_>) -> Result<bool, SqlError> {
        let Some(tie) = self.last.take() else { return Ok(false) };
        if !node::next(of.input, &mut self.input, row, cx)? {
            return Ok(false);
        }
        node::complete(of.input, &self.input, row)?;
        for (e, value) in of.ties.iter().zip(&tie) {
            if !super::rowset::same(&eval(e, row, cx)?, value) {
                return Ok(false);
            }
        }
        self.last = Some(tie);
        Ok(true)
    }
}

/// LIMIT's and OFFSET's value.
pub fn count(e: Option<&Expr>, what: &str, cx: &mut Cx<'_>) -> Result<Option<u64>, SqlError> {
    let Some(e) = e else { return Ok(None) };
    let Some(n) = eval(e, &[], cx)?.as_i64() else { return Ok(None) };
    u64::try_from(n).map(Some).map_err(|_| {
        let code = if what == "LIMIT" {
            SqlState::INVALID_ROW_COUNT_IN_LIMIT
        } else {
            SqlState::INVALID_ROW_COUNT_IN_OFFSET
        };
        SqlError::new(code, format!("{what} must not be negative"))
    })
}
