//! JSON_TABLE as it is bound: patterns of rows within rows, and what is looked up in each.
//!
//! Its rows have the columns of a pattern, then those of the patterns nested in it, one after the other.
//!
//! Must not know: how it is written, or computed.

use super::expr::Expr;
use super::json_query::JsonQuery;
use evenkeel_types::Type;
use evenkeel_types::jsonpath::Path;
use std::sync::Arc;

/// One of them.
#[derive(Debug, Clone)]
pub struct JsonTable {
    /// The `jsonb` that is looked into.
    pub context: Expr,
    /// Variables: names, types, values.
    pub passing: Vec<(String, Type, Expr)>,
    /// Its rows.
    pub root: RowPattern,
    /// ERROR ON ERROR: where a path of rows fails, the statement does; else there are no rows.
    pub raises: bool,
}

/// The items that a path finds, each of which makes a row, or as many as the patterns nested in it.
#[derive(Debug, Clone)]
pub struct RowPattern {
    /// The path.
    pub path: Arc<Path>,
    /// Its name.
    pub name: String,
    /// Its columns.
    pub columns: Vec<TableColumn>,
    /// What is nested in it, side by side: the rows of one follow those of the one before.
    pub nested: Vec<RowPattern>,
}

/// A column.
#[derive(Debug, Clone)]
pub struct TableColumn {
    /// Its name.
    pub name: String,
    /// What it has.
    pub kind: ColumnKind,
}

/// What a column has.
#[derive(Debug, Clone)]
pub enum ColumnKind {
    /// The number of the row within its pattern.
    Ordinality,
    /// What is found in the row's item, which is the context of this; it has the variables of the table.
    Query(Box<JsonQuery>),
}

impl RowPattern {
    /// How many columns its rows have.
    pub fn width(&self) -> usize {
        self.columns.len() + self.nested.iter().map(RowPattern::width).sum::<usize>()
    }

    fn exprs<'t>(&'t self, out: &mut Vec<&'t Expr>) {
        for column in &self.columns {
            if let ColumnKind::Query(q) = &column.kind {
                out.extend(q.defaults());
            }
        }
        self.nested.iter().for_each(|n| n.exprs(out));
    }

    fn exprs_mut<'t>(&'t mut self, out: &mut Vec<&'t mut Expr>) {
        for column in &mut self.columns {
            if let ColumnKind::Query(q) = &mut column.kind {
                out.extend(q.defaults_mut());
            }
        }
        self.nested.iter_mut().for_each(|n| n.exprs_mut(out));
    }
}

impl JsonTable {
    /// The expressions in it.
    pub fn exprs(&self) -> Vec<&Expr> {
        let mut out = vec![&self.context];
        out.extend(self.passing.iter().map(|p| &p.2));
        self.root.exprs(&mut out);
        out
    }

    /// The expressions in it, to be changed.
    pub fn exprs_mut(&mut self) -> Vec<&mut Expr> {
        let mut out = vec![&mut self.context];
        out.extend(self.passing.iter_mut().map(|p| &mut p.2));
        self.root.exprs_mut(&mut out);
        out
    }
}
