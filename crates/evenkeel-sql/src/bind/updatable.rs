//! Which views rows can be written through: those whose rows are rows of one table, column by column, as PostgreSQL's "automatically updatable" views.
//!
//! It is told by the query as it is kept, without binding it, so that the catalog's views can ask too.
//!
//! Must not know: how statements are bound.

use super::func::is_set_name;
use super::{ident, split_name};
use crate::catalog::{Catalog, Relation, View};
use crate::parse::lex::tokenize;
use crate::parse::view::parse_query;
use evenkeel_types::error::SqlError;
use evenkeel_types::guard::stack::Deep;
use evenkeel_types::{lookup_aggregates, lookup_functions};
use sqlparser::ast::{self, Expr as Ast, GroupByExpr, SelectItem, SetExpr, TableFactor};
use sqlparser::tokenizer::Token;

/// INSERT, UPDATE and DELETE as bits of `pg_relation_is_updatable`.
const INSERT: i32 = 1 << 3;
const UPDATE: i32 = 1 << 2;
const DELETE: i32 = 1 << 4;
/// Views within views.
const MAX_DEPTH: usize = 200;

const NOT_A_COLUMN: &str = "View columns that are not columns of their base relation are not updatable.";
const SYSTEM_COLUMN: &str = "View columns that refer to system columns are not updatable.";
const WHOLE_ROW: &str = "View columns that return whole-row references are not updatable.";
/// Why nothing can be given a value through a view.
pub(super) const NO_COLUMNS: &str = "Views that have no updatable columns are not automatically updatable.";

/// A view's query, as far as rows can be written through it.
pub(crate) struct Simple {
    /// The query.
    query: Deep<ast::Query>,
    /// Which of what it reads it is made of.
    pub read: usize,
    /// What it calls that.
    pub alias: String,
    /// The columns that may be named: position in the relation, name.
    pub names: Vec<(usize, String)>,
}

/// Whether a query calls aggregates, window functions, or set-returning functions in its list, itself: what subqueries in it call is their own.
fn calls(text: &str) -> (bool, bool, bool) {
    let Ok(tokens) = tokenize(text) else { return (false, false, false) };
    let (mut aggregates, mut windows, mut sets, mut is_list) = (false, false, false, true);
    let word = |n: usize| match tokens.get(n).map(|t| &t.token) {
        Some(Token::Word(w)) if w.quote_style.is_none() => w.value.to_ascii_lowercase(),
        _ => String::new(),
    };
    // For each open parenthesis, whether a subquery stands in it.
    let mut open: Vec<bool> = Vec::new();
    for (n, t) in tokens.iter().enumerate() {
        let is_inside = open.last().copied().unwrap_or(false);
        match &t.token {
            Token::LParen => {
                let begins = matches!(word(n + 1).as_str(), "select" | "with" | "values");
                open.push(is_inside || begins);
            }
            Token::RParen => {
                open.pop();
            }
            Token::Word(_) if !is_inside => {
                let name = word(n);
                let is_called = matches!(tokens.get(n + 1).map(|t| &t.token), Some(Token::LParen));
                let is_behind_call = n > 0 && tokens[n - 1].token == Token::RParen;
                windows |= name == "over" && is_behind_call;
                is_list &= name != "from" || !open.is_empty();
                sets |= is_called && is_list && is_set_name(&name);
                aggregates |=
                    is_called && !lookup_aggregates(&name).is_empty() && lookup_functions(&name).is_empty();
            }
            _ => {}
        }
    }
    // Over a window an aggregate is none.
    (aggregates && !windows, windows, sets)
}

fn item_expr(item: &SelectItem) -> Option<&Ast> {
    match item {
        SelectItem::UnnamedExpr(e) | SelectItem::ExprWithAlias { expr: e, .. } => Some(e),
        _ => None,
    }
}

/// What a view is made of, or why rows cannot be written through it.
pub(crate) fn simple(view: &View) -> Result<Simple, &'static str> {
    const OTHER: &str =
        "Views that do not select from a single table or view are not automatically updatable.";
    let query = parse_query(&view.query.text).map_err(|_: SqlError| OTHER)?;
    let select = match &*query.body {
        SetExpr::Select(s) => s,
        SetExpr::Values(_) => return Err(OTHER),
        SetExpr::SetOperation { .. } => {
            return Err("Views containing UNION, INTERSECT, or EXCEPT are not automatically updatable.");
        }
        _ => return Err(OTHER),
    };
    if select.distinct.is_some() {
        return Err("Views containing DISTINCT are not automatically updatable.");
    }
    if !matches!(&select.group_by, GroupByExpr::Expressions(list, _) if list.is_empty()) {
        return Err("Views containing GROUP BY are not automatically updatable.");
    }
    if select.having.is_some() {
        return Err("Views containing HAVING are not automatically updatable.");
    }
    if query.with.is_some() {
        return Err("Views containing WITH are not automatically updatable.");
    }
    if query.limit_clause.is_some() || query.fetch.is_some() {
        return Err("Views containing LIMIT or OFFSET are not automatically updatable.");
    }
    let (aggregates, windows, sets) = calls(&view.query.text);
    if aggregates {
        return Err("Views that return aggregate functions are not automatically updatable.");
    }
    if windows {
        return Err("Views that return window functions are not automatically updatable.");
    }
    if sets {
        return Err("Views that return set-returning functions are not automatically updatable.");
    }
    let [from] = &select.from[..] else { return Err(OTHER) };
    let TableFactor::Table { name, alias, args: None, with_hints, .. } = &from.relation else {
        return Err(OTHER);
    };
    if !from.joins.is_empty() {
        return Err(OTHER);
    }
    let number = split_name(name).ok().filter(|n| n.0.is_some()).and_then(|n| n.1.parse::<usize>().ok());
    let Some((number, read)) = number.and_then(|n| Some((n, view.query.reads.get(n)?))) else {
        return Err(OTHER);
    };
    if !with_hints.is_empty() {
        return Err("Views containing TABLESAMPLE are not automatically updatable.");
    }
    let called = alias.as_ref().map_or_else(|| read.name.clone(), |a| ident(&a.name));
    let mut names = read.columns.clone();
    if let Some(alias) = alias {
        for (c, given) in names.iter_mut().zip(&alias.columns) {
            c.1 = ident(&given.name);
        }
    }
    Ok(Simple { query, read: number, alias: called, names })
}

