//! Constraints, as they are written in CREATE TABLE and ALTER TABLE.
//!
//! Must not know: how indexes are filled.

use super::index::index_options;
use super::standing::refuse_weak_not_null;
use super::{choose_name, exists, generated, name_of};
use crate::bind::{Binder, foreign, ident};
use crate::catalog::locks::TableLockMode;
use crate::catalog::{
    Catalog, Check, FkAction, ForeignKey, Index, IndexColumn, IndexExtra, IndexMethod, IndexState, Relation,
    Standing, Table, Timing,
};
use crate::exec::referenced::{Reference, may_refer};
use crate::parse::definition::{NOT_NULL, names_of, parameters_of};
use crate::parse::deparse::deparse;
use crate::parse::parse_expression;
use crate::session::Session;
use evenkeel::TreeId;
use evenkeel_types::Type;
use evenkeel_types::error::{SqlError, SqlState};
use sqlparser::ast::{self, TableConstraint};
use std::sync::Arc;

fn action(a: &Option<ast::ReferentialAction>) -> FkAction {
    match a {
        None | Some(ast::ReferentialAction::NoAction) => FkAction::NoAction,
        Some(ast::ReferentialAction::Restrict) => FkAction::Restrict,
        Some(ast::ReferentialAction::Cascade) => FkAction::Cascade,
        Some(ast::ReferentialAction::SetNull) => FkAction::SetNull,
        Some(ast::ReferentialAction::SetDefault) => FkAction::SetDefault,
    }
}

/// When a constraint is checked.
fn timing(c: &Option<ast::ConstraintCharacteristics>) -> Result<Timing, SqlError> {
    let Some(c) = c else { return Ok(Timing::default()) };
    let initially_deferred = c.initially == Some(ast::DeferrableInitial::Deferred);
    if initially_deferred && c.deferrable == Some(false) {
        return Err(SqlError::new(
            SqlState::SYNTAX_ERROR,
            "constraint declared INITIALLY DEFERRED must be DEFERRABLE",
        ));
    }
    Ok(Timing { deferrable: initially_deferred || c.deferrable == Some(true), initially_deferred })
}

fn is_enforced(c: &Option<ast::ConstraintCharacteristics>) -> bool {
    c.as_ref().and_then(|c| c.enforced) != Some(false)
}

/// When a constraint of an index is checked.
pub(super) fn index_timing(c: &Option<ast::ConstraintCharacteristics>) -> Result<Timing, SqlError> {
    if c.as_ref().is_some_and(|c| c.enforced.is_some()) {
        let word = if is_enforced(c) { "ENFORCED" } else { "NOT ENFORCED" };
        return Err(SqlError::new(SqlState::SYNTAX_ERROR, format!("misplaced {word} clause")));
    }
    timing(c)
}

/// A constraint of an index, as it is made.
struct Unique<'a> {
    name: Option<&'a ast::Ident>,
    primary: bool,
    nulls_not_distinct: bool,
    timing: Timing,
    /// INCLUDE.
    include: Vec<usize>,
    /// WITH.
    options: Vec<String>,
}

/// The parameters of a constraint's index (see `parse::definition`).
fn parameters(options: &[ast::IndexOption]) -> Result<Vec<String>, SqlError> {
    let mut out = Vec::new();
    for option in options {
        let ast::IndexOption::Comment(text) = option else { continue };
        let Some(list) = parameters_of(text) else { continue };
        // As a list of conditions, which CREATE INDEX has them as.
        let list = parse_expression(&format!("f({list})"))?;
        let ast::Expr::Function(f) = &*list else { continue };
        let ast::FunctionArguments::List(args) = &f.args else { continue };
        let exprs = args.args.iter().filter_map(|a| match a {
            ast::FunctionArg::Unnamed(ast::FunctionArgExpr::Expr(e)) => Some(e.clone()),
            _ => None,
        });
        out.extend(index_options(IndexMethod::Btree, &exprs.collect::<Vec<_>>())?);
    }
    Ok(out)
}

/// The columns that INCLUDE of a constraint names (see `parse::definition`).
fn included(table: &Table, mark: Option<&ast::Ident>) -> Result<Vec<usize>, SqlError> {
    let names = mark.map_or_else(Vec::new, |i| names_of(&i.value));
    let column = |n: &str| table.column(n).ok_or_else(|| key_column_missing(n, true));
    names.into_iter().map(column).collect()
}

