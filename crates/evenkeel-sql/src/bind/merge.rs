//! MERGE: the source joined with what is changed, by an outer join as far as rows without a partner matter.
//!
//! Invariants:
//! 1. The table's rows stand first in the buffer. Its row id is NULL where it has no row; with NOT MATCHED BY SOURCE a marker beside the source is
//!    NULL where that has none.
//!
//! Must not know: how rows are written.

use super::dml::{Bound, Overriding, is_default, keeps_default, mark_used, may_insert};
use super::from::may_join_fully;
use super::generated::changed_columns;
use super::keys_only::lock_for;
use super::returning::mark_returned;
use super::surface::{Surface, Verb};
use super::{Binder, ColInfo, RelInfo, Typed};
use crate::catalog::security::acl;
use crate::parse::merge::OVERRIDING;
use crate::plan::bound::{BoundStatement, FromTree, Level, Source, SourceKind, Visited};
use crate::plan::expr::Expr;
use crate::plan::{JoinKind, MergeAction, MergeClause, MergeMatch, MergePlan};
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::{Datum, Type};
use sqlparser::ast::{self, MergeClauseKind, MergeInsertKind, MergeUpdateKind};

fn syntax(message: &str) -> SqlError {
    SqlError::new(SqlState::SYNTAX_ERROR, message)
}

/// Relations and names that a clause does not see.
type Hidden = (Vec<RelInfo>, Vec<ColInfo>);

/// What OVERRIDING says of an INSERT, and the columns that are named.
fn overriding(columns: &[ast::ObjectName]) -> (Overriding, &[ast::ObjectName]) {
    let mark = columns.first().and_then(|c| c.0.first()?.as_ident());
    match mark.and_then(|i| OVERRIDING.iter().position(|o| *o == i.value)) {
        Some(0) => (Overriding::System, &columns[1..]),
        Some(_) => (Overriding::User, &columns[1..]),
        None => (Overriding::Nothing, columns),
    }
}

/// What an error says of a name that is hidden.
fn of_hidden(mut e: SqlError, hidden: &[RelInfo]) -> SqlError {
    let about = "but it cannot be referenced from this part of the query.";
    for r in hidden {
        let alias = &r.alias;
        if e.message == format!("missing FROM-clause entry for table \"{alias}\"") {
            e.message = format!("invalid reference to FROM-clause entry for table \"{alias}\"");
            return e.with_detail(format!("There is an entry for table \"{alias}\", {about}"));
        }
        let is_it = |c: &&ColInfo| e.message == format!("column \"{}\" does not exist", c.name);
        if let Some(c) = r.columns.iter().find(is_it) {
            e.hint = None;
            return e.with_detail(format!(
                "There is a column named \"{}\" in table \"{alias}\", {about}",
                c.name
            ));
        }
    }
    e
}

/// A source beside a value that is NULL where an outer join lacks its row: its own values may all be NULL.
fn marked(source: FromTree, at: usize, sources: &mut Vec<Source>) -> FromTree {
    let row: Box<[Expr]> = [Expr::Const(Datum::Bool(true))].into();
    let marker = Source { at, width: 1, ..Source::new(SourceKind::Rows(vec![row]), Vec::new()) };
    sources.push(marker);
    let right = Box::new(FromTree::Source(sources.len() - 1));
    FromTree::Join { kind: JoinKind::Inner, left: Box::new(source), right, on: Vec::new() }
}

