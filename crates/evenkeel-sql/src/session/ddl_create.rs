//! CREATE TABLE, CREATE TABLE AS, CREATE INDEX, and constraints as they are written there and in ALTER TABLE.
//!
//! Must not know: how indexes are filled.

use super::Session;
use super::ddl::exists;
use crate::bind::types::{check_collation, data_type};
use crate::bind::{Binder, bind_statement, ident, split_name};
use crate::catalog::locks::TableLockMode;
use crate::catalog::{
    Catalog, Check, ColumnDef, FkAction, ForeignKey, Heap, Identity, Index, IndexColumn, Relation, Table,
    TableShared,
};
use crate::exec::RunState;
use crate::exec::change::Writer;
use crate::exec::node::{self, State, buffer};
use crate::parse::{Name, SequenceOptions};
use crate::plan::{PlanKind, Target};
use evenkeel::TreeId;
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::quote_ident;
use evenkeel_types::{Datum, Type};
use sqlparser::ast::{self, ColumnOption, DataType, TableConstraint};
use std::sync::Arc;

/// Most columns of a table.
const MAX_COLUMNS: usize = 1600;
/// Most columns of an index.
const MAX_INDEX_COLUMNS: usize = 32;

/// A possibly qualified name.
pub(super) fn name_of(n: &ast::ObjectName) -> Result<Name, SqlError> {
    let (schema, name) = split_name(n)?;
    Ok(Name { schema, name })
}

/// `a_b_suffix`, cut to 63 bytes, with a number if it is taken.
pub(super) fn choose_name(first: &str, second: &str, suffix: &str, taken: &dyn Fn(&str) -> bool) -> String {
    let mut pass = 0;
    loop {
        let tail = if pass == 0 { suffix.to_owned() } else { format!("{suffix}{pass}") };
        let room = 63 - tail.len() - 1 - usize::from(!second.is_empty());
        let (mut a, mut b) = (first.to_owned(), second.to_owned());
        while a.len() + b.len() > room {
            if a.len() > b.len() {
                a.pop()
            } else {
                b.pop()
            };
        }
        let name = if b.is_empty() { format!("{a}_{tail}") } else { format!("{a}_{b}_{tail}") };
        if !taken(&name) {
            return name;
        }
        pass += 1;
    }
}

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

fn action(a: &Option<ast::ReferentialAction>) -> FkAction {
    match a {
        None | Some(ast::ReferentialAction::NoAction) => FkAction::NoAction,
        Some(ast::ReferentialAction::Restrict) => FkAction::Restrict,
        Some(ast::ReferentialAction::Cascade) => FkAction::Cascade,
        Some(ast::ReferentialAction::SetNull) => FkAction::SetNull,
        Some(ast::ReferentialAction::SetDefault) => FkAction::SetDefault,
    }
}

fn check_characteristics(c: &Option<ast::ConstraintCharacteristics>) -> Result<(), SqlError> {
    if c.as_ref().is_some_and(|c| c.deferrable == Some(true)) {
        return Err(SqlError::unsupported("deferrable constraints are not supported"));
    }
    Ok(())
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
                let known = name == "fillfactor"
                    || name.starts_with("autovacuum")
                    || name.starts_with("toast")
                    || matches!(
                        name.as_str(),
                        "parallel_workers"
                            | "user_catalog_table"
                            | "vacuum_truncate"
                            | "vacuum_index_cleanup"
                            | "log_autovacuum_min_duration"
                    );
                if !known {
                    return Err(SqlError::new(
                        SqlState::INVALID_PARAMETER_VALUE,
                        format!("unrecognized parameter \"{name}\""),
                    ));
                }
                out.push(format!("{name}={value}"));
            }
            ast::SqlOption::Ident(i) => out.push(format!("{}=true", ident(i))),
            _ => return Err(SqlError::unsupported("this table option is not supported")),
        }
    }
    Ok(out)
}

/// A sequence to make with its column.
struct SerialColumn {
    column: usize,
    ty: Type,
    options: SequenceOptions,
    identity: bool,
}

impl Session {
    /// The shell of a new table; None: it exists and that is allowed.
    fn new_table(
        &mut self,
        name: &ast::ObjectName,
        if_not_exists: bool,
    ) -> Result<Option<(u32, String)>, SqlError> {
        self.refresh_catalog();
        let (schema, name) = self.new_name(&name_of(name)?)?;
        self.lock_name(schema, &name)?;
        if self.catalog.relation_in(schema, &name).is_some() {
            if if_not_exists {
                self.already_exists(&name);
                return Ok(None);
            }
            return Err(exists(&name));
        }
        Ok(Some((schema, name)))
    }

