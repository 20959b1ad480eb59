//! CREATE TABLE and CREATE TABLE AS.
//!
//! Must not know: constraints and indexes, beyond that there are some.

use super::column::{set_compression, set_storage};
use super::constraint::{Rows, key_column_missing, not_null_of, plain_order, without_repeats};
use super::view::kept_collation;
use super::{choose_name, default, exists, generated, like, name_of, parameters};
use crate::bind::system_column::is_system_column;
use crate::bind::types::{check_pseudo, declared_dimensions, of_pseudo};
use crate::bind::{Binder, bind_statement, first_location, foreign, ident, split_name};
use crate::catalog::locks::TableLockMode;
use crate::catalog::{
    Changed, ColumnDef, ColumnSettings, Generated, Heap, Identity, Marks, NamedType, Table,
};
use crate::exec::RunState;
use crate::exec::change::{self, Writer, finish_query};
use crate::exec::fill::Filler;
use crate::exec::node::{self, State, buffer};
use crate::parse::definition::take_names;
use crate::parse::executed::executed;
use crate::parse::{ColumnWord, SequenceOptions, TOAST, cache_and_name, column_word};
use crate::plan::expr::Expr;
use crate::plan::{Plan, PlanKind};
use crate::session::Session;
use crate::session::statements::check_given;
use crate::session::temporary::OnCommit;
use evenkeel::TreeId;
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::{Datum, Type};
use sqlparser::ast::{self, ColumnOption, DataType, TableConstraint};
use std::sync::Arc;

/// Most columns of a table.
const MAX_COLUMNS: usize = 1600;

/// serial and its like: the type and the sequence's type.
fn serial(t: &DataType) -> Option<Type> {
    let DataType::Custom(name, _) = t else { return None };
    match split_name(name).ok()?.1.as_str() {
        "smallserial" | "serial2" => Some(Type::Int2),
        "serial" | "serial4" => Some(Type::Int4),
        "bigserial" | "serial8" => Some(Type::Int8),
        _ => None,
    }
}

/// The word at which PostgreSQL's grammar gives up on a default: it takes no conditions there that are not in parentheses.
fn not_in_default(e: &ast::Expr) -> Option<&'static str> {
    use ast::Expr as E;
    match e {
        E::InList { .. } | E::InSubquery { .. } => Some("in"),
        E::Between { .. } => Some("between"),
        E::Like { .. } => Some("like"),
        E::ILike { .. } => Some("ilike"),
        E::SimilarTo { .. } => Some("similar"),
        E::UnaryOp { op: ast::UnaryOperator::Not, .. } => Some("not"),
        E::BinaryOp { op: ast::BinaryOperator::And, .. } => Some("and"),
        E::BinaryOp { op: ast::BinaryOperator::Or, .. } => Some("or"),
        E::IsNull(_)
        | E::IsNotNull(_)
        | E::IsTrue(_)
        | E::IsNotTrue(_)
        | E::IsFalse(_)
        | E::IsNotFalse(_) => Some("is"),
        E::BinaryOp { left, right, .. } => not_in_default(left).or_else(|| not_in_default(right)),
        _ => None,
    }
}

/// The name that a constraint is given.
fn said_name(c: &TableConstraint) -> Option<String> {
    let name = match c {
        TableConstraint::Check(k) => &k.name,
        TableConstraint::Unique(u) => &u.name,
        TableConstraint::PrimaryKey(p) => &p.name,
        TableConstraint::ForeignKey(f) => &f.name,
        _ => &None,
    };
    name.as_ref().map(ident)
}

/// `oids` of tables may only be off.
fn check_without_oids(value: &str) -> Result<(), SqlError> {
    match evenkeel_types::input_text(value, Type::Bool, -1, &evenkeel_types::FormatOptions::default()) {
        Ok(Datum::Bool(false)) => Ok(()),
        Ok(_) => Err(SqlError::unsupported("tables declared WITH OIDS are not supported")),
        Err(_) => Err(SqlError::new(SqlState::SYNTAX_ERROR, "oids requires a Boolean value")),
    }
}

