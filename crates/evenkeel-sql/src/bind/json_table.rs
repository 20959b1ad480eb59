//! JSON_TABLE: what `parse/json_table.rs` made of it.
//!
//! Must not know: how rows are made.

use super::Binder;
use super::from_function::Made;
use super::json_query::{Part, input, parts, word, wrapper};
use crate::parse::json_table::JSON_TABLE;
use crate::plan::bound::{FromTree, Source};
use crate::plan::expr::Expr;
use crate::plan::json_query::{Behavior, JsonQuery, JsonQueryKind, Wrapper};
use crate::plan::json_table::{ColumnKind, JsonTable, RowPattern, TableColumn};
use crate::plan::{Column, SetFunction};
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::guard::too_deep;
use evenkeel_types::json::output::write_string;
use evenkeel_types::jsonpath::Path;
use evenkeel_types::{Datum, Type};
use sqlparser::ast::{Expr as Ast, FunctionArg, TableAlias};
use std::collections::HashSet;
use std::sync::Arc;

/// How deep patterns may be nested.
const DEPTH_MAX: usize = 100;

fn syntax(message: impl Into<String>) -> SqlError {
    SqlError::new(SqlState::SYNTAX_ERROR, message)
}

/// Something stands where it cannot; who writes statements meets that before.
fn misplaced(part: Option<&Part<'_>>) -> SqlError {
    let name = part.and_then(|p| p.0).unwrap_or(")");
    syntax(format!("syntax error at or near \"{name}\""))
}

/// What is still to be read of a table's parts.
struct Rest<'p, 'a> {
    parts: &'p [Part<'a>],
    /// Names of columns and patterns so far.
    names: HashSet<String>,
    /// Patterns that got a name.
    generated: usize,
}

impl<'p, 'a> Rest<'p, 'a> {
    /// Takes a clause of this name, if it is the next.
    fn take(&mut self, name: &str) -> Option<&'a Ast> {
        let (first, rest) = self.parts.split_first()?;
        if first.0 != Some(name) {
            return None;
        }
        self.parts = rest;
        Some(first.1)
    }

    /// Takes all before the next column or its like.
    fn take_clauses(&mut self) -> &'p [Part<'a>] {
        let begins = |p: &Part<'_>| matches!(p.0, Some("<column>" | "<nested>" | "<end>") | None);
        let len = self.parts.iter().position(begins).unwrap_or(self.parts.len());
        let (clauses, rest) = self.parts.split_at(len);
        self.parts = rest;
        clauses
    }

    fn add_name(&mut self, name: &str) -> Result<(), SqlError> {
        if self.names.insert(name.to_owned()) {
            return Ok(());
        }
        let why = format!("duplicate JSON_TABLE column or path name: {name}");
        Err(SqlError::new(SqlState::DUPLICATE_ALIAS, why))
    }

    /// Takes down all names that are written, and that of the first pattern.
    fn add_names(&mut self) -> Result<(), SqlError> {
        // Of those that are made only the first stands in the way of others.
        if self.parts.first().is_none_or(|p| p.0 != Some("<name>")) {
            self.names.insert(made_name(0));
        }
        let named = self.parts.iter().filter(|p| matches!(p.0, Some("<name>" | "<column>")));
        named.map(|p| word(p.1)).collect::<Vec<_>>().into_iter().try_for_each(|name| self.add_name(name))
    }

    /// The name of a pattern: its own, or one that is made.
    fn pattern_name(&mut self) -> String {
        if let Some(e) = self.take("<name>") {
            return word(e).to_owned();
        }
        self.generated += 1;
        made_name(self.generated - 1)
    }
}

fn made_name(number: usize) -> String {
    format!("json_table_path_{number}")
}

/// The path of a column that has none.
fn member(name: &str) -> Result<Path, SqlError> {
    let mut path = b"$.".to_vec();
    write_string(name, &mut path)?;
    Path::parse(&String::from_utf8_lossy(&path))
}

/// Whether values of a type are made as JSON_QUERY makes them.
fn is_formatted(ty: Type) -> bool {
    matches!(ty, Type::Json | Type::Jsonb) || ty.is_row() || ty.element().is_some()
}

