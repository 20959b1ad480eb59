//! Queries as documents: their syntax, with the noted texts of their expressions.
//!
//! Must not know: how they are laid out.

use super::expr::{Shape, Writer};
use super::parens::{Parentheses, in_parentheses, key};
use super::{Note, Notes, address, marks};
use crate::bind::cte::clauses_of;
use crate::bind::grouping::{called, inner_sets};
use crate::bind::query::{direction, position};
use crate::bind::sampled::{args_of, method_name};
use crate::bind::{Binder, RelInfo, ident, split_name};
use crate::catalog::{READ_MARK, Relation};
use crate::parse::grouping::NO_KEYS;
use crate::parse::json_table::JSON_TABLE;
use crate::parse::limit_with_ties;
use crate::parse::search_cycle::Clauses;
use crate::parse::tablesample::of_hints;
use crate::plan::Column;
use crate::plan::bound::{Body, BoundQuery};
use crate::plan::expr::Expr;
use evenkeel_types::{Type, quote_ident};
use sqlparser::ast::{
    self, Expr as Ast, GroupByExpr, JoinConstraint, JoinOperator, LimitClause, OrderByKind, SelectItem,
    SetExpr, SetOperator, SetQuantifier, TableAlias, TableFactor,
};

/// A query.
#[derive(Clone)]
pub(super) struct QueryDoc {
    pub with: Vec<CteDoc>,
    pub is_recursive: bool,
    pub body: BodyDoc,
    /// ORDER BY.
    pub order: Vec<String>,
    pub offset: Option<String>,
    pub limit: Option<String>,
    pub with_ties: bool,
}

/// A common table expression.
#[derive(Clone)]
pub(super) struct CteDoc {
    pub name: String,
    pub columns: Vec<String>,
    pub is_materialized: Option<bool>,
    pub query: QueryDoc,
    /// SEARCH and CYCLE, with a blank before each.
    pub clauses: String,
}

/// What a query is made of.
#[derive(Clone)]
pub(super) enum BodyDoc {
    Select(Box<SelectDoc>),
    Values(Vec<Vec<String>>),
    Set {
        op: &'static str,
        left: Box<QueryDoc>,
        right: Box<QueryDoc>,
    },
    /// In parentheses.
    Query(Box<QueryDoc>),
}

/// A SELECT.
#[derive(Clone)]
pub(super) struct SelectDoc {
    pub distinct: Option<Vec<String>>,
    pub outs: Vec<OutDoc>,
    pub from: Vec<FromDoc>,
    pub condition: Option<String>,
    pub groups: Vec<String>,
    pub are_distinct: bool,
    pub having: Option<String>,
    /// WINDOW: names and what they are.
    pub windows: Vec<(String, String)>,
    /// What ORDER BY of its query says.
    pub order: Vec<String>,
}

/// An item of a select list.
#[derive(Clone)]
pub(super) struct OutDoc {
    pub text: String,
    pub shape: Shape,
    /// What it would be called without AS, if it is a column.
    pub own_name: Option<String>,
    pub name: String,
}

/// A relation of FROM.
#[derive(Clone)]
pub(super) struct RelDoc {
    /// Its number, for texts that name it.
    pub number: usize,
    pub what: What,
    /// What it is called, and whether AS says so.
    pub name: String,
    pub has_alias: bool,
    /// Names of its columns, where they are listed.
    pub columns: Vec<String>,
    pub is_lateral: bool,
    /// TABLESAMPLE, behind it.
    pub sample: String,
}

/// What a relation of FROM is.
#[derive(Clone)]
pub(super) enum What {
    /// Something with a name; that name alone.
    Named(String, String),
    Query(Box<QueryDoc>),
    /// A function, whether its rows are numbered, and the types that a list of definitions gives its columns.
    Function(String, bool, Vec<String>),
    /// JSON_TABLE, which is called so without an alias.
    Table(String),
}

/// An item of FROM.
#[derive(Clone)]
pub(super) enum FromDoc {
    Relation(Box<RelDoc>),
    Join(Box<JoinDoc>),
}

