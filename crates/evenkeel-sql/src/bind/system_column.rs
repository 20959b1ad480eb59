//! System columns: `tableoid`, `ctid`, `xmin`, and `xmax` where an INSERT says what became of its rows.
//!
//! Invariants:
//! 1. `xmin` of a row that the statement writes is its own transaction; of any other that of the version which it sees.
//!
//! Must not know: how rows are read.

use super::generated::{where_there, where_true};
use super::qualifier::Qualifier;
use super::{Binder, RelInfo, Typed};
use crate::catalog::Relation;
use crate::plan::expr::{Case, Cast, Expr};
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::funcs::{NEWEST_TRANSACTION, WRITER, WRITER_OF_ROW};
use evenkeel_types::{CastContext, Datum, Type};
use sqlparser::tokenizer::Location;

/// Their numbers, by which privileges know them.
const CTID: i16 = -1;
const XMIN: i16 = -2;
const XMAX: i16 = -4;

/// Whether PostgreSQL's tables have a column of this name without being asked.
pub(crate) fn is_system_column(name: &str) -> bool {
    ["tableoid", "xmin", "cmin", "xmax", "cmax", "ctid"].contains(&name)
}

impl Binder<'_> {
    /// A system column of a relation of a level; None: there is none of that name.
    pub(super) fn system_column(
        &mut self,
        depth: usize,
        qualifier: Option<Qualifier<'_>>,
        name: &str,
        at: Location,
    ) -> Result<Option<Typed>, SqlError> {
        if !matches!(name, "tableoid" | "ctid" | "xmin" | "xmax") {
            return Ok(None);
        }
        let frame = &self.frames[depth];
        let visible = &frame.rels[frame.visible_from.0.min(frame.rels.len())..];
        let rel = match qualifier {
            Some(q) => q.of(visible)?,
            None => None,
        };
        let first = rel.or(visible.first());
        match name {
            "tableoid" => {
                let version = first.and_then(|r| r.version.or(r.row_id.filter(|_| r.may_lack)));
                let oid = first.and_then(|r| r.columns.first()).map_or(0, |c| c.table_oid);
                let is_view = matches!(self.catalog.relation(oid), Some(Relation::View(_)));
                let oid = Some(oid).filter(|oid| *oid != 0 && !is_view);
                let value = oid.map(|oid| self.of_version(depth, version, Expr::Const(Datum::Oid(oid))));
                return Ok(value.map(|v| Typed::new(v, Type::Oid)));
            }
            "xmin" => {
                if let Some(rel) = first.filter(|r| self.is_catalog(r)).cloned() {
                    return Ok(Some(self.newest_transaction(depth, &rel)));
                }
            }
            _ => {}
        }
        let of_rel = rel.into_iter().filter_map(|r| r.row_id);
        let all = visible.iter().filter(|r| qualifier.is_none() && r.version.is_none());
        let places: Vec<usize> = of_rel.chain(all.filter_map(|r| r.row_id)).collect();
        let [id] = places[..] else {
            if places.is_empty() {
                return Ok(None);
            }
            let why = format!("column reference \"{name}\" is ambiguous");
            return Err(self.at(SqlError::new(SqlState::AMBIGUOUS_COLUMN, why), at));
        };
        let found = self.frames[depth].rels.iter().position(|r| r.row_id == Some(id));
        let Some(number) = found else { return Ok(None) };
        let (value, attnum) = match name {
            "ctid" => {
                let cast = Cast {
                    expr: Expr::Column(id),
                    from: Type::Int8,
                    to: Type::Tid,
                    typmod: -1,
                    context: CastContext::Explicit,
                };
                (Typed::new(Expr::Cast(Box::new(cast)), Type::Tid), CTID)
            }
            "xmin" => match self.writer(depth, number, id) {
                Some(writer) => (Typed::new(writer, Type::Xid), XMIN),
                None => return Ok(None),
            },
            _ => match self.replacer(depth, number) {
                Some(replacer) => (Typed::new(replacer, Type::Xid), XMAX),
                None => return Ok(None),
            },
        };
        let rel = &self.frames[depth].rels[number];
        if let Some(need) = rel.columns.first().and_then(|c| c.need) {
            self.needs.relations[need].selected.insert(attnum);
        }
        self.check_lateral(depth, &Expr::Column(id), at)?;
        Ok(Some(Typed { expr: self.outer_reference(depth, value.expr), ..value }))
    }

    /// Where RETURNING of a level has the ids of the old version of the row and of the new one.
    fn versions(&self, depth: usize) -> Option<(usize, usize)> {
        let frame = &self.frames[depth];
        let target = frame.rels.first().filter(|_| frame.place == "RETURNING")?;
        let Some(Relation::Table(table)) = self.catalog.relation(target.columns.first()?.table_oid) else {
            return None;
        };
        let width = table.columns.len() + 1;
        Some((frame.width + width - 1, frame.width + 2 * width - 1))
    }

    /// `xmin` of a row of a table, whose number is in a place.
    fn writer(&self, depth: usize, number: usize, id: usize) -> Option<Expr> {
        let rel = &self.frames[depth].rels[number];
        let Some(Relation::Table(table)) = self.catalog.relation(rel.columns.first()?.table_oid) else {
            return None;
        };
        let tree = Expr::Const(Datum::Int8(table.heap.tree.0 as i64));
        let read = Expr::Call(&WRITER_OF_ROW, [tree, Expr::Column(id)].into());
        let written = Expr::Call(&WRITER, Box::new([]));
        Some(match (self.versions(depth), rel.version) {
            (Some((_, new)), Some(id)) if id == new => where_there(Expr::Column(new), written),
            (Some((_, new)), None) if number == 0 => {
                let is_written = Expr::IsNull(Box::new(Expr::Column(new)), true);
                let case = Case { operand: None, branches: vec![(is_written, written)], otherwise: read };
                Expr::Case(Box::new(case))
            }
            _ => read,
        })
    }

    /// `xmax` of a row that INSERT leaves: 0 of one that it has inserted; of one that was there, and was changed, it is as if the lock were still on it.
    fn replacer(&self, depth: usize, number: usize) -> Option<Expr> {
        let frame = &self.frames[depth];
        let (old, _) = self.versions(depth).filter(|_| frame.inserts && number == 0)?;
        let is_new = Expr::IsNull(Box::new(Expr::Column(old)), false);
        let (nobody, own) = (Expr::Const(Datum::Oid(0)), Expr::Call(&WRITER, Box::new([])));
        let case = Case { operand: None, branches: vec![(is_new, nobody)], otherwise: own };
        Some(Expr::Case(Box::new(case)))
    }

    /// Whether a relation is a system catalog, whose rows have an `xmin` of their own.
    fn is_catalog(&self, rel: &RelInfo) -> bool {
        let of = rel.columns.first().and_then(|c| self.catalog.relation(c.table_oid));
        matches!(of, Some(Relation::Virtual(table)) if !table.is_view)
    }

    /// `xmin` of a row of a system catalog.
    fn newest_transaction(&mut self, depth: usize, rel: &RelInfo) -> Typed {
        let newest = Expr::Call(&NEWEST_TRANSACTION, Box::new([]));
        let Some(first) = rel.columns.first().filter(|_| rel.may_lack) else {
            return Typed::new(newest, Type::Xid);
        };
        self.reads([first]);
        // No first column of a catalog is ever NULL.
        let there = Expr::IsNull(Box::new(self.outer_reference(depth, first.expr.clone())), true);
        Typed::new(where_true(there, newest), Type::Xid)
    }
}
