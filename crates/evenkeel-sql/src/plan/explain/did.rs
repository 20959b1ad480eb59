//! What nodes did, as EXPLAIN ANALYZE tells it.
//!
//! Must not know: how lines are shown.

use super::lines::Line;
use super::measured::{Did, Measured};
use super::{Printer, key_of};
use crate::plan::Node;
use serde_json::{Value, json};

/// In whole kB, as PostgreSQL tells memory.
fn kb(bytes: u64) -> u64 {
    bytes.div_ceil(1024)
}

impl Printer<'_> {
    /// What a node did, if it ran.
    pub(super) fn measured(&self, node: &Node) -> Option<Measured> {
        self.measured_at(key_of(node))
    }

    /// The same of what has this key.
    pub(super) fn measured_at(&self, key: usize) -> Option<Measured> {
        self.measured?.get(key).filter(|m| m.loops > 0)
    }

    pub(super) fn did(&mut self, depth: usize, text: Option<String>, keys: Vec<(&'static str, Value)>) {
        self.out.push(Line::Did { depth, text, keys });
    }

    /// Rows that a condition just shown has refused, in each loop; `None`: nobody knows.
    pub(super) fn removed(&mut self, depth: usize, by: &'static str, rows: Option<(u64, Measured)>) {
        let Some((all, m)) = rows else { return };
        let rows = m.per_loop(all).round();
        let text = (all > 0).then(|| format!("{by}: {rows}"));
        self.did(depth, text, vec![(by, json!(rows as u64))]);
    }

    /// Pairs that the condition of a join has refused.
    pub(super) fn removed_by_join(&mut self, depth: usize, node: &Node) {
        let rows = self.measured(node).map(|m| (m.did.removed_by_join, m));
        self.removed(depth, "Rows Removed by Join Filter", rows);
    }

    pub(super) fn searches(&mut self, depth: usize, node: &Node) {
        let Some(m) = self.measured.map(|all| all.get(key_of(node)).unwrap_or_default()) else { return };
        let n = m.did.searches;
        self.did(depth, Some(format!("Index Searches: {n}")), vec![("Index Searches", json!(n))]);
    }

    pub(super) fn sorted(&mut self, depth: usize, node: &Node, is_incremental: bool) {
        let Some(Measured { did, .. }) = self.measured(node) else { return };
        let memory = kb(did.memory_bytes as u64);
        if is_incremental && did.groups > 0 {
            let average = kb(did.groups_bytes as u64 / did.groups);
            let method = if did.kept_best { "top-N heapsort" } else { "quicksort" };
            let text = format!(
                "Full-sort Groups: {}  Sort Method: {method}  Average Memory: {average}kB  Peak Memory: {memory}kB",
                did.groups
            );
            let space = json!({"Average Sort Space Used": average, "Peak Sort Space Used": memory});
            let groups = json!({
                "Group Count": did.groups,
                "Sort Methods Used": [method],
                "Sort Space Memory": space,
            });
            return self.did(depth, Some(text), vec![("Full-sort Groups", groups)]);
        }
        let (method, kind, space) = match (did.disk_bytes, did.kept_best) {
            (1.., _) => ("external merge", "Disk", kb(did.disk_bytes)),
            (0, true) => ("top-N heapsort", "Memory", memory),
            (0, false) => ("quicksort", "Memory", memory),
        };
        let text = format!("Sort Method: {method}  {kind}: {space}kB");
        let keys = vec![
            ("Sort Method", json!(method)),
            ("Sort Space Used", json!(space)),
            ("Sort Space Type", json!(kind)),
        ];
        self.did(depth, Some(text), keys);
    }

    /// Of a hash join, beneath its hash table.
    pub(super) fn hashed(&mut self, depth: usize, join: &Node) {
        let Some(Measured { did, .. }) = self.measured(join).filter(|m| m.did.buckets > 0) else { return };
        let (batches, memory) = (did.batches + 1, kb(did.memory_bytes as u64));
        let were = if batches > 1 { " (originally 1)" } else { "" };
        let text = format!("Buckets: {}  Batches: {batches}{were}  Memory Usage: {memory}kB", did.buckets);
        let keys = vec![
            ("Hash Buckets", json!(did.buckets)),
            ("Original Hash Buckets", json!(did.buckets)),
            ("Hash Batches", json!(batches)),
            ("Original Hash Batches", json!(1)),
            ("Peak Memory Usage", json!(memory)),
        ];
        self.did(depth, Some(text), keys);
    }

    /// Of groups in a hash table.
    pub(super) fn grouped(&mut self, depth: usize, node: &Node) {
        // Of one that nobody read to its end it is not known.
        let Some(Measured { did, .. }) = self.measured(node).filter(|m| m.did.memory_bytes > 0) else {
            return;
        };
        let (batches, memory, disk) = (did.batches + 1, kb(did.memory_bytes as u64), kb(did.disk_bytes));
        let mut text = format!("Batches: {batches}  Memory Usage: {memory}kB");
        if disk > 0 {
            text += &format!("  Disk Usage: {disk}kB");
        }
        let keys = vec![
            ("HashAgg Batches", json!(batches)),
            ("Peak Memory Usage", json!(memory)),
            ("Disk Usage", json!(disk)),
        ];
        self.did(depth, Some(text), keys);
    }

    /// Of rows that were kept.
    pub(super) fn stored(&mut self, depth: usize, node: &Node) {
        let Some(Measured { did, .. }) = self.measured(node) else { return };
        let (kind, bytes) = match did.disk_bytes {
            0 => ("Memory", did.memory_bytes as u64),
            bytes => ("Disk", bytes),
        };
        // Of several readers one has kept them.
        if bytes == 0 {
            return;
        }
        let text = format!("Storage: {kind}  Maximum Storage: {}kB", kb(bytes));
        let keys = vec![("Storage", json!(kind)), ("Maximum Storage", json!(kb(bytes)))];
        self.did(depth, Some(text), keys);
    }

    /// Of an INSERT with ON CONFLICT.
    pub(super) fn conflicted(&mut self, depth: usize, did: Did) {
        let Did { inserted, conflicting, .. } = did;
        let all = [("Tuples Inserted", inserted), ("Conflicting Tuples", conflicting)];
        for (key, n) in all {
            self.did(depth, Some(format!("{key}: {n}")), vec![(key, json!(n))]);
        }
    }

    /// Of a MERGE over so many rows.
    pub(super) fn merged(&mut self, depth: usize, did: Did, rows: u64) {
        let Did { inserted, updated, deleted, .. } = did;
        let skipped = rows.saturating_sub(inserted + updated + deleted);
        let all = [("inserted", inserted), ("updated", updated), ("deleted", deleted), ("skipped", skipped)];
        let some = all.iter().filter(|(_, n)| *n > 0).map(|(what, n)| format!(" {what}={n}"));
        let text = (rows > 0).then(|| format!("Tuples:{}", some.collect::<String>()));
        let keys = ["Tuples Inserted", "Tuples Updated", "Tuples Deleted", "Tuples Skipped"];
        let keys = keys.into_iter().zip(all).map(|(key, (_, n))| (key, json!(n))).collect();
        self.did(depth, text, keys);
    }
}
