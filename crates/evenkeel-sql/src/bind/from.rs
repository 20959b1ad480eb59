//! FROM clauses: relations, aliases, joins, and which of them may see which (LATERAL).
//!
//! Must not know: access paths and join methods (`plan` chooses them).

use super::cte::Place;
use super::{Binder, ColInfo, RelInfo, Typed, first_location, foreign, ident, split_name, split_relation};
use crate::catalog::locks::TableLockMode;
use crate::catalog::security::acl;
use crate::catalog::{Relation, View};
use crate::parse::json_constructor::is_array_query;
use crate::parse::spellings::joined;
use crate::plan::bound::{Called, FromTree, Level, Source, SourceKind};
use crate::plan::estimate::of_two_times;
use crate::plan::expr::{CmpOp, Expr};
use crate::plan::{Column, JoinKind};
use evenkeel_types::collation::C_OID;
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::funcs::SEQUENCE_ROW;
use evenkeel_types::{Collation, Datum, Type};
use sqlparser::ast::{self, JoinConstraint, JoinOperator, TableAlias, TableFactor};
use std::sync::Arc;

impl Binder<'_> {
    /// Binds a FROM clause into the current frame.
    pub(crate) fn from(&mut self, from: &[ast::TableWithJoins]) -> Result<Level, SqlError> {
        let mut bound = Level::default();
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
        let frame = self.frame()?;
        let first = (frame.rels.len(), frame.names.len());
        let begin = frame.width;
        let gives_nulls = |joins: &[ast::Join]| {
            let right = |j: &ast::Join| {
                use JoinOperator::{FullOuter, Right, RightOuter};
                matches!(j.join_operator, Right(_) | RightOuter(_) | FullOuter(_))
            };
            joins.iter().any(right).then_some(Place::OuterJoin)
        };
        let mut tree = self.within(gives_nulls(&t.joins), |b| b.table_factor(&t.relation, sources))?;
        for (n, join) in t.joins.iter().enumerate() {
            foreign::of_join(join)?;
            let middle = self.frame()?.names.len();
            let middle_width = self.frame()?.width;
            let is_left = matches!(
                join.join_operator,
                JoinOperator::Left(_) | JoinOperator::LeftOuter(_) | JoinOperator::FullOuter(_)
            );
            let place = if is_left { Some(Place::OuterJoin) } else { gives_nulls(&t.joins[n + 1..]) };
            // Rows of the left side may be missing, so that the right side cannot be of them.
            let barred = self.frame()?.barred.clone();
            if gives_nulls(std::slice::from_ref(join)).is_some() {
                let begin = if barred.is_empty() { first.0 } else { barred.start.min(first.0) };
                let frame = self.frame()?;
                frame.barred = begin..frame.rels.len();
            }
            let right = self.within(place, |b| b.table_factor(&join.relation, sources))?;
            self.frame()?.barred = barred;
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
                    (frame.visible_from, frame.place, frame.aggs_allowed) = (first, "JOIN conditions", false);
                    let condition = self.condition(e, "JOIN/ON");
                    let frame = self.frame()?;
                    (frame.visible_from, frame.place, frame.aggs_allowed) = before;
                    condition?.split_and(&mut on);
                }
                JoinConstraint::Using(names) => {
                    let names: Vec<String> =
                        names.iter().map(|n| split_name(n).map(|(_, n)| n)).collect::<Result<_, _>>()?;
                    let (names, alias) = joined(names);
                    on = self.using(&names, first.1, middle, kind, swap)?;
                    if let Some(alias) = alias {
                        let columns = self.frame()?.names[first.1..first.1 + names.len()].to_vec();
                        self.add_name(alias.clone(), alias, columns)?;
                    }
                }
                JoinConstraint::Natural => {
                    let names = &self.frame()?.names;
                    let (left, right) = (&names[first.1..middle], &names[middle..]);
                    let common = left.iter().map(|c| &c.name).filter(|n| right.iter().any(|c| c.name == **n));
                    let common: Vec<String> = common.cloned().collect();
                    self.note_natural(join, &common);
                    on = self.using(&common, first.1, middle, kind, swap)?;
                }
                // CROSS JOIN.
                JoinConstraint::None => {}
            }
            // As if nothing had been said: a hash of no columns.
            on.retain(|e| !matches!(e, Expr::Const(Datum::Bool(true))));
            if kind == JoinKind::Full {
                may_join_fully(&on)?;
            }
            let frame = self.frame()?;
            if kind == JoinKind::Full || (kind == JoinKind::Left && swap) {
                frame.may_lack_rows(first, begin..middle_width);
            }
            if kind == JoinKind::Full || (kind == JoinKind::Left && !swap) {
                frame.may_lack_rows(first, middle_width..usize::MAX);
            }
            let (left, right) = if swap { (right, tree) } else { (tree, right) };
            tree = FromTree::Join { kind, left: Box::new(left), right: Box::new(right), on };
        }
        Ok(tree)
    }

    /// USING: the columns are equal, and names without a qualifier see one of each pair, before all others of the join.
    fn using(
        &mut self,
        names: &[String],
        first: usize,
        middle: usize,
        kind: JoinKind,
        swap: bool,
    ) -> Result<Vec<Expr>, SqlError> {
        let mut right = self.frame()?.names.split_off(middle);
        let mut left = self.frame()?.names.split_off(first);
        let (mut on, mut merged) = (Vec::new(), Vec::new());
        for name in names {
            let find = |columns: &mut Vec<ColInfo>, side: &str| -> Result<ColInfo, SqlError> {
                let mut hits = columns.iter().enumerate().filter(|(_, c)| c.name == *name).map(|(n, _)| n);
                match (hits.next(), hits.next()) {
                    (Some(n), None) => Ok(columns.remove(n)),
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
            let l = find(&mut left, "left")?;
            let r = find(&mut right, "right")?;
            let typed = |c: &ColInfo| Typed { expr: c.expr.clone(), ty: c.ty, typmod: c.typmod };
            self.reads([&l, &r]);
            on.push(self.compare(CmpOp::Eq, typed(&l), typed(&r))?);
            merged.push(self.merged(l, r, kind, swap)?);
        }
        let frame = self.frame()?;
        frame.names.extend(merged.into_iter().chain(left).chain(right));
        Ok(on)
    }

    /// What a name means that both sides have.
    fn merged(&mut self, l: ColInfo, r: ColInfo, kind: JoinKind, swap: bool) -> Result<ColInfo, SqlError> {
        let typed = |c: &ColInfo| Typed { expr: c.expr.clone(), ty: c.ty, typmod: c.typmod };
        let (mut exprs, ty, typmod) = self.unify(vec![typed(&l), typed(&r)], "JOIN/USING")?;
        let (right, left) = (exprs.pop(), exprs.pop());
        let (Some(left), Some(right)) = (left, right) else { return Err(SqlError::internal("JOIN/USING")) };
        let same = |c: ColInfo| ColInfo { ty, typmod, ..c };
        Ok(match kind {
            JoinKind::Full => {
                let expr = Expr::Coalesce([left, right].into());
                ColInfo { expr, table_oid: 0, attnum: 0, need: None, ..same(l) }
            }
            JoinKind::Left if swap => ColInfo { expr: right, ..same(r) },
            // The side that needs no conversion, if one does not.
            JoinKind::Inner if left != l.expr && right == r.expr => same(r),
            _ => ColInfo { expr: left, ..same(l) },
        })
    }

    fn table_factor(&mut self, t: &TableFactor, sources: &mut Vec<Source>) -> Result<FromTree, SqlError> {
        foreign::of_table(t)?;
        match t {
            TableFactor::Table { name, alias, args: None, with_hints, .. } => {
                self.names_alone(alias.as_ref())?;
                match &with_hints[..] {
                    [] => self.named(name, alias.as_ref(), sources),
                    hints => self.sampled(name, alias.as_ref(), hints, sources),
                }
            }
            TableFactor::Table { args: Some(_), with_hints, .. } if !with_hints.is_empty() => {
                Err(self.misplaced_sample(with_hints))
            }
            TableFactor::Table { name, alias, args: Some(a), with_ordinality, .. } => {
                let function = self.function_in(name, &a.args)?;
                if a.args.is_empty()
                    && !with_ordinality
                    && let Some(view) = self.view_of_function(&function, alias.as_ref(), sources)?
                {
                    return Ok(view);
                }
                let made =
                    self.function_source(&function, &a.args, *with_ordinality, alias.as_ref(), sources);
                made.map_err(|e| self.at_function(e, name))
            }
            TableFactor::Function { name, args, with_ordinality, alias, .. } => {
                let function = self.function_in(name, args)?;
                let made = self.function_source(&function, args, *with_ordinality, alias.as_ref(), sources);
                made.map_err(|e| self.at_function(e, name))
            }
            TableFactor::UNNEST { alias, array_exprs, with_ordinality, .. } => {
                let args: Vec<&ast::Expr> = array_exprs.iter().collect();
                self.bound_function("unnest", &args, *with_ordinality, alias.as_ref(), sources)
            }
            TableFactor::Derived { lateral, subquery, alias, .. } => {
                self.names_alone(alias.as_ref())?;
                let locked = self.locked_subquery(subquery, alias.as_ref())?;
                let subquery = locked.as_ref().unwrap_or(subquery);
                let frame = self.frame()?;
                let names = (!*lateral).then(|| {
                    frame.hidden = std::mem::take(&mut frame.rels);
                    std::mem::take(&mut frame.names)
                });
                let result = self.nested(|b| b.query(subquery, super::Hint::None));
                if let Some(names) = names {
                    let frame = self.frame()?;
                    (frame.rels, frame.names) = (std::mem::take(&mut frame.hidden), names);
                }
                let ((query, columns), set) = result?;
                let name = match alias {
                    Some(a) => ident(&a.name),
                    None => self.free_name("unnamed_subquery")?,
                };
                let width = query.visible;
                let kind = SourceKind::Query(Box::new(query), name.clone());
                self.add(name, columns, alias.as_ref(), width, Source::new(kind, set), sources)
            }
            TableFactor::NestedJoin { table_with_joins, alias } => {
                let frame = self.frame()?;
                let first = (frame.rels.len(), frame.names.len());
                let distinct_from = frame.distinct_from;
                if alias.is_some() {
                    // Names within a join that has one itself are nobody else's.
                    frame.distinct_from = first.0;
                }
                self.names_alone(alias.as_ref())?;
                let tree = self.table_with_joins(table_with_joins, sources);
                self.frame()?.distinct_from = distinct_from;
                let tree = tree?;
                if let Some(alias) = alias {
                    self.name_join(alias, first)?;
                }
                Ok(tree)
            }
            other => Err(SqlError::unsupported(format!("FROM item is not supported: {other}"))),
        }
    }

    /// Gives a join in parentheses its name: those of its relations are seen no more.
    fn name_join(&mut self, alias: &TableAlias, (rels, names): (usize, usize)) -> Result<(), SqlError> {
        let name = ident(&alias.name);
        let frame = self.frame()?;
        frame.rels[rels..].iter_mut().for_each(|r| r.alias.clear());
        rename(&name, &mut frame.names[names..], alias)?;
        let columns = frame.names[names..].to_vec();
        self.add_name(name.clone(), name, columns)
    }

    /// A subquery in FROM whose tables FOR UPDATE or the like of its level locks too; None: it is not reached.
    fn locked_subquery(
        &mut self,
        subquery: &ast::Query,
        alias: Option<&TableAlias>,
    ) -> Result<Option<ast::Query>, SqlError> {
        if matches!(&*subquery.body, ast::SetExpr::Values(_)) {
            return Ok(None); // there is nothing to lock
        }
        let alias = alias.map(|a| ident(&a.name));
        let locks = self.locks_of(alias.as_deref().unwrap_or_default())?;
        Ok((!locks.is_empty()).then(|| {
            let mut locked = subquery.clone();
            locked.locks.extend(locks);
            locked
        }))
    }

    /// FOR UPDATE and the like of this level as they reach into the subquery or view of a name.
    fn locks_of(&mut self, alias: &str) -> Result<Vec<ast::LockClause>, SqlError> {
        let mut locks = Vec::new();
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
                if names.peek().is_some() && !names.any(|n| n == alias) {
                    continue;
                }
                of.0.retain(is_strength);
            }
            locks.push(clause);
        }
        Ok(locks)
    }

    /// A view: its query, whose columns are the view's.
    fn view(
        &mut self,
        v: &Arc<View>,
        shown: String,
        alias: Option<&TableAlias>,
        locks: Vec<ast::LockClause>,
        called: impl FnOnce(Vec<(usize, Column)>) -> Vec<(usize, Column)>,
        sources: &mut Vec<Source>,
    ) -> Result<FromTree, SqlError> {
        let update = if locks.is_empty() { 0 } else { acl::UPDATE };
        let need = self.needs.of(v.oid, self.by, acl::SELECT | update);
        let (mut query, columns) = self.view_query(v, locks)?;
        query.is_barrier = v.is_barrier();
        let width = query.visible;
        let kind = SourceKind::Query(Box::new(query), shown.clone());
        let columns = called(columns.into_iter().enumerate().collect());
        let name = Standing { alias: shown, relation: alias.is_none().then_some(v.oid) };
        let tree = self.add_at(name, columns, alias, width, Source::new(kind, Vec::new()), sources)?;
        // Its columns are a relation's: whoever reads them needs to be allowed to.
        let frame = self.frame()?;
        let Some(rel) = frame.rels.last_mut() else { return Err(SqlError::internal("a view in FROM")) };
        rel.name.clone_from(&v.name);
        let from = frame.names.len() - rel.columns.len();
        rel.columns.iter_mut().chain(&mut frame.names[from..]).for_each(|c| c.need = Some(need));
        Ok(tree)
    }

    pub(super) fn named(
        &mut self,
        name: &ast::ObjectName,
        alias: Option<&TableAlias>,
        sources: &mut Vec<Source>,
    ) -> Result<FromTree, SqlError> {
        let (schema, table_name) = split_relation(name).map_err(|e| self.at(e, first_location(name)))?;
        if schema.is_none()
            && let Some(cte) = self.cte_named(&table_name).map_err(|e| match is_of_reference(&e) {
                true => self.at(e, first_location(name)),
                false => e,
            })?
        {
            let width = cte.columns.len();
            let shown = alias.map_or_else(|| table_name.clone(), |a| ident(&a.name));
            let (hidden, work) = (cte.hidden, cte.work);
            let kind = SourceKind::Cte { number: cte.number, name: table_name, work };
            let tree = self.add(shown, cte.columns, alias, width, Source::new(kind, Vec::new()), sources)?;
            self.hide_last(hidden, work.is_some())?;
            return Ok(tree);
        }
        let (relation, read) = self.read_relation(name)?;
        let table_name = read.as_ref().map_or(table_name, |r| r.name.clone());
        let shown = alias.map_or_else(|| table_name, |a| ident(&a.name));
        let own = alias.is_none().then(|| relation.oid());
        let has_rows = matches!(relation, Relation::Table(_) | Relation::View(_) | Relation::Virtual(_));
        let rows_of = has_rows.then(|| relation.oid());
        let kept_as = own.and_then(|oid| self.kept_alias(&shown, oid, name));
        // A stored query names columns as they were called then, and knows no others.
        let called = |columns: Vec<(usize, Column)>| match &read {
            None => columns,
            Some(read) => columns
                .into_iter()
                .filter_map(|(n, c)| {
                    let (_, name) = read.columns.iter().find(|r| r.0 == n)?;
                    Some((n, Column { name: name.clone(), ..c }))
                })
                .collect(),
        };
        let tree = match relation {
            Relation::Table(t) => {
                self.needs.of(t.oid, self.by, acl::SELECT);
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
                            collation: self.column_collation(c),
                        };
                        (n, column)
                    })
                    .collect();
                let width = t.columns.len() + 1; // plan invariant 1
                self.add_at(
                    Standing { alias: shown.clone(), relation: own },
                    called(columns),
                    alias,
                    width,
                    Source::new(SourceKind::Table(t, shown), Vec::new()),
                    sources,
                )
            }
            Relation::Virtual(v) => {
                self.needs.of(v.oid, self.by, acl::SELECT);
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
                        collation: Collation::bytewise(C_OID),
                    })
                    .collect();
                let width = v.columns.len();
                self.add(
                    Standing { alias: shown, relation: own },
                    columns,
                    alias,
                    width,
                    Source::new(SourceKind::Virtual(v), Vec::new()),
                    sources,
                )
            }
            Relation::View(v) => {
                let locks = self.locks_of(alias.map(|a| ident(&a.name)).as_deref().unwrap_or(&shown))?;
                self.view(&v, shown, alias, locks, called, sources)
            }
            Relation::Sequence(s) => {
                self.needs.of(s.oid, self.by, acl::SELECT);
                let columns =
                    [("last_value", Type::Int8), ("log_cnt", Type::Int8), ("is_called", Type::Bool)];
                let columns = columns
                    .into_iter()
                    .map(|(n, ty)| Column { table_oid: s.oid, ..Column::of(n.into(), ty, -1) })
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
        }?;
        if let Some(rel) = self.frame()?.rels.last_mut() {
            (rel.kept_as, rel.rows_of) = (kept_as, rows_of);
        }
        Ok(tree)
    }

    /// Has `*` leave out so many of the last columns of the relation that was added last; a step carries them on.
    fn hide_last(&mut self, count: usize, is_work: bool) -> Result<(), SqlError> {
        let frame = self.frame()?;
        let Some(rel) = frame.rels.last_mut() else { return Ok(()) };
        let first = rel.columns.len() - count;
        let names = frame.names.len() - count;
        rel.columns[first..].iter_mut().chain(&mut frame.names[names..]).for_each(|c| c.is_hidden = true);
        if is_work {
            frame.carried = rel.columns[first..].to_vec();
        }
        Ok(())
    }

    pub(super) fn add(
        &mut self,
        name: impl Into<Standing>,
        columns: Vec<Column>,
        alias: Option<&TableAlias>,
        width: usize,
        source: Source,
        sources: &mut Vec<Source>,
    ) -> Result<FromTree, SqlError> {
        let columns = columns.into_iter().enumerate().collect();
        self.add_at(name.into(), columns, alias, width, source, sources)
    }

    /// Adds a relation to the frame: columns with their places relative to its first.
    fn add_at(
        &mut self,
        name: Standing,
        columns: Vec<(usize, Column)>,
        alias: Option<&TableAlias>,
        width: usize,
        mut source: Source,
        sources: &mut Vec<Source>,
    ) -> Result<FromTree, SqlError> {
        let relation = match &source.kind {
            SourceKind::Table(t, _) => Some(t.oid),
            SourceKind::Virtual(v) => Some(v.oid),
            _ => None,
        };
        let need = match relation {
            Some(oid) if !self.is_stored => Some(self.needs.of(oid, self.by, 0)),
            _ => None,
        };
        let computed = match &source.kind {
            SourceKind::Table(t, _) => self.virtual_columns(&t.clone())?,
            _ => Vec::new(),
        };
        if let SourceKind::Table(t, _) = &source.kind
            && !self.is_stored
        {
            source.forms = self.forms(&t.clone())?;
        }
        let frame = self.frame()?;
        let at = frame.width;
        frame.width += width;
        source.at = at;
        source.width = width;
        self.note_collations(columns.iter().map(|(place, c)| (at + place, c.collation)).collect())?;
        let mut columns: Vec<ColInfo> = columns
            .into_iter()
            .map(|(place, c)| ColInfo {
                name: c.name,
                ty: c.ty,
                typmod: c.typmod,
                table_oid: c.table_oid,
                attnum: c.attnum,
                need,
                expr: Expr::Column(at + place),
                row: None,
                is_hidden: false,
            })
            .collect();
        for (n, value) in computed {
            if let Some(c) = columns.iter_mut().find(|c| c.attnum as usize == n + 1) {
                c.expr = value.map(&mut |e| match e {
                    Expr::Column(n) => Expr::Column(at + n),
                    e => e,
                });
                c.row = Some(at + width - 1);
            }
        }
        if let Some(alias) = alias {
            rename(&name.alias, &mut columns, alias)?;
        }
        if matches!(source.kind, SourceKind::Query(..) | SourceKind::Cte { .. } | SourceKind::Function { .. })
        {
            let mut called = vec![String::new(); width];
            for c in &columns {
                if let Some(name) = c.at().and_then(|place| called.get_mut(place - at)) {
                    name.clone_from(&c.name);
                }
            }
            source.called = Some(Arc::new(Called { alias: name.alias.clone(), columns: called }));
        }
        let relation = match &source.kind {
            SourceKind::Table(t, _) => t.name.clone(),
            SourceKind::Virtual(v) => v.name.to_owned(),
            _ => name.alias.clone(),
        };
        self.frame()?.names.extend_from_slice(&columns);
        self.add_name(name, relation, columns)?;
        let is_table = matches!(source.kind, SourceKind::Table(..));
        if let Some(rel) = self.frame()?.rels.last_mut().filter(|_| is_table) {
            rel.row_id = Some(at + width - 1);
        }
        sources.push(source);
        Ok(FromTree::Source(sources.len() - 1))
    }

    /// A name that no relation of the frame has yet.
    fn free_name(&mut self, name: &str) -> Result<String, SqlError> {
        let rels = &self.frame()?.rels;
        let is_free = |name: &String| rels.iter().all(|r| r.alias != *name);
        let mut names = std::iter::once(name.to_owned()).chain((1..).map(|n| format!("{name}_{n}")));
        names.find(is_free).ok_or_else(|| SqlError::internal("no name is free"))
    }

    /// Names a relation of the frame.
    pub(super) fn add_name(
        &mut self,
        standing: impl Into<Standing>,
        name: String,
        columns: Vec<ColInfo>,
    ) -> Result<(), SqlError> {
        self.relations += 1;
        let number = self.relations;
        let Standing { alias, relation } = standing.into();
        let frame = self.frame()?;
        let from = frame.visible_from.0.max(frame.distinct_from);
        let visible = &frame.rels[from.min(frame.rels.len())..];
        for r in visible.iter().filter(|r| r.alias == alias) {
            if relation.is_none() || r.relation.is_none() || r.relation == relation {
                let why = format!("table name \"{alias}\" specified more than once");
                return Err(SqlError::new(SqlState::DUPLICATE_ALIAS, why));
            }
        }
        frame.rels.push(RelInfo {
            alias,
            name,
            relation,
            rows_of: None,
            columns,
            is_value: false,
            number,
            written: None,
            version: None,
            row_id: None,
            may_lack: false,
            kept_as: None,
        });
        Ok(())
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
                let (attnum, collation) = (n as i16 + 1, self.column_collation(c));
                (n, Column { name, ty: c.ty, typmod: c.typmod, table_oid, attnum, collation })
            })
            .collect();
        let source = Source::new(SourceKind::Table(table.clone(), alias.to_owned()), Vec::new());
        let relation = (alias == table.name).then_some(table.oid);
        let name = Standing { alias: alias.to_owned(), relation };
        self.add_at(name, columns, None, table.columns.len() + 1, source, sources)
    }
}

