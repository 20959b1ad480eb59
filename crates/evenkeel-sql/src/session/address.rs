//! Objects by their kind and name, as the catalog that they are in and their OID: `pg_get_object_address`.
//!
//! Must not know: the session.

use super::describe::{AM, CAST, LANGUAGE, OPERATOR, PROC};
use super::reg::{missing, reg_oid};
use crate::catalog::views::{self, casts, class_oid, classes, opclass, signatures, stored};
use crate::catalog::{Catalog, Relation, Table, noun_of};
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::{ArrayDatum, Type};
use std::sync::Arc;

/// What an object is in, its OID there, and the number of the column that it is of that.
pub(super) type Address = (u32, u32, i32);

/// Kinds that PostgreSQL knows by name and has no addresses of.
const WITHOUT_ADDRESS: [&str; 9] = [
    "index column",
    "sequence column",
    "toast table",
    "toast table column",
    "view column",
    "materialized view column",
    "composite type",
    "role membership",
    "parameter ACL",
];

/// Kinds whose objects are not found here, most of them as there are none.
const NOT_FOUND: [&str; 28] = [
    "composite type column",
    "foreign table column",
    "large object",
    "conversion",
    "default acl",
    "event trigger",
    "foreign table",
    "foreign-data wrapper",
    "function of access method",
    "operator class",
    "operator family",
    "operator of access method",
    "policy",
    "publication",
    "publication namespace",
    "publication relation",
    "server",
    "statistics object",
    "subscription",
    "tablespace",
    "text search configuration",
    "text search dictionary",
    "text search parser",
    "text search template",
    "transform",
    "trigger",
    "user mapping",
    "procedure",
];

/// Who asks: the schemas that are searched, and the role.
pub(super) struct Asker<'a> {
    pub catalog: &'a Catalog,
    pub path: &'a [u32],
    pub role: u32,
    pub database: &'a str,
}

fn invalid(why: String) -> SqlError {
    SqlError::new(SqlState::INVALID_PARAMETER_VALUE, why)
}

/// The one name, of what has no schema.
fn only(names: &[String]) -> Result<&str, SqlError> {
    match names {
        [name] => Ok(name),
        _ => Err(invalid("name list length must be exactly 1".into())),
    }
}

/// The one argument.
fn only_argument(args: &[String]) -> Result<&str, SqlError> {
    match args {
        [arg] => Ok(arg),
        _ => Err(invalid("argument list length must be exactly 1".into())),
    }
}