impl Binder<'_> {
    /// JSON_TABLE in FROM.
    pub(super) fn json_table(
        &mut self,
        args: &[FunctionArg],
        alias: Option<&TableAlias>,
        sources: &mut Vec<Source>,
    ) -> Result<FromTree, SqlError> {
        // As functions in FROM it sees the items before it.
        let (table, set) = self.nested(|b| {
            b.frame()?.place = "functions in FROM";
            let table = SetFunction::JsonTable(Arc::new(b.json_table_of(args)?));
            b.note_function(JSON_TABLE, &table);
            Ok(table)
        })?;
        let written = self.noted_function();
        let mut columns = Vec::new();
        if let SetFunction::JsonTable(t) = &table {
            add_columns(&t.root, &mut columns);
        }
        let named = alias.map_or(0, |a| a.columns.len());
        if named > columns.len() {
            let count = columns.len();
            let why =
                format!("JSON_TABLE function has {count} columns available but {named} columns specified");
            return Err(SqlError::new(SqlState::INVALID_COLUMN_REFERENCE, why));
        }
        let made = Made { function: table, columns, is_value: false, written };
        self.add_function("json_table", made, (false, set), alias, sources)
    }

    fn json_table_of(&mut self, args: &[FunctionArg]) -> Result<JsonTable, SqlError> {
        let mut parts = parts(args);
        let input = parts.as_mut().and_then(input);
        let Some([(None, context), (None, path), clauses @ ..]) = parts.as_deref() else {
            return Err(misplaced(None));
        };
        let on_error = clauses.iter().find(|p| p.0 == Some("<on error>")).map(|p| word(p.1));
        if on_error.is_some_and(|said| !matches!(said, "empty array" | "error")) {
            let detail = "Only EMPTY [ ARRAY ] or ERROR is allowed in the top-level ON ERROR clause.";
            return Err(syntax("invalid ON ERROR behavior").with_detail(detail));
        }
        let mut rest = Rest { parts: clauses, names: HashSet::new(), generated: 0 };
        let context = self.json_context(context, input)?;
        rest.add_names()?;
        let name = rest.pattern_name();
        let mut passing = Vec::new();
        while let Some(e) = rest.take("<passing>") {
            let (ty, value) = self.json_passed(e)?;
            let Some(name) = rest.take("<as>") else { return Err(misplaced(rest.parts.first())) };
            passing.push((word(name).to_owned(), ty, value));
        }
        let root = self.row_pattern(path, name, &mut rest, 0)?;
        let raises = rest.take("<on error>").map(word) == Some("error");
        match rest.parts.first() {
            None => Ok(JsonTable { context, passing, root, raises }),
            some => Err(misplaced(some)),
        }
    }

    /// A path that is written as a string.
    fn constant_path(&mut self, e: &Ast) -> Result<Arc<Path>, SqlError> {
        let t = self.expr(e)?;
        match t.expr {
            Expr::Const(Datum::Text(text)) => Ok(Arc::new(Path::parse(&text)?)),
            _ => {
                let why = "only string constants are supported in JSON_TABLE path specification";
                Err(SqlError::unsupported(why))
            }
        }
    }

    /// A pattern: its columns, and what is nested in it.
    fn row_pattern(
        &mut self,
        path: &Ast,
        name: String,
        rest: &mut Rest<'_, '_>,
        depth: usize,
    ) -> Result<RowPattern, SqlError> {
        if depth > DEPTH_MAX {
            return Err(too_deep());
        }
        let path = self.constant_path(path)?;
        let mut pattern = RowPattern { path, name, columns: Vec::new(), nested: Vec::new() };
        loop {
            if let Some(e) = rest.take("<column>") {
                let name = word(e).to_owned();
                let kind = self.column_kind(&name, rest.take_clauses())?;
                let is_number = |k: &ColumnKind| matches!(k, ColumnKind::Ordinality);
                if is_number(&kind) && pattern.columns.iter().any(|c| is_number(&c.kind)) {
                    return Err(syntax("only one FOR ORDINALITY column is allowed"));
                }
                pattern.columns.push(TableColumn { name, kind });
            } else if let Some(path) = rest.take("<nested>") {
                let name = rest.pattern_name();
                pattern.nested.push(self.row_pattern(path, name, rest, depth + 1)?);
            } else if rest.take("<end>").is_some() {
                return Ok(pattern);
            } else {
                return Err(misplaced(rest.parts.first()));
            }
        }
    }

    fn column_kind(&mut self, name: &str, clauses: &[Part<'_>]) -> Result<ColumnKind, SqlError> {
        let (mut returned, mut path, mut said) = (None, None, Vec::new());
        let (mut wraps, mut quotes, mut format) = (None, None, None);
        for (clause, e) in clauses {
            match clause.unwrap_or("") {
                "<ordinality>" => return Ok(ColumnKind::Ordinality),
                "<type>" => match e {
                    Ast::Cast { data_type, .. } => returned = Some(self.data_type(data_type)?),
                    _ => return Err(misplaced(None)),
                },
                "<path>" => path = Some(self.constant_path(e)?),
                "<wrapper>" => wraps = Some(wrapper(word(e))),
                "<quotes>" => quotes = Some(word(e) == "keep"),
                "<format>" => format = Some(word(e)),
                other => said.push(other),
            }
        }
        let Some(returned) = returned else { return Err(misplaced(None)) };
        let ty = returned.ty;
        let has_format = format.is_some();
        let kind = if said.contains(&"<exists>") {
            JsonQueryKind::Exists
        } else if has_format || wraps.is_some() || quotes.is_some() || is_formatted(ty) {
            JsonQueryKind::Query
        } else {
            JsonQueryKind::Value
        };
        if has_format && !matches!(ty, Type::Json | Type::Jsonb | Type::Bytea) && ty.category() != b'S' {
            return Err(SqlError::unsupported("cannot use JSON format with non-string output types"));
        }
        if format == Some("encoding") && ty != Type::Bytea {
            return Err(SqlError::unsupported("cannot set JSON encoding for non-bytea output types"));
        }
        let path = match path {
            Some(path) => path,
            None => Arc::new(member(name)?),
        };
        let mut q = JsonQuery {
            kind,
            context: Expr::null(),
            path: Expr::Const(Datum::Jsonpath(path)),
            passing: Vec::new(),
            column: Some(name.into()),
            ty,
            typmod: -1,
            domain: None,
            checks: None,
            wrapper: wraps.unwrap_or(Wrapper::Without),
            keeps_quotes: true,
            on_empty: Behavior::Null,
            on_error: if kind == JsonQueryKind::Exists { Behavior::False } else { Behavior::Null },
        };
        q.set_quotes(quotes)?;
        self.json_returning(&mut q, returned)?;
        self.json_behaviors(&mut q, clauses)?;
        Ok(ColumnKind::Query(Box::new(q)))
    }
}

/// The columns of a pattern's rows.
fn add_columns(pattern: &RowPattern, out: &mut Vec<Column>) {
    for column in &pattern.columns {
        let (ty, typmod) = match &column.kind {
            ColumnKind::Ordinality => (Type::Int4, -1),
            ColumnKind::Query(q) => (q.ty, q.typmod),
        };
        out.push(Column::of(column.name.clone(), ty, typmod));
    }
    pattern.nested.iter().for_each(|n| add_columns(n, out));
}