/// A key of the same columns that is said twice is one: the primary key, else the first; with a name, if one of them has one.
pub(super) fn without_repeats(constraints: Vec<TableConstraint>) -> Vec<TableConstraint> {
    type Said = (Vec<String>, Option<String>, bool, bool, bool);
    let said =
        |columns: &[ast::IndexColumn], include: &Option<ast::Ident>, timing: &Option<_>, nulls| -> Said {
            let column = |c: &ast::IndexColumn| match &c.column.expr {
                ast::Expr::Identifier(i) => ident(i),
                other => other.to_string(),
            };
            let timing: ast::ConstraintCharacteristics = timing.unwrap_or_default();
            let is_deferred = timing.initially == Some(ast::DeferrableInitial::Deferred);
            let deferrable = timing.deferrable.unwrap_or(is_deferred);
            let include = include.as_ref().map(|i| i.value.clone());
            (columns.iter().map(column).collect(), include, deferrable, is_deferred, nulls)
        };
    let of = |c: &TableConstraint| match c {
        TableConstraint::PrimaryKey(p) => Some(said(&p.columns, &p.index_name, &p.characteristics, false)),
        TableConstraint::Unique(u) => {
            let nulls = matches!(u.nulls_distinct, ast::NullsDistinctOption::NotDistinct);
            Some(said(&u.columns, &u.index_name, &u.characteristics, nulls))
        }
        _ => None,
    };
    let mut kept: Vec<TableConstraint> = Vec::with_capacity(constraints.len());
    for mut c in constraints {
        let same = of(&c).and_then(|said| kept.iter().position(|k| of(k).as_ref() == Some(&said)));
        match (same.map(|n| &mut kept[n]), &mut c) {
            (Some(TableConstraint::PrimaryKey(p)), TableConstraint::Unique(u)) => {
                p.name = p.name.take().or(u.name.take());
            }
            (Some(TableConstraint::Unique(first)), TableConstraint::Unique(u)) => {
                first.name = first.name.take().or(u.name.take());
            }
            (Some(first @ TableConstraint::Unique(_)), TableConstraint::PrimaryKey(p)) => {
                if let TableConstraint::Unique(u) = first {
                    p.name = p.name.take().or(u.name.take());
                }
                *first = c;
            }
            _ => kept.push(c),
        }
    }
    kept
}

/// What a constraint that is an index is called.
fn kind_of_index(c: &TableConstraint) -> Option<&'static str> {
    match c {
        TableConstraint::PrimaryKey(_) | TableConstraint::PrimaryKeyUsingIndex(_) => Some("PRIMARY KEY"),
        TableConstraint::Unique(_) | TableConstraint::UniqueUsingIndex(_) => Some("UNIQUE"),
        TableConstraint::Exclude(_) => Some("EXCLUDE"),
        _ => None,
    }
}

/// The rows that a table has when it gets a constraint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rows {
    /// None: it is new.
    None,
    /// Some may be there, and are looked at.
    Checked,
    /// Some may be there, and NOT VALID says that they are not looked at.
    Unchecked,
}

impl Standing {
    pub(super) fn of_rows(self, rows: Rows) -> Standing {
        Standing { validated: self.enforced && rows != Rows::Unchecked, ..self }
    }
}

