//! What the places of a row are called in EXPLAIN.
//!
//! Must not know: how expressions are written.

use super::Printer;
use super::levels::relation;
use crate::plan::{Node, Op};
use evenkeel_types::quote_ident;

/// What a node reads that the one below has computed: PostgreSQL puts that into parentheses, but names.
pub(super) fn computed_below(text: String) -> String {
    let is_window = text.starts_with('(') && text.contains(" OVER ");
    if is_window || is_name(&text) { text } else { format!("({text})") }
}

/// Whether a text is the name of a column, perhaps behind that of its relation.
fn is_name(text: &str) -> bool {
    let mut is_quoted = false;
    text.chars().all(|c| {
        is_quoted ^= c == '"';
        is_quoted || c.is_alphanumeric() || matches!(c, '"' | '_' | '$' | '.') || !c.is_ascii()
    })
}

impl Printer<'_> {
    /// Learns the names of the places that a tree of scans and joins fills.
    pub(super) fn learn(&mut self, node: &Node) {
        for (place, alias, column) in self.own_columns(node) {
            let shown = if self.is_prefixed { format!("{}.{column}", quote_ident(&alias)) } else { column };
            self.names.insert(place, shown);
        }
        match &node.op {
            Op::NestedLoop(j) => {
                self.learn(&j.outer);
                self.learn(&j.inner);
            }
            Op::HashJoin(j) => {
                self.learn(&j.outer);
                self.learn(&j.inner);
            }
            Op::Filter { input, .. } | Op::Materialize { input, .. } | Op::Limit { input, .. } => {
                self.learn(input);
            }
            Op::Sort(s) => self.learn(&s.input),
            Op::Window(w) => {
                self.learn(&w.input);
                self.learn_window(w);
            }
            Op::Aggregate(a) => self.names = self.aggregate_names(a),
            // The statement has no name for it: its columns are called as within it.
            Op::Subquery { query, at, .. } if node.called.is_none() => {
                let (alias, within) = (quote_ident(&self.alias(node)), self.given_names(&query.root));
                for n in 0..query.visible {
                    let name = within.get(&n).filter(|name| is_name(name));
                    let name = name.and_then(|name| name.rsplit('.').next()).unwrap_or("\"?column?\"");
                    self.names.insert(at + n, format!("{alias}.{name}"));
                }
            }
            Op::SetOperation { left, .. } => {
                let names = self.given_names(&left.root);
                self.names.extend(names);
            }
            Op::Distinct(d) => self.learn(&d.input),
            Op::Lock(l) => self.learn(&l.input),
            _ => {}
        }
    }

    /// The columns that a relation has itself: place, relation and name of each.
    fn own_columns(&self, node: &Node) -> Vec<(usize, String, String)> {
        let alias = |called: &str| self.levels.alias(node).map_or(called, |a| a).to_owned();
        let mut all = Vec::new();
        if let Some((at, called)) = &node.called {
            let columns = called.columns.iter().enumerate();
            all.extend(columns.map(|(n, c)| (at + n, alias(&called.alias), quote_ident(c))));
        }
        match &node.op {
            Op::Scan(s) => {
                let columns = s.table.columns.iter().enumerate();
                all.extend(columns.map(|(n, c)| (s.at + n, alias(&s.alias), quote_ident(&c.name))));
            }
            Op::Virtual { table, at } => {
                let columns = table.columns.iter().enumerate();
                all.extend(columns.map(|(n, (c, _))| (at + n, alias(table.name), (*c).to_owned())));
            }
            _ => {}
        }
        all
    }

    /// What a relation is called.
    pub(super) fn alias(&self, node: &Node) -> String {
        match self.levels.alias(node) {
            Some(alias) => alias.clone(),
            None => relation(node).map_or_else(String::new, |(_, name)| name.to_owned()),
        }
    }

    /// In the conditions of a scan, below filters perhaps, its own columns are called by their names alone; gives what they are called elsewhere.
    pub(super) fn enter_scan(&mut self, node: &Node) -> Vec<(usize, Option<String>)> {
        let mut of = node;
        while let Op::Filter { input, .. } = &of.op {
            of = input;
        }
        let is_scan = matches!(
            of.op,
            Op::Scan(_) | Op::Virtual { .. } | Op::Function { .. } | Op::Cte { .. } | Op::Values { .. }
        );
        if !is_scan || self.catalog.is_some() {
            return Vec::new();
        }
        let own = self.own_columns(of).into_iter();
        own.map(|(place, _, column)| (place, self.names.insert(place, column))).collect()
    }

    /// Back from there.
    pub(super) fn leave_scan(&mut self, swapped: Vec<(usize, Option<String>)>) {
        // Last to first: of a place with two names the first is what it was called.
        for (place, name) in swapped.into_iter().rev() {
            match name {
                Some(name) => self.names.insert(place, name),
                None => self.names.remove(&place),
            };
        }
    }
}
