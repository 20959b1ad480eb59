//! SELECT: select list, grouping, ordering, row locks.
//!
//! Must not know: how it is answered (`plan`).

use super::compare::{must_be_equal_or_not, must_be_ordered};
use super::domain::is_cast;
use super::expr::is_star;
use super::grouping::GROUPING;
use super::grouping::Keys;
use super::label::column_name;
use super::qualifier::Qualifier;
use super::query::{ambiguous, bad_position, direction, output_reference, position};
use super::{Binder, ColInfo, Frame, Hint, RelInfo, first_location, ident, limit_entries};
use crate::catalog::Index;
use crate::catalog::locks::TableLockMode;
use crate::catalog::security::acl;
use crate::parse::rewrite::NOTHING;
use crate::plan::bound::{
    Body, BoundQuery, BoundSelect, Distinct, Grouping, Limits, OrderItem, OrderKey, Reached, Source,
    SourceKind, lock_words,
};
use crate::plan::expr::Expr;
use crate::plan::window::Windows;
use crate::plan::{AggCall, Column, LockTarget};
use evenkeel::{LockMode, WaitPolicy};
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::{CastContext, Collation, Type};
use sqlparser::ast::{self, AccessExpr, Expr as Ast, SelectItem, SelectItemQualifiedWildcardKind};
use sqlparser::tokenizer::Location;
use std::sync::Arc;

/// One item of a select list.
pub(super) struct Out {
    pub expr: Expr,
    pub column: Column,
}