impl Session {
    /// Adds a constraint to a table and to its catalog row, and looks at the rows that are there.
    pub(super) fn add_constraint(
        &mut self,
        table: &mut Table,
        c: &TableConstraint,
        rows: Rows,
    ) -> Result<(), SqlError> {
        foreign::of_constraint(c)?;
        if let (Rows::Unchecked, Some(kind)) = (rows, kind_of_index(c)) {
            return Err(SqlError::unsupported(format!("{kind} constraints cannot be marked NOT VALID")));
        }
        match c {
            TableConstraint::PrimaryKey(p) => {
                let timing = index_timing(&p.characteristics)?;
                if table.primary_key().is_some() {
                    return Err(second_primary_key(table));
                }
                let columns = self.index_columns(table, &p.columns, true)?;
                generated::refuse_index(table, columns.iter().map(|c| c.column), "primary keys")?;
                for ic in &columns {
                    refuse_weak_not_null(table, ic.column)?;
                    if rows != Rows::None && !table.columns[ic.column].not_null {
                        self.check_no_nulls(table, ic.column)?;
                    }
                    table.columns[ic.column].not_null = true;
                }
                self.name_not_nulls(table)?;
                let name = p.name.as_ref();
                let include = included(table, p.index_name.as_ref())?;
                let options = parameters(&p.index_options)?;
                self.add_unique(
                    table,
                    Unique { name, primary: true, nulls_not_distinct: false, timing, include, options },
                    columns,
                    rows,
                )
            }
            TableConstraint::Unique(u) => {
                let timing = index_timing(&u.characteristics)?;
                let columns = self.index_columns(table, &u.columns, true)?;
                generated::refuse_index(table, columns.iter().map(|c| c.column), "unique constraints")?;
                let nulls_not_distinct = matches!(u.nulls_distinct, ast::NullsDistinctOption::NotDistinct);
                let name = u.name.as_ref();
                let include = included(table, u.index_name.as_ref())?;
                let options = parameters(&u.index_options)?;
                self.add_unique(
                    table,
                    Unique { name, primary: false, nulls_not_distinct, timing, include, options },
                    columns,
                    rows,
                )
            }
            TableConstraint::Check(k) => self.add_check(table, k, rows),
            TableConstraint::ForeignKey(f) => self.add_foreign_key(table, f, rows),
            TableConstraint::PrimaryKeyUsingIndex(u) => self.add_using_index(table, u, true, rows),
            TableConstraint::UniqueUsingIndex(u) => self.add_using_index(table, u, false, rows),
            TableConstraint::Exclude(e) => self.add_exclusion(table, e, rows),
            _ => Err(SqlError::unsupported("this kind of constraint is not supported")),
        }
    }

    pub(super) fn constraint_name(
        &self,
        table: &Table,
        given: Option<&ast::Ident>,
    ) -> Result<Option<String>, SqlError> {
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
        unique: Unique<'_>,
        columns: Vec<IndexColumn>,
        rows: Rows,
    ) -> Result<(), SqlError> {
        let Unique { name, primary, nulls_not_distinct, timing, include, options } = unique;
        for (n, c) in columns.iter().enumerate() {
            if columns[..n].iter().any(|x| x.column == c.column) {
                let kind = if primary { "primary key" } else { "unique" };
                return Err(SqlError::new(
                    SqlState::DUPLICATE_COLUMN,
                    format!("column \"{}\" appears twice in {kind} constraint", table.columns[c.column].name),
                ));
            }
        }
        let (named, suffix, kind) = match primary {
            true => (String::new(), "pkey", "PRIMARY KEY"),
            false => {
                let all = columns.iter().map(|c| c.column).chain(include.iter().copied());
                let list: Vec<&str> = all.map(|c| table.columns[c].name.as_str()).collect();
                (list.join("_"), "key", "UNIQUE")
            }
        };
        let index = Index {
            oid: 0,
            name: String::new(),
            tree: TreeId(0),
            columns,
            unique: !timing.deferrable,
            timing,
            nulls_not_distinct,
            primary,
            exclusion: false,
            constraint: None,
            extra: IndexExtra { include, options, ..IndexExtra::default() },
            state: IndexState::Valid,
            since_version: 0,
        };
        self.add_constraint_index(table, index, (name, &named, suffix), (kind, rows))
    }

    /// Adds the index of a constraint that is one: under the name that was given, or one made of the table's, of `named` and `suffix`.
    pub(super) fn add_constraint_index(
        &mut self,
        table: &mut Table,
        mut index: Index,
        (given, named, suffix): (Option<&ast::Ident>, &str, &str),
        (kind, rows): (&str, Rows),
    ) -> Result<(), SqlError> {
        let catalog = self.catalog.clone();
        let taken = |n: &str| {
            catalog.relation_in(table.schema, n).is_some() || table.indexes.iter().any(|i| i.name == n)
        };
        if let Some(n) = given.map(ident).filter(|n| taken(n)) {
            return Err(exists(&n));
        }
        let taken = |n: &str| taken(n) || Catalog::constraint_exists(table, n);
        index.name = match self.constraint_name(table, given)? {
            Some(n) => n,
            None => choose_name(&table.name, named, suffix, &taken),
        };
        self.lock_name(table.schema, &index.name)?;
        self.debug(|| {
            let statement = if rows == Rows::None { "CREATE TABLE /" } else { "ALTER TABLE / ADD" };
            let (name, of) = (&index.name, &table.name);
            format!("{statement} {kind} will create implicit index \"{name}\" for table \"{of}\"")
        });
        index.oid = self.instance.store.new_oid()?;
        index.constraint = Some(self.instance.store.new_oid()?);
        let index = self.build_index(table, index)?;
        table.indexes.push(Arc::new(index));
        self.put_table(table.clone()).map(|_| ())
    }

