//! MERGE.
//!
//! Must not know: how rows are written.

use super::dml::{Bound, is_default, mark_used, may_insert};
use super::generated::changed_columns;
use super::keys_only::lock_for;
use super::returning::mark_returned;
use super::surface::{Surface, Verb};
use super::{Binder, Typed};
use crate::catalog::security::acl;
use crate::plan::bound::{BoundStatement, FromTree, Level, Visited};
use crate::plan::expr::Expr;
use crate::plan::{JoinKind, MergeAction, MergeClause, MergePlan};
use evenkeel_types::Type;
use evenkeel_types::error::{SqlError, SqlState};
use sqlparser::ast::{self, MergeClauseKind, MergeInsertKind, MergeUpdateKind};

fn syntax(message: &str) -> SqlError {
    SqlError::new(SqlState::SYNTAX_ERROR, message)
}

impl Binder<'_> {
    pub(super) fn merge(&mut self, m: &ast::Merge) -> Result<Bound, SqlError> {
        let alone = |t: &ast::TableFactor| ast::TableWithJoins { relation: t.clone(), joins: Vec::new() };
        let verb = m.clauses.iter().find_map(|c| match c.action {
            ast::MergeAction::Insert(_) => Some(Verb::MergeInsert),
            ast::MergeAction::Update(_) => Some(Verb::MergeUpdate),
            ast::MergeAction::Delete { .. } => Some(Verb::MergeDelete),
            ast::MergeAction::DoNothing { .. } => None,
        });
        let (surface, alias) = self.dml_surface(&alone(&m.table), verb.unwrap_or(Verb::MergeUpdate))?;
        let table = surface.table.clone();
        if m.clauses.iter().any(|c| c.clause_kind == MergeClauseKind::NotMatchedBySource) {
            return Err(SqlError::unsupported("MERGE ... WHEN NOT MATCHED BY SOURCE is not supported"));
        }
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
        let ((level, clauses), _) = self.nested(|b| {
            let mut sources = Vec::new();
            let own = b.add_surface(&surface, &alias, &mut sources)?;
            let frame = b.frame()?;
            let (rels, names) = (frame.rels.len(), frame.names.len());
            (frame.place, frame.not_lateral) = ("FROM", rels);
            let source = b.table_with_joins(&alone(&m.source), &mut sources)?;
            let frame = b.frame()?;
            (frame.not_lateral, frame.place) = (0, "JOIN conditions");
            let mut on = surface.conditions.clone();
            b.condition(&m.on, "JOIN/ON")?.split_and(&mut on);
            let mut clauses: Vec<MergeClause> = Vec::new();
            for c in &m.clauses {
                let is_matched = c.clause_kind == MergeClauseKind::Matched;
                if clauses.iter().any(|x| x.is_matched == is_matched && x.condition.is_none()) {
                    return Err(syntax("unreachable WHEN clause specified after unconditional WHEN clause"));
                }
                if !is_matched {
                    // There is no row of the table's.
                    b.frame()?.visible_from = (rels, names);
                }
                b.frame()?.place = "MERGE WHEN conditions";
                let condition = c.predicate.as_ref().map(|e| b.condition(e, "WHEN")).transpose()?;
                let action = b.merge_action(&surface, target, &c.action, is_matched)?;
                b.frame()?.visible_from = (0, 0);
                clauses.push(MergeClause { is_matched, condition, action });
            }
            if let Some(items) = items {
                b.merge_action = Some(action);
                // What the source is made of comes first.
                b.frame()?.names.rotate_left(names);
                let bound = b.returning(items, &table);
                b.merge_action = None;
                let bound = bound?;
                (returning, out) = (Some(bound.0), Some(bound.1));
            }
            let inserts = clauses.iter().any(|c| !c.is_matched);
            let kind = if inserts { JoinKind::Left } else { JoinKind::Inner };
            let tree = FromTree::Join { kind, left: Box::new(source), right: Box::new(own), on };
            let width = b.frame()?.width;
            Ok((Level { sources, tree: Some(tree), conjuncts: Vec::new(), width }, clauses))
        })?;
        let mut used = vec![false; level.width];
        used[..table.columns.len()].fill(true);
        for c in &clauses {
            c.exprs(&mut |e| mark_used([e], &mut used));
        }
        mark_returned(returning.as_ref(), &table, &mut used);
        let rows = Visited { level, used };
        self.need_through(&surface);
        let (clauses, view_checks) = (clauses.into(), surface.checks.into());
        let plan = MergePlan { target, rows, at: 0, clauses, action, view_checks, returning };
        Ok((BoundStatement::Merge(plan), out))
    }

    fn merge_action(
        &mut self,
        surface: &Surface,
        target: usize,
        action: &ast::MergeAction,
        is_matched: bool,
    ) -> Result<MergeAction, SqlError> {
        let table = &surface.table;
        Ok(match action {
            ast::MergeAction::DoNothing { .. } => MergeAction::Nothing,
            ast::MergeAction::Delete { .. } if is_matched => {
                self.needs.of(surface.oid(), self.by, acl::DELETE);
                MergeAction::Delete
            }
            ast::MergeAction::Update(u) if is_matched => {
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
            ast::MergeAction::Insert(i) if !is_matched => self.merge_insert(surface, i)?,
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
        let list = self.insert_list(&i.columns, surface)?;
        let columns = &list.columns;
        if values.len() > columns.len() {
            return Err(syntax("INSERT has more expressions than target columns"));
        }
        if values.len() < columns.len() && list.is_explicit {
            return Err(syntax("INSERT has more target columns than expressions"));
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
            may_insert(table, base, false)?;
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
