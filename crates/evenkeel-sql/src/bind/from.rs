//! FROM clauses: relations, aliases, joins, and which of them may see which (LATERAL).
//!
//! Must not know: access paths and join methods (`plan::join` chooses them).

use super::func::plain_args;
use super::{Binder, ColInfo, RelInfo, ident, split_name};
use crate::catalog::Relation;
use crate::catalog::locks::TableLockMode;
use crate::plan::expr::{CmpOp, Expr};
use crate::plan::join::{FromTree, Source, SourceKind};
use crate::plan::{Column, JoinKind, SetFunction};
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::funcs::SEQUENCE_ROW;
use evenkeel_types::{Datum, Type};
use sqlparser::ast::{self, JoinConstraint, JoinOperator, TableAlias, TableFactor};
use std::sync::Arc;

/// A bound FROM clause: its relations by number and how they are joined.
#[derive(Default)]
pub(crate) struct Bound {
    pub sources: Vec<Source>,
    pub tree: Option<FromTree>,
}

impl Binder<'_> {
    /// Binds a FROM clause into the current frame.
    pub(crate) fn from(&mut self, from: &[ast::TableWithJoins]) -> Result<Bound, SqlError> {
        let mut bound = Bound::default();
        for item in from {
            let tree = self.table_with_joins(item, &mut bound.sources)?;
            bound.tree = Some(match bound.tree.take() {
                None => tree,
                Some(left) => FromTree::Join {
                    kind: JoinKind::Inner,
                    left: Box::new(left),
                    right: Box::new(tree),
                    on: Vec::new(),
                },
            });
        }
        Ok(bound)
    }

    pub(super) fn table_with_joins(
        &mut self,
        t: &ast::TableWithJoins,
        sources: &mut Vec<Source>,
    ) -> Result<FromTree, SqlError> {
        let first_rel = self.frame()?.rels.len();
        let mut tree = self.table_factor(&t.relation, sources)?;
        for join in &t.joins {
            let left_rels = self.frame()?.rels.len();
            let right = self.table_factor(&join.relation, sources)?;
            let (kind, constraint, swap) = match &join.join_operator {
                JoinOperator::Join(c) | JoinOperator::Inner(c) => (JoinKind::Inner, c, false),
                JoinOperator::CrossJoin(c) => (JoinKind::Inner, c, false),
                JoinOperator::Left(c) | JoinOperator::LeftOuter(c) => (JoinKind::Left, c, false),
                JoinOperator::Right(c) | JoinOperator::RightOuter(c) => (JoinKind::Left, c, true),
                JoinOperator::FullOuter(c) => (JoinKind::Full, c, false),
                _ => return Err(SqlError::unsupported("this kind of join is not supported")),
            };
            let mut on = Vec::new();
            match constraint {
                JoinConstraint::On(e) => {
                    let frame = self.frame()?;
                    let before = (frame.visible_from, frame.place, frame.aggs_allowed);
                    (frame.visible_from, frame.place, frame.aggs_allowed) =
                        (first_rel, "JOIN conditions", false);
                    let condition = self.condition(e, "JOIN/ON");
                    let frame = self.frame()?;
                    (frame.visible_from, frame.place, frame.aggs_allowed) = before;
                    condition?.split_and(&mut on);
                }
                JoinConstraint::Using(names) => {
                    let names: Vec<String> =
                        names.iter().map(|n| split_name(n).map(|(_, n)| n)).collect::<Result<_, _>>()?;
                    on = self.using(&names, first_rel, left_rels, swap)?;
                }
                JoinConstraint::Natural => {
                    let frame = self.frame()?;
                    let right: Vec<String> = frame.rels[left_rels..]
                        .iter()
                        .flat_map(|r| r.columns.iter().filter(|c| !c.hidden).map(|c| c.name.clone()))
                        .collect();
                    let common: Vec<String> = frame.rels[first_rel..left_rels]
                        .iter()
                        .flat_map(|r| r.columns.iter().filter(|c| !c.hidden && right.contains(&c.name)))
                        .map(|c| c.name.clone())
                        .collect();
                    on = self.using(&common, first_rel, left_rels, swap)?;
                }
                JoinConstraint::None => {}
            }
            if kind == JoinKind::Full && !on.iter().all(|e| matches!(e, Expr::Cmp(CmpOp::Eq, _))) {
                return Err(SqlError::unsupported(
                    "FULL JOIN is only supported with merge-joinable or hash-joinable join conditions",
                ));
            }
            let (left, right) = if swap { (right, tree) } else { (tree, right) };
            tree = FromTree::Join { kind, left: Box::new(left), right: Box::new(right), on };
        }
        Ok(tree)
    }

    /// USING: the columns are equal, and only one of each pair is seen without a qualifier.
    fn using(
        &mut self,
        names: &[String],
        first: usize,
        middle: usize,
        keep_right: bool,
    ) -> Result<Vec<Expr>, SqlError> {
        let mut on = Vec::new();
        for name in names {
            let frame = self.frame()?;
            let find = |rels: &[RelInfo], side: &str| -> Result<(Expr, Type, usize), SqlError> {
                let mut hits = rels.iter().flat_map(|r| &r.columns).filter(|c| c.name == *name && !c.hidden);
                match (hits.next(), hits.next()) {
                    (Some(c), None) => Ok((Expr::Column(c.at), c.ty, c.at)),
                    (None, _) => Err(SqlError::new(
                        SqlState::UNDEFINED_COLUMN,
                        format!("column \"{name}\" specified in USING clause does not exist in {side} table"),
                    )),
                    _ => Err(SqlError::new(
                        SqlState::AMBIGUOUS_COLUMN,
                        format!("common column name \"{name}\" appears more than once in {side} table"),
                    )),
                }
            };
            let l = find(&frame.rels[first..middle], "left")?;
            let r = find(&frame.rels[middle..], "right")?;
            let hide = if keep_right { l.2 } else { r.2 };
            for c in frame.rels.iter_mut().flat_map(|r| &mut r.columns) {
                c.hidden |= c.at == hide;
            }
            on.push(self.compare(CmpOp::Eq, super::Typed::new(l.0, l.1), super::Typed::new(r.0, r.1))?);
        }
        Ok(on)
    }

    fn table_factor(&mut self, t: &TableFactor, sources: &mut Vec<Source>) -> Result<FromTree, SqlError> {
        match t {
            TableFactor::Table { name, alias, args: None, sample: None, .. } => {
                self.named(name, alias.as_ref(), sources)
            }
            TableFactor::Table { name, alias, args: Some(a), with_ordinality, .. } => {
                let (_, function) = split_name(name)?;
                self.function_source(&function, &a.args, *with_ordinality, alias.as_ref(), sources)
            }
            TableFactor::Function { name, args, with_ordinality, alias, .. } => {
                let (_, function) = split_name(name)?;
                self.function_source(&function, args, *with_ordinality, alias.as_ref(), sources)
            }
            TableFactor::UNNEST { alias, array_exprs, with_ordinality, .. } => {
                let args: Vec<&ast::Expr> = array_exprs.iter().collect();
                self.bound_function("unnest", &args, *with_ordinality, alias.as_ref(), sources)
            }
            TableFactor::Derived { lateral, subquery, alias, .. } => {
                let locked = self.locked_subquery(subquery, alias.as_ref())?;
                let subquery = locked.as_ref().unwrap_or(subquery);
                let hidden = if *lateral { Vec::new() } else { std::mem::take(&mut self.frame()?.rels) };
                let result = self.nested(|b| b.query(subquery, super::Hint::None));
                if !lateral {
                    self.frame()?.rels = hidden;
                }
                let ((query, columns), set) = result?;
                let name = alias.as_ref().map_or_else(|| "unnamed_subquery".into(), |a| ident(&a.name));
                let width = query.width;
                let kind = SourceKind::Query(Box::new(query));
                self.add(name, columns, alias.as_ref(), width, Source::new(kind, set), sources)
            }
            TableFactor::NestedJoin { table_with_joins, alias: None } => {
                self.table_with_joins(table_with_joins, sources)
            }
            other => Err(SqlError::unsupported(format!("FROM item is not supported: {other}"))),
        }
    }

    /// A subquery in FROM whose tables FOR UPDATE or the like of its level locks too; None: it is not reached.
    fn locked_subquery(
        &mut self,
        subquery: &ast::Query,
        alias: Option<&TableAlias>,
    ) -> Result<Option<ast::Query>, SqlError> {
        let alias = alias.map(|a| ident(&a.name));
        let mut locked = None;
        for clause in &self.frame()?.row_locks {
            // The first name tells the strength, the others come from OF.
            let mut clause = clause.clone();
            if let Some(of) = &mut clause.of {
                let is_strength = |p: &ast::ObjectNamePart| match p {
                    ast::ObjectNamePart::Identifier(i) => i.value.starts_with('<'),
                    ast::ObjectNamePart::Function(_) => false,
                };
                let names = of.0.iter().filter(|p| !is_strength(p));
                let mut names = names.filter_map(|p| p.as_ident().map(|i| i.value.clone())).peekable();
                if names.peek().is_some() && !names.any(|n| Some(n) == alias) {
                    continue;
                }
                of.0.retain(is_strength);
            }
            locked.get_or_insert_with(|| subquery.clone()).locks.push(clause);
        }
        Ok(locked)
    }

    fn named(
        &mut self,
        name: &ast::ObjectName,
        alias: Option<&TableAlias>,
        sources: &mut Vec<Source>,
    ) -> Result<FromTree, SqlError> {
        let (schema, table_name) = split_name(name)?;
        let shown = alias.map_or_else(|| table_name.clone(), |a| ident(&a.name));
        if schema.is_none()
            && let Some(cte) = self.ctes.iter().rev().find(|c| c.name == table_name).cloned()
        {
            let kind = SourceKind::Cte { number: cte.number, width: cte.width, name: cte.name };
            return self.add(shown, cte.columns, alias, cte.width, Source::new(kind, Vec::new()), sources);
        }
        match self.relation(name)? {
            Relation::Table(t) => {
                self.lock_table(&t, TableLockMode::AccessShare);
                let columns = t
                    .live_columns()
                    .map(|(n, c)| {
                        let column = Column {
                            name: c.name.clone(),
                            ty: c.ty,
                            typmod: c.typmod,
                            table_oid: t.oid,
                            attnum: n as i16 + 1,
                        };
                        (n, column)
                    })
                    .collect();
                let width = t.columns.len() + 1; // plan invariant 1
                self.add_at(
                    shown.clone(),
                    columns,
                    alias,
                    width,
                    Source::new(SourceKind::Table(t, shown), Vec::new()),
                    sources,
                )
            }
            Relation::Virtual(v) => {
                let columns = v
                    .columns
                    .iter()
                    .enumerate()
                    .map(|(n, (name, ty))| Column {
                        name: (*name).to_owned(),
                        ty: *ty,
                        typmod: -1,
                        table_oid: v.oid,
                        attnum: n as i16 + 1,
                    })
                    .collect();
                let width = v.columns.len();
                self.add(
                    shown,
                    columns,
                    alias,
                    width,
                    Source::new(SourceKind::Virtual(v), Vec::new()),
                    sources,
                )
            }
            Relation::Sequence(s) => {
                let columns =
                    [("last_value", Type::Int8), ("log_cnt", Type::Int8), ("is_called", Type::Bool)];
                let columns = columns
                    .into_iter()
                    .map(|(n, ty)| Column { name: n.into(), ty, typmod: -1, table_oid: s.oid, attnum: 0 })
                    .collect();
                let [value, is_called] = &SEQUENCE_ROW;
                let of_it = || vec![Expr::Const(Datum::Oid(s.oid))].into();
                let row =
                    [Expr::Call(value, of_it()), Expr::Const(Datum::Int8(0)), Expr::Call(is_called, of_it())];
                let kind = SourceKind::Rows(vec![row.into()]);
                self.add(shown, columns, alias, 3, Source::new(kind, Vec::new()), sources)
            }
            Relation::Index(_, i) => Err(SqlError::new(
                SqlState::WRONG_OBJECT_TYPE,
                format!("cannot open relation \"{}\"", i.name),
            )
            .with_detail("This operation is not supported for indexes.")),
        }
    }

    fn function_source(
        &mut self,
        name: &str,
        args: &[ast::FunctionArg],
        ordinality: bool,
        alias: Option<&TableAlias>,
        sources: &mut Vec<Source>,
    ) -> Result<FromTree, SqlError> {
        let args = plain_args(args)?;
        self.bound_function(name, &args, ordinality, alias, sources)
    }

    fn bound_function(
        &mut self,
        name: &str,
        args: &[&ast::Expr],
        ordinality: bool,
        alias: Option<&TableAlias>,
        sources: &mut Vec<Source>,
    ) -> Result<FromTree, SqlError> {
        // Functions in FROM see the items before them without the word LATERAL.
        let ((function, mut columns), set) = self.nested(|b| {
            b.frame()?.place = "functions in FROM";
            b.set_function(name, args)
        })?;
        let shown = alias.map_or_else(|| name.to_owned(), |a| ident(&a.name));
        if columns.len() == 1
            && alias.is_some_and(|a| a.columns.is_empty())
            && !matches!(function, SetFunction::Ancestors(_))
        {
            columns[0].0 = shown.clone();
        }
        if ordinality {
            columns.push(("ordinality".into(), Type::Int8));
        }
        let width = columns.len();
        let columns = columns
            .into_iter()
            .map(|(name, ty)| Column { name, ty, typmod: -1, table_oid: 0, attnum: 0 })
            .collect();
        let source = Source::new(SourceKind::Function { function, ordinality }, set);
        self.add(shown, columns, alias, width, source, sources)
    }

    fn add(
        &mut self,
        name: String,
        columns: Vec<Column>,
        alias: Option<&TableAlias>,
        width: usize,
        source: Source,
        sources: &mut Vec<Source>,
    ) -> Result<FromTree, SqlError> {
        let columns = columns.into_iter().enumerate().collect();
        self.add_at(name, columns, alias, width, source, sources)
    }

    /// Adds a relation to the frame: columns with their places relative to its first.
    fn add_at(
        &mut self,
        name: String,
        columns: Vec<(usize, Column)>,
        alias: Option<&TableAlias>,
        width: usize,
        mut source: Source,
        sources: &mut Vec<Source>,
    ) -> Result<FromTree, SqlError> {
        let renames: Vec<String> =
            alias.iter().flat_map(|a| a.columns.iter().map(|c| ident(&c.name))).collect();
        if renames.len() > columns.len() {
            return Err(SqlError::new(
                SqlState::INVALID_COLUMN_REFERENCE,
                format!(
                    "table \"{name}\" has {} columns available but {} columns specified",
                    columns.len(),
                    renames.len()
                ),
            ));
        }
        let frame = self.frame()?;
        let visible = &frame.rels[frame.visible_from.min(frame.rels.len())..];
        if visible.iter().any(|r| r.alias == name) {
            return Err(SqlError::new(
                SqlState::DUPLICATE_ALIAS,
                format!("table name \"{name}\" specified more than once"),
            ));
        }
        let at = frame.width;
        frame.width += width;
        source.at = at;
        source.width = width;
        let columns = columns
            .into_iter()
            .enumerate()
            .map(|(n, (place, c))| ColInfo {
                name: renames.get(n).cloned().unwrap_or(c.name),
                ty: c.ty,
                typmod: c.typmod,
                table_oid: c.table_oid,
                attnum: c.attnum,
                at: at + place,
                hidden: false,
            })
            .collect();
        let relation = match &source.kind {
            SourceKind::Table(t, _) => t.name.clone(),
            SourceKind::Virtual(v) => v.name.to_owned(),
            _ => name.clone(),
        };
        frame.rels.push(RelInfo { alias: name, name: relation, columns });
        sources.push(source);
        Ok(FromTree::Source(sources.len() - 1))
    }

    /// Adds the table of an UPDATE or DELETE.
    pub(crate) fn add_target(
        &mut self,
        table: &Arc<crate::catalog::Table>,
        alias: &str,
        sources: &mut Vec<Source>,
    ) -> Result<FromTree, SqlError> {
        let columns = table
            .live_columns()
            .map(|(n, c)| {
                let (name, table_oid) = (c.name.clone(), table.oid);
                (n, Column { name, ty: c.ty, typmod: c.typmod, table_oid, attnum: n as i16 + 1 })
            })
            .collect();
        let source = Source::new(SourceKind::Table(table.clone(), alias.to_owned()), Vec::new());
        self.add_at(alias.to_owned(), columns, None, table.columns.len() + 1, source, sources)
    }
}