impl Binder<'_> {
    fn select_list(&mut self, s: &ast::Select, hint: Hint<'_>) -> Result<Vec<Out>, SqlError> {
        let mut outs: Vec<Out> = Vec::new();
        for item in &s.projection {
            match item {
                SelectItem::Wildcard(options) => {
                    let frame = self.frame()?;
                    if frame.rels.is_empty() {
                        return Err(SqlError::new(
                            SqlState::SYNTAX_ERROR,
                            "SELECT * with no tables specified is not valid",
                        ));
                    }
                    let columns: Vec<ColInfo> =
                        frame.names.iter().filter(|c| !c.is_hidden).cloned().collect();
                    self.reads(&columns);
                    let (frame, at) = (self.frame()?, options.wildcard_token.0.span.start);
                    columns.iter().for_each(|c| frame.note_seen(at, &c.expr));
                    self.capture_columns(None, options, &columns)?;
                    outs.extend(columns.iter().map(whole_column));
                }
                SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::ObjectName(name), options) => {
                    let (alias, relation) = self.relation_of_star(name)?;
                    if alias == NOTHING {
                        continue;
                    }
                    let of = Qualifier { name: &alias, relation };
                    match self.relation_meant(of, first_location(name))?.map(|(n, r)| (n, r.clone())) {
                        Some((depth, mut rel)) => {
                            rel.columns.retain(|c| !c.is_hidden);
                            self.reads(&rel.columns);
                            for c in &mut rel.columns {
                                let expr = std::mem::replace(&mut c.expr, Expr::null());
                                c.expr = self.outer_reference(depth, expr);
                            }
                            let frame = self.frame()?;
                            let at = first_location(name);
                            rel.columns.iter().for_each(|c| frame.note_seen(at, &c.expr));
                            self.capture_columns(Some(name), options, &rel.columns)?;
                            outs.extend(rel.columns.iter().map(whole_column));
                        }
                        None => return Err(self.at(self.no_alias(&alias), first_location(name))),
                    }
                }
                SelectItem::UnnamedExpr(Ast::CompoundFieldAccess { root, access_chain })
                    if ends_with_star(access_chain) =>
                {
                    self.fields_as_items(root, &access_chain[..access_chain.len() - 1], &mut outs)?;
                }
                SelectItem::UnnamedExpr(e) => self.select_item(e, None, hint, &mut outs)?,
                SelectItem::ExprWithAlias { expr, alias } => {
                    let alias = self.alias(alias)?;
                    self.select_item(expr, Some(alias), hint, &mut outs)?;
                }
                _ => return Err(SqlError::unsupported("this kind of select list item is not supported")),
            }
            limit_entries(outs.len(), "target lists")?;
            self.frame()?.seen.end_outputs(outs.len());
        }
        for o in &mut outs {
            o.column.collation = self.output_collation(&o.expr, o.column.ty)?;
        }
        Ok(outs)
    }

    /// The relation whose columns `t.*` or `database.schema.t.*` is.
    pub(super) fn relation_of_star(&self, name: &ast::ObjectName) -> Result<(String, Option<u32>), SqlError> {
        let mut names: Vec<String> = name.0.iter().filter_map(|p| p.as_ident().map(ident)).collect();
        names.push("*".into());
        self.check_database(&names).map_err(|e| self.at(e, first_location(name)))?;
        names.pop();
        let alias = names.pop().ok_or_else(|| SqlError::internal("empty name"))?;
        let relation = match names.pop() {
            Some(schema) => self.of_schema(&schema, &alias, first_location(name))?,
            None => None,
        };
        Ok((alias, relation))
    }

    /// The name of an output. The parser takes strings for names, too.
    pub(super) fn alias(&self, i: &ast::Ident) -> Result<String, SqlError> {
        if i.quote_style == Some('\'') {
            let e = SqlError::new(SqlState::SYNTAX_ERROR, format!("syntax error at or near \"{i}\""));
            return Err(self.at(e, i.span.start));
        }
        Ok(ident(i))
    }

    /// `(x).*`
    pub(super) fn fields_as_items(
        &mut self,
        root: &Ast,
        chain: &[AccessExpr],
        outs: &mut Vec<Out>,
    ) -> Result<(), SqlError> {
        let t = if chain.is_empty() { self.expr(root)? } else { self.subscript(root, chain)? };
        for (name, t) in self.all_fields(root, t)? {
            let ty = if t.ty == Type::Unknown { Type::Text } else { t.ty };
            let column = Column::of(name, ty, t.typmod);
            let expr = self.coerce(t, ty, -1, CastContext::Implicit)?;
            outs.push(Out { expr, column });
        }
        Ok(())
    }

    pub(super) fn select_item(
        &mut self,
        e: &Ast,
        alias: Option<String>,
        hint: Hint<'_>,
        outs: &mut Vec<Out>,
    ) -> Result<(), SqlError> {
        let name = alias.unwrap_or_else(|| column_name(e));
        let t = self.expr(e)?;
        let t = self.known_record(t)?;
        self.check_param_output(&t, matches!(hint, Hint::None))?;
        let (mut ty, typmod) = (t.ty, t.typmod);
        let (mut table_oid, mut attnum) = (0, 0);
        let catalog = self.catalog;
        if let Expr::Column(at) = t.expr
            && let Some(c) = self.frame()?.rels.iter().flat_map(|r| &r.columns).find(|c| c.at() == Some(at))
        {
            // A domain's value that is cast to what it is over is no value of the domain any more.
            let is_domain = || catalog.domain_of_column(c.table_oid, c.attnum).is_some();
            if !(is_cast(e) && is_domain()) {
                (table_oid, attnum) = (c.table_oid, c.attnum);
            }
        }
        let expr = if ty == Type::Unknown {
            let wanted = match hint {
                Hint::Keep => None,
                Hint::Types(types) => Some(types.get(outs.len()).copied().unwrap_or(Type::Text)),
                _ => Some(Type::Text),
            };
            match wanted {
                None => t.expr,
                Some(w) => {
                    ty = w;
                    self.coerce(t, w, -1, CastContext::Assignment)?
                }
            }
        } else {
            t.expr
        };
        outs.push(Out { expr, column: Column { table_oid, attnum, ..Column::of(name, ty, typmod) } });
        Ok(())
    }

    /// What something in FROM is that has no rows to lock; nothing, where that is no mistake.
    fn not_locked(&self, alias: &str, sources: &[Source]) -> Option<&'static str> {
        let rel = self.frames.last()?.rels.iter().find(|r| r.alias == alias)?;
        let place = rel.columns.iter().find_map(ColInfo::at)?;
        let source = sources.iter().find(|s| (s.at..s.at + s.width).contains(&place))?;
        match source.kind {
            SourceKind::Function { .. } => Some("a function"),
            SourceKind::Cte { .. } => Some("a WITH query"),
            SourceKind::Rows(_) | SourceKind::Query(..) => Some(""),
            _ => None,
        }
    }

    /// A key of GROUP BY; the output that it names.
    pub(super) fn group_key(&mut self, e: &Ast, outs: &[Out]) -> Result<(Expr, Option<usize>), SqlError> {
        let mut named = None;
        let (key, ty) = match position(e) {
            Some(n) => match outs.get((n - 1) as usize) {
                Some(o) if n > 0 => {
                    named = Some((n - 1) as usize);
                    (o.expr.clone(), o.column.ty)
                }
                _ => return Err(self.at_start(bad_position("GROUP BY", n), e)),
            },
            None if is_plain_constant(e) => {
                let error = SqlError::new(SqlState::SYNTAX_ERROR, "non-integer constant in GROUP BY");
                return Err(self.at_start(error, e));
            }
            None => {
                let own = match e {
                    Ast::Identifier(i) => {
                        let name = ident(i);
                        let frame = self.frame()?;
                        let known = frame.names.iter().any(|c| c.name == name);
                        let mut outs = outs.iter().filter(|o| !known && o.column.name == name);
                        let own = outs.next();
                        if own.is_some_and(|own| outs.any(|o| o.expr != own.expr)) {
                            return Err(self.at_start(ambiguous("GROUP BY", &name), e));
                        }
                        own
                    }
                    _ => None,
                };
                match own {
                    Some(o) => {
                        named = outs.iter().position(|other| std::ptr::eq(o, other));
                        (o.expr.clone(), o.column.ty)
                    }
                    None => {
                        let t = self.expr(e)?;
                        let ty = if t.ty == Type::Unknown { Type::Text } else { t.ty };
                        (self.coerce(t, ty, -1, CastContext::Implicit)?, ty)
                    }
                }
            }
        };
        must_be_equal_or_not(ty)?;
        self.check_grouped(&key, ty)?;
        if key.any(|e| matches!(e, Expr::Window(_))) {
            let why = "window functions are not allowed in GROUP BY";
            return Err(self.at_start(SqlError::new(SqlState::WINDOWING_ERROR, why), e));
        }
        if key.any(|e| matches!(e, Expr::Aggregate(_))) {
            let why = "aggregate functions are not allowed in GROUP BY";
            return Err(self.at_start(SqlError::new(SqlState::GROUPING_ERROR, why), e));
        }
        let out = named.or_else(|| outs.iter().position(|o| o.expr == key));
        Ok((key, out))
    }

    fn order_items(&mut self, keys: &[ast::OrderByExpr], outs: &[Out]) -> Result<Vec<OrderKey>, SqlError> {
        let columns: Vec<Column> = outs.iter().map(|o| o.column.clone()).collect();
        let mut order: Vec<OrderKey> = Vec::new();
        for k in keys {
            let (desc, nulls_first) = direction(k)?;
            let named = output_reference(&k.expr, &columns, |a, b| outs[a].expr == outs[b].expr);
            let (item, collation) = match named.map_err(|e| self.at_start(e, &k.expr))? {
                Some(n) => {
                    must_be_ordered(columns[n].ty).map_err(|e| self.at_start(e, &k.expr))?;
                    (OrderItem::Output(n), self.ordering_collation(&outs[n].expr, columns[n].ty)?)
                }
                None => {
                    let t = self.expr(&k.expr)?;
                    if is_plain_constant(&k.expr) || t.ty == Type::Unknown && matches!(t.expr, Expr::Const(_))
                    {
                        let why = "non-integer constant in ORDER BY";
                        return Err(self.at_start(SqlError::new(SqlState::SYNTAX_ERROR, why), &k.expr));
                    }
                    let ty = if t.ty == Type::Unknown { Type::Text } else { t.ty };
                    must_be_ordered(ty).map_err(|e| self.at_start(e, &k.expr))?;
                    let e = self.coerce(t, ty, -1, CastContext::Implicit)?;
                    let collation = self.ordering_collation(&e, ty)?;
                    match outs.iter().position(|o| o.expr == e) {
                        Some(n) => (OrderItem::Output(n), collation),
                        None => (OrderItem::Expr(e), collation),
                    }
                }
            };
            let key = OrderKey { item, desc, nulls_first, collation };
            // What is ordered already is not ordered again.
            if !order.iter().any(|k| ordered_value(k, outs) == ordered_value(&key, outs)) {
                order.push(key);
            }
        }
        Ok(order)
    }

    pub(super) fn select(
        &mut self,
        s: &ast::Select,
        order_by: &[ast::OrderByExpr],
        limits: Limits,
        locks: &[ast::LockClause],
        hint: Hint<'_>,
    ) -> Result<(BoundQuery, Vec<Column>), SqlError> {
        if s.into.is_some() {
            return Err(
                SqlError::unsupported("SELECT INTO is not supported").with_hint("Use CREATE TABLE AS.")
            );
        }
        super::foreign::of_select(s)?;
        self.frame()?.place = "FROM";
        self.frame()?.row_locks = locks.to_vec();
        let mut level = self.from(&s.from)?;
        if let Some(w) = &s.selection {
            self.frame()?.place = "WHERE";
            self.condition(w, "WHERE")?.split_and(&mut level.conjuncts);
        }
        self.frame()?.aggs_allowed = true;
        self.named_windows(&s.named_window)?;
        self.frame()?.windows_allowed = true;
        self.frame()?.sets_allowed = true;
        let mut outs = self.select_list(s, hint)?;
        let says = |o: &Out| self.is_explicit(&o.expr, o.column.ty);
        let explicit = outs.iter().map(says).collect::<Result<Vec<_>, _>>()?;
        let own = outs.len();
        let carried = std::mem::take(&mut self.frame()?.carried);
        outs.extend(carried.iter().map(whole_column));
        (self.frame()?.place, self.frame()?.windows_allowed) = ("GROUP BY", false);
        let (Keys { exprs: mut keys, constants }, grouped) = self.group_keys(&s.group_by, &outs)?;
        (self.frame()?.place, self.frame()?.sets_allowed) = ("HAVING", false);
        let before_having = self.frame()?.seen.len();
        let mut having = s.having.as_ref().map(|h| self.condition(h, "HAVING")).transpose()?;
        let behind_having = self.frame()?.seen.len();
        (self.frame()?.windows_allowed, self.frame()?.sets_allowed) = (true, true);
        let mut order = self.order_items(order_by, &outs)?;
        let (mut distinct_on, mut on_collations) = (Vec::new(), Vec::new());
        if let Some(ast::Distinct::On(exprs)) = &s.distinct {
            let columns: Vec<Column> = outs.iter().map(|o| o.column.clone()).collect();
            for e in exprs {
                let key = match output_reference(e, &columns, |a, b| outs[a].expr == outs[b].expr)? {
                    Some(n) => {
                        must_be_equal_or_not(columns[n].ty)?;
                        self.check_grouped(&outs[n].expr, columns[n].ty)?;
                        outs[n].expr.clone()
                    }
                    None => {
                        let t = self.expr(e)?;
                        let ty = t.ty;
                        must_be_equal_or_not(ty)?;
                        self.check_grouped(&t.expr, ty)?;
                        self.coerce(t, ty, -1, CastContext::Implicit)?
                    }
                };
                if !distinct_on.contains(&key) {
                    on_collations.push(self.equality_collation(&[(&key, Type::Text)])?.unwrap_or_default());
                    distinct_on.push(key);
                }
            }
        }
        if matches!(s.distinct, Some(ast::Distinct::Distinct)) {
            outs.iter().try_for_each(|o| self.check_grouped(&o.expr, o.column.ty))?;
        }
        let columns: Vec<Column> = outs.iter().map(|o| o.column.clone()).collect();
        self.note_select(s, order_by, &columns[..own]);
        let mut aggs = std::mem::take(&mut self.frame()?.aggs);
        let mut windows = std::mem::take(&mut self.frame()?.windows);
        let mut set_calls = std::mem::take(&mut self.frame()?.set_calls);
        let is_grouped = grouped || !aggs.is_empty() || having.is_some() || self.frame()?.asks_for_sets;
        let reads_work = |s: &Source| matches!(s.kind, SourceKind::Cte { work: Some(_), .. });
        if !aggs.is_empty() && level.sources.iter().any(reads_work) {
            return Err(SqlError::new(
                SqlState::INVALID_RECURSION,
                "aggregate functions are not allowed in a recursive query's recursive term",
            ));
        }
        let is_distinct = matches!(s.distinct, Some(ast::Distinct::Distinct | ast::Distinct::On(_)));
        let has_sets = !set_calls.is_empty();

        level.width = self.frame()?.width;
        let refused = [
            (is_distinct, "DISTINCT clause"),
            (grouped, "GROUP BY clause"),
            (having.is_some(), "HAVING clause"),
            (is_grouped, "aggregate functions"),
            (!windows.calls.is_empty(), "window functions"),
            (has_sets, "set-returning functions in the target list"),
        ];
        let refused = refused.into_iter().find(|r| r.0).map(|r| r.1);
        let (locks, reached) = self.lock_targets(locks, &level.sources, refused)?;

        if is_grouped {
            let behind_all = self.frame()?.seen.len();
            self.frame()?.seen.look_at(0..behind_all);
            let direct = aggs.iter().flat_map(AggCall::direct);
            self.add_dependent_keys(&outs, direct, &having, &order, &windows, &mut keys)?;
            self.show_groups(&keys, &mut aggs)?;
            for e in aggs.iter_mut().flat_map(AggCall::direct_mut) {
                *e = self.regroup_direct(std::mem::replace(e, Expr::null()), &keys)?;
            }
            windows.try_map(&mut |e| self.regroup(e, &keys))?;
            for (n, o) in outs.iter_mut().enumerate() {
                self.frame()?.seen.look_at_output(n);
                let own = std::mem::replace(&mut o.expr, Expr::null());
                o.expr = match constants.iter().find(|c| c.1 == n) {
                    Some((key, _)) => Expr::Column(*key),
                    None => self.regroup(own, &keys)?,
                };
            }
            self.frame()?.seen.look_at(before_having..behind_having);
            having = having.map(|h| self.regroup(h, &keys)).transpose()?;
            self.frame()?.seen.look_at(behind_having..behind_all);
            for o in &mut order {
                if let OrderItem::Expr(e) = &mut o.item {
                    *e = self.regroup(std::mem::replace(e, Expr::null()), &keys)?;
                }
            }
            for e in &mut distinct_on {
                *e = self.regroup(std::mem::replace(e, Expr::null()), &keys)?;
            }
            if has_sets {
                let by = order.iter_mut().filter_map(|o| match &mut o.item {
                    OrderItem::Expr(e) => Some(e),
                    OrderItem::Output(_) => None,
                });
                let list = outs.iter_mut().map(|o| &mut o.expr);
                let above = list.chain(by).chain(&mut distinct_on);
                let mut above: Vec<&mut Expr> = above.chain(windows.keys_mut()).collect();
                self.regroup_calls(&mut set_calls, &keys, &mut above)?;
            }
        }
        self.compare_groups(&mut keys)?;
        let mut distinct = match s.distinct {
            Some(ast::Distinct::Distinct) => Distinct::All(self.distinct_collations(&columns)),
            Some(ast::Distinct::On(_)) if !distinct_on.is_empty() => Distinct::On(distinct_on),
            _ => Distinct::No,
        };
        if let Distinct::All(_) = distinct {
            columns.iter().try_for_each(|c| must_be_equal_or_not(c.ty))?;
        }
        let outs: Vec<Expr> = outs.into_iter().map(|o| o.expr).collect();
        check_distinct_order(&distinct, &order, &outs).map_err(|e| {
            let junk = order.iter().position(|k| matches!(k.item, OrderItem::Expr(_)));
            match (&s.distinct, junk) {
                (Some(ast::Distinct::On(on)), _) if on.len() == 1 => self.at_start(e, &on[0]),
                (Some(ast::Distinct::Distinct), Some(n)) if order.len() == order_by.len() => {
                    self.at_start(e, &order_by[n].expr)
                }
                _ => e,
            }
        })?;
        if let Distinct::On(on) = &mut distinct {
            for (e, collation) in on.iter_mut().zip(on_collations) {
                *e = std::mem::replace(e, Expr::null()).in_order_of(collation);
            }
        }
        let sets = std::mem::take(&mut self.frame()?.sets);
        let plain = keys.is_empty();
        let grouping = is_grouped.then(|| Grouping { keys, sets, calls: aggs, plain, having });
        let visible = outs.len();
        let select = BoundSelect {
            grouping,
            windows,
            set_calls,
            order,
            distinct,
            locks,
            reached,
            ..BoundSelect::of(level, outs)
        };
        let query = BoundQuery::new(Body::Select(Box::new(select)), visible);
        self.explicit = explicit;
        Ok((BoundQuery { limits, ..query }, columns))
    }

    fn lock_targets(
        &mut self,
        locks: &[ast::LockClause],
        sources: &[Source],
        refused: Option<&str>,
    ) -> Result<(Vec<LockTarget>, Reached), SqlError> {
        let (mut targets, mut reached): (Vec<LockTarget>, Reached) = Default::default();
        for clause in locks {
            let parts: Vec<String> = lock_parts(clause).map(str::to_owned).collect();
            let mode = lock_mode(clause);
            let name = lock_words(mode);
            if let Some(what) = refused {
                return Err(SqlError::unsupported(format!("{name} is not allowed with {what}")));
            }
            let wait = match clause.nonblock {
                None => WaitPolicy::Block,
                Some(ast::NonBlock::Nowait) => WaitPolicy::NoWait,
                Some(ast::NonBlock::SkipLocked) => WaitPolicy::SkipLocked,
            };
            let of = &parts[parts.len().min(1)..];
            for wanted in of {
                let is_subquery = |s: &Source| matches!(s.kind, SourceKind::Query(..));
                let known = sources.iter().any(|s| match &s.kind {
                    SourceKind::Table(_, alias) => alias == wanted,
                    _ => is_subquery(s) && self.frames.last().is_some_and(|f| f.has_alias_at(wanted, s.at)),
                });
                let not_locked = self.not_locked(wanted, sources);
                if !known && not_locked != Some("") {
                    let why = match not_locked {
                        Some(what) => format!("{name} cannot be applied to {what}"),
                        None => format!("relation \"{wanted}\" in {name} clause not found in FROM clause"),
                    };
                    let parts = clause.of.iter().flat_map(|n| &n.0).filter_map(|p| p.as_ident());
                    let at = parts.skip(1).find(|i| i.value == *wanted).map(|i| i.span.start);
                    let e = match why.contains(" cannot be ") {
                        true => SqlError::unsupported(why),
                        false => SqlError::new(SqlState::UNDEFINED_TABLE, why),
                    };
                    return Err(at.map_or(e.clone(), |at| self.at(e, at)));
                }
            }
            for s in sources {
                let is_wanted = |f: &Frame| of.iter().any(|w| f.has_alias_at(w, s.at));
                if matches!(s.kind, SourceKind::Query(..))
                    && (of.is_empty() || self.frames.last().is_some_and(is_wanted))
                {
                    reached.push((s.at, mode));
                }
                let SourceKind::Table(table, alias) = &s.kind else { continue };
                if !of.is_empty() && !of.contains(alias) {
                    continue;
                }
                if table.materialized.is_some() {
                    return Err(SqlError::new(
                        SqlState::WRONG_OBJECT_TYPE,
                        format!("cannot lock rows in materialized view \"{}\"", table.name),
                    ));
                }
                reached.push((s.at, mode));
                self.needs.of(table.oid, self.by, acl::UPDATE);
                self.lock_table(table, TableLockMode::RowShare);
                if let Some(t) = targets.iter_mut().find(|t| t.at == s.at) {
                    t.mode = stronger(t.mode, mode);
                    continue;
                }
                targets.push(LockTarget {
                    table: table.clone(),
                    at: s.at,
                    wanted: Box::new([]),
                    mode,
                    keys: Box::new([]),
                    wait,
                });
            }
        }
        for t in targets.iter_mut().filter(|t| t.mode == LockMode::Update) {
            let catalog = self.catalog;
            let refers = |i: &&Arc<Index>| {
                let mut children = catalog.referencing_tables(t.table.oid);
                children.any(|c| c.foreign_keys.iter().any(|f| f.parent_index == i.oid))
            };
            t.keys = t.table.indexes.iter().filter(refers).cloned().collect();
        }
        Ok((targets, reached))
    }

    /// Columns of a table whose primary key is grouped by depend on it: they become keys too.
    fn add_dependent_keys<'e>(
        &mut self,
        outs: &'e [Out],
        direct: impl Iterator<Item = &'e Expr>,
        having: &Option<Expr>,
        order: &[OrderKey],
        windows: &Windows,
        keys: &mut Vec<Expr>,
    ) -> Result<(), SqlError> {
        let mut read = Vec::new();
        outs.iter().map(|o| &o.expr).chain(direct).for_each(|e| e.columns(&mut read));
        having.iter().for_each(|h| h.columns(&mut read));
        windows.exprs(&mut |e| e.columns(&mut read));
        for o in order {
            if let OrderItem::Expr(e) = &o.item {
                e.columns(&mut read);
            }
        }
        read.sort_unstable();
        read.dedup();
        // With grouping sets the number of the set stays the last key, and a column depends on what all sets have.
        let sets = std::mem::take(&mut self.frame()?.sets);
        let of_sets = if sets.is_empty() { None } else { keys.pop() };
        let in_all = |n: usize| sets.iter().all(|s| s.contains(&n));
        let common: Vec<Expr> =
            keys.iter().enumerate().filter(|(n, _)| in_all(*n)).map(|(_, k)| k.clone()).collect();
        let known = keys.len();
        for at in read {
            if keys.contains(&Expr::Column(at)) {
                continue;
            }
            let frame = self.frames.last().ok_or_else(|| SqlError::internal("no query level"))?;
            // A subquery's columns are no table's, whatever they come from.
            let is_it = |r: &&RelInfo| r.row_id.is_some() && r.columns.iter().any(|c| c.at() == Some(at));
            let Some(rel) = frame.rels.iter().find(is_it) else {
                continue;
            };
            let Some(table) = rel.columns.first().and_then(|c| self.catalog.table(c.table_oid)) else {
                continue;
            };
            // Of a deferrable one there may be two rows.
            let Some(pk) = table.primary_key().filter(|i| !i.timing.deferrable) else { continue };
            let covered = pk.columns.iter().all(|p| {
                rel.columns.iter().any(|c| c.attnum as usize == p.column + 1 && common.contains(&c.expr))
            });
            if covered {
                keys.push(Expr::Column(at));
                let constraint = pk.constraint;
                self.capture_key(constraint);
            }
        }
        let with_new = |s: &[usize]| s.iter().copied().chain(known..keys.len()).collect();
        self.frame()?.sets = sets.iter().map(|s| with_new(s)).collect();
        keys.extend(of_sets);
        Ok(())
    }

    /// Rewrites an expression over the level's row into one over keys and aggregates.
    pub(super) fn regroup(&self, e: Expr, keys: &[Expr]) -> Result<Expr, SqlError> {
        if !matches!(e, Expr::Const(_))
            && let Some(k) = keys.iter().position(|k| *k == e)
        {
            let shown = self.frames.last().and_then(|f| f.shown_groups.iter().find(|s| s.0 == k));
            return Ok(Expr::Column(shown.map_or(k, |(_, call)| keys.len() + call)));
        }
        match e {
            Expr::Aggregate(n) => Ok(Expr::Column(keys.len() + n)),
            Expr::Call(f, args) if std::ptr::eq(f, &GROUPING) => self.grouping_mask(&args, keys),
            Expr::Column(at) => {
                let name = self.frames.last().and_then(|f| {
                    f.rels.iter().filter(|r| !r.alias.is_empty()).find_map(|r| {
                        let column = r.columns.iter().find(|c| c.at() == Some(at));
                        column.map(|c| format!("{}.{}", r.alias, c.name))
                    })
                });
                let why = format!(
                    "column \"{}\" must appear in the GROUP BY clause or be used in an aggregate function",
                    name.unwrap_or_default()
                );
                let at = self.frames.last().map_or(Location { line: 0, column: 0 }, |f| f.seen.find(at));
                Err(self.at(SqlError::new(SqlState::GROUPING_ERROR, why), at))
            }
            other => other.try_map_children(&mut |c| self.regroup(c, keys)),
        }
    }

    /// The same for a direct argument of an aggregate, which is evaluated once a group.
    fn regroup_direct(&self, e: Expr, keys: &[Expr]) -> Result<Expr, SqlError> {
        self.regroup(e, keys).map_err(|e| match e.message.starts_with("column ") {
            true => {
                e.with_detail("Direct arguments of an ordered-set aggregate must use only grouped columns.")
            }
            false => e,
        })
    }
}