/// `WITH (…)` as `pg_class.reloptions` shows it.
fn table_options(o: &ast::CreateTableOptions) -> Result<Vec<String>, SqlError> {
    let list = match o {
        ast::CreateTableOptions::None => return Ok(Vec::new()),
        ast::CreateTableOptions::With(l)
        | ast::CreateTableOptions::Options(l)
        | ast::CreateTableOptions::Plain(l) => l,
        ast::CreateTableOptions::TableProperties(l) => l,
    };
    let mut out = Vec::new();
    for o in list {
        match o {
            ast::SqlOption::KeyValue { key, value } => {
                let name = ident(key);
                // As it is meant: quotes are how it was written.
                let value = match value {
                    ast::Expr::Value(v) => v.value.clone().into_string().unwrap_or_else(|| value.to_string()),
                    other => other.to_string(),
                };
                if name == "oids" {
                    check_without_oids(&value)?;
                    continue;
                }
                if let Some((space, _)) = name.split_once('.').filter(|_| !name.starts_with(TOAST)) {
                    let why = format!("unrecognized parameter namespace \"{space}\"");
                    return Err(SqlError::new(SqlState::INVALID_PARAMETER_VALUE, why));
                }
                parameters::check(&name, &value)?;
                if name.starts_with(TOAST) {
                    continue;
                }
                out.push(format!("{name}={value}"));
            }
            ast::SqlOption::Ident(i) if ident(i) == "oids" => check_without_oids("true")?,
            ast::SqlOption::Ident(i) => {
                parameters::check(&ident(i), "true")?;
                out.push(format!("{}=true", ident(i)));
            }
            _ => return Err(SqlError::unsupported("this table option is not supported")),
        }
    }
    parameters::each_once(out.iter().filter_map(|o| o.split('=').next()))?;
    Ok(out)
}

/// A sequence to make with its column.
pub(super) struct SerialColumn {
    pub column: usize,
    pub ty: Type,
    pub options: SequenceOptions,
    pub identity: bool,
}

impl Session {
    /// The shell of a new table; None: it exists and that is allowed.
    fn new_table(&mut self, c: &ast::CreateTable) -> Result<Option<(u32, String)>, SqlError> {
        self.refresh_catalog();
        let (name, if_not_exists) = (name_of(&c.name)?, c.if_not_exists);
        let made = match c.temporary {
            true => self.new_temp_name(&name),
            false => self.new_name(&name),
        };
        let (schema, name) = made.map_err(|e| match name.schema {
            Some(_) => self.at(e, first_location(&c.name)),
            None => e,
        })?;
        let is_temporary = self.catalog.is_temporary(schema);
        if c.on_commit.is_some() && !is_temporary {
            let why = "ON COMMIT can only be used on temporary tables";
            return Err(SqlError::new(SqlState::INVALID_TABLE_DEFINITION, why));
        }
        if c.unlogged && is_temporary {
            let why = "only temporary relations may be created in temporary schemas";
            return Err(SqlError::new(SqlState::INVALID_TABLE_DEFINITION, why));
        }
        if !self.lock_new_relation(schema, &name, if_not_exists)? {
            return Ok(None);
        }
        self.check_no_type(schema, &name)?;
        Ok(Some((schema, name)))
    }

    fn refuse_variants(c: &ast::CreateTable) -> Result<(), SqlError> {
        foreign::of_create_table(c)?;
        let refused = [
            (c.partition_by.is_some() || c.partition_of.is_some(), "partitioned tables are not supported"),
            (c.inherits.is_some(), "table inheritance is not supported"),
            (c.like.is_some(), "CREATE TABLE ... LIKE is not supported"),
        ];
        match refused.into_iter().find(|(is, _)| *is) {
            Some((_, message)) => Err(SqlError::unsupported(message)),
            None => Ok(()),
        }
    }

    /// Notes ON COMMIT.
    fn note_on_commit(&mut self, c: &ast::CreateTable, table: u32) {
        match c.on_commit {
            Some(ast::OnCommit::DeleteRows) => self.set_on_commit(table, OnCommit::DeleteRows),
            Some(ast::OnCommit::Drop) => self.set_on_commit(table, OnCommit::Drop),
            Some(ast::OnCommit::PreserveRows) | None => {}
        }
    }

