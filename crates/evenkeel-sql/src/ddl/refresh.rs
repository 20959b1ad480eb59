//! REFRESH MATERIALIZED VIEW, and the first rows of one.
//!
//! A refresh makes new trees. CONCURRENTLY it computes the rows into a tree of its own, compares, and changes the rows that differ, so that who reads the view
//! goes on reading what it was.
//!
//! Must not know: how queries are bound and kept.

use crate::catalog::locks::TableLockMode;
use crate::catalog::security::acl::{Class, MAINTAIN};
use crate::catalog::{Changed, Heap, Materialized, Relation, Table};
use crate::exec::change::{self, Writer, delete_row};
use crate::exec::{Cx, build};
use crate::parse::RefreshStmt;
use crate::session::Session;
use evenkeel::{Moment, Write};
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::{Datum, RecordDatum, Type, encode_row, to_text};
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

/// What a statement saw when it began.
pub(super) struct Seen {
    moment: Moment,
    /// Of the catalog.
    version: u64,
}

/// Rows by their bytes, and how many of each: those of a view that is refreshed fit into memory by what stands for them.
#[derive(Default)]
struct Rows {
    /// Two hashes of each, with keys that nobody knows: 128 bits.
    hashers: [RandomState; 2],
    counts: HashMap<(u64, u64), u32>,
    bytes: Vec<u8>,
}

/// Memory that one takes.
const NAME_BYTES: usize = 48;

impl Rows {
    /// What stands for a row of a table, its row id aside.
    fn name(&mut self, table: &Table, row: &[Datum]) -> (u64, u64) {
        self.bytes.clear();
        encode_row(&row[..table.columns.len()], &table.types, &mut self.bytes);
        (self.hashers[0].hash_one(&self.bytes), self.hashers[1].hash_one(&self.bytes))
    }

    /// Adds a row; whether there is another such.
    fn add(&mut self, table: &Table, row: &[Datum], cx: &mut Cx<'_>) -> Result<bool, SqlError> {
        let name = self.name(table, row);
        if self.counts.len() == self.counts.capacity() {
            cx.run.memory.grow((self.counts.len() + 64) * NAME_BYTES)?;
            self.counts.reserve(self.counts.len() + 64);
        }
        let count = self.counts.entry(name).or_default();
        *count += 1;
        Ok(*count > 1)
    }

    /// Takes a row away, if there is such a one.
    fn take(&mut self, table: &Table, row: &[Datum]) -> bool {
        let name = self.name(table, row);
        match self.counts.get_mut(&name) {
            Some(count) if *count > 0 => {
                *count -= 1;
                true
            }
            _ => false,
        }
    }
}

/// Who refreshes a view: alone, or beside who reads it.
fn refresher(concurrently: bool) -> TableLockMode {
    if concurrently { TableLockMode::Exclusive } else { TableLockMode::AccessExclusive }
}

impl Session {
    /// Puts the rows of its query into a materialized view that is empty, and builds its indexes. As in PostgreSQL a transaction whose snapshot is older sees them.
    pub(super) fn fill_materialized(
        &mut self,
        table: &Arc<Table>,
        seen: Option<&Seen>,
    ) -> Result<u64, SqlError> {
        let rows = self.compute_materialized(table, table.heap.clone(), seen)?;
        self.index_filled(table)?;
        Ok(rows)
    }

    /// Puts the rows of a materialized view's query into a tree that is empty: its own, or one that is compared with it.
    fn compute_materialized(
        &mut self,
        table: &Arc<Table>,
        heap: Arc<Heap>,
        seen: Option<&Seen>,
    ) -> Result<u64, SqlError> {
        let Some(m) = &table.materialized else { return Err(SqlError::internal("no materialized view")) };
        self.end_definition();
        loop {
            let plan = {
                let eval = self.eval_ctx();
                let mut cx = self.definition_context(&eval);
                // Indexes may be younger.
                cx.snapshot_version =
                    seen.map_or(cx.snapshot_version, |s| s.version).min(self.snapshot_version());
                let owner = self.security().owner(table.oid);
                crate::bind::plan_of_stored(&cx, &m.query, owner, table.oid)?
            };
            if self.start_plan(&plan)? {
                plan.check_ready()?;
                if let Some(seen) = seen {
                    self.engine()?.begin_statement_at(&seen.moment);
                }
                let bare = Arc::new(Table { indexes: Vec::new(), heap: heap.clone(), ..(**table).clone() });
                let counts = Arc::ptr_eq(&bare.heap, &table.heap);
                return self.fill(&bare, &plan, &[], (true, counts));
            }
        }
    }

    /// Builds the indexes of a materialized view that has its rows.
    fn index_filled(&mut self, table: &Table) -> Result<(), SqlError> {
        if table.indexes.is_empty() {
            return Ok(());
        }
        let mut table = table.clone();
        self.begin_definition()?;
        for n in 0..table.indexes.len() {
            let index = (*table.indexes[n]).clone();
            let tree = index.tree;
            table.indexes[n] = Arc::new(self.build_index(&table, index)?);
            self.engine()?.drop_tree(tree)?;
        }
        self.put_table(table).map(|_| ())
    }