    fn refuse_variants(c: &ast::CreateTable) -> Result<(), SqlError> {
        let refused = [
            (c.temporary, "temporary tables are not supported"),
            (c.partition_by.is_some() || c.partition_of.is_some(), "partitioned tables are not supported"),
            (c.inherits.is_some(), "table inheritance is not supported"),
            (c.like.is_some(), "CREATE TABLE ... LIKE is not supported"),
            (c.external || c.or_replace, "this kind of CREATE TABLE is not supported"),
        ];
        match refused.into_iter().find(|(is, _)| *is) {
            Some((_, message)) => Err(SqlError::unsupported(message)),
            None => Ok(()),
        }
    }

    pub(super) fn create_table(&mut self, c: &ast::CreateTable) -> Result<(), SqlError> {
        Self::refuse_variants(c)?;
        let options = table_options(&c.table_options)?;
        let Some((schema, name)) = self.new_table(&c.name, c.if_not_exists)? else { return Ok(()) };
        if c.columns.len() > MAX_COLUMNS {
            return Err(SqlError::new(
                SqlState::TOO_MANY_COLUMNS,
                format!("tables can have at most {MAX_COLUMNS} columns"),
            ));
        }
        let oid = self.instance.store.new_oid()?;
        let mut table = Table {
            oid,
            schema,
            name,
            columns: Vec::new(),
            types: Vec::new(),
            heap: Heap::new(TreeId(0)),
            indexes: Vec::new(),
            checks: Vec::new(),
            foreign_keys: Vec::new(),
            options,
            unlogged: c.unlogged,
            shared: TableShared::new(),
        };
        let mut serials = Vec::new();
        let mut constraints: Vec<TableConstraint> = Vec::new();
        for def in &c.columns {
            self.add_column_def(&mut table, def, &mut serials, &mut constraints)?;
        }
        constraints.extend(c.constraints.iter().cloned());
        self.begin_statement()?;
        table.heap = Heap::new(self.engine()?.create_tree()?);
        // Parents are locked before their rows are looked at; the table itself is nobody else's yet.
        self.lock_object(&table.shared.lock, TableLockMode::AccessExclusive, &table.name, false)?;
        for s in serials {
            self.make_serial(&mut table, s)?;
        }
        self.put_table(table.clone())?;
        for n in 0..table.columns.len() {
            self.check_default(&table, n)?;
        }
        // Keys first: foreign keys may refer to them.
        let (foreign, keys): (Vec<_>, Vec<_>) =
            constraints.into_iter().partition(|c| matches!(c, TableConstraint::ForeignKey(_)));
        for k in keys.iter().chain(&foreign) {
            self.add_constraint(&mut table, k, true)?;
        }
        self.put_table(table).map(|_| ())
    }