    pub(super) fn create_table(&mut self, c: &ast::CreateTable) -> Result<(), SqlError> {
        Self::refuse_variants(c)?;
        let typed = self.typed_table(c)?;
        let (c, of_type) = typed.as_ref().map_or((c, 0), |(c, oid)| (c, *oid));
        let options = table_options(&c.table_options)?;
        let Some((schema, name)) = self.new_table(c)? else { return Ok(()) };
        if c.columns.len() > MAX_COLUMNS {
            return Err(SqlError::new(
                SqlState::TOO_MANY_COLUMNS,
                format!("tables can have at most {MAX_COLUMNS} columns"),
            ));
        }
        let oid = self.instance.store.new_oid()?;
        let mut table = Table {
            options,
            unlogged: c.unlogged,
            marks: Marks { of_type, ..Marks::default() },
            ..Table::new(oid, schema, name, Heap::new(TreeId(0)))
        };
        self.note_on_commit(c, oid);
        let mut serials = Vec::new();
        let mut constraints: Vec<TableConstraint> = Vec::new();
        let mut likes = Vec::new();
        for def in &c.columns {
            match like::of(def) {
                Some(source) => likes.extend(self.like_columns(&mut table, source, &mut serials)?),
                None => _ = self.add_column_def(&mut table, def, &mut serials, &mut constraints)?,
            }
        }
        for constraint in &c.constraints {
            match not_null_of(constraint) {
                Some((name, column)) => {
                    let n = table.column(&column).ok_or_else(|| key_column_missing(&column, true))?;
                    table.columns[n].not_null = true;
                    self.name_not_null(&mut table, n, name)?;
                }
                None => constraints.push(constraint.clone()),
            }
        }
        self.begin_definition()?;
        table.heap = Heap::new(self.engine()?.create_tree()?);
        // Parents are locked before their rows are looked at; the table itself is nobody else's yet.
        self.lock_object(&table.shared.lock, TableLockMode::AccessExclusive, &table.name, false)?;
        for s in serials {
            self.make_serial(&mut table, s)?;
        }
        let named: Vec<String> = constraints.iter().filter_map(said_name).collect();
        self.name_not_nulls_beside(&mut table, &named)?;
        self.put_table(table.clone())?;
        for n in 0..table.columns.len() {
            let checked = self.check_default(&mut table, n);
            checked.map_err(|e| self.at_default(e, &c.columns, &table.columns[n].name))?;
        }
        // Keys first: foreign keys may refer to them.
        let (foreign, keys): (Vec<_>, Vec<_>) = without_repeats(constraints)
            .into_iter()
            .partition(|c| matches!(c, TableConstraint::ForeignKey(_)));
        for k in keys.iter().chain(&foreign) {
            self.add_constraint(&mut table, k, Rows::None)?;
        }
        for copied in &likes {
            self.like_rest(&mut table, copied)?;
        }
        self.put_table(table).map(|_| ())
    }

    /// Checks that a default fits its column, and keeps it as that understands it. NULL is none, unless it stands in the way of a domain's.
    pub(crate) fn check_default(&mut self, table: &mut Table, column: usize) -> Result<(), SqlError> {
        if table.columns[column].default.is_none() {
            return Ok(());
        }
        let eval = self.eval_ctx();
        let cx = self.definition_context(&eval);
        let mut b = Binder::new(&cx, &[]);
        b.begin_capture();
        let is_null = match b.check_default(&Arc::new(table.clone()), column) {
            Ok(value) => matches!(value, Expr::Const(Datum::Null)),
            // One that is too long for the column is found so when a row has it.
            Err(e) if e.code == SqlState::STRING_DATA_RIGHT_TRUNCATION => false,
            Err(e) => return Err(e),
        };
        let c = &mut table.columns[column];
        let is_plain = c.domain.is_none() && c.typmod == -1 && c.generated.is_none();
        if is_plain && is_null {
            c.default = None;
        } else if let Some(text) = c.default.take() {
            let (ty, is_generated) = (c.ty, c.generated.is_some());
            let mut kept = b.kept(&text);
            if is_generated {
                kept = b.unqualified(&kept, &Arc::new(table.clone()))?;
            }
            table.columns[column].default = Some(super::default::typed(kept, ty));
        }
        Ok(())
    }

