//! JSON_TABLE as PostgreSQL writes it.
//!
//! Must not know: statements.

use super::expr::Writer;
use super::marks;
use crate::plan::json_query::{Behavior, JsonQueryKind};
use crate::plan::json_table::{ColumnKind, JsonTable, RowPattern, TableColumn};
use evenkeel_types::jsonpath::Path;
use evenkeel_types::{Datum, Type, quote_ident, quote_literal, to_text};
use std::sync::Arc;

/// How far a line stands behind the one that it belongs to.
const STEP: usize = 4;

fn path(path: &Arc<Path>) -> Option<String> {
    let text = to_text(&Datum::Jsonpath(path.clone()), Type::Jsonpath, -1, &Default::default()).ok()?;
    Some(quote_literal(&text))
}

impl Writer<'_, '_> {
    /// The call with its clauses, on lines of their own.
    pub(super) fn json_table(&self, t: &JsonTable) -> Option<String> {
        let mut text = format!(
            "JSON_TABLE({}{}, {} AS {}",
            marks::line(STEP),
            self.json_context(&t.context, STEP)?,
            path(&t.root.path)?,
            quote_ident(&t.root.name)
        );
        for (i, (name, ty, e)) in t.passing.iter().enumerate() {
            if i == 0 {
                text += &format!("{}PASSING", marks::line(STEP));
            } else {
                text.push(',');
            }
            text += &marks::line(2 * STEP);
            text += &format!("{} AS {}", self.text(e, *ty, 2 * STEP)?, quote_ident(name));
        }
        text += &self.table_columns(&t.root, STEP)?;
        if t.raises {
            text += " ERROR ON ERROR";
        }
        text += &marks::line(0);
        text.push(')');
        Some(text)
    }

    fn table_columns(&self, pattern: &RowPattern, indent: usize) -> Option<String> {
        let mut text = format!("{}COLUMNS (", marks::line(indent));
        let within = indent + STEP;
        let mut is_first = true;
        let mut begin = |text: &mut String| {
            if !std::mem::take(&mut is_first) {
                text.push(',');
            }
            text.push_str(&marks::line(within));
        };
        for column in &pattern.columns {
            begin(&mut text);
            text += &self.table_column(column, within)?;
        }
        for nested in &pattern.nested {
            begin(&mut text);
            text += &format!("NESTED PATH {} AS {}", path(&nested.path)?, quote_ident(&nested.name));
            text += &self.table_columns(nested, within)?;
        }
        text += &marks::line(indent);
        text.push(')');
        Some(text)
    }

    fn table_column(&self, column: &TableColumn, indent: usize) -> Option<String> {
        let name = quote_ident(&column.name);
        let q = match &column.kind {
            ColumnKind::Ordinality => return Some(format!("{name} FOR ORDINALITY")),
            ColumnKind::Query(q) => q,
        };
        let what = match q.kind {
            JsonQueryKind::Exists => " EXISTS",
            JsonQueryKind::Query if q.ty.category() == b'S' => " FORMAT JSON",
            _ => "",
        };
        let crate::plan::expr::Expr::Const(Datum::Jsonpath(own)) = &q.path else { return None };
        let mut text = format!("{name} {}{what} PATH {}", self.returned_name(q)?, path(own)?);
        text += &q.wrapper_text();
        let usual = if q.kind == JsonQueryKind::Exists { Behavior::False } else { Behavior::Null };
        // Of EXISTS there is nothing that could be empty.
        if q.on_empty != Behavior::Null {
            text += &format!(" {} ON EMPTY", self.behavior(&q.on_empty, q, indent)?);
        }
        if q.on_error != usual {
            text += &format!(" {} ON ERROR", self.behavior(&q.on_error, q, indent)?);
        }
        Some(text)
    }
}