/// A join.
#[derive(Clone)]
pub(super) struct JoinDoc {
    pub left: FromDoc,
    pub right: FromDoc,
    pub words: &'static str,
    pub using: Vec<String>,
    pub on: Option<String>,
    /// Its own name: number, name, columns.
    pub alias: Option<(usize, String, Vec<String>)>,
}

impl Notes {
    fn text(&self, e: &Ast) -> Option<&Note> {
        self.exprs.get(&address(e))
    }

    fn plain(&self, e: &Ast) -> Option<String> {
        self.text(e).map(|n| n.text.clone())
    }

    /// A query's document, its SELECTs and queries within having been noted.
    fn query(&mut self, q: &ast::Query) -> Option<QueryDoc> {
        let mut with = Vec::new();
        if let Some(w) = &q.with {
            for cte in w.cte_tables.iter().rev() {
                let name = ident(&cte.alias.name);
                let at = self.ctes.iter().rposition(|c| c.name == name)?;
                with.push(self.ctes.remove(at));
            }
            with.reverse();
        }
        if !q.locks.is_empty() || q.fetch.as_ref().is_some_and(|f| f.percent) {
            return None;
        }
        let body = self.body(&q.body)?;
        let order = match (&body, q.order_by.as_ref().map(|o| &o.kind)) {
            (_, None) => Vec::new(),
            (BodyDoc::Select(s), Some(_)) => s.order.clone(),
            (body, Some(OrderByKind::Expressions(keys))) => {
                let names = body.names();
                let one = |k: &ast::OrderByExpr| {
                    let (desc, nulls_first) = direction(k).ok()?;
                    let n = match position(&k.expr) {
                        Some(n) => usize::try_from(n).ok()?,
                        None => match &k.expr {
                            Ast::Identifier(i) => names.iter().position(|n| *n == ident(i))? + 1,
                            _ => return None,
                        },
                    };
                    Some(key(&n.to_string(), desc, nulls_first))
                };
                keys.iter().map(one).collect::<Option<Vec<_>>>()?
            }
            _ => return None,
        };
        let (mut limit, mut offset, mut with_ties) = (None, None, false);
        let is_all = |e: &Ast| matches!(e, Ast::Identifier(i) if i.value.eq_ignore_ascii_case("all"));
        match &q.limit_clause {
            None => {}
            Some(LimitClause::LimitOffset { limit: l, offset: o, limit_by }) if limit_by.is_empty() => {
                if let Some(l) = l.as_ref().filter(|l| !is_all(l)) {
                    with_ties = limit_with_ties(l).is_some();
                    limit = Some(self.plain(limit_with_ties(l).unwrap_or(l))?);
                }
                offset = o.as_ref().map(|o| self.plain(&o.value).ok_or(())).transpose().ok()?;
            }
            Some(_) => return None,
        }
        if let Some(f) = &q.fetch {
            with_ties |= f.with_ties;
            limit = Some(match &f.quantity {
                Some(n) => self.plain(n)?,
                None => "1".into(),
            });
        }
        let is_recursive = q.with.as_ref().is_some_and(|w| w.recursive);
        Some(QueryDoc { with, is_recursive, body, order, offset, limit, with_ties })
    }

    /// The SELECT that a side of a set operation is.
    fn select_of(&mut self, side: &SetExpr) -> Option<&mut SelectDoc> {
        match side {
            SetExpr::Select(s) => self.selects.get_mut(&address(&**s)),
            SetExpr::Query(q) => self.queries.get_mut(&address(&**q))?.body.select(),
            _ => None,
        }
    }