    /// Adds a column; its constraints are collected.
    fn add_column_def(
        &mut self,
        table: &mut Table,
        def: &ast::ColumnDef,
        serials: &mut Vec<SerialColumn>,
        constraints: &mut Vec<TableConstraint>,
    ) -> Result<usize, SqlError> {
        let name = ident(&def.name);
        if table.column(&name).is_some() {
            return Err(SqlError::new(
                SqlState::DUPLICATE_COLUMN,
                if table.heap.tree.0 == 0 {
                    format!("column \"{name}\" specified more than once")
                } else {
                    format!("column \"{name}\" of relation \"{}\" already exists", table.name)
                },
            ));
        }
        refuse_system_name(&name)?;
        let serial_type = serial(&def.data_type);
        let named = match serial_type {
            Some(ty) => NamedType { ty, typmod: -1, domain: None },
            None => self
                .said_type(&def.data_type)
                .map_err(|e| self.at_type(of_pseudo(e, &name, &def.data_type), def))?,
        };
        let NamedType { ty, typmod, domain } = named;
        check_pseudo(&name, ty)?;
        self.share_named(named)?;
        let n = table.columns.len();
        let mut column = ColumnDef {
            name: name.clone(),
            ty,
            typmod,
            not_null: serial_type.is_some(),
            default: None,
            identity: None,
            dropped: false,
            generated: None,
            settings: ColumnSettings {
                collation: self.catalog.domain_collation(domain),
                dimensions: declared_dimensions(&def.data_type),
                ..ColumnSettings::default()
            },
            domain,
            since_version: 0,
        };
        if let Some(ty) = serial_type {
            serials.push(SerialColumn {
                column: n,
                ty,
                options: SequenceOptions::default(),
                identity: false,
            });
        }
        let (mut generation, mut words) = (None, Vec::new());
        let here = || vec![ast::IndexColumn { column: plain_order(&def.name), operator_class: None }];
        for o in &def.options {
            match &o.option {
                ColumnOption::Null => {}
                ColumnOption::NotNull => {
                    column.not_null = true;
                    self.name_not_null(table, n, o.name.as_ref())?;
                }
                ColumnOption::Default(ast::Expr::Identifier(i)) if column_word(&i.value).is_some() => {
                    match (column_word(&i.value), constraints.last_mut()) {
                        (Some(ColumnWord::NullsNotDistinct), Some(TableConstraint::Unique(u))) => {
                            u.nulls_distinct = ast::NullsDistinctOption::NotDistinct;
                        }
                        (word, _) => words.extend(word),
                    }
                }
                ColumnOption::Default(e) => {
                    if let Some(word) = not_in_default(e) {
                        let why = format!("syntax error at or near \"{word}\"");
                        return Err(SqlError::new(SqlState::SYNTAX_ERROR, why));
                    }
                    if column.default.is_some() {
                        let table = &table.name;
                        let why = format!(
                            "multiple default values specified for column \"{name}\" of table \"{table}\""
                        );
                        return Err(SqlError::new(SqlState::SYNTAX_ERROR, why));
                    }
                    column.default = Some(self.stored_default(e)?);
                }
                ColumnOption::PrimaryKey(p) => {
                    let mut p = p.clone();
                    p.columns = here();
                    p.name = p.name.or_else(|| o.name.clone());
                    constraints.push(TableConstraint::PrimaryKey(p));
                }
                ColumnOption::Unique(u) => {
                    let mut u = u.clone();
                    u.columns = here();
                    u.name = u.name.or_else(|| o.name.clone());
                    constraints.push(TableConstraint::Unique(u));
                }
                // WITH of the key before it.
                ColumnOption::Comment(text) => match constraints.last_mut() {
                    Some(TableConstraint::PrimaryKey(p)) => {
                        p.index_options.push(ast::IndexOption::Comment(text.clone()));
                    }
                    Some(TableConstraint::Unique(u)) => {
                        u.index_options.push(ast::IndexOption::Comment(text.clone()));
                    }
                    _ => {
                        return Err(SqlError::new(
                            SqlState::SYNTAX_ERROR,
                            "syntax error at or near \"with\"",
                        ));
                    }
                },
                ColumnOption::ForeignKey(f) => {
                    let mut f = f.clone();
                    f.columns = vec![def.name.clone()];
                    f.index_name = take_names(&mut f.foreign_table);
                    f.name = f.name.or_else(|| o.name.clone());
                    constraints.push(TableConstraint::ForeignKey(f));
                }
                ColumnOption::Check(k) => {
                    let mut k = k.clone();
                    k.name = k.name.or_else(|| o.name.clone());
                    constraints.push(TableConstraint::Check(k));
                }
                ColumnOption::Generated { generated_as, generation_expr: None, sequence_options, .. } => {
                    if domain.is_some() || !matches!(ty, Type::Int2 | Type::Int4 | Type::Int8) {
                        return Err(SqlError::new(
                            SqlState::INVALID_PARAMETER_VALUE,
                            "identity column type must be smallint, integer, or bigint",
                        ));
                    }
                    if column.identity.is_some() {
                        let why = format!(
                            "multiple identity specifications for column \"{name}\" of table \"{}\"",
                            table.name
                        );
                        return Err(SqlError::new(SqlState::SYNTAX_ERROR, why));
                    }
                    column.identity = Some(match generated_as {
                        ast::GeneratedAs::Always => Identity::Always,
                        _ => Identity::ByDefault,
                    });
                    column.not_null = true;
                    let options = identity_options(sequence_options.as_deref().unwrap_or(&[]))?;
                    serials.push(SerialColumn { column: n, ty, options, identity: true });
                }
                ColumnOption::Generated { generation_expr: Some(e), .. } => {
                    if column.generated.is_some() {
                        let why = format!(
                            "multiple generation clauses specified for column \"{name}\" of table \"{}\"",
                            table.name
                        );
                        return Err(SqlError::new(SqlState::SYNTAX_ERROR, why));
                    }
                    let (kind, e) = generated::clause(e)?;
                    column.generated = Some(kind);
                    generation = Some(generated::stored_text(e));
                }
                ColumnOption::Collation(c) => {
                    column.settings.collation = self.column_collation_oid(c)?;
                    if crate::catalog::views::classes::collation(ty) == 0 {
                        let why = format!("collations are not supported by type {}", ty.sql_name());
                        let e = SqlError::new(SqlState::DATATYPE_MISMATCH, why);
                        return Err(self.at_word_before(e, "collate", first_location(c)));
                    }
                }
                other => {
                    return Err(SqlError::unsupported(format!("column option is not supported: {other}")));
                }
            }
        }
        let has_default = column.default.is_some() || serial_type.is_some();
        let twice = match (column.identity, column.default.is_some(), serial_type) {
            _ if generation.is_some() && has_default => {
                Some("both default and generation expression specified")
            }
            (Some(_), ..) if generation.is_some() => {
                Some("both identity and generation expression specified")
            }
            (Some(_), true, _) => Some("both default and identity specified"),
            (None, true, Some(_)) => Some("multiple default values specified"),
            (Some(_), false, Some(_)) => Some("both default and identity specified"),
            _ => None,
        };
        if let Some(what) = twice {
            let why = format!("{what} for column \"{name}\" of table \"{}\"", table.name);
            let e = SqlError::new(SqlState::SYNTAX_ERROR, why);
            return Err(if generation.is_some() { self.at_last_value(e, def) } else { e });
        }
        if generation.is_some() {
            column.default = generation;
        }
        let nullable = def.options.iter().any(|o| matches!(o.option, ColumnOption::Null));
        if nullable && column.not_null {
            return Err(SqlError::new(
                SqlState::SYNTAX_ERROR,
                format!(
                    "conflicting NULL/NOT NULL declarations for column \"{name}\" of table \"{}\"",
                    table.name
                ),
            ));
        }
        table.types.push(ty);
        table.columns.push(column);
        for word in words {
            match word {
                ColumnWord::Storage(name) => set_storage(table, n, name)?,
                ColumnWord::Compression(name) => set_compression(table, n, name)?,
                ColumnWord::NullsNotDistinct => {
                    let why = "syntax error at or near \"nulls\"";
                    return Err(SqlError::new(SqlState::SYNTAX_ERROR, why));
                }
            }
        }
        Ok(n)
    }

