//! Reading a table through an inverted index (GIN).
//!
//! Every condition that the index answers narrows the rows; all of them stay in the filter, because keys may promise too much.
//!
//! Must not know: how keys are made.

use super::access::{DESCENT_COST, Path, Request};
use super::expr::{CmpOp, Expr};
use super::{Access, InvertedAsk};
use crate::catalog::Index;
use evenkeel_types::inverted::{Asked, Inverted};
use std::sync::Arc;

/// Going down to a key, and reading its entries.
const KEY_COST: f64 = 1.5 * DESCENT_COST;

impl Request<'_> {
    /// The cheapest way through an inverted index.
    pub(super) fn inverted(&self, total: f64, rows: f64) -> Option<Path> {
        let mut best: Option<Path> = None;
        for (place, index) in self.indexes_of(true, &[]) {
            let (mut asks, mut narrowing) = (Vec::new(), Vec::new());
            for q in self.quals {
                if let Some(ask) = self.inverted_ask(place, index, q) {
                    asks.push(ask);
                    narrowing.push(q);
                }
            }
            if asks.is_empty() {
                continue;
            }
            let found = (total * self.estimator.all(narrowing.iter().copied())).max(1.0);
            // A path is one key where names and values are several.
            let keys = |a: &InvertedAsk| if a.class == Inverted::JsonbPath { 1.0 } else { 2.0 };
            let cost = KEY_COST * asks.iter().map(keys).sum::<f64>()
                + found * self.places(None).in_order_cost(found);
            if best.as_ref().is_none_or(|b| cost < b.cost) {
                best = Some(Path {
                    access: Access::Inverted { index: index.clone(), asks: asks.into() },
                    consumed: vec![false; self.quals.len()],
                    rows: rows.min(found),
                    cost,
                    ordered: self.desired.is_empty(),
                    backward: false,
                    batched: false,
                });
            }
        }
        best
    }

    /// What a condition asks of an inverted index.
    fn inverted_ask(&self, place: usize, index: &Arc<Index>, q: &Expr) -> Option<InvertedAsk> {
        let (operator, a, b) = match q {
            Expr::Call(f, args) => match &args[..] {
                [a, b] => (f.name, a, b),
                _ => return None,
            },
            Expr::Cmp(CmpOp::Eq, pair) => ("=", &pair.0, &pair.1),
            _ => return None,
        };
        let contrary = match operator {
            "@>" => Some("<@"),
            "<@" => Some("@>"),
            "&&" | "=" => Some(operator),
            _ => None,
        };
        (0..index.columns.len()).find_map(|n| {
            let class = index.inverted(&self.table.types, n)?;
            let is_column = |e: &Expr| self.own_column(e) == Some(self.column_of(place, n));
            let (operator, value) = match contrary {
                _ if is_column(a) && self.is_value(b) => (operator, b),
                Some(contrary) if is_column(b) && self.is_value(a) => (contrary, a),
                _ => return None,
            };
            // What has no keys is looked for in all rows, which the table itself gives sooner.
            let asks_all = matches!(value, Expr::Const(d) if class.asked(operator, d) == Asked::Everything);
            (class.serves(operator) && !asks_all).then(|| InvertedAsk {
                column: n,
                class,
                operator,
                value: value.clone(),
            })
        })
    }
}
