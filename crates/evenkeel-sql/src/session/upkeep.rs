//! What VACUUM and ANALYZE say of their work, if they are asked to: VERBOSE.
//!
//! Must not know: how they work.

use super::Session;
use crate::catalog::Table;
use evenkeel::{PAGE_BYTES, TreeId, Usage, VacuumStats};
use evenkeel_types::error::{SqlError, SqlState};
use std::time::Instant;

/// A work on a table that is said to be done.
pub(super) struct Upkeep {
    /// The table with its schema and the database.
    table: String,
    began: Instant,
    before: Usage,
}

impl Upkeep {
    /// What it took, in lines.
    fn took(&self) -> String {
        let u = Usage::now() - self.before;
        let elapsed = self.began.elapsed().as_secs_f64();
        format!(
            "buffer usage: {} hits, {} reads, {} dirtied\nWAL usage: {} records, {} full page images, {} bytes\nsystem usage: elapsed: {elapsed:.2} s",
            u.hits, u.reads, u.dirtied, u.records, u.images, u.log_bytes
        )
    }
}

impl Session {
    fn inform(&mut self, message: String) {
        self.notice("INFO", SqlState::SUCCESSFUL_COMPLETION, message);
    }

    /// Says that a work on a table begins.
    pub(super) fn begin_upkeep(&mut self, is_vacuum: bool, table: &Table) -> Upkeep {
        let schema = self.catalog.schema(table.schema).map_or("", |s| &s.name);
        let (short, database) = (format!("{schema}.{}", table.name), self.info.database.clone());
        let table = format!("{database}.{short}");
        self.inform(match is_vacuum {
            true => format!("vacuuming \"{table}\""),
            false => format!("analyzing \"{short}\""),
        });
        Upkeep { table, began: Instant::now(), before: Usage::now() }
    }

    /// Says what a VACUUM came to: of the table and of its indexes, by their names.
    pub(super) fn end_vacuum(
        &mut self,
        upkeep: &Upkeep,
        trees: &[(Option<String>, TreeId, VacuumStats)],
    ) -> Result<(), SqlError> {
        let mut lines = Vec::new();
        for (index, tree, stats) in trees {
            let remain = self.instance.database().tree_size_bytes(*tree)? / PAGE_BYTES as u64;
            let VacuumStats { entries, purged, kept, blocks_cut } = stats;
            lines.push(match index {
                None => format!(
                    "finished vacuuming \"{}\": index scans: {}\npages: {blocks_cut} removed, {remain} remain\ntuples: {purged} removed, {entries} remain, {kept} are dead but not yet removable",
                    upkeep.table,
                    usize::from(trees.len() > 1)
                ),
                Some(name) => format!(
                    "index \"{name}\": pages: {remain} in total, {blocks_cut} removed; entries: {purged} removed, {entries} remain"
                ),
            });
        }
        lines.push(upkeep.took());
        self.inform(lines.join("\n"));
        Ok(())
    }

    /// Says what an ANALYZE came to.
    pub(super) fn end_analyze(&mut self, upkeep: &Upkeep, rows: f64) {
        let took = upkeep.took();
        self.inform(format!(
            "finished analyzing table \"{}\": {rows} estimated total rows\n{took}",
            upkeep.table
        ));
    }
}