    fn body(&mut self, e: &SetExpr) -> Option<BodyDoc> {
        Some(match e {
            SetExpr::Select(s) => BodyDoc::Select(Box::new(self.selects.remove(&address(&**s))?)),
            SetExpr::Query(q) => BodyDoc::Query(Box::new(self.queries.remove(&address(&**q))?)),
            SetExpr::Values(v) => {
                let row = |r: &Vec<Ast>| r.iter().map(|e| self.plain(e)).collect::<Option<Vec<_>>>();
                BodyDoc::Values(v.rows.iter().map(|r| row(r)).collect::<Option<_>>()?)
            }
            SetExpr::SetOperation { op, set_quantifier, left, right } => {
                let op = match (op, set_quantifier) {
                    (SetOperator::Union, SetQuantifier::All) => "UNION ALL ",
                    (SetOperator::Union, _) => "UNION ",
                    (SetOperator::Intersect, SetQuantifier::All) => "INTERSECT ALL ",
                    (SetOperator::Intersect, _) => "INTERSECT ",
                    (_, SetQuantifier::All) => "EXCEPT ALL ",
                    _ => "EXCEPT ",
                };
                let (left, right) = (self.bare(left)?, self.bare(right)?);
                BodyDoc::Set { op, left: Box::new(left), right: Box::new(right) }
            }
            _ => return None,
        })
    }

    /// A query that is nothing but its body.
    fn bare(&mut self, e: &SetExpr) -> Option<QueryDoc> {
        let body = match self.body(e)? {
            // Parentheses around what needs none are not kept.
            BodyDoc::Query(q) => return Some(*q),
            body => body,
        };
        Some(QueryDoc {
            with: Vec::new(),
            is_recursive: false,
            body,
            order: Vec::new(),
            offset: None,
            limit: None,
            with_ties: false,
        })
    }
}

/// An output of a SELECT.
fn output(q: &BoundQuery, n: usize) -> Option<&Expr> {
    match &q.body {
        Body::Select(s) => s.outs.get(n),
        Body::Query(q) => output(q, n),
        Body::Values(_) | Body::SetOperation { .. } => None,
    }
}

impl BodyDoc {
    /// The SELECT that it is, be it in parentheses.
    fn select(&mut self) -> Option<&mut SelectDoc> {
        match self {
            BodyDoc::Select(s) => Some(s),
            BodyDoc::Query(q) => q.body.select(),
            BodyDoc::Values(_) | BodyDoc::Set { .. } => None,
        }
    }

    /// Names of its columns.
    fn names(&self) -> Vec<String> {
        match self {
            BodyDoc::Select(s) => s.outs.iter().map(|o| o.name.clone()).collect(),
            BodyDoc::Values(rows) => {
                (1..=rows.first().map_or(0, Vec::len)).map(|n| format!("column{n}")).collect()
            }
            BodyDoc::Set { left, .. } => left.body.names(),
            BodyDoc::Query(q) => q.body.names(),
        }
    }
}

