//! What it costs to fetch rows of a table by an index, in the units of `access`.
//!
//! A row that lies near the one before costs little. One that lies elsewhere costs a descent through pages that are in no cache of the processor, if the table is large: three times as much (measured:
//! 0.6 µs and 2.7 µs). How many lie elsewhere is told by the correlation of the index's first column with the places of the rows, as in PostgreSQL; rows that are fetched in the table's
//! order share its pages.
//!
//! Must not know: which index is chosen.

use super::access::Request;
use super::estimate::Known;
use crate::catalog::{Index, Table};

/// Fetching a row that lies near the one before.
const NEAR_COST: f64 = 0.08;
/// What one adds that does not, in a large table.
const FAR_COST: f64 = 0.18;
/// Bytes of a table up to which its pages stay in the processor's caches, about, and from which on hardly any does.
const CACHED_BYTES: f64 = (2 << 20) as f64;
const UNCACHED_BYTES: f64 = (64 << 20) as f64;
/// Bytes of a row beside its values.
const HEAD_BYTES: f64 = 20.0;
const PAGE_BYTES: f64 = evenkeel::PAGE_BYTES as f64;

/// Where the rows of a table lie that an index leads to.
pub(super) struct Places {
    pages: f64,
    /// What a row adds that does not lie near the one before, if the index's order says so.
    far_cost: f64,
}

impl Places {
    fn new(table: &Table, known: Option<&Known>, index: Option<&Index>) -> Places {
        let Some(statistics) = known.and_then(|k| k.statistics.as_ref()) else {
            return Places { pages: 1.0, far_cost: 0.0 };
        };
        let widths = statistics.columns.iter().flatten().map(|c| c.width_bytes * (1.0 - c.null_fraction));
        let bytes = table.estimated_rows() * (HEAD_BYTES + widths.sum::<f64>());
        let large = (bytes / CACHED_BYTES).ln() / (UNCACHED_BYTES / CACHED_BYTES).ln();
        let first = index.and_then(|i| i.columns.first());
        let correlation =
            first.and_then(|c| statistics.columns.get(c.column)?.as_ref()).map_or(0.0, |c| c.correlation);
        Places {
            pages: (bytes / PAGE_BYTES).max(1.0),
            far_cost: FAR_COST * large.clamp(0.0, 1.0) * (1.0 - correlation * correlation),
        }
    }

    /// Fetching a row of many in the index's order.
    pub(super) fn fetch_cost(&self) -> f64 {
        NEAR_COST + self.far_cost
    }

    /// Fetching a row of so many in the table's order.
    pub(super) fn in_order_cost(&self, rows: f64) -> f64 {
        let visited = self.pages * (1.0 - (-rows / self.pages).exp());
        NEAR_COST + self.far_cost * (visited / rows.max(1.0)).min(1.0)
    }
}

impl Request<'_> {
    /// Where the rows lie to which an index leads; `None`: several do.
    pub(super) fn places(&self, index: Option<&Index>) -> Places {
        Places::new(self.table, self.estimator.relation(self.at), index)
    }
}
