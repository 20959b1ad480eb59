//! CREATE TABLE (LIKE source …): columns as another relation has them, and what INCLUDING names of a table's constraints, indexes and comments.
//!
//! Expressions are kept as text and name columns, which are called the same here as there.
//!
//! Must not know: how indexes are filled.

use super::constraint::{Rows, second_primary_key};
use super::create::SerialColumn;
use super::{choose_name, name_of};
use crate::bind::types::check_pseudo;
use crate::bind::{Binder, first_location};
use crate::catalog::locks::TableLockMode;
use crate::catalog::security::acl::{Class, SELECT};
use crate::catalog::views::class_oid;
use crate::catalog::{
    Catalog, Check, ColumnDef, EXPRESSION, Index, IndexColumn, IndexState, NotNull, Relation, Sequence, Table,
};
use crate::parse::SequenceOptions;
use crate::parse::definition::LIKE;
use crate::session::Session;
use evenkeel::TreeId;
use evenkeel_types::error::{SqlError, SqlState};
use sqlparser::ast::{self, ColumnOption, DataType};
use std::collections::HashMap;
use std::sync::Arc;

/// What INCLUDING names.
#[derive(Clone, Copy, Default)]
struct Options {
    comments: bool,
    compression: bool,
    constraints: bool,
    defaults: bool,
    generated: bool,
    identity: bool,
    indexes: bool,
    storage: bool,
    statistics: bool,
}

/// What is taken over once the table is there.
pub(super) struct Copied {
    source: Arc<Table>,
    options: Options,
    /// Where the source's columns are in the new table.
    places: HashMap<usize, usize>,
}

impl Options {
    fn parse(text: &str) -> Result<Options, SqlError> {
        let mut o = Options::default();
        let mut words = text.split_whitespace();
        while let Some(verb) = words.next() {
            let unknown = |word: &str| {
                let word = if word.is_empty() { ")" } else { word };
                SqlError::new(SqlState::SYNTAX_ERROR, format!("syntax error at or near \"{word}\""))
            };
            let is = match verb {
                "including" => true,
                "excluding" => false,
                other => return Err(unknown(other)),
            };
            match words.next().unwrap_or_default() {
                "all" => {
                    o = Options {
                        comments: is,
                        compression: is,
                        constraints: is,
                        defaults: is,
                        generated: is,
                        identity: is,
                        indexes: is,
                        storage: is,
                        statistics: is,
                    }
                }
                "comments" => o.comments = is,
                "compression" => o.compression = is,
                "constraints" => o.constraints = is,
                "defaults" => o.defaults = is,
                "generated" => o.generated = is,
                "identity" => o.identity = is,
                "indexes" => o.indexes = is,
                "storage" => o.storage = is,
                "statistics" => o.statistics = is,
                other => return Err(unknown(other)),
            }
        }
        Ok(o)
    }
}

/// The name of the source and the options, of what stands for a LIKE (see `parse::definition`).
pub(super) fn of(def: &ast::ColumnDef) -> Option<(&ast::ObjectName, &str)> {
    if def.name.value != LIKE {
        return None;
    }
    let DataType::Custom(source, _) = &def.data_type else { return None };
    let options = def.options.iter().find_map(|o| match &o.option {
        ColumnOption::Default(ast::Expr::Value(v)) => match &v.value {
            ast::Value::SingleQuotedString(s) => Some(s.as_str()),
            _ => None,
        },
        _ => None,
    })?;
    Some((source, options))
}

/// The options of a sequence, to make another like it.
fn options_of(s: &Sequence) -> SequenceOptions {
    SequenceOptions {
        increment: Some(s.increment),
        min: Some(Some(s.min)),
        max: Some(Some(s.max)),
        start: Some(s.start),
        cache: Some(s.cache),
        cycle: Some(s.cycle),
        ..SequenceOptions::default()
    }
}

fn add(table: &mut Table, column: ColumnDef) -> Result<usize, SqlError> {
    if table.column(&column.name).is_some() {
        let why = format!("column \"{}\" specified more than once", column.name);
        return Err(SqlError::new(SqlState::DUPLICATE_COLUMN, why));
    }
    check_pseudo(&column.name, column.ty)?;
    table.types.push(column.ty);
    table.columns.push(column);
    Ok(table.columns.len() - 1)
}

