//! Windows as EXPLAIN shows them.
//!
//! Must not know: the rest of a plan.

use super::Printer;
use crate::plan::expr::Expr;
use crate::plan::window::{Exclude, Frame, FrameBound, FrameMode, WindowAgg};
use evenkeel_types::quote_ident;

impl Printer<'_> {
    /// `w1 AS (PARTITION BY a ORDER BY b)`
    pub(super) fn window(&self, w: &WindowAgg) -> String {
        let mut parts = Vec::new();
        if !w.window.partition.is_empty() {
            parts.push(format!("PARTITION BY {}", self.list(&w.window.partition)));
        }
        if !w.window.order.is_empty() {
            // PostgreSQL does not show directions here.
            let keys: Vec<String> = w.window.order.iter().map(|k| self.expr(&k.expr)).collect();
            parts.push(format!("ORDER BY {}", keys.join(", ")));
        }
        if w.window.frame.is_written {
            parts.push(self.frame(&w.window.frame));
        }
        format!("{} AS ({})", quote_ident(&w.name), parts.join(" "))
    }

    /// `(row_number() OVER w1 <= 3)`
    pub(super) fn run_condition(&self, w: &WindowAgg) -> Option<String> {
        let one = |e: &Expr| match e {
            Expr::Cmp(op, sides) => {
                let call = self.expr(&sides.0);
                let call = call.strip_prefix('(').and_then(|c| c.strip_suffix(')')).unwrap_or(&call);
                format!("({call} {} {})", op.name(), self.typed(&sides.1))
            }
            e => self.expr(e),
        };
        let all: Vec<String> = w.run.iter().map(one).collect();
        match &all[..] {
            [] => None,
            [one] => Some(one.clone()),
            all => Some(format!("({})", all.join(" AND "))),
        }
    }

    fn frame(&self, f: &Frame) -> String {
        let mode = match f.mode {
            FrameMode::Rows => "ROWS",
            FrameMode::Range => "RANGE",
            FrameMode::Groups => "GROUPS",
        };
        let bound = |b: &FrameBound| match b {
            FrameBound::Start => "UNBOUNDED PRECEDING".to_owned(),
            FrameBound::Before(e) => format!("{} PRECEDING", self.typed(e)),
            FrameBound::Current => "CURRENT ROW".to_owned(),
            FrameBound::After(e) => format!("{} FOLLOWING", self.typed(e)),
            FrameBound::End => "UNBOUNDED FOLLOWING".to_owned(),
        };
        let mut text = match f.has_between {
            true => format!("{mode} BETWEEN {} AND {}", bound(&f.start), bound(&f.end)),
            false => format!("{mode} {}", bound(&f.start)),
        };
        text.push_str(match f.exclude {
            Exclude::NoOthers => "",
            Exclude::CurrentRow => " EXCLUDE CURRENT ROW",
            Exclude::Group => " EXCLUDE GROUP",
            Exclude::Ties => " EXCLUDE TIES",
        });
        text
    }

    /// A constant with its type, where that is not the one that its spelling has.
    fn typed(&self, e: &Expr) -> String {
        match e {
            Expr::Const(evenkeel_types::Datum::Int8(n)) => format!("'{n}'::bigint"),
            e => self.expr(e),
        }
    }

    /// What the places are called that a window adds to its row.
    pub(super) fn learn_window(&mut self, w: &WindowAgg) {
        for call in &w.calls {
            let args: Vec<&Expr> = call.args.iter().map(|p| &w.record[*p]).collect();
            let is_star = args.is_empty() && call.f.name() == "count";
            let is_extreme = matches!(call.f.name(), "min" | "max");
            let shown = if is_extreme { 1 } else { args.len() };
            let args: Vec<String> = args.into_iter().take(shown).map(|e| self.expr(e)).collect();
            let args = if is_star { "*".to_owned() } else { args.join(", ") };
            let filter = call.filter.map(|p| format!(" FILTER (WHERE {})", self.expr(&w.record[p])));
            let (f, filter, name) = (call.f.name(), filter.unwrap_or_default(), quote_ident(&w.name));
            self.names.insert(call.to, format!("({f}({args}){filter} OVER {name})"));
        }
    }
}