    /// Locks a name for the sequence of a column.
    pub(super) fn new_sequence_name(&mut self, table: &Table, column: usize) -> Result<String, SqlError> {
        let (catalog, schema) = (self.catalog.clone(), table.schema);
        let taken = |n: &str| catalog.relation_in(schema, n).is_some();
        let name = choose_name(&table.name, &table.columns[column].name, "seq", &taken);
        self.lock_name(schema, &name)?;
        Ok(name)
    }

    fn make_serial(&mut self, table: &mut Table, s: SerialColumn) -> Result<(), SqlError> {
        let sequence = self.new_column_sequence(table, (s.column, s.identity), s.ty, &s.options)?;
        table.columns[s.column].default = Some(default::of_sequence("nextval", sequence));
        Ok(())
    }

    /// The sequence of a column, which its table's owner owns.
    pub(super) fn new_column_sequence(
        &mut self,
        table: &Table,
        (column, identity): (usize, bool),
        ty: Type,
        options: &SequenceOptions,
    ) -> Result<u32, SqlError> {
        let (schema, name) = match &options.sequence_name {
            Some(name) => {
                let (schema, name) = match name.schema {
                    Some(_) => self.new_name(name)?,
                    None => (table.schema, name.name.clone()),
                };
                self.lock_name(schema, &name)?;
                if self.catalog.relation_in(schema, &name).is_some() {
                    return Err(exists(&name));
                }
                (schema, name)
            }
            None => (table.schema, self.new_sequence_name(table, column)?),
        };
        let is_there = self.catalog.table(table.oid).is_some();
        self.debug(|| {
            let (statement, of) = (if is_there { "ALTER TABLE" } else { "CREATE TABLE" }, &table.name);
            let column = &table.columns[column].name;
            format!(
                "{statement} will create implicit sequence \"{name}\" for serial column \"{of}.{column}\""
            )
        });
        let sequence = self.new_sequence(schema, name, ty, options, Some((table.oid, column, identity)))?;
        if is_there {
            let owner = self.security().owner(table.oid);
            self.give_to(sequence, owner)?;
        }
        Ok(sequence)
    }