    fn add_check(&mut self, table: &mut Table, k: &ast::CheckConstraint, rows: Rows) -> Result<(), SqlError> {
        let text = deparse(&k.expr);
        let kept;
        let shared = Arc::new(table.clone());
        let (condition, read, names_row) = {
            let eval = self.eval_ctx();
            let cx = self.definition_context(&eval);
            let mut b = Binder::new(&cx, &[]);
            b.begin_capture();
            let condition = b.check_condition(&text, &shared)?;
            let with_names = b.kept(&text);
            if condition.any(|e| matches!(e, crate::plan::expr::Expr::Subquery(..))) {
                return Err(SqlError::unsupported("cannot use subquery in check constraint"));
            }
            kept = b.unqualified(&with_names, &shared)?;
            let (read, names_row) = b.noting_rows(|b| b.columns_named(&text, &shared));
            (condition, read?, names_row)
        };
        let name = match self.constraint_name(table, k.name.as_ref())? {
            Some(n) => n,
            None => {
                let column = match read[..] {
                    [one] if !names_row => table.columns[one].name.clone(),
                    _ => String::new(),
                };
                choose_name(&table.name, &column, "check", &|n| Catalog::constraint_exists(table, n))
            }
        };
        let standing = Standing { enforced: k.enforced != Some(false), validated: true }.of_rows(rows);
        if standing.validated && rows == Rows::Checked {
            self.bind_to_compute(|b| b.check_condition(&kept, &shared))?;
            self.with_bare_cx(|cx| crate::exec::build::check_condition(&shared, &name, &condition, cx))?;
        }
        let oid = self.instance.store.new_oid()?;
        table.checks.push(Check { oid, name, expr: kept, columns: read, standing, no_inherit: k.no_inherit });
        self.put_table(table.clone()).map(|_| ())
    }

    fn add_foreign_key(
        &mut self,
        table: &mut Table,
        f: &ast::ForeignKeyConstraint,
        rows: Rows,
    ) -> Result<(), SqlError> {
        let timing = timing(&f.characteristics)?;
        let standing = Standing { enforced: is_enforced(&f.characteristics), validated: true }.of_rows(rows);
        if matches!(f.match_kind, Some(ast::ConstraintReferenceMatchKind::Partial)) {
            return Err(SqlError::unsupported("MATCH PARTIAL not yet implemented"));
        }
        let mut columns = Vec::new();
        for c in &f.columns {
            let name = ident(c);
            columns.push(table.column(&name).ok_or_else(|| fk_column_missing(&name))?);
        }
        generated::check_foreign_key(table, &columns, action(&f.on_update), action(&f.on_delete))?;
        let parent_name = name_of(&f.foreign_table)?;
        let parent = match self.find_relation(&parent_name)? {
            Relation::Table(t) if t.oid == table.oid => Arc::new(table.clone()),
            _ => self.lock_table(&parent_name, TableLockMode::ShareRowExclusive)?,
        };
        let (own, theirs) = (self.catalog.persistence(table), self.catalog.persistence(&parent));
        let kept_longer = match own {
            "t" if theirs != "t" => Some("temporary tables may reference only temporary"),
            "u" if theirs == "t" => Some("unlogged tables may reference only permanent or unlogged"),
            "p" if theirs != "p" => Some("permanent tables may reference only permanent"),
            _ => None,
        };
        if let Some(what) = kept_longer {
            let why = format!("constraints on {what} tables");
            return Err(SqlError::new(SqlState::INVALID_TABLE_DEFINITION, why));
        }
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
                i.is_referable()
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
        if index.timing.deferrable {
            let what = if f.referred_columns.is_empty() { "primary key" } else { "unique constraint" };
            return Err(SqlError::new(
                SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE,
                format!("cannot use a deferrable {what} for referenced table \"{}\"", parent.name),
            ));
        }
        self.check_may_refer(&parent, &parent_columns)?;
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
            let of = [&table.columns[*c], &parent.columns[*p]].map(|c| self.catalog.column_collation(c));
            if of.iter().any(|c| !c.is_deterministic()) {
                let why = "nondeterministic collations are not supported for foreign keys";
                return Err(SqlError::unsupported(why));
            }
            let (a, b) = (table.types[*c], parent.types[*p]);
            check_types(&name, (&table.columns[*c].name, a), (&parent.columns[*p].name, b))?;
        }
        let mut set = Vec::new();
        for column in delete_columns(f) {
            let n = table.column(column).ok_or_else(|| fk_column_missing(column))?;
            if !columns.contains(&n) {
                return Err(SqlError::new(
                    SqlState::INVALID_COLUMN_REFERENCE,
                    format!(
                        "column \"{column}\" referenced in ON DELETE SET action must be part of foreign key"
                    ),
                ));
            }
            if !set.contains(&n) {
                set.push(n);
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
            timing,
            standing,
            delete_columns: set,
        };
        if standing.validated && rows == Rows::Checked {
            // Younger than the lock of the referenced table.
            self.begin_definition()?;
            let check = crate::plan::FkCheck { fk: fk.clone(), parent, index };
            let child = table.clone();
            self.with_bare_cx(|cx| crate::exec::build::check_foreign_key(&child, &check, cx))?;
        }
        table.foreign_keys.push(fk);
        self.put_table(table.clone()).map(|_| ())
    }
}