/// How a relation stands in FROM.
pub(super) struct Standing {
    pub alias: String,
    /// The relation, if that is its own name.
    pub relation: Option<u32>,
}

impl From<String> for Standing {
    fn from(alias: String) -> Standing {
        Standing { alias, relation: None }
    }
}

/// Whether rows are matched by their hashes, all of them or none, which a full join needs.
pub(super) fn may_join_fully(on: &[Expr]) -> Result<(), SqlError> {
    let is_told = |e: &Expr| {
        matches!(e, Expr::Cmp(CmpOp::Eq, _) | Expr::Const(Datum::Bool(false) | Datum::Null))
            || of_two_times(e).is_some_and(|(op, ..)| op == CmpOp::Eq)
    };
    if on.is_empty() || on.iter().any(is_told) {
        return Ok(());
    }
    let why = "FULL JOIN is only supported with merge-joinable or hash-joinable join conditions";
    Err(SqlError::unsupported(why))
}

/// Gives columns the names that an alias lists.
fn rename(table: &str, columns: &mut [ColInfo], alias: &TableAlias) -> Result<(), SqlError> {
    if is_array_query(table) && columns.len() != 1 {
        return Err(SqlError::new(SqlState::SYNTAX_ERROR, "subquery must return only one column"));
    }
    if alias.columns.len() > columns.len() {
        return Err(SqlError::new(
            SqlState::INVALID_COLUMN_REFERENCE,
            format!(
                "table \"{table}\" has {} columns available but {} columns specified",
                columns.len(),
                alias.columns.len()
            ),
        ));
    }
    for (column, name) in columns.iter_mut().zip(&alias.columns) {
        column.name = ident(&name.name);
    }
    Ok(())
}

/// Whether an error is one of how a common table expression is named, not of what it is.
fn is_of_reference(e: &SqlError) -> bool {
    e.message.ends_with("RETURNING clause") || e.message.starts_with("recursive reference to query")
}