/// DISTINCT takes place before rows are ordered: what they are ordered by must be left of them.
fn check_distinct_order(distinct: &Distinct, order: &[OrderKey], outs: &[Expr]) -> Result<(), SqlError> {
    let refused = |text: &str| Err(SqlError::new(SqlState::INVALID_COLUMN_REFERENCE, text));
    match distinct {
        Distinct::All(_) if order.iter().any(|k| matches!(k.item, OrderItem::Expr(_))) => {
            refused("for SELECT DISTINCT, ORDER BY expressions must appear in select list")
        }
        Distinct::On(on) if !order.iter().take(on.len()).all(|k| on.contains(k.expr(outs))) => {
            refused("SELECT DISTINCT ON expressions must match initial ORDER BY expressions")
        }
        _ => Ok(()),
    }
}

/// `(x).*`
pub(super) fn ends_with_star(chain: &[AccessExpr]) -> bool {
    matches!(chain.last(), Some(AccessExpr::Dot(Ast::Identifier(i))) if is_star(i))
}

fn stronger(a: LockMode, b: LockMode) -> LockMode {
    let rank = |m: LockMode| match m {
        LockMode::KeyShare => 0,
        LockMode::Share => 1,
        LockMode::NoKeyUpdate => 2,
        LockMode::Update => 3,
    };
    if rank(a) >= rank(b) { a } else { b }
}