    /// Adds a column to a table that may have rows; returns its position.
    pub(super) fn add_column(&mut self, table: &mut Table, def: &ast::ColumnDef) -> Result<usize, SqlError> {
        let (mut serials, mut constraints) = (Vec::new(), Vec::new());
        let n = self.add_column_def(table, def, &mut serials, &mut constraints)?;
        for s in serials {
            self.make_serial(table, s)?;
        }
        self.name_not_nulls(table)?;
        self.check_default(table, n)?;
        let says_domain = |d: u32| self.catalog.is_constrained(d) || self.catalog.domain_default(d).is_some();
        let column = &table.columns[n];
        let has_value = column.default.is_some() || column.domain.is_some_and(says_domain);
        self.put_table(table.clone())?;
        if has_value {
            self.give_value(table, n)?;
        }
        if table.columns[n].not_null && table.missing.value(n).is_null() {
            self.check_no_nulls(table, n)?;
        }
        for c in without_repeats(constraints) {
            self.add_constraint(table, &c, Rows::Checked)?;
        }
        Ok(n)
    }

    /// Gives a column that is new a value in all rows. Where it is the same in all, they stay as they are: the table says what they are without.
    fn give_value(&mut self, table: &mut Table, n: usize) -> Result<(), SqlError> {
        let shared = Arc::new(table.clone());
        let value = self.bind_to_compute(|b| b.check_default(&shared, n))?;
        let column = &mut table.columns[n];
        let is_checked = column.domain.is_some_and(|d| self.catalog.is_constrained(d));
        match column.generated {
            Some(Generated::Virtual) => return Ok(()),
            None if !is_checked && !value.calls_volatile() => {
                let value = self.with_bare_cx(|cx| crate::exec::eval::eval(&value, &[], cx))?;
                table.missing.set(n, value);
                return self.put_table(table.clone()).map(|_| ());
            }
            _ => column.since_version = u64::MAX,
        }
        let shared = self.put_table(table.clone())?;
        self.begin_definition()?;
        if self.sees_newest() {
            // The snapshot that counts again afterwards still has rows that are gone by now, and not the entries of those that have come.
            self.rewrite_column(&shared, table, n, &value)?;
        } else {
            self.with_bare_cx(|cx| crate::exec::build::fill_column(&shared, n, &value, cx))?;
        }
        self.begin_definition()
    }