impl Binder<'_> {
    /// Notes a query that was bound.
    pub(in crate::bind) fn note_query(&mut self, q: &ast::Query) {
        let Some(notes) = &mut self.notes else { return };
        if let Some(doc) = notes.query(q) {
            notes.queries.insert(address(q), doc);
        }
    }

    /// A query stood for another: what is noted of it is that one's.
    pub(in crate::bind) fn renote_query(&mut self, from: &ast::Query, to: &ast::Query) {
        let Some(notes) = &mut self.notes else { return };
        if let Some(doc) = notes.queries.remove(&address(from)) {
            notes.queries.insert(address(to), doc);
        }
    }

    /// Notes what literals became that stand in a side of a set operation and had no type before the other side was known.
    pub(in crate::bind) fn note_settled(
        &mut self,
        side: &SetExpr,
        q: &BoundQuery,
        own: &[Column],
        to: &[Column],
    ) {
        if self.notes.is_none() || self.frames.is_empty() {
            return;
        }
        let settled =
            own.iter().zip(to).enumerate().filter(|(_, (o, t))| o.ty == Type::Unknown && t.ty != o.ty);
        for (n, (_, t)) in settled {
            let Some(e @ Expr::Const(_)) = output(q, n) else { continue };
            let text = Writer { binder: self, depth: self.frames.len() - 1 }.text(e, t.ty, 0);
            let doc = self.notes.as_mut().and_then(|notes| notes.select_of(side));
            if let (Some(text), Some(out)) = (text, doc.and_then(|d| d.outs.get_mut(n))) {
                out.text = text;
            }
        }
    }

    /// Notes a common table expression that was bound.
    pub(in crate::bind) fn note_cte(&mut self, cte: &ast::Cte) {
        let Some(notes) = &mut self.notes else { return };
        let q = &*cte.query;
        let clauses = match clauses_of(cte) {
            Ok(said) => {
                said.map_or_else(String::new, |said| clause_texts(&said, notes.marks.get(&address(cte))))
            }
            Err(_) => return,
        };
        let Some(query) = notes.queries.remove(&address(q)).or_else(|| notes.query(q)) else { return };
        notes.ctes.push(CteDoc {
            name: ident(&cte.alias.name),
            columns: cte.alias.columns.iter().map(|c| ident(&c.name)).collect(),
            is_materialized: cte
                .materialized
                .as_ref()
                .map(|m| matches!(m, ast::CteAsMaterialized::Materialized)),
            query,
            clauses,
        });
    }

    /// Notes a SELECT that was bound, in its frame.
    pub(in crate::bind) fn note_select(
        &mut self,
        s: &ast::Select,
        order_by: &[ast::OrderByExpr],
        columns: &[Column],
    ) {
        if self.notes.is_none() {
            return;
        }
        let doc = self.select_doc(s, order_by, columns);
        if let (Some(notes), Some(doc)) = (&mut self.notes, doc) {
            notes.selects.insert(address(s), doc);
        }
    }

    fn select_doc(
        &mut self,
        s: &ast::Select,
        order_by: &[ast::OrderByExpr],
        columns: &[Column],
    ) -> Option<SelectDoc> {
        let rels: Vec<RelInfo> = self.frames.last()?.rels.clone();
        let mut rels = rels.into_iter();
        let mut from = Vec::with_capacity(s.from.len());
        for item in &s.from {
            from.push(self.joins_doc(item, &mut rels)?);
        }
        let notes = self.notes.as_ref()?;
        let mut outs = Vec::with_capacity(s.projection.len());
        for (item, column) in s.projection.iter().zip(columns) {
            let e = match item {
                SelectItem::UnnamedExpr(e) | SelectItem::ExprWithAlias { expr: e, .. } => e,
                _ => return None,
            };
            let note = notes.text(e)?;
            outs.push(OutDoc {
                text: note.text.clone(),
                shape: note.shape,
                own_name: note.name.clone(),
                name: column.name.clone(),
            });
        }
        if outs.len() != columns.len() {
            return None;
        }
        // What is named by its place or its name in the select list is what stands there.
        let item = |e: &Ast| {
            let found = match (notes.text(e), position(e), e) {
                (None, Some(n), _) => outs.get(usize::try_from(n).ok()?.checked_sub(1)?)?,
                (None, None, Ast::Identifier(i)) => outs.iter().find(|o| o.name == ident(i))?,
                (Some(n), None, _) => return Some((n.text.clone(), n.shape)),
                _ => return None,
            };
            Some((found.text.clone(), found.shape))
        };
        let grouped = |e: &Ast| {
            let (text, shape) = item(e)?;
            Some(in_parentheses(text, shape, notes.parentheses == Parentheses::Needed))
        };
        let distinct = match &s.distinct {
            None | Some(ast::Distinct::All) => None,
            Some(ast::Distinct::Distinct) => Some(Vec::new()),
            Some(ast::Distinct::On(list)) => {
                Some(once(list.iter().map(grouped).collect::<Option<Vec<_>>>()?))
            }
        };
        let GroupByExpr::Expressions(list, _) = &s.group_by else { return None };
        let are_distinct = matches!(list.first(), Some(Ast::Identifier(i)) if i.quote_style.is_some() && i.value == crate::parse::DISTINCT_SETS);
        let groups = list[usize::from(are_distinct)..]
            .iter()
            .map(|e| group(e, &grouped))
            .collect::<Option<Vec<_>>>()
            .map(once)?;
        let condition = s.selection.as_ref().map(|w| notes.plain(w).ok_or(())).transpose().ok()?;
        let having = s.having.as_ref().map(|w| notes.plain(w).ok_or(())).transpose().ok()?;
        let (mut order, mut ordered) = (Vec::with_capacity(order_by.len()), Vec::new());
        for k in order_by {
            let (desc, nulls_first) = direction(k).ok()?;
            let (text, shape) = item(&k.expr)?;
            let text = in_parentheses(text, shape, notes.parentheses == Parentheses::Needed);
            // What is ordered already is not ordered again.
            if !ordered.contains(&text) {
                order.push(key(&text, desc, nulls_first));
                ordered.push(text);
            }
        }
        let writer = Writer { binder: self, depth: self.frames.len() - 1 };
        let mut windows = Vec::new();
        for ast::NamedWindowDefinition(name, _) in &s.named_window {
            let name = ident(name);
            let list = &self.frames.last()?.windows.list;
            let window = list.iter().find(|w| w.name.as_ref() == Some(&name))?;
            windows.push((name, writer.window(window, 0)?));
        }
        Some(SelectDoc { distinct, outs, from, condition, groups, are_distinct, having, windows, order })
    }

    fn joins_doc(
        &mut self,
        t: &ast::TableWithJoins,
        rels: &mut std::vec::IntoIter<RelInfo>,
    ) -> Option<FromDoc> {
        let mut tree = self.factor_doc(&t.relation, rels)?;
        for join in &t.joins {
            let right = self.factor_doc(&join.relation, rels)?;
            let (words, constraint) = match &join.join_operator {
                JoinOperator::Join(c) | JoinOperator::Inner(c) | JoinOperator::CrossJoin(c) => (" JOIN ", c),
                JoinOperator::Left(c) | JoinOperator::LeftOuter(c) => (" LEFT JOIN ", c),
                JoinOperator::Right(c) | JoinOperator::RightOuter(c) => (" RIGHT JOIN ", c),
                JoinOperator::FullOuter(c) => (" FULL JOIN ", c),
                _ => return None,
            };
            let (mut on, mut using) = (None, Vec::new());
            match constraint {
                JoinConstraint::On(e) => on = Some(self.notes.as_ref()?.plain(e)?),
                JoinConstraint::Using(names) => {
                    for n in names {
                        using.push(split_name(n).ok()?.1);
                    }
                }
                JoinConstraint::Natural => {
                    using.clone_from(self.notes.as_ref()?.natural.get(&address(join))?)
                }
                JoinConstraint::None => {}
            }
            let words =
                if words == " JOIN " && on.is_none() && using.is_empty() { " CROSS JOIN " } else { words };
            tree = FromDoc::Join(Box::new(JoinDoc { left: tree, right, words, using, on, alias: None }));
        }
        Some(tree)
    }

    fn factor_doc(&mut self, t: &TableFactor, rels: &mut std::vec::IntoIter<RelInfo>) -> Option<FromDoc> {
        let listed = |alias: Option<&TableAlias>, rel: &RelInfo| {
            let is_listed = alias.is_some_and(|a| !a.columns.is_empty());
            if is_listed { rel.columns.iter().map(|c| c.name.clone()).collect() } else { Vec::new() }
        };
        let (what, alias, lateral) = match t {
            TableFactor::Table { name, alias, args: None, .. } => {
                let (schema, own) = split_name(name).ok()?;
                let named = match schema.as_deref() == Some(READ_MARK) {
                    true => {
                        let read = self.stored.as_ref()?.reads.get(own.parse::<usize>().ok()?)?;
                        Some(self.catalog.relation(read.oid)?)
                    }
                    false if schema.is_none() && self.has_cte(&own) => None,
                    false => Some(self.relation(name).ok()?),
                };
                let what = match named {
                    None => What::Named(quote_ident(&own), own),
                    Some(r) => {
                        // Beside a common table expression of its name it is called with its schema.
                        let path = if self.has_cte(r.name()) { &[] } else { self.search_path };
                        let shown = self.catalog.qualified_name(&r, path);
                        if matches!(r, Relation::Index(..)) {
                            return None;
                        }
                        What::Named(shown, r.name().to_owned())
                    }
                };
                (what, alias.as_ref(), false)
            }
            TableFactor::Table { alias, with_ordinality, .. }
            | TableFactor::Function { alias, with_ordinality, .. }
            | TableFactor::UNNEST { alias, with_ordinality, .. } => {
                let rel = rels.next()?;
                let (text, types) = rel.written.as_ref()?.laid_out(*with_ordinality);
                let own: Vec<usize> = self.frames.last()?.rels.iter().map(|r| r.number).collect();
                let (is_table, says_lateral) = match json_table(t) {
                    Some(lateral) => (true, lateral),
                    None => (false, false),
                };
                let what = match is_table {
                    true => What::Table(text.clone()),
                    false => What::Function(text.clone(), *with_ordinality, types),
                };
                let is_said = matches!(t, TableFactor::Function { lateral: true, .. });
                let has_columns = !is_table || alias.as_ref().is_some_and(|a| !a.columns.is_empty());
                let columns = rel.columns.iter().map(|c| &*c.name).filter(|_| has_columns);
                return Some(FromDoc::Relation(Box::new(RelDoc {
                    number: rel.number,
                    what,
                    name: rel.alias.clone(),
                    has_alias: alias.is_some(),
                    columns: apart(columns),
                    // It is where it reads what is beside it, whether that is said or not.
                    is_lateral: is_said || says_lateral || marks::relations(&text).any(|n| own.contains(&n)),
                    sample: String::new(),
                })));
            }
            TableFactor::Derived { lateral, subquery, alias, .. } => {
                let doc = self.notes.as_mut()?.queries.remove(&address(&**subquery))?;
                (What::Query(Box::new(doc)), alias.as_ref(), *lateral)
            }
            TableFactor::NestedJoin { table_with_joins, alias } => {
                let tree = self.joins_doc(table_with_joins, rels)?;
                let Some(alias) = alias else { return Some(tree) };
                let (rel, FromDoc::Join(mut join)) = (rels.next()?, tree) else { return None };
                join.alias = Some((rel.number, ident(&alias.name), listed(Some(alias), &rel)));
                return Some(FromDoc::Join(join));
            }
            _ => return None,
        };
        let rel = rels.next()?;
        let name = match (alias, &what) {
            (Some(a), _) => ident(&a.name),
            (None, What::Named(_, own)) => own.clone(),
            (None, _) => rel.name.clone(),
        };
        Some(FromDoc::Relation(Box::new(RelDoc {
            number: rel.number,
            columns: listed(alias, &rel),
            what,
            name,
            has_alias: alias.is_some(),
            is_lateral: lateral,
            sample: self.sample_text(t)?,
        })))
    }
}

