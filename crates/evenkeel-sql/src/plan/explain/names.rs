//! What the places of a row are called in EXPLAIN.
//!
//! Must not know: how expressions are written.

use super::Printer;
use crate::plan::{Node, Op};
use evenkeel_types::quote_ident;

impl Printer<'_> {
    /// Learns the names of the places that a tree of scans and joins fills.
    pub(super) fn learn(&mut self, node: &Node) {
        let several = self.is_prefixed.unwrap_or_else(|| count_relations(node) > 1);
        self.learn_from(node, several);
    }

    fn learn_from(&mut self, node: &Node, several: bool) {
        if let Some((at, called)) = &node.called {
            // Relations within it have names, too.
            let several = several || !matches!(node.op, Op::Function { .. });
            for (n, name) in called.columns.iter().enumerate() {
                let name = quote_ident(name);
                let shown = if several { format!("{}.{name}", quote_ident(&called.alias)) } else { name };
                self.names.insert(at + n, shown);
            }
        }
        match &node.op {
            Op::Scan(s) => {
                for (n, c) in s.table.columns.iter().enumerate() {
                    let name = quote_ident(&c.name);
                    self.names.insert(
                        s.at + n,
                        if several { format!("{}.{name}", quote_ident(&s.alias)) } else { name },
                    );
                }
            }
            Op::Virtual { table, at } => {
                for (n, (name, _)) in table.columns.iter().enumerate() {
                    let name = if several { format!("{}.{name}", table.name) } else { (*name).to_owned() };
                    self.names.insert(at + n, name);
                }
            }
            Op::NestedLoop(j) => {
                self.learn_from(&j.outer, several);
                self.learn_from(&j.inner, several);
            }
            Op::HashJoin(j) => {
                self.learn_from(&j.outer, several);
                self.learn_from(&j.inner, several);
            }
            Op::Filter { input, .. } | Op::Materialize { input, .. } | Op::Limit { input, .. } => {
                self.learn_from(input, several);
            }
            Op::Sort(s) => self.learn_from(&s.input, several),
            Op::Window(w) => {
                self.learn_from(&w.input, several);
                self.learn_window(w);
            }
            Op::Aggregate(a) => self.names = self.aggregate_names(a),
            Op::Distinct(d) => self.learn_from(&d.input, several),
            Op::Lock(l) => self.learn_from(&l.input, several),
            _ => {}
        }
    }
}

fn count_relations(node: &Node) -> usize {
    match &node.op {
        Op::Scan(_) | Op::Virtual { .. } | Op::Function { .. } | Op::Subquery { .. } | Op::Cte { .. } => 1,
        _ => node.children().into_iter().map(count_relations).sum(),
    }
}