impl Session {
    /// Adds the columns of a LIKE; what follows later is in the answer.
    pub(super) fn like_columns(
        &mut self,
        table: &mut Table,
        (source, options): (&ast::ObjectName, &str),
        serials: &mut Vec<SerialColumn>,
    ) -> Result<Option<Copied>, SqlError> {
        let options = Options::parse(options)?;
        let name = name_of(source)?;
        let relation = self.find_relation(&name).map_err(|e| self.at(e, first_location(source)))?;
        let invalid = |kind: &str| {
            let why = format!("relation \"{}\" is invalid in LIKE clause", name.name);
            Err(SqlError::new(SqlState::WRONG_OBJECT_TYPE, why)
                .with_detail(format!("This operation is not supported for {kind}.")))
        };
        let source = match relation {
            Relation::Table(t) => t,
            Relation::View(v) => {
                self.check_may(v.oid, Class::Table, &v.name, SELECT)?;
                for c in &v.columns {
                    let domain = c.domain;
                    add(table, ColumnDef { domain, ..ColumnDef::plain(c.name.clone(), c.ty, c.typmod) })?;
                }
                return Ok(None);
            }
            Relation::Virtual(v) => {
                for (name, ty) in v.columns {
                    add(table, ColumnDef::plain((*name).to_owned(), *ty, -1))?;
                }
                return Ok(None);
            }
            Relation::Sequence(_) => return invalid("sequences"),
            Relation::Index(..) => return invalid("indexes"),
        };
        self.check_may(source.oid, Class::Table, &source.name, SELECT)?;
        let source = self
            .lock_table(&name, TableLockMode::AccessShare)
            .map(|t| if t.oid == source.oid { t } else { source })?;
        let mut places = HashMap::new();
        for (n, c) in source.live_columns() {
            let mut column = ColumnDef::plain(c.name.clone(), c.ty, c.typmod);
            (column.not_null, column.domain) = (c.not_null, c.domain);
            column.settings.collation = c.settings.collation;
            if options.storage {
                column.settings.storage = c.settings.storage;
            }
            if options.compression {
                column.settings.compression = c.settings.compression;
            }
            let is_default = c.generated.is_none() && c.identity.is_none();
            if (is_default && options.defaults) || (c.generated.is_some() && options.generated) {
                (column.default, column.generated) = (c.default.clone(), c.generated);
            }
            let identity = c.identity.filter(|_| options.identity);
            column.identity = identity;
            let to = add(table, column)?;
            places.insert(n, to);
            let own = |s: &&Arc<Sequence>| s.owned_by == Some((source.oid, n, true));
            if identity.is_some()
                && let Some(s) = self.catalog.sequences().find(own)
            {
                serials.push(SerialColumn { column: to, ty: c.ty, options: options_of(s), identity: true });
            }
        }
        for n in &source.not_nulls {
            if let Some(column) = places.get(&n.column)
                && !Catalog::constraint_exists(table, &n.name)
            {
                let oid = self.instance.store.new_oid()?;
                let (name, column) = (n.name.clone(), *column);
                table.not_nulls.push(NotNull {
                    oid,
                    name,
                    column,
                    validated: true,
                    no_inherit: n.no_inherit,
                });
            }
        }
        let mut of_columns = (*source).clone();
        let name = of_columns.name.clone();
        self.unqualify_expressions(&mut of_columns, &name)?;
        Ok(Some(Copied { source: Arc::new(of_columns), options, places }))
    }

    /// A row of the table that is copied from is none of the new one.
    fn refuse_whole_row(&self, source: &Arc<Table>, check: &Check) -> Result<(), SqlError> {
        let eval = self.eval_ctx();
        let cx = self.definition_context(&eval);
        if !Binder::new(&cx, &[]).names_row(&check.expr, source)? {
            return Ok(());
        }
        let detail = format!(
            "Constraint \"{}\" contains a whole-row reference to table \"{}\".",
            check.name, source.name
        );
        Err(SqlError::unsupported("cannot convert whole-row table reference").with_detail(detail))
    }