    pub(crate) fn refresh_view(&mut self, r: &RefreshStmt) -> Result<(), SqlError> {
        self.refresh_catalog();
        let relation = self.find_relation(&r.name)?;
        let is_one = matches!(&relation, Relation::Table(t) if t.materialized.is_some());
        if !is_one {
            return Err(match relation {
                Relation::Table(t) => {
                    SqlError::unsupported(format!("\"{}\" is not a materialized view", t.name))
                }
                other => SqlError::new(
                    SqlState::WRONG_OBJECT_TYPE,
                    format!("\"{}\" is not a table or materialized view", other.name()),
                ),
            });
        }
        self.check_may(relation.oid(), Class::Table, relation.name(), MAINTAIN)?;
        // As PostgreSQL: it sees what was there before it waited for a lock.
        self.begin_statement()?;
        let seen = Seen { version: self.catalog.version, moment: self.engine()?.moment()? };
        let table = self.lock_table(&r.name, refresher(r.concurrently))?;
        self.refuse_in_use(&table, "REFRESH MATERIALIZED VIEW")?;
        let Some(m) = &table.materialized else { return Ok(()) };
        if r.concurrently {
            if !m.is_populated {
                return Err(SqlError::unsupported(
                    "CONCURRENTLY cannot be used when the materialized view is not populated",
                ));
            }
            let serves = |i: &Arc<crate::catalog::Index>| {
                i.unique && i.is_valid() && i.extra.predicate.is_none() && i.extra.expressions.is_empty()
            };
            if !table.indexes.iter().any(serves) {
                let name = self.qualified(&table);
                return Err(SqlError::new(
                    SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE,
                    format!("cannot refresh materialized view \"{name}\" concurrently"),
                )
                .with_hint("Create a unique index with no WHERE clause on one or more columns of the materialized view."));
            }
        }
        if r.concurrently {
            let owner = self.security().owner(table.oid);
            return self.as_owner(owner, |s| s.change_materialized(&table, &seen));
        }
        self.begin_definition()?;
        let mut changed = (*table).clone();
        self.empty(&mut changed)?;
        changed.materialized = Some(Materialized { is_populated: r.with_data, ..m.clone() });
        let table = self.put_table(changed)?;
        if r.with_data {
            let owner = self.security().owner(table.oid);
            self.as_owner(owner, |s| s.fill_materialized(&table, Some(&seen)))?;
        }
        Ok(())
    }

    /// Makes the rows of a materialized view those of its query, row by row: what is the same stays.
    fn change_materialized(&mut self, table: &Arc<Table>, seen: &Seen) -> Result<(), SqlError> {
        let heap = Heap::new(self.engine()?.create_tree()?);
        let new = Table { indexes: Vec::new(), heap: heap.clone(), ..(**table).clone() };
        self.compute_materialized(table, heap, Some(seen))?;
        // What others refreshed while this waited for them.
        self.begin_statement()?;
        let target = self.bare_target(table)?;
        self.with_bare_cx(|cx| {
            let (mut rows, mut writer, mut changed) =
                (Rows::default(), Writer::default(), Changed::default());
            build::for_each_row(&new, cx, &mut |row, cx| {
                let values = &row[..table.columns.len()];
                if rows.add(table, values, cx)? && !values.iter().any(Datum::is_null) {
                    return Err(duplicate(table, values, cx));
                }
                Ok(())
            })?;
            build::for_each_row(table, cx, &mut |row, cx| {
                if rows.take(table, row) {
                    return Ok(());
                }
                changed.deleted += 1;
                let Writer { scratch, pending, later, .. } = &mut writer;
                match delete_row(&target, row, scratch, (pending, Some(later)), cx)? {
                    Write::Done => Ok(()),
                    _ => Err(SqlError::internal("a row of a materialized view was changed by others")),
                }
            })?;
            build::for_each_row(&new, cx, &mut |row, cx| {
                if !rows.take(table, row) {
                    return Ok(());
                }
                changed.inserted += 1;
                writer.insert(&target, row, cx)
            })?;
            writer.finish(&target, cx)?;
            writer.scratch.tell_pages(table);
            change::tell(changed, table, cx);
            Ok(())
        })?;
        self.engine()?.drop_tree(new.heap.tree)?;
        Ok(())
    }

    fn qualified(&self, table: &Table) -> String {
        let schema = self.catalog.schema(table.schema).map_or("?", |s| &s.name);
        format!("{schema}.{}", table.name)
    }
}

/// Two rows that nothing tells apart.
fn duplicate(table: &Table, values: &[Datum], cx: &Cx<'_>) -> SqlError {
    let why = format!(
        "new data for materialized view \"{}\" contains duplicate rows without any null columns",
        table.name
    );
    let record = Datum::Record(Arc::new(RecordDatum::new(table.types.clone(), values.to_vec())));
    let row = to_text(&record, Type::Record, -1, cx.eval.format).unwrap_or_else(|_| "...".into());
    SqlError::new(SqlState::CARDINALITY_VIOLATION, why).with_detail(format!("Row: {row}"))
}