impl Binder<'_> {
    pub(super) fn merge(&mut self, m: &ast::Merge) -> Result<Bound, SqlError> {
        super::foreign::of_merge(m)?;
        let alone = |t: &ast::TableFactor| ast::TableWithJoins { relation: t.clone(), joins: Vec::new() };
        let verb = m.clauses.iter().find_map(|c| match c.action {
            ast::MergeAction::Insert(_) => Some(Verb::MergeInsert),
            ast::MergeAction::Update(_) => Some(Verb::MergeUpdate),
            ast::MergeAction::Delete { .. } => Some(Verb::MergeDelete),
            ast::MergeAction::DoNothing { .. } => None,
        });
        let (surface, alias) = self.dml_surface(&alone(&m.table), verb.unwrap_or(Verb::MergeUpdate))?;
        let table = surface.table.clone();
        let items = match &m.output {
            None => None,
            Some(ast::OutputClause::Returning { select_items, .. }) => Some(select_items),
            Some(ast::OutputClause::Output { .. }) => {
                return Err(syntax("syntax error at or near \"output\""));
            }
        };
        let target = self.target(&table, true, true)?;
        let (mut out, mut returning) = (None, None);
        let action = self.slots;
        self.slots += 1;
        let ((level, clauses, source), _) = self.nested(|b| {
            let mut sources = Vec::new();
            let own = b.add_surface(&surface, &alias, &mut sources)?;
            let frame = b.frame()?;
            let (rels, names) = (frame.rels.len(), frame.names.len());
            (frame.place, frame.not_lateral) = ("FROM", rels);
            let source = b.table_with_joins(&alone(&m.source), &mut sources)?;
            let frame = b.frame()?;
            (frame.not_lateral, frame.place) = (0, "JOIN conditions");
            let mut on = Vec::new();
            b.condition(&m.on, "JOIN/ON")?.split_and(&mut on);
            let mut clauses: Vec<MergeClause> = Vec::new();
            for c in &m.clauses {
                let which = match c.clause_kind {
                    MergeClauseKind::Matched => MergeMatch::Matched,
                    MergeClauseKind::NotMatchedBySource => MergeMatch::BySource,
                    MergeClauseKind::NotMatched | MergeClauseKind::NotMatchedByTarget => MergeMatch::ByTarget,
                };
                if clauses.iter().any(|x| x.rows == which && x.condition.is_none()) {
                    return Err(syntax("unreachable WHEN clause specified after unconditional WHEN clause"));
                }
                let hidden = b.hide(which, (rels, names))?;
                let clause = b.merge_clause(&surface, target, c, which);
                clauses.push(b.show(which, hidden, clause)?);
            }
            // What is done about rows that one side lacks: DO NOTHING needs none of them.
            let acts = |which: MergeMatch| {
                let is_one = |c: &MergeClause| c.rows == which && !matches!(c.action, MergeAction::Nothing);
                clauses.iter().any(is_one)
            };
            let (by_source, by_target) = (acts(MergeMatch::BySource), acts(MergeMatch::ByTarget));
            let (mut conjuncts, mut marker) = (Vec::new(), None);
            let seen = surface.conditions.clone();
            let (kind, left, right) = if by_source {
                let kind = if by_target { JoinKind::Full } else { JoinKind::Left };
                if by_target {
                    on.retain(|e| !matches!(e, Expr::Const(Datum::Bool(true))));
                    may_join_fully(&on)?;
                    // Rows of the table that a view does not show are none, but the source's rows are all there.
                    let id = Expr::Column(table.columns.len());
                    let lacks_row = || Expr::IsNull(Box::new(id.clone()), false);
                    conjuncts.extend(seen.iter().map(|c| Expr::Or([lacks_row(), c.clone()].into())));
                    on.extend(seen);
                } else {
                    conjuncts = seen;
                }
                let frame = b.frame()?;
                frame.may_lack_rows((rels, names), table.columns.len() + 1..usize::MAX);
                let at = frame.width;
                frame.width += 1;
                marker = Some(at);
                (kind, own, marked(source, at, &mut sources))
            } else {
                on.extend(seen);
                (if by_target { JoinKind::Left } else { JoinKind::Inner }, source, own)
            };
            if let Some(items) = items {
                b.merge_action = Some(action);
                // What the source is made of comes first.
                b.frame()?.names.rotate_left(names);
                let bound = b.returning(items, &table);
                b.merge_action = None;
                let bound = bound?;
                (returning, out) = (Some(bound.0), Some(bound.1));
            }
            let tree = FromTree::Join { kind, left: Box::new(left), right: Box::new(right), on };
            let width = b.frame()?.width;
            Ok((Level { sources, tree: Some(tree), conjuncts, width }, clauses, marker))
        })?;
        let mut used = vec![false; level.width];
        used[..table.columns.len()].fill(true);
        source.into_iter().for_each(|at| used[at] = true);
        for c in &clauses {
            c.exprs(&mut |e| mark_used([e], &mut used));
        }
        mark_returned(returning.as_ref(), &table, &mut used);
        let rows = Visited { level, used };
        self.need_through(&surface);
        let (clauses, view_checks) = (clauses.into(), surface.checks.into());
        let plan = MergePlan { target, rows, at: 0, source, clauses, action, view_checks, returning };
        Ok((BoundStatement::Merge(plan), out))
    }

    /// Hides what a WHEN clause cannot refer to: where one side has no row, its names mean nothing. Gives what is hidden.
    fn hide(&mut self, which: MergeMatch, (rels, names): (usize, usize)) -> Result<Hidden, SqlError> {
        let frame = self.frame()?;
        // A subquery that is written again may mean other names.
        frame.subqueries.clear();
        frame.place = "MERGE WHEN conditions";
        if which == MergeMatch::Matched {
            return Ok((Vec::new(), Vec::new()));
        }
        let source = (frame.rels.split_off(rels), frame.names.split_off(names));
        Ok(match which {
            MergeMatch::BySource => source,
            _ => {
                (std::mem::replace(&mut frame.rels, source.0), std::mem::replace(&mut frame.names, source.1))
            }
        })
    }

    /// Shows it again; an error that is about it says that it is there.
    fn show<T>(
        &mut self,
        which: MergeMatch,
        hidden: Hidden,
        bound: Result<T, SqlError>,
    ) -> Result<T, SqlError> {
        let bound = bound.map_err(|e| of_hidden(e, &hidden.0));
        let frame = self.frame()?;
        frame.subqueries.clear();
        let (rels, names) = hidden;
        let at = if which == MergeMatch::ByTarget { (0, 0) } else { (frame.rels.len(), frame.names.len()) };
        frame.rels.splice(at.0..at.0, rels);
        frame.names.splice(at.1..at.1, names);
        bound
    }

    fn merge_clause(
        &mut self,
        surface: &Surface,
        target: usize,
        c: &ast::MergeClause,
        rows: MergeMatch,
    ) -> Result<MergeClause, SqlError> {
        let condition = c.predicate.as_ref().map(|e| self.condition(e, "WHEN")).transpose()?;
        let action = self.merge_action(surface, target, &c.action, rows != MergeMatch::ByTarget)?;
        Ok(MergeClause { rows, condition, action })
    }

    fn merge_action(
        &mut self,
        surface: &Surface,
        target: usize,
        action: &ast::MergeAction,
        has_row: bool,
    ) -> Result<MergeAction, SqlError> {
        let table = &surface.table;
        Ok(match action {
            ast::MergeAction::DoNothing { .. } => {
                // Of the table nothing else may be looked at.
                self.needs.of(surface.oid(), self.by, acl::SELECT);
                MergeAction::Nothing
            }
            ast::MergeAction::Delete { .. } if has_row => {
                self.needs.of(surface.oid(), self.by, acl::DELETE);
                MergeAction::Delete
            }
            ast::MergeAction::Update(u) if has_row => {
                let MergeUpdateKind::Set(list) = &u.kind else {
                    return Err(syntax("syntax error at or near \"*\""));
                };
                if u.update_predicate.is_some() || u.delete_predicate.is_some() {
                    return Err(syntax("syntax error at or near \"where\""));
                }
                let set = self.assignments(list, surface, Verb::MergeUpdate)?;
                let changed = changed_columns(&set, &self.targets[target]);
                let indexes = (0..table.indexes.len())
                    .filter(|n| table.indexes[*n].reads_any(|c| changed.contains(&c)))
                    .collect();
                MergeAction::Update { set: set.into(), indexes, lock: lock_for(table, &changed) }
            }
            ast::MergeAction::Insert(i) if !has_row => self.merge_insert(surface, i)?,
            ast::MergeAction::Insert(_) => return Err(syntax("syntax error at or near \"insert\"")),
            ast::MergeAction::Update(_) => return Err(syntax("syntax error at or near \"update\"")),
            ast::MergeAction::Delete { .. } => return Err(syntax("syntax error at or near \"delete\"")),
        })
    }

    fn merge_insert(&mut self, surface: &Surface, i: &ast::MergeInsertExpr) -> Result<MergeAction, SqlError> {
        let values = match &i.kind {
            MergeInsertKind::Values(v) if v.rows.len() == 1 && i.insert_predicate.is_none() => &v.rows[0],
            _ => return Err(syntax("syntax error in INSERT of MERGE")),
        };
        let table = &surface.table;
        let (overriding, columns) = overriding(&i.columns);
        let list = self.insert_list(columns, surface)?;
        let columns = &list.columns;
        if values.len() > columns.len() {
            let e = syntax("INSERT has more expressions than target columns");
            return Err(self.at_start(e, &values[columns.len()]));
        }
        if values.len() < columns.len() && list.is_explicit {
            let e = syntax("INSERT has more target columns than expressions");
            return Err(self.at(e, list.places[values.len()]));
        }
        let mut row = Vec::with_capacity(table.columns.len());
        for n in 0..table.columns.len() {
            row.push(self.default_through(surface, n)?);
        }
        for (n, (e, column)) in values.iter().zip(columns).enumerate() {
            if is_default(e) {
                self.no_default_of_part(&list, n)?;
                surface.base(*column, Verb::MergeInsert)?;
                continue;
            }
            let base = surface.base(*column, Verb::MergeInsert)?;
            if keeps_default(table, base, overriding) {
                self.expr(e)?;
                continue;
            }
            may_insert(table, base, overriding)?;
            let t = self.expr(e)?;
            self.insert_value(t, surface, &list, n, &mut row, base)?;
        }
        self.inserts(surface.oid(), columns.iter().take(values.len()));
        Ok(MergeAction::Insert(row.into()))
    }

    /// `merge_action()`
    pub(super) fn merge_action_call(&mut self) -> Result<Typed, SqlError> {
        match self.merge_action {
            Some(slot) => Ok(Typed::new(Expr::Outer(slot), Type::Text)),
            None => Err(syntax("MERGE_ACTION() can only be used in the RETURNING list of a MERGE command")),
        }
    }
}