impl Binder<'_> {
    /// TABLESAMPLE as it is shown; nothing, where there is none.
    fn sample_text(&self, t: &TableFactor) -> Option<String> {
        let TableFactor::Table { with_hints, .. } = t else { return Some(String::new()) };
        let Some((method, seed)) = of_hints(with_hints) else { return Some(String::new()) };
        let texts =
            |f| args_of(f).into_iter().map(|e| self.notes.as_ref()?.plain(e)).collect::<Option<Vec<_>>>();
        let mut text = format!(" TABLESAMPLE {} ({})", method_name(method)?, texts(method)?.join(", "));
        if let Some(seed) = seed {
            text += &format!(" REPEATABLE ({})", texts(seed)?.join(", "));
        }
        Some(text)
    }
}

/// SEARCH and CYCLE, the latter perhaps with the texts of its values.
fn clause_texts(said: &Clauses, marks: Option<&(String, String)>) -> String {
    let names = |list: &[String]| list.iter().map(|n| quote_ident(n)).collect::<Vec<_>>().join(", ");
    let mut text = String::new();
    if let Some(s) = &said.search {
        let kind = if s.is_breadth { "BREADTH" } else { "DEPTH" };
        text += &format!(" SEARCH {kind} FIRST BY {} SET {}", names(&s.columns), quote_ident(&s.sequence));
    }
    if let Some(c) = &said.cycle {
        text += &format!(" CYCLE {} SET {}", names(&c.columns), quote_ident(&c.mark));
        if let Some((value, otherwise)) = marks {
            text += &format!(" TO {value} DEFAULT {otherwise}");
        }
        text += &format!(" USING {}", quote_ident(&c.path));
    }
    text
}

