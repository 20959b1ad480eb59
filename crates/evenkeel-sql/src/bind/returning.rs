//! RETURNING: a select list over the row that a change leaves and what it was joined with, and over the old and the new version of the row.
//!
//! Invariants:
//! 1. The versions stand behind the level's row: the old one and then the new one, each with its row id, which is NULL if there is no such version.
//!    They are seen by their names alone: no `*` is made of them, and no name without a qualifier means them.
//!
//! Must not know: how rows are written.

use super::generated::where_there;
use super::qualifier::Qualifier;
use super::select::{Out, ends_with_star, whole_column};
use super::{Binder, Hint, RelInfo, first_location, ident, limit_entries};
use crate::catalog::Table;
use crate::parse::version_name;
use crate::plan::expr::Expr;
use crate::plan::{Column, Returning};
use evenkeel_types::error::{SqlError, SqlState};
use sqlparser::ast::{Expr as Ast, SelectItem, SelectItemQualifiedWildcardKind};

/// How the versions are called if the statement says nothing else.
const NAMES: [&str; 2] = ["old", "new"];

impl Binder<'_> {
    /// RETURNING knows of the row that was not inserted, but cannot name it.
    pub(super) fn hide_excluded(&mut self) -> Result<(), SqlError> {
        const EXCLUDED: &str = "excluded";
        let frame = self.frame()?;
        if let Some(target) = frame.rels.first().filter(|r| r.alias != EXCLUDED).cloned() {
            let (alias, name) = (EXCLUDED.to_owned(), EXCLUDED.to_owned());
            frame.hidden.push(RelInfo { alias, name, columns: Vec::new(), ..target });
        }
        Ok(())
    }

    /// RETURNING over the current frame, whose first relation is what is changed: rows of a table.
    pub(super) fn returning(
        &mut self,
        items: &[SelectItem],
        table: &Table,
    ) -> Result<(Returning, Vec<Column>), SqlError> {
        let frame = self.frame()?;
        frame.place = "RETURNING";
        let at = frame.width;
        let items = self.name_versions(items, table)?;
        let mut outs: Vec<Out> = Vec::new();
        for item in items {
            match item {
                SelectItem::Wildcard(_) => {
                    let columns = self.frame()?.names.clone();
                    self.reads(&columns);
                    outs.extend(columns.iter().map(whole_column));
                }
                SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::ObjectName(name), _) => {
                    let (alias, relation) = self.relation_of_star(name)?;
                    let of = Qualifier { name: &alias, relation };
                    let rel = of.of(&self.frame()?.rels)?.cloned();
                    match rel {
                        Some(rel) => {
                            self.reads(&rel.columns);
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
                SelectItem::UnnamedExpr(e) => self.select_item(e, None, Hint::None, &mut outs)?,
                SelectItem::ExprWithAlias { expr, alias } => {
                    let alias = self.alias(alias)?;
                    self.select_item(expr, Some(alias), Hint::None, &mut outs)?;
                }
                _ => return Err(SqlError::unsupported("this kind of RETURNING item is not supported")),
            }
            limit_entries(outs.len(), "target lists")?;
        }
        for o in &mut outs {
            o.column.collation = self.output_collation(&o.expr, o.column.ty)?;
        }
        let (exprs, columns): (Vec<Expr>, Vec<Column>) = outs.into_iter().map(|o| (o.expr, o.column)).unzip();
        let reads_versions = exprs.iter().any(|e| e.any(|e| matches!(e, Expr::Column(c) if *c >= at)));
        Ok((Returning { exprs: exprs.into(), versions: reads_versions.then_some(at) }, columns))
    }

    /// Names the versions as the first items say, or OLD and NEW unless these names are others'; what is left is the list.
    fn name_versions<'i>(
        &mut self,
        items: &'i [SelectItem],
        table: &Table,
    ) -> Result<&'i [SelectItem], SqlError> {
        let (mut named, mut left) = ([false; 2], items);
        while let Some((is_new, name)) = left.first().and_then(version_name) {
            let number = usize::from(is_new);
            if std::mem::replace(&mut named[number], true) {
                let what = NAMES[number].to_uppercase();
                let why = format!("{what} cannot be specified multiple times");
                return Err(self.at(SqlError::new(SqlState::SYNTAX_ERROR, why), name.span.start));
            }
            let alias = ident(name);
            if self.frame()?.rels.iter().any(|r| r.alias == alias) {
                let why = format!("table name \"{alias}\" specified more than once");
                return Err(self.at(SqlError::new(SqlState::DUPLICATE_ALIAS, why), name.span.start));
            }
            self.add_version(alias, number, table)?;
            left = &left[1..];
        }
        for (number, name) in NAMES.into_iter().enumerate() {
            if !named[number] && !self.frame()?.rels.iter().any(|r| r.alias == name) {
                self.add_version(name.to_owned(), number, table)?;
            }
        }
        Ok(left)
    }

    /// Gives the old version or the new one a name (invariant 1).
    fn add_version(&mut self, alias: String, number: usize, table: &Table) -> Result<(), SqlError> {
        let width = table.columns.len() + 1;
        let frame = self.frame()?;
        let at = frame.width + number * width;
        let row = at + width - 1;
        let target = frame.rels.first().ok_or_else(|| SqlError::internal("RETURNING of nothing"))?;
        let mut columns = target.columns.clone();
        for c in &mut columns {
            // What is computed from the row has a value even of a row that is not there.
            let is_own = matches!(c.expr, Expr::Column(_));
            let value = std::mem::replace(&mut c.expr, Expr::null());
            let value = value.map(&mut |e| match e {
                Expr::Column(n) => Expr::Column(at + n),
                e => e,
            });
            c.expr = if is_own { value } else { where_there(Expr::Column(row), value) };
            c.row = None;
        }
        let (name, written, version) = (String::new(), None, Some(row));
        self.note_table_collations(table, at)?;
        let frame = self.frame()?;
        frame.rels.push(RelInfo {
            alias,
            name,
            relation: None,
            rows_of: Some(table.oid),
            columns,
            is_value: false,
            number: 0,
            written,
            version,
            row_id: version,
            may_lack: false,
            kept_as: None,
        });
        Ok(())
    }

    /// A value of a relation's row, where that may be a version that is not there: NULL then.
    pub(super) fn of_version(&mut self, depth: usize, version: Option<usize>, value: Expr) -> Expr {
        match version {
            None => value,
            Some(row) => where_there(self.outer_reference(depth, Expr::Column(row)), value),
        }
    }
}

/// Marks the places of a row that RETURNING reads; of the versions of a row all of its columns are handed out.
pub(super) fn mark_returned(returning: Option<&Returning>, table: &Table, used: &mut [bool]) {
    let Some(r) = returning else { return };
    let mut read = Vec::new();
    r.exprs.iter().for_each(|e| e.columns(&mut read));
    for place in read {
        if let Some(used) = used.get_mut(place) {
            *used = true;
        }
    }
    if r.versions.is_some() {
        used[..table.columns.len()].fill(true);
    }
}