impl Asker<'_> {
    /// The address of an object of a kind.
    pub fn address(&self, kind: &str, names: &[String], args: &[String]) -> Result<Address, SqlError> {
        match kind {
            "type" | "cast" | "domain constraint" => _ = only(names)?,
            _ if names.is_empty() => return Err(invalid("name list length must be at least 1".into())),
            _ => {}
        }
        let c = self.catalog;
        let named = |class: u32, found: Option<u32>, code: SqlState, what: &str| {
            let missing = || SqlError::new(code, format!("{what} does not exist"));
            Ok((class, found.ok_or_else(missing)?, 0))
        };
        match kind {
            "table" | "index" | "sequence" | "view" | "materialized view" => {
                let found = self.relation(names)?;
                if noun_of(&found) != kind {
                    let article = if kind == "index" { "an" } else { "a" };
                    let why = format!("\"{}\" is not {article} {kind}", found.name());
                    return Err(SqlError::new(SqlState::WRONG_OBJECT_TYPE, why));
                }
                Ok((class_oid::RELATION, found.oid(), 0))
            }
            "table column" => {
                let (oid, _, number) = self.column(names)?;
                Ok((class_oid::RELATION, oid, number))
            }
            "default value" => {
                let (oid, table, number) = self.column(names)?;
                let n = (number - 1) as usize;
                let has = |t: &Arc<Table>| {
                    let column = t.columns.get(n);
                    column.is_some_and(|c| c.default.is_some() || c.generated.is_some())
                };
                match table.filter(has) {
                    Some(_) => Ok((class_oid::ATTRDEF, classes::attrdef_oid(oid, n), 0)),
                    None => {
                        let (of, name) = (names[..names.len() - 1].join("."), &names[names.len() - 1]);
                        let why = format!(
                            "default value for column \"{name}\" of relation \"{of}\" does not exist"
                        );
                        Err(SqlError::new(SqlState::UNDEFINED_COLUMN, why))
                    }
                }
            }
            "table constraint" => {
                let (of, name) = self.part(names, "must specify relation and object name")?;
                let found = if let Relation::Table(t) = &of { constraint(t, name) } else { None };
                let what = format!("constraint \"{name}\" for table \"{}\"", of.name());
                named(class_oid::CONSTRAINT, found, SqlState::UNDEFINED_OBJECT, &what)
            }
            "rule" => {
                let (of, name) = self.part(names, "must specify relation and object name")?;
                let is_it = name == "_RETURN" && noun_of(&of).ends_with("view");
                let what = format!("rule \"{name}\" for relation \"{}\"", of.name());
                let found = is_it.then(|| stored::rule_oid(of.oid()));
                named(class_oid::REWRITE, found, SqlState::UNDEFINED_OBJECT, &what)
            }
            "domain constraint" => {
                let (domain, name) = (self.type_oid(&names[0])?, only_argument(args)?);
                let shown = super::reg::reg_name(c, self.path, Type::Regtype, domain).unwrap_or_default();
                let (_, d) = c.domain(domain).ok_or_else(|| {
                    SqlError::new(SqlState::WRONG_OBJECT_TYPE, format!("\"{shown}\" is not a domain"))
                })?;
                let check = d.checks.iter().find(|k| k.name == name).map(|k| k.oid);
                let not_null = || d.not_null.as_ref().filter(|n| n.1 == name).map(|n| n.0);
                let what = format!("constraint \"{name}\" for domain {shown}");
                named(class_oid::CONSTRAINT, check.or_else(not_null), SqlState::UNDEFINED_OBJECT, &what)
            }
            "type" => Ok((class_oid::TYPE, self.type_oid(&names[0])?, 0)),
            "cast" => {
                let (from, to) = (self.type_oid(&names[0])?, self.type_oid(only_argument(args)?)?);
                let shown = |oid| super::reg::reg_name(c, self.path, Type::Regtype, oid).unwrap_or_default();
                let what = format!("cast from type {} to type {}", shown(from), shown(to));
                named(CAST, casts::oid_between(c, from, to), SqlState::UNDEFINED_OBJECT, &what)
            }
            "function" | "aggregate" | "operator" => self.with_types(kind, names, args),
            "schema" => {
                let name = only(names)?;
                let found = c.schema_named(name).map(|s| s.oid);
                let what = format!("schema \"{name}\"");
                named(class_oid::NAMESPACE, found, SqlState::INVALID_SCHEMA_NAME, &what)
            }
            "role" => {
                let name = only(names)?;
                let found = c.security().role_named(name).map(|r| r.oid);
                named(class_oid::ROLE, found, SqlState::UNDEFINED_OBJECT, &format!("role \"{name}\""))
            }
            "database" => {
                let name = only(names)?;
                let found = c.database_named(name).map(|d| d.oid);
                let what = format!("database \"{name}\"");
                named(class_oid::DATABASE, found, SqlState::INVALID_CATALOG_NAME, &what)
            }
            "extension" => {
                let name = only(names)?;
                let built_in = (name == "plpgsql").then_some(views::extensions::PLPGSQL_OID);
                let found = c.extension_named(name).map(|e| e.oid).or(built_in);
                named(
                    class_oid::EXTENSION,
                    found,
                    SqlState::UNDEFINED_OBJECT,
                    &format!("extension \"{name}\""),
                )
            }
            "language" => {
                let name = only(names)?;
                let found = views::types::oid_of_language(name);
                named(LANGUAGE, found, SqlState::UNDEFINED_OBJECT, &format!("language \"{name}\""))
            }
            "access method" => {
                let name = only(names)?;
                let what = format!("access method \"{name}\"");
                named(AM, opclass::oid_of_method(name), SqlState::UNDEFINED_OBJECT, &what)
            }
            "collation" => {
                let quoted: Vec<String> = names.iter().map(|n| evenkeel_types::quote_ident(n)).collect();
                let name = quoted.join(".");
                let found = reg_oid(c, self.path, self.role, Type::Regcollation, &name)?;
                let oid = found.ok_or_else(|| missing(Type::Regcollation, &names.join(".")))?;
                Ok((class_oid::COLLATION, oid, 0))
            }
            _ if NOT_FOUND.contains(&kind) => {
                Err(SqlError::unsupported(format!("pg_get_object_address of \"{kind}\" is not supported")))
            }
            _ if WITHOUT_ADDRESS.contains(&kind) => {
                Err(invalid(format!("unsupported object type \"{kind}\"")))
            }
            _ => Err(invalid(format!("unrecognized object type \"{kind}\""))),
        }
    }

    fn type_oid(&self, name: &str) -> Result<u32, SqlError> {
        let found = reg_oid(self.catalog, self.path, self.role, Type::Regtype, name)?;
        found.ok_or_else(|| missing(Type::Regtype, name))
    }

    fn relation(&self, names: &[String]) -> Result<Relation, SqlError> {
        let all = names.join(".");
        let (schema, name) = match names {
            [name] => (None, name),
            [schema, name] => (Some(&**schema), name),
            [database, schema, name] if database == self.database => (Some(&**schema), name),
            [_, _, _] => {
                let why = format!("cross-database references are not implemented: \"{all}\"");
                return Err(SqlError::unsupported(why));
            }
            _ => {
                let why = format!("improper relation name (too many dotted names): {all}");
                return Err(SqlError::new(SqlState::SYNTAX_ERROR, why));
            }
        };
        if let Some(e) = self.catalog.missing_schema(schema, self.path) {
            return Err(e);
        }
        let found = self.catalog.resolve(schema, name, self.path)?;
        found.ok_or_else(|| missing(Type::Regclass, &all))
    }

    /// A relation, and the last name, which is that of something of it.
    fn part<'n>(&self, names: &'n [String], without: &str) -> Result<(Relation, &'n str), SqlError> {
        match names {
            [of @ .., name] if !of.is_empty() => Ok((self.relation(of)?, name)),
            _ => Err(SqlError::new(SqlState::SYNTAX_ERROR, without)),
        }
    }

    /// The relation that a column is of, as a table if it is one, and its number.
    fn column(&self, names: &[String]) -> Result<(u32, Option<Arc<Table>>, i32), SqlError> {
        let (of, name) = self.part(names, "column name must be qualified")?;
        let number = match &of {
            Relation::Table(t) => t.live_columns().find(|(_, c)| c.name == name).map(|(n, _)| n),
            Relation::View(v) => v.columns.iter().position(|c| c.name == name),
            Relation::Virtual(v) => v.columns.iter().position(|c| c.0 == name),
            Relation::Index(..) | Relation::Sequence(_) => None,
        };
        let number = number.ok_or_else(|| {
            let of = names[..names.len() - 1].join(".");
            let why = format!("column \"{name}\" of relation \"{of}\" does not exist");
            SqlError::new(SqlState::UNDEFINED_COLUMN, why)
        })?;
        let oid = of.oid();
        let table = if let Relation::Table(t) = of { Some(t) } else { None };
        Ok((oid, table, number as i32 + 1))
    }

    fn with_types(&self, kind: &str, names: &[String], args: &[String]) -> Result<Address, SqlError> {
        if kind == "operator" && args.len() != 2 {
            return Err(invalid("argument list length must be exactly 2".into()));
        }
        let none = |name: &String| kind == "operator" && name.eq_ignore_ascii_case("none");
        let types = args.iter().map(|a| if none(a) { Ok(0) } else { self.type_oid(a) });
        let types = types.collect::<Result<Vec<u32>, _>>()?;
        let name = names.last().map_or("", |n| n);
        let (class, found) = match &types[..] {
            [left, right] if kind == "operator" => (OPERATOR, signatures::operator(name, [*left, *right])),
            types => (PROC, signatures::function(name, types)),
        };
        let shown = |oid: &u32| super::reg::reg_name(self.catalog, self.path, Type::Regtype, *oid);
        let shown: Vec<String> = types.iter().filter_map(shown).collect();
        let whole = names.join(".");
        let oid = found.ok_or_else(|| {
            let what = match kind {
                "operator" => format!("operator does not exist: {}", shown.join(&format!(" {whole} "))),
                _ => format!("{kind} {whole}({}) does not exist", shown.join(", ")),
            };
            SqlError::new(SqlState::UNDEFINED_FUNCTION, what)
        })?;
        Ok((class, oid, 0))
    }
}

/// A constraint of a table by its name.
fn constraint(t: &Table, name: &str) -> Option<u32> {
    let index = t.indexes.iter().filter(|i| i.name == name).find_map(|i| i.constraint);
    let check = || t.checks.iter().find(|c| c.name == name).map(|c| c.oid);
    let key = || t.foreign_keys.iter().find(|f| f.name == name).map(|f| f.oid);
    let not_null = || t.not_nulls.iter().find(|n| n.name == name).map(|n| n.oid);
    index.or_else(check).or_else(key).or_else(not_null)
}

/// The elements of a list of names.
pub(super) fn listed(list: &ArrayDatum) -> Result<Vec<String>, SqlError> {
    let name = |d: &evenkeel_types::Datum| d.as_str().map(str::to_owned);
    let names: Option<Vec<String>> = list.values.iter().map(name).collect();
    names.ok_or_else(|| invalid("name or argument lists may not contain nulls".into()))
}