    /// Takes over constraints, indexes and comments.
    pub(super) fn like_rest(&mut self, table: &mut Table, copied: &Copied) -> Result<(), SqlError> {
        let Copied { source, options, places } = copied;
        if options.comments {
            for (from, to) in places {
                self.copy_comment(
                    source.oid,
                    table.oid,
                    class_oid::RELATION,
                    (*from as i32 + 1, *to as i32 + 1),
                )?;
            }
        }
        if options.constraints {
            for c in &source.checks {
                if Catalog::constraint_exists(table, &c.name) {
                    let why =
                        format!("constraint \"{}\" for relation \"{}\" already exists", c.name, table.name);
                    return Err(SqlError::new(SqlState::DUPLICATE_OBJECT, why));
                }
                self.refuse_whole_row(source, c)?;
                let oid = self.instance.store.new_oid()?;
                let columns = c.columns.iter().filter_map(|c| places.get(c)).copied().collect();
                let standing = c.standing.of_rows(Rows::None);
                table.checks.push(Check { oid, columns, standing, ..c.clone() });
                if options.comments {
                    self.copy_comment(c.oid, oid, class_oid::CONSTRAINT, (0, 0))?;
                }
            }
            self.put_table(table.clone())?;
        }
        if options.indexes {
            // Keys first, as they are made by CREATE TABLE.
            let (keys, others): (Vec<_>, Vec<_>) =
                source.indexes.iter().partition(|i| i.constraint.is_some());
            for index in keys.into_iter().chain(others) {
                self.like_index(table, index, copied)?;
            }
        }
        if options.statistics {
            self.like_statistics(table, source, places, options.comments)?;
        }
        Ok(())
    }

    fn like_index(&mut self, table: &mut Table, like: &Index, copied: &Copied) -> Result<(), SqlError> {
        if like.primary && table.primary_key().is_some() {
            return Err(second_primary_key(table));
        }
        let place = |column: usize| match copied.places.get(&column) {
            _ if column == EXPRESSION => Ok(EXPRESSION),
            Some(to) => Ok(*to),
            None => Err(SqlError::internal("an index of a dropped column")),
        };
        let columns = like
            .columns
            .iter()
            .map(|c| Ok(IndexColumn { column: place(c.column)?, ..*c }))
            .collect::<Result<Vec<_>, SqlError>>()?;
        let mut extra = like.extra.clone();
        extra.include = extra.include.iter().map(|c| place(*c)).collect::<Result<_, _>>()?;
        extra.reads = extra.reads.iter().map(|c| place(*c)).collect::<Result<_, _>>()?;
        extra.reads.sort_unstable();
        let mut expressions = extra.expressions.iter();
        let names: Vec<&str> = columns
            .iter()
            .filter_map(|c| match c.column {
                EXPRESSION => expressions.next().map(|e| e.name.as_str()),
                c => Some(table.columns[c].name.as_str()),
            })
            .chain(extra.include.iter().map(|c| table.columns[*c].name.as_str()))
            .collect();
        let catalog = self.catalog.clone();
        let taken = |n: &str| {
            catalog.relation_in(table.schema, n).is_some() || table.indexes.iter().any(|i| i.name == n)
        };
        let name = match (like.primary, like.constraint) {
            _ if like.exclusion => choose_name(&table.name, &names.join("_"), "excl", &taken),
            (true, _) => choose_name(&table.name, "", "pkey", &taken),
            (_, Some(_)) => choose_name(&table.name, &names.join("_"), "key", &taken),
            (_, None) => choose_name(&table.name, &names.join("_"), "idx", &taken),
        };
        self.lock_name(table.schema, &name)?;
        let constraint = match like.constraint {
            Some(_) => Some(self.instance.store.new_oid()?),
            None => None,
        };
        let oid = self.instance.store.new_oid()?;
        let state = IndexState::Valid;
        let index = Index { oid, name, tree: TreeId(0), columns, constraint, extra, state, ..like.clone() };
        if index.primary {
            index.columns.iter().for_each(|c| table.columns[c.column].not_null = true);
        }
        let index = self.build_index(table, index)?;
        table.indexes.push(Arc::new(index));
        self.put_table(table.clone())?;
        if copied.options.comments {
            self.copy_comment(like.oid, oid, class_oid::RELATION, (0, 0))?;
            if let (Some(from), Some(to)) = (like.constraint, constraint) {
                self.copy_comment(from, to, class_oid::CONSTRAINT, (0, 0))?;
            }
        }
        Ok(())
    }
}