impl Simple {
    fn select(&self) -> Option<&ast::Select> {
        match &*self.query.body {
            SetExpr::Select(s) => Some(s),
            _ => None,
        }
    }

    /// Its WHERE.
    pub fn selection(&self) -> Option<&Ast> {
        self.select()?.selection.as_ref()
    }

    /// Its columns.
    pub fn items(&self) -> impl Iterator<Item = &Ast> {
        self.select().into_iter().flat_map(|s| &s.projection).filter_map(item_expr)
    }

    /// Whether any of its columns can be given a value.
    pub fn has_columns(&self) -> bool {
        self.items().any(|e| self.origin(e).is_ok())
    }

    /// How deep its expressions are.
    pub fn depth(&self) -> usize {
        self.query.depth()
    }

    /// The column of the relation that a column is, or why it is none.
    pub fn origin(&self, item: &Ast) -> Result<usize, &'static str> {
        let name = match item {
            Ast::Nested(e) => return self.origin(e),
            Ast::Identifier(i) => ident(i),
            Ast::CompoundIdentifier(parts) => match &parts[..] {
                [.., of, name] if ident(of) == self.alias => ident(name),
                _ => return Err(NOT_A_COLUMN),
            },
            _ => return Err(NOT_A_COLUMN),
        };
        match self.names.iter().find(|n| n.1 == name) {
            Some((n, _)) => Ok(*n),
            None if name == self.alias => Err(WHOLE_ROW),
            None if ["tableoid", "ctid", "xmin", "xmax", "cmin", "cmax"].contains(&name.as_str()) => {
                Err(SYSTEM_COLUMN)
            }
            None => Err(NOT_A_COLUMN),
        }
    }
}

/// Why a check option makes no sense for a view.
pub(crate) fn refuses_check_option(view: &View) -> Option<&'static str> {
    match simple(view) {
        Err(why) => Some(why),
        Ok(s) if !s.has_columns() => Some(NO_COLUMNS),
        Ok(_) => None,
    }
}

/// What can be done with rows through a relation, or with some of its columns, as `pg_relation_is_updatable` has it.
pub(crate) fn events(catalog: &Catalog, relation: u32, columns: Option<&[usize]>) -> i32 {
    events_at(catalog, relation, columns, 0)
}

fn events_at(catalog: &Catalog, relation: u32, columns: Option<&[usize]>, depth: usize) -> i32 {
    let view = match catalog.relation(relation) {
        Some(Relation::Table(t)) if t.materialized.is_none() => return INSERT | UPDATE | DELETE,
        Some(Relation::Virtual(v)) if !v.is_view => return INSERT | UPDATE | DELETE,
        Some(Relation::View(v)) if depth < MAX_DEPTH => v,
        _ => return 0,
    };
    let Ok(s) = simple(&view) else { return 0 };
    let origins = s.items().enumerate().filter(|(n, _)| columns.is_none_or(|c| c.contains(n)));
    let below: Vec<usize> = origins.filter_map(|(_, e)| s.origin(e).ok()).collect();
    let own = if below.is_empty() { DELETE } else { INSERT | UPDATE | DELETE };
    let Some(read) = view.query.reads.get(s.read) else { return 0 };
    own & events_at(catalog, read.oid, Some(&below), depth + 1)
}

/// Whether rows can be inserted through a relation, and updated and deleted.
pub(crate) fn insertable_and_updatable(catalog: &Catalog, relation: u32) -> (bool, bool) {
    let events = events(catalog, relation, None);
    (events & INSERT != 0, events & (UPDATE | DELETE) == UPDATE | DELETE)
}

/// Whether a column, counted from 0, can be changed through a relation.
pub(crate) fn is_column_updatable(catalog: &Catalog, relation: u32, column: usize) -> bool {
    events(catalog, relation, Some(&[column])) & (UPDATE | DELETE) == UPDATE | DELETE
}