pub(super) fn whole_column(c: &super::ColInfo) -> Out {
    Out {
        expr: c.expr.clone(),
        column: Column {
            name: c.name.clone(),
            ty: c.ty,
            typmod: c.typmod,
            table_oid: c.table_oid,
            attnum: c.attnum,
            collation: Collation::default(),
        },
    }
}

/// A constant as it is written, without a cast: no expression to PostgreSQL, where positions are meant.
fn is_plain_constant(e: &Ast) -> bool {
    match e {
        Ast::Value(v) => !matches!(v.value, ast::Value::Placeholder(_) | ast::Value::Null),
        Ast::Nested(e) | Ast::UnaryOp { op: ast::UnaryOperator::Minus, expr: e } => is_plain_constant(e),
        _ => false,
    }
}

/// The value that a key of ORDER BY is.
fn ordered_value<'o>(k: &'o OrderKey, outs: &'o [Out]) -> &'o Expr {
    match &k.item {
        OrderItem::Output(n) => &outs[*n].expr,
        OrderItem::Expr(e) => e,
    }
}

/// The parts of the names of FOR UPDATE and the like.
fn lock_parts(clause: &ast::LockClause) -> impl Iterator<Item = &str> {
    let parts = clause.of.iter().flat_map(|n| &n.0);
    parts.filter_map(|p| if let ast::ObjectNamePart::Identifier(i) = p { Some(&*i.value) } else { None })
}

/// How strong FOR UPDATE or the like is, which travels as the first of those parts.
pub(super) fn lock_mode(clause: &ast::LockClause) -> LockMode {
    match lock_parts(clause).next() {
        Some("<KEY SHARE") => LockMode::KeyShare,
        Some("<SHARE") => LockMode::Share,
        Some("<NO KEY UPDATE") => LockMode::NoKeyUpdate,
        _ => LockMode::Update,
    }
}
