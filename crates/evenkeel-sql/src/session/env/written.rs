//! What the catalog keeps as text, as PostgreSQL would write it.
//!
//! Must not know: how it is written (`bind::deparse`).

use super::SessionEnv;
use crate::bind::deparse::{self, Over, Purpose};
use crate::bind::{BindContext, Binder};
use crate::catalog::views::{ViewContext, index_text};
use crate::catalog::{Domain, Index, Relation, StoredQuery, Table, default_sequence};
use crate::session::address::{Address, Asker, listed};
use crate::session::stored;
use evenkeel_types::error::SqlError;
use evenkeel_types::{ArrayDatum, Env, EvalCtx};
use std::borrow::Cow;
use std::sync::Arc;

/// The largest value that may be computed for it.
const MAX_VALUE_BYTES: usize = 1 << 20;

impl SessionEnv {
    /// Binds something that is kept, to write it again.
    fn with_context<T>(&self, write: impl FnOnce(&BindContext<'_>) -> T) -> T {
        let format = self.format();
        let now = self.statement_us.get();
        let eval = EvalCtx {
            format: &format,
            txn_timestamp: now,
            stmt_timestamp: now,
            max_value_bytes: MAX_VALUE_BYTES,
            env: self,
        };
        write(&BindContext {
            catalog: &self.catalog,
            search_path: &self.path,
            eval: &eval,
            source: "",
            snapshot_version: u64::MAX,
            role: None,
            values: None,
            literals: None,
        })
    }

    /// The definition of a CHECK as PostgreSQL writes it; None: it is another constraint, or cannot be written so.
    pub(super) fn check_of(&self, oid: u32) -> Option<String> {
        let written = |text: &str, over| {
            self.with_context(|cx| deparse::expression(cx, text, over, Purpose::Condition))
        };
        if let Some((_, d)) = self.catalog.domain_of_constraint(oid) {
            let check = d.checks.iter().find(|c| c.oid == oid)?;
            let valid = if check.validated { "" } else { " NOT VALID" };
            return Some(format!("CHECK ({}){valid}", written(&check.expr, Over::Domain(d.ty, d.typmod))?));
        }
        let table = self.catalog.table_of_constraint(oid)?;
        let check = table.checks.iter().find(|c| c.oid == oid)?;
        let inherit = if check.no_inherit { " NO INHERIT" } else { "" };
        Some(format!(
            "CHECK ({}){inherit}{}",
            written(&check.expr, Over::Row(table))?,
            check.standing.suffix()
        ))
    }

    /// An index with its expressions and its predicate as PostgreSQL writes them.
    pub(super) fn index_written<'i>(&self, table: &Arc<Table>, index: &'i Index) -> Cow<'i, Index> {
        let Cow::Owned(mut shown) = index.shown(&self.catalog, &self.path) else {
            return Cow::Borrowed(index);
        };
        let write = |text: &str, purpose| {
            self.with_context(|cx| deparse::expression(cx, text, Over::Row(table), purpose))
        };
        for (e, kept) in shown.extra.expressions.iter_mut().zip(&index.extra.expressions) {
            if let Some(text) = write(&kept.text, Purpose::Value(kept.ty)) {
                e.text = text;
            }
        }
        let predicate = index.extra.predicate.as_ref().and_then(|p| write(p, Purpose::Condition));
        shown.extra.predicate = predicate.or(shown.extra.predicate);
        Cow::Owned(shown)
    }

    /// The definition of an EXCLUDE; None: it is another constraint.
    pub(super) fn exclusion_of(&self, oid: u32) -> Option<String> {
        let t = self.catalog.table_of_constraint(oid)?;
        let i = t.indexes.iter().find(|i| i.exclusion && i.constraint == Some(oid))?;
        Some(index_text::exclusion_definition(&self.catalog, t, &self.index_written(t, i), &self.path))
    }

    /// The query of a view or of a materialized one, and the names of its columns.
    fn kept_query(&self, oid: u32) -> Option<(Arc<StoredQuery>, Vec<String>)> {
        Some(match &self.catalog.relation(oid)? {
            Relation::View(v) => (v.query.clone(), v.columns.iter().map(|c| c.name.clone()).collect()),
            Relation::Table(t) => {
                let names = t.live_columns().map(|(_, c)| c.name.clone()).collect();
                (t.materialized.as_ref()?.query.clone(), names)
            }
            _ => return None,
        })
    }

    /// A view's query.
    pub(super) fn view_written(&self, oid: u32, pretty: bool) -> Option<String> {
        let (query, names) = self.kept_query(oid)?;
        let for_people = || self.with_context(|cx| deparse::pretty_query(cx, &query, &names));
        let written = if pretty { for_people() } else { None };
        let written = written.or_else(|| self.with_context(|cx| deparse::query(cx, &query, &names)));
        Some(written.map_or_else(|| stored::shown(&self.catalog, &query, &self.path), |w| w + ";"))
    }

    /// The names of a view's columns, and from where each comes.
    pub(super) fn origins_of_view(&self, oid: u32) -> Option<Vec<(String, u32, i16)>> {
        let (query, names) = self.kept_query(oid)?;
        let from = self.with_context(|cx| Binder::new(cx, &[]).origins(&query, oid)).ok()?;
        Some(names.into_iter().zip(from).map(|(name, (relation, column))| (name, relation, column)).collect())
    }

    /// The condition of a CHECK that is kept so, of a table or, without one, of a domain; or a domain's default.
    fn condition_written(&self, stored: &str, relation: u32) -> Option<String> {
        let (over, purpose) = match self.catalog.table(relation) {
            Some(t) if t.checks.iter().any(|c| c.expr == stored) => (Over::Row(t), Purpose::Condition),
            Some(_) => return None,
            None => {
                let of = |d: &Domain| match d {
                    d if d.checks.iter().any(|c| c.expr == stored) => {
                        Some((Over::Domain(d.ty, d.typmod), Purpose::Condition))
                    }
                    d if d.default.as_deref() == Some(stored) => Some((Over::Nothing, Purpose::Value(d.ty))),
                    _ => None,
                };
                let mut found =
                    self.catalog.types().filter_map(|t| t.domain.as_deref()).filter(|d| of(d).is_some());
                let first = found.next()?;
                // The same text over another type is written otherwise.
                if found.any(|d| (d.ty, d.typmod) != (first.ty, first.typmod)) {
                    return None;
                }
                of(first)?
            }
        };
        self.with_context(|cx| deparse::expression(cx, stored, over, purpose))
    }

    /// An expression that is written so, for people. `over`: what it may name, as far as that is known.
    pub(super) fn for_people(&self, written: &str, over: Option<Over<'_>>) -> String {
        let of = |over| self.with_context(|cx| deparse::pretty_expression(cx, written, over));
        // What is not written as it was bound is put together from what it is parsed to.
        of(over.unwrap_or(Over::Nothing)).unwrap_or_else(|| stored::pretty_expression(written))
    }

    /// The definition of a constraint for people: of a CHECK its condition, what else there is stays as it is.
    pub(super) fn check_for_people(&self, oid: u32, text: String) -> String {
        let Some(rest) = text.strip_prefix("CHECK (") else { return text };
        let Some((inner, tail)) = rest.rsplit_once(')') else { return text };
        let table = self.catalog.table_of_constraint(oid).map(Over::Row);
        let domain = self.catalog.domain_of_constraint(oid).map(|(_, d)| Over::Domain(d.ty, d.typmod));
        format!("CHECK ({}){tail}", self.for_people(inner, table.or(domain)))
    }

    /// A default, what a generated column is computed by, or the condition of a CHECK.
    pub(super) fn value_written(&self, stored: &str, relation: u32) -> String {
        let written = || {
            if default_sequence(stored).is_some() {
                return None;
            }
            if let Some(written) = self.condition_written(stored, relation) {
                return Some(written);
            }
            let table = self.catalog.table(relation)?;
            let column = table.columns.iter().find(|c| c.default.as_deref() == Some(stored))?;
            let row = if column.generated.is_some() { Over::Row(table) } else { Over::Nothing };
            self.with_context(|cx| deparse::expression(cx, stored, row, Purpose::Value(column.ty)))
        };
        written().unwrap_or_else(|| self.catalog.shown_default(stored, &self.path))
    }
}

impl SessionEnv {
    /// The address of an object of a kind by names and arguments.
    pub(super) fn address_of(
        &self,
        kind: &str,
        names: &ArrayDatum,
        args: &ArrayDatum,
    ) -> Result<Address, SqlError> {
        let database = Env::database_name(self, self.catalog.database).unwrap_or_default();
        let (catalog, path, role) = (&self.catalog, &self.path[..], self.roles.1);
        let asker = Asker { catalog, path, role, database: &database };
        asker.address(kind, &listed(names)?, &listed(args)?)
    }
}