/// Refuses a foreign key of a column, by its name and type, that refers to one whose type is not compared with that.
pub(super) fn check_types(
    key: &str,
    (child, a): (&str, Type),
    (parent, b): (&str, Type),
) -> Result<(), SqlError> {
    match may_refer(a, b) {
        Reference::Allowed => Ok(()),
        Reference::Unsupported => {
            let (a, b) = (a.sql_name(), b.sql_name());
            Err(SqlError::unsupported(format!(
                "foreign keys of type {a} that refer to type {b} are not supported"
            )))
        }
        Reference::Incompatible => {
            let why = format!("foreign key constraint \"{key}\" cannot be implemented");
            Err(SqlError::new(SqlState::DATATYPE_MISMATCH, why).with_detail(format!(
                "Key columns \"{child}\" of the referencing table and \"{parent}\" of the referenced table are of incompatible types: {} and {}.",
                a.sql_name(),
                b.sql_name()
            )))
        }
    }
}

pub(super) fn second_primary_key(table: &Table) -> SqlError {
    SqlError::new(
        SqlState::INVALID_TABLE_DEFINITION,
        format!("multiple primary keys for table \"{}\" are not allowed", table.name),
    )
}

pub(super) fn plain_order(name: &ast::Ident) -> ast::OrderByExpr {
    ast::OrderByExpr {
        expr: ast::Expr::Identifier(name.clone()),
        options: ast::OrderByOptions { sort: None, nulls_first: None },
        with_fill: None,
    }
}

pub(super) fn key_column_missing(name: &str, is_key: bool) -> SqlError {
    let place = if is_key { " named in key" } else { "" };
    SqlError::new(SqlState::UNDEFINED_COLUMN, format!("column \"{name}\"{place} does not exist"))
}

/// The name and the column of a NOT NULL constraint of a table (see `parse::definition`).
pub(super) fn not_null_of(c: &TableConstraint) -> Option<(Option<&ast::Ident>, String)> {
    let TableConstraint::Check(k) = c else { return None };
    let ast::Expr::BinaryOp { left, right, .. } = &*k.expr else { return None };
    match (&**left, &**right) {
        (ast::Expr::Identifier(mark), ast::Expr::Identifier(column)) if mark.value == NOT_NULL => {
            Some((k.name.as_ref(), ident(column)))
        }
        _ => None,
    }
}

/// The columns that ON DELETE sets (see `parse::definition`).
fn delete_columns(f: &ast::ForeignKeyConstraint) -> Vec<&str> {
    f.index_name.as_ref().map_or_else(Vec::new, |i| names_of(&i.value))
}

fn fk_column_missing(name: &str) -> SqlError {
    SqlError::new(
        SqlState::UNDEFINED_COLUMN,
        format!("column \"{name}\" referenced in foreign key constraint does not exist"),
    )
}