    pub(super) fn create_table_as(
        &mut self,
        c: &ast::CreateTable,
        q: &ast::Query,
        (given_types, given): (&[Type], &[Datum]),
    ) -> Result<String, SqlError> {
        Self::refuse_variants(c)?;
        let options = table_options(&c.table_options)?;
        self.refresh_catalog();
        let (tree, types, params) = match executed(q) {
            Some((name, args)) => self.executed_query(&name, &args)?,
            None => {
                let types = given_types.iter().map(|t| Some(*t)).collect();
                (ast::Statement::Query(Box::new(q.clone())), types, given.to_vec())
            }
        };
        // What is wrong with the query is told first; it is bound again once the name is locked.
        let first = bind_statement(&self.bind_context(&self.eval_ctx(), &self.source), &tree, &types)?;
        check_given(&params, &first.param_types, true)?;
        self.check_is_new(c)?;
        let Some((schema, name)) = self.new_table(c)? else {
            return Ok("CREATE TABLE AS".into());
        };
        self.end_definition();
        let plan = loop {
            let plan = {
                let eval = self.eval_ctx();
                let cx = self.bind_context(&eval, &self.source);
                bind_statement(&cx, &tree, &types)?
            };
            if self.start_plan(&plan)? {
                break plan;
            }
        };
        let with_data = c.with_data.as_ref().is_none_or(|w| w.data);
        if with_data {
            plan.check_ready()?;
        }
        let mut columns: Vec<ColumnDef> = Vec::new();
        for (n, col) in plan.columns.iter().flat_map(|c| c.iter()).enumerate() {
            let name = c.columns.get(n).map_or_else(|| col.name.clone(), |d| ident(&d.name));
            if columns.iter().any(|x| x.name == name) {
                return Err(SqlError::new(
                    SqlState::DUPLICATE_COLUMN,
                    format!("column \"{name}\" specified more than once"),
                ));
            }
            check_pseudo(&name, col.ty)?;
            col.ty.user_oid().map_or(Ok(()), |oid| crate::catalog::check_kept(oid, &self.catalog))?;
            let domain = self.domain_behind(col);
            let collation = kept_collation(col).ok_or_else(|| {
                let ty = col.ty.sql_name();
                let why = format!("no collation was derived for column \"{name}\" with collatable type {ty}");
                SqlError::new(SqlState::INDETERMINATE_COLLATION, why)
                    .with_hint("Use the COLLATE clause to set the collation explicitly.")
            })?;
            self.check_type_usage(col.ty, domain)?;
            columns.push(ColumnDef {
                name,
                ty: col.ty,
                typmod: col.typmod,
                not_null: false,
                default: None,
                identity: None,
                dropped: false,
                generated: None,
                settings: ColumnSettings { collation, ..ColumnSettings::default() },
                domain,
                since_version: 0,
            });
        }
        if c.columns.len() > columns.len() {
            return Err(SqlError::new(SqlState::SYNTAX_ERROR, "too many column names were specified"));
        }
        let oid = self.instance.store.new_oid()?;
        let heap = Heap::new(self.engine()?.create_tree()?);
        let table = Table {
            types: columns.iter().map(|c| c.ty).collect(),
            columns,
            options,
            unlogged: c.unlogged,
            ..Table::new(oid, schema, name, heap)
        };
        self.lock_object(&table.shared.lock, TableLockMode::AccessExclusive, &table.name, false)?;
        let table = self.put_table(table)?;
        self.note_on_commit(c, oid);
        if !with_data {
            return Ok("CREATE TABLE AS".into());
        }
        let count = self.fill(&table, &plan, &params, (false, true))?;
        Ok(format!("SELECT {count}"))
    }