    /// Checks that a default fits its column.
    pub(super) fn check_default(&mut self, table: &Table, column: usize) -> Result<(), SqlError> {
        if table.columns[column].default.is_none() {
            return Ok(());
        }
        let eval = self.eval_ctx();
        let cx = self.definition_context(&eval);
        Binder::new(&cx, &[]).check_default(&Arc::new(table.clone()), column).map(|_| ())
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
        if ["tableoid", "xmin", "cmin", "xmax", "cmax", "ctid"].contains(&name.as_str()) {
            return Err(SqlError::new(
                SqlState::DUPLICATE_COLUMN,
                format!("column name \"{name}\" conflicts with a system column name"),
            ));
        }
        let serial_type = serial(&def.data_type);
        let (ty, typmod) = match serial_type {
            Some(ty) => (ty, -1),
            None => data_type(&def.data_type)?,
        };
        if matches!(
            ty,
            Type::Unknown
                | Type::Void
                | Type::Record
                | Type::Any
                | Type::AnyElement
                | Type::AnyArray
                | Type::AnyToText
        ) {
            return Err(SqlError::new(
                SqlState::INVALID_TABLE_DEFINITION,
                format!("column \"{name}\" has pseudo-type {}", ty.sql_name()),
            ));
        }
        let n = table.columns.len();
        let mut column = ColumnDef {
            name: name.clone(),
            ty,
            typmod,
            not_null: serial_type.is_some(),
            default: None,
            identity: None,
            dropped: false,
        };
        if let Some(ty) = serial_type {
            serials.push(SerialColumn {
                column: n,
                ty,
                options: SequenceOptions::default(),
                identity: false,
            });
        }
        let here = || vec![ast::IndexColumn { column: plain_order(&def.name), operator_class: None }];
        for o in &def.options {
            match &o.option {
                ColumnOption::Null => {}
                ColumnOption::NotNull => column.not_null = true,
                ColumnOption::Default(e) => {
                    if let Some(word) = not_in_default(e) {
                        let why = format!("syntax error at or near \"{word}\"");
                        return Err(SqlError::new(SqlState::SYNTAX_ERROR, why));
                    }
                    column.default = Some(e.to_string());
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
                ColumnOption::ForeignKey(f) => {
                    let mut f = f.clone();
                    f.columns = vec![def.name.clone()];
                    f.name = f.name.or_else(|| o.name.clone());
                    constraints.push(TableConstraint::ForeignKey(f));
                }
                ColumnOption::Check(k) => {
                    let mut k = k.clone();
                    k.name = k.name.or_else(|| o.name.clone());
                    constraints.push(TableConstraint::Check(k));
                }
                ColumnOption::Generated { generated_as, generation_expr: None, sequence_options, .. } => {
                    if !matches!(ty, Type::Int2 | Type::Int4 | Type::Int8) {
                        return Err(SqlError::new(
                            SqlState::INVALID_PARAMETER_VALUE,
                            "identity column type must be smallint, integer, or bigint",
                        ));
                    }
                    column.identity = Some(match generated_as {
                        ast::GeneratedAs::Always => Identity::Always,
                        _ => Identity::ByDefault,
                    });
                    column.not_null = true;
                    let options = identity_options(sequence_options.as_deref().unwrap_or(&[]))?;
                    serials.push(SerialColumn { column: n, ty, options, identity: true });
                }
                ColumnOption::Generated { .. } => {
                    return Err(SqlError::unsupported("generated columns are not supported"));
                }
                ColumnOption::Collation(c) => check_collation(c)?,
                ColumnOption::Comment(_) => {}
                other => {
                    return Err(SqlError::unsupported(format!("column option is not supported: {other}")));
                }
            }
        }
        let twice = match (column.identity, column.default.is_some(), serial_type) {
            (Some(_), true, _) => Some("both default and identity specified"),
            (None, true, Some(_)) => Some("multiple default values specified"),
            (Some(_), false, Some(_)) => Some("both default and identity specified"),
            _ => None,
        };
        if let Some(what) = twice {
            return Err(SqlError::new(
                SqlState::SYNTAX_ERROR,
                format!("{what} for column \"{name}\" of table \"{}\"", table.name),
            ));
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
        Ok(n)
    }

    fn make_serial(&mut self, table: &mut Table, s: SerialColumn) -> Result<(), SqlError> {
        let column = table.columns[s.column].name.clone();
        let catalog = self.catalog.clone();
        let schema = table.schema;
        let name = choose_name(&table.name, &column, "seq", &|n| catalog.relation_in(schema, n).is_some());
        self.lock_name(schema, &name)?;
        self.new_sequence(schema, name.clone(), s.ty, &s.options, Some((table.oid, s.column, s.identity)))?;
        let schema_name = self.catalog.schema(schema).map_or("public".into(), |s| s.name.clone());
        let shown = if schema_name == "public" {
            quote_ident(&name)
        } else {
            format!("{}.{}", quote_ident(&schema_name), quote_ident(&name))
        };
        table.columns[s.column].default = Some(format!("nextval('{}'::regclass)", shown.replace('\'', "''")));
        Ok(())
    }

    /// Adds a column to a table that may have rows; returns its position.
    pub(super) fn add_column(&mut self, table: &mut Table, def: &ast::ColumnDef) -> Result<usize, SqlError> {
        let (mut serials, mut constraints) = (Vec::new(), Vec::new());
        let n = self.add_column_def(table, def, &mut serials, &mut constraints)?;
        for s in serials {
            self.make_serial(table, s)?;
        }
        self.put_table(table.clone())?;
        let shared = Arc::new(table.clone());
        if table.columns[n].default.is_some() {
            let value = {
                let eval = self.eval_ctx();
                let cx = self.definition_context(&eval);
                Binder::new(&cx, &[]).check_default(&shared, n)?
            };
            self.begin_statement()?;
            self.with_bare_cx(|cx| crate::exec::build::fill_column(&shared, n, &value, cx))?;
            self.begin_statement()?;
        }
        if table.columns[n].not_null {
            self.with_bare_cx(|cx| crate::exec::build::check_not_null(&shared, n, cx))?;
        }
        for c in constraints {
            self.add_constraint(table, &c, false)?;
        }
        Ok(n)
    }

    fn index_columns(
        &self,
        table: &Table,
        columns: &[ast::IndexColumn],
        is_key: bool,
    ) -> Result<Vec<IndexColumn>, SqlError> {
        if columns.len() > MAX_INDEX_COLUMNS {
            return Err(SqlError::new(
                SqlState::TOO_MANY_COLUMNS,
                format!("cannot use more than {MAX_INDEX_COLUMNS} columns in an index"),
            ));
        }
        let mut out = Vec::new();
        for c in columns {
            let ast::Expr::Identifier(i) = &c.column.expr else {
                return Err(SqlError::unsupported("indexes on expressions are not supported"));
            };
            let name = ident(i);
            let column = table.column(&name).ok_or_else(|| key_column_missing(&name, is_key))?;
            let desc = matches!(c.column.options.sort, Some(ast::OrderBySort::Desc));
            out.push(IndexColumn { column, desc, nulls_first: c.column.options.nulls_first.unwrap_or(desc) });
        }
        Ok(out)
    }

    /// Adds a constraint to a table and to its catalog row. A new table has no rows to check.
    pub(super) fn add_constraint(
        &mut self,
        table: &mut Table,
        c: &TableConstraint,
        new: bool,
    ) -> Result<(), SqlError> {
        match c {
            TableConstraint::PrimaryKey(p) => {
                check_characteristics(&p.characteristics)?;
                if table.primary_key().is_some() {
                    return Err(SqlError::new(
                        SqlState::INVALID_TABLE_DEFINITION,
                        format!("multiple primary keys for table \"{}\" are not allowed", table.name),
                    ));
                }
                let columns = self.index_columns(table, &p.columns, true)?;
                for ic in &columns {
                    if !new && !table.columns[ic.column].not_null {
                        self.with_bare_cx(|cx| crate::exec::build::check_not_null(table, ic.column, cx))?;
                    }
                    table.columns[ic.column].not_null = true;
                }
                self.add_unique(table, p.name.as_ref(), columns, true, false)
            }
            TableConstraint::Unique(u) => {
                check_characteristics(&u.characteristics)?;
                let columns = self.index_columns(table, &u.columns, true)?;
                let not_distinct = matches!(u.nulls_distinct, ast::NullsDistinctOption::NotDistinct);
                self.add_unique(table, u.name.as_ref(), columns, false, not_distinct)
            }
            TableConstraint::Check(k) => self.add_check(table, k, new),
            TableConstraint::ForeignKey(f) => self.add_foreign_key(table, f, new),
            _ => Err(SqlError::unsupported("this kind of constraint is not supported")),
        }
    }

    fn constraint_name(&self, table: &Table, given: Option<&ast::Ident>) -> Result<Option<String>, SqlError> {
        let Some(given) = given else { return Ok(None) };
        let name = ident(given);
        if Catalog::constraint_exists(table, &name) {
            return Err(SqlError::new(
                SqlState::DUPLICATE_OBJECT,
                format!("constraint \"{name}\" for relation \"{}\" already exists", table.name),
            ));
        }
        Ok(Some(name))
    }

    fn add_unique(
        &mut self,
        table: &mut Table,
        name: Option<&ast::Ident>,
        columns: Vec<IndexColumn>,
        primary: bool,
        nulls_not_distinct: bool,
    ) -> Result<(), SqlError> {
        for (n, c) in columns.iter().enumerate() {
            if columns[..n].iter().any(|x| x.column == c.column) {
                let kind = if primary { "primary key" } else { "unique" };
                return Err(SqlError::new(
                    SqlState::DUPLICATE_COLUMN,
                    format!("column \"{}\" appears twice in {kind} constraint", table.columns[c.column].name),
                ));
            }
        }
        let catalog = self.catalog.clone();
        let taken = |n: &str| {
            catalog.relation_in(table.schema, n).is_some() || table.indexes.iter().any(|i| i.name == n)
        };
        if let Some(n) = name.map(ident).filter(|n| taken(n)) {
            return Err(exists(&n));
        }
        let name = match self.constraint_name(table, name)? {
            Some(n) => n,
            None if primary => choose_name(&table.name, "", "pkey", &taken),
            None => {
                let list: Vec<&str> = columns.iter().map(|c| table.columns[c.column].name.as_str()).collect();
                choose_name(&table.name, &list.join("_"), "key", &taken)
            }
        };
        self.lock_name(table.schema, &name)?;
        let index = Index {
            oid: self.instance.store.new_oid()?,
            name,
            tree: TreeId(0),
            columns,
            unique: true,
            nulls_not_distinct,
            primary,
            constraint: Some(self.instance.store.new_oid()?),
            since_version: 0,
        };
        let index = self.build_index(table, index)?;
        table.indexes.push(Arc::new(index));
        self.put_table(table.clone()).map(|_| ())
    }

    fn add_check(&mut self, table: &mut Table, k: &ast::CheckConstraint, new: bool) -> Result<(), SqlError> {
        let text = k.expr.to_string();
        let shared = Arc::new(table.clone());
        let condition = {
            let eval = self.eval_ctx();
            let cx = self.definition_context(&eval);
            let mut b = Binder::new(&cx, &[]);
            let condition = b.check_condition(&text, &shared)?;
            if condition.any(|e| matches!(e, crate::plan::expr::Expr::Subquery(..))) {
                return Err(SqlError::unsupported("cannot use subquery in check constraint"));
            }
            condition
        };
        let name = match self.constraint_name(table, k.name.as_ref())? {
            Some(n) => n,
            None => {
                let mut read = Vec::new();
                condition.columns(&mut read);
                read.sort_unstable();
                read.dedup();
                let column =
                    if let [one] = read[..] { table.columns[one].name.clone() } else { String::new() };
                choose_name(&table.name, &column, "check", &|n| Catalog::constraint_exists(table, n))
            }
        };
        if !new {
            self.with_bare_cx(|cx| crate::exec::build::check_condition(&shared, &name, &condition, cx))?;
        }
        table.checks.push(Check { oid: self.instance.store.new_oid()?, name, expr: text });
        self.put_table(table.clone()).map(|_| ())
    }

    fn add_foreign_key(
        &mut self,
        table: &mut Table,
        f: &ast::ForeignKeyConstraint,
        new: bool,
    ) -> Result<(), SqlError> {
        check_characteristics(&f.characteristics)?;
        if matches!(f.match_kind, Some(ast::ConstraintReferenceMatchKind::Partial)) {
            return Err(SqlError::unsupported("MATCH PARTIAL not yet implemented"));
        }
        let mut columns = Vec::new();
        for c in &f.columns {
            let name = ident(c);
            columns.push(table.column(&name).ok_or_else(|| fk_column_missing(&name))?);
        }
        let parent_name = name_of(&f.foreign_table)?;
        let parent = match self.find_relation(&parent_name)? {
            Relation::Table(t) if t.oid == table.oid => Arc::new(table.clone()),
            _ => self.lock_table(&parent_name, TableLockMode::ShareRowExclusive)?,
        };
        let mut parent_columns = Vec::new();
        for c in &f.referred_columns {
            let name = ident(c);
            parent_columns.push(parent.column(&name).ok_or_else(|| fk_column_missing(&name))?);
        }
        let index = if parent_columns.is_empty() {
            let Some(pk) = parent.primary_key() else {
                return Err(SqlError::new(
                    SqlState::UNDEFINED_OBJECT,
                    format!("there is no primary key for referenced table \"{}\"", parent.name),
                ));
            };
            parent_columns = pk.columns.iter().map(|c| c.column).collect();
            pk.clone()
        } else {
            let fits = |i: &&Arc<Index>| {
                i.unique
                    && i.columns.len() == parent_columns.len()
                    && i.columns.iter().all(|c| parent_columns.contains(&c.column))
            };
            parent.indexes.iter().find(fits).cloned().ok_or_else(|| {
                SqlError::new(
                    SqlState::INVALID_FOREIGN_KEY,
                    format!(
                        "there is no unique constraint matching given keys for referenced table \"{}\"",
                        parent.name
                    ),
                )
            })?
        };
        if columns.len() != parent_columns.len() {
            return Err(SqlError::new(
                SqlState::INVALID_FOREIGN_KEY,
                "number of referencing and referenced columns for foreign key disagree",
            ));
        }
        let name = match self.constraint_name(table, f.name.as_ref())? {
            Some(n) => n,
            None => {
                let list: Vec<&str> = columns.iter().map(|c| table.columns[*c].name.as_str()).collect();
                choose_name(&table.name, &list.join("_"), "fkey", &|n| Catalog::constraint_exists(table, n))
            }
        };
        for (c, p) in columns.iter().zip(&parent_columns) {
            let (a, b) = (table.types[*c], parent.types[*p]);
            let ints = |t: Type| matches!(t, Type::Int2 | Type::Int4 | Type::Int8);
            let texts = |t: Type| matches!(t, Type::Text | Type::Varchar);
            if a != b && !(ints(a) && ints(b)) && !(texts(a) && texts(b)) {
                return Err(SqlError::new(
                    SqlState::DATATYPE_MISMATCH,
                    format!("foreign key constraint \"{name}\" cannot be implemented"),
                )
                .with_detail(format!(
                    "Key columns \"{}\" of the referencing table and \"{}\" of the referenced table are of incompatible types: {} and {}.",
                    table.columns[*c].name,
                    parent.columns[*p].name,
                    a.sql_name(),
                    b.sql_name()
                )));
            }
        }
        let fk = ForeignKey {
            oid: self.instance.store.new_oid()?,
            name,
            columns,
            parent: parent.oid,
            parent_columns,
            parent_index: index.oid,
            on_delete: action(&f.on_delete),
            on_update: action(&f.on_update),
            match_full: matches!(f.match_kind, Some(ast::ConstraintReferenceMatchKind::Full)),
        };
        if !new {
            // Younger than the lock of the referenced table.
            self.begin_statement()?;
            let check = crate::plan::FkCheck { fk: fk.clone(), parent, index };
            let child = table.clone();
            self.with_bare_cx(|cx| crate::exec::build::check_foreign_key(&child, &check, cx))?;
        }
        table.foreign_keys.push(fk);
        self.put_table(table.clone()).map(|_| ())
    }

    pub(super) fn create_index(&mut self, c: &ast::CreateIndex) -> Result<(), SqlError> {
        if c.concurrently {
            self.refuse_in_block("CREATE INDEX CONCURRENTLY")?;
        }
        if c.predicate.is_some() {
            return Err(SqlError::unsupported("partial indexes are not supported"));
        }
        if !c.include.is_empty() {
            return Err(SqlError::unsupported("INCLUDE columns are not supported"));
        }
        match &c.using {
            None | Some(ast::IndexType::BTree) => {}
            Some(other) => {
                return Err(SqlError::unsupported(format!(
                    "access method \"{}\" is not supported; only btree is",
                    other.to_string().to_lowercase()
                )));
            }
        }
        // Writers wait; another index on the same table waits too, since both change the table's catalog row.
        let table_name = name_of(&c.table_name)?;
        if let Ok(Relation::Sequence(s)) = self.find_relation(&table_name) {
            return Err(SqlError::new(
                SqlState::WRONG_OBJECT_TYPE,
                format!("cannot create index on relation \"{}\"", s.name),
            )
            .with_detail("This operation is not supported for sequences."));
        }
        let table = self.lock_table(&table_name, TableLockMode::ShareRowExclusive)?;
        let columns = self.index_columns(&table, &c.columns, false)?;
        let catalog = self.catalog.clone();
        let taken = |n: &str| catalog.relation_in(table.schema, n).is_some();
        let name = match &c.name {
            Some(n) => split_name(n)?.1,
            None => {
                let list: Vec<&str> = columns.iter().map(|c| table.columns[c.column].name.as_str()).collect();
                choose_name(&table.name, &list.join("_"), "idx", &taken)
            }
        };
        self.lock_name(table.schema, &name)?;
        if self.catalog.relation_in(table.schema, &name).is_some() {
            if c.if_not_exists {
                self.already_exists(&name);
                return Ok(());
            }
            return Err(exists(&name));
        }
        self.begin_definition(table.oid)?;
        let index = Index {
            oid: self.instance.store.new_oid()?,
            name,
            tree: TreeId(0),
            columns,
            unique: c.unique,
            nulls_not_distinct: c.nulls_distinct == Some(false),
            primary: false,
            constraint: None,
            since_version: 0,
        };
        let index = self.build_index(&table, index)?;
        let mut changed = (*table).clone();
        changed.indexes.push(Arc::new(index));
        self.put_table(changed).map(|_| ())
    }

    pub(super) fn create_table_as(
        &mut self,
        c: &ast::CreateTable,
        q: &ast::Query,
    ) -> Result<String, SqlError> {
        Self::refuse_variants(c)?;
        let options = table_options(&c.table_options)?;
        let Some((schema, name)) = self.new_table(&c.name, c.if_not_exists)? else {
            return Ok("CREATE TABLE AS".into());
        };
        let tree = ast::Statement::Query(Box::new(q.clone()));
        let plan = {
            let eval = self.eval_ctx();
            let cx = self.bind_context(&eval, "");
            bind_statement(&cx, &tree, &[])?
        };
        self.start_plan(&plan)?;
        let mut columns: Vec<ColumnDef> = Vec::new();
        for (n, col) in plan.columns.iter().flat_map(|c| c.iter()).enumerate() {
            let name = c.columns.get(n).map_or_else(|| col.name.clone(), |d| ident(&d.name));
            if columns.iter().any(|x| x.name == name) {
                return Err(SqlError::new(
                    SqlState::DUPLICATE_COLUMN,
                    format!("column \"{name}\" specified more than once"),
                ));
            }
            columns.push(ColumnDef {
                name,
                ty: col.ty,
                typmod: col.typmod,
                not_null: false,
                default: None,
                identity: None,
                dropped: false,
            });
        }
        let oid = self.instance.store.new_oid()?;
        let heap = Heap::new(self.engine()?.create_tree()?);
        let table = Table {
            oid,
            schema,
            name,
            types: columns.iter().map(|c| c.ty).collect(),
            columns,
            heap,
            indexes: Vec::new(),
            checks: Vec::new(),
            foreign_keys: Vec::new(),
            options,
            unlogged: c.unlogged,
            shared: TableShared::new(),
        };
        self.lock_object(&table.shared.lock, TableLockMode::AccessExclusive, &table.name, false)?;
        let table = self.put_table(table)?;
        let with_data = c.with_data.as_ref().is_none_or(|w| w.data);
        let PlanKind::Query(query) = &plan.kind else { return Err(SqlError::internal("not a query")) };
        let mut count = 0u64;
        if with_data {
            let target = Target {
                table: table.clone(),
                checks: Vec::new(),
                foreign_keys: Vec::new(),
                referencing: Vec::new(),
            };
            let mut run = RunState::new(&plan, &self.budget);
            let mut st = State::new(&query.root);
            let mut source = buffer(query);
            let mut row = vec![Datum::Null; table.columns.len() + 1];
            let mut writer = Writer::default();
            self.with_cx(&plan, &[], &mut run, |cx| {
                while node::next(&query.root, &mut st, &mut source, cx)? {
                    row[..query.visible].clone_from_slice(&source[..query.visible]);
                    writer.insert(&target, &mut row, cx)?;
                    count += 1;
                }
                Ok(())
            })?;
        }
        Ok(if with_data { format!("SELECT {count}") } else { "CREATE TABLE AS".into() })
    }
}

fn plain_order(name: &ast::Ident) -> ast::OrderByExpr {
    ast::OrderByExpr {
        expr: ast::Expr::Identifier(name.clone()),
        options: ast::OrderByOptions { sort: None, nulls_first: None },
        with_fill: None,
    }
}

fn key_column_missing(name: &str, is_key: bool) -> SqlError {
    let place = if is_key { " named in key" } else { "" };
    SqlError::new(SqlState::UNDEFINED_COLUMN, format!("column \"{name}\"{place} does not exist"))
}

fn fk_column_missing(name: &str) -> SqlError {
    SqlError::new(
        SqlState::UNDEFINED_COLUMN,
        format!("column \"{name}\" referenced in foreign key constraint does not exist"),
    )
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
            O::MinValue(e) => out.min = e.as_ref().map(literal).transpose()?,
            O::MaxValue(e) => out.max = e.as_ref().map(literal).transpose()?,
            O::StartWith(e, _) => out.start = Some(literal(e)?),
            O::Cache(e) => out.cache = Some(literal(e)?),
            O::Cycle(no) => out.cycle = !no,
        }
    }
    Ok(out)
}