/// Names of columns, none of them twice.
fn apart<'n>(names: impl Iterator<Item = &'n str>) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for name in names {
        let numbered = (1..).map(|n| format!("{name}_{n}"));
        let own = std::iter::once(name.to_owned()).chain(numbered).find(|n| !all.contains(n));
        all.extend(own);
    }
    all
}

/// Each key once, where it stands first. Sets of groups multiply: of them none is left out.
fn once(texts: Vec<String>) -> Vec<String> {
    let is_sets = |text: &str| ["ROLLUP", "CUBE", "GROUPING SETS"].iter().any(|w| text.starts_with(w));
    let mut seen: Vec<String> = Vec::with_capacity(texts.len());
    for text in texts {
        if is_sets(&text) || !seen.contains(&text) {
            seen.push(text);
        }
    }
    seen
}

/// An item of GROUP BY.
fn group(e: &Ast, one: &dyn Fn(&Ast) -> Option<String>) -> Option<String> {
    let list = |l: &[Ast]| Some(l.iter().map(one).collect::<Option<Vec<_>>>()?.join(", "));
    let set = |l: &Vec<Ast>| match &l[..] {
        [e] => one(e),
        l => Some(format!("({})", list(l)?)),
    };
    Some(match e {
        Ast::Rollup(sets) => {
            format!("ROLLUP({})", sets.iter().map(set).collect::<Option<Vec<_>>>()?.join(", "))
        }
        Ast::Cube(sets) => format!("CUBE({})", sets.iter().map(set).collect::<Option<Vec<_>>>()?.join(", ")),
        Ast::GroupingSets(sets) => {
            let inner = |l: &[&Ast]| match l {
                [e] => one(e),
                l => Some(format!("({})", l.iter().map(|e| one(e)).collect::<Option<Vec<_>>>()?.join(", "))),
            };
            let set = |l: &[Ast]| match l.first().and_then(called) {
                Some((is_cube, groups)) if l.len() == 1 => {
                    let groups = groups.iter().map(|g| inner(g)).collect::<Option<Vec<_>>>()?.join(", ");
                    Some(format!("{}({groups})", if is_cube { "CUBE" } else { "ROLLUP" }))
                }
                _ => Some(format!("({})", list(l)?)),
            };
            // Sets within sets are as if they stood there themselves.
            let (mut texts, mut waiting): (Vec<String>, Vec<&[Ast]>) =
                (Vec::new(), sets.iter().rev().map(Vec::as_slice).collect());
            while let Some(l) = waiting.pop() {
                let one = if let [e] = l { Some(e) } else { None };
                match one.map(|e| (e, inner_sets(e))) {
                    Some((_, Some(items))) => {
                        waiting.extend(items.into_iter().rev().map(std::slice::from_ref))
                    }
                    Some((Ast::Identifier(i), _)) if i.value == NO_KEYS => texts.push("()".to_owned()),
                    Some((Ast::Tuple(items), _)) => texts.push(set(items)?),
                    _ => texts.push(set(l)?),
                }
            }
            format!("GROUPING SETS ({})", texts.join(", "))
        }
        Ast::Tuple(items) => format!("({})", list(items)?),
        e => one(e)?,
    })
}

/// Whether an item of FROM is JSON_TABLE: then, whether LATERAL is said.
fn json_table(t: &TableFactor) -> Option<bool> {
    let (name, lateral) = match t {
        TableFactor::Table { name, args: Some(_), .. } => (name, false),
        TableFactor::Function { name, lateral, .. } => (name, *lateral),
        _ => return None,
    };
    split_name(name).is_ok_and(|(_, name)| name == JSON_TABLE).then_some(lateral)
}