    /// Puts the rows of a query into a table that is new; gives how many. `is_frozen`: snapshots that are older than the transaction see them, too.
    pub(super) fn fill(
        &mut self,
        table: &Arc<Table>,
        plan: &Plan,
        params: &[Datum],
        (is_frozen, counts): (bool, bool),
    ) -> Result<u64, SqlError> {
        let PlanKind::Query(query) = &plan.kind else { return Err(SqlError::internal("not a query")) };
        let mut count = 0u64;
        let target = self.bare_target(table)?;
        let mut run = RunState::new(plan, &self.budget);
        let mut st = State::new(&query.root);
        let mut source = buffer(query);
        let mut row = vec![Datum::Null; table.columns.len() + 1];
        let mut writer = Writer::default();
        self.with_cx(plan, params, &mut run, |cx| {
            let mut filler = Filler::new(&target, is_frozen, cx)?;
            while node::next(&query.root, &mut st, &mut source, cx)? {
                row[..query.visible].clone_from_slice(&source[..query.visible]);
                match &mut filler {
                    Some(filler) => filler.push(&target, &mut writer, &mut row, cx)?,
                    None => writer.insert(&target, &mut row, cx)?,
                }
                count += 1;
            }
            filler.map_or(Ok(()), |f| f.finish(cx))?;
            if counts {
                change::tell(Changed { inserted: count, ..Changed::default() }, table, cx);
            }
            finish_query(cx)
        })?;
        Ok(count)
    }
}

/// Refuses a column of a name that every table has.
pub(super) fn refuse_system_name(name: &str) -> Result<(), SqlError> {
    if !is_system_column(name) {
        return Ok(());
    }
    let why = format!("column name \"{name}\" conflicts with a system column name");
    Err(SqlError::new(SqlState::DUPLICATE_COLUMN, why))
}

fn literal(e: &ast::Expr) -> Result<i64, SqlError> {
    e.to_string().replace(' ', "").parse().map_err(|_| {
        SqlError::new(SqlState::SYNTAX_ERROR, format!("invalid number in sequence options: {e}"))
    })
}

fn identity_options(list: &[ast::SequenceOptions]) -> Result<SequenceOptions, SqlError> {
    use ast::SequenceOptions as O;
    let mut out = SequenceOptions::default();
    for o in list {
        match o {
            O::IncrementBy(e, _) => out.increment = Some(literal(e)?),
            O::MinValue(e) => out.min = Some(e.as_ref().map(literal).transpose()?),
            O::MaxValue(e) => out.max = Some(e.as_ref().map(literal).transpose()?),
            O::StartWith(e, _) => out.start = Some(literal(e)?),
            O::Cache(e) => {
                let text = e.to_string();
                let (cache, name) = cache_and_name(&text);
                let bad = |_| {
                    SqlError::new(SqlState::SYNTAX_ERROR, format!("invalid number in sequence options: {e}"))
                };
                out.cache = cache.map(|n| n.replace(' ', "").parse()).transpose().map_err(bad)?;
                out.sequence_name = name;
            }
            O::Cycle(no) => out.cycle = Some(!no),
        }
    }
    Ok(out)
}

/// Refuses to change what is no column of a table's own.
pub(super) fn refuse_system_column(verb: &str, name: &str) -> Result<(), SqlError> {
    match is_system_column(name) {
        true => Err(SqlError::unsupported(format!("cannot {verb} system column \"{name}\""))),
        false => Ok(()),
    }
}
