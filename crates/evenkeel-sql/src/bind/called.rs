//! What a call says of its function: the schema that it is in, and a list that may not be empty.
//!
//! Must not know: what functions there are.

use super::func::plain_args;
use super::{Binder, split_name};
use crate::catalog::Catalog;
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::{ResolveError, function_error};
use sqlparser::ast::{self, FunctionArg, FunctionArguments};

/// Functions that the grammar knows, with one argument at least.
const IN_GRAMMAR: [&str; 7] = ["coalesce", "greatest", "least", "nullif", "position", "extract", "trim"];

/// The function's name without its schema, and the schema if the function cannot be there.
pub(super) fn function_name(
    name: &ast::ObjectName,
    catalog: &Catalog,
) -> Result<(String, Option<String>), SqlError> {
    let (schema, name) = split_name(name)?;
    let is_home = |schema: &str| {
        let extension = evenkeel_types::extension_of(&name).and_then(|e| catalog.extension_named(e));
        extension.and_then(|e| catalog.schema(e.schema)).is_some_and(|s| s.name == schema)
    };
    let strange =
        schema.filter(|s| !matches!(&**s, "pg_catalog" | "information_schema" | "public") && !is_home(s));
    Ok((name, strange))
}

fn has_no_arguments(f: &ast::Function) -> bool {
    matches!(&f.args, FunctionArguments::List(list) if list.args.is_empty())
        && matches!(&f.name.0[..], [ast::ObjectNamePart::Identifier(i)] if i.quote_style.is_none())
}

impl Binder<'_> {
    /// A call of what no schema but the system's and those of extensions has.
    pub(super) fn function_of_schema<T>(
        &mut self,
        schema: &str,
        name: &str,
        args: &[FunctionArg],
    ) -> Result<T, SqlError> {
        if let Some(e) = self.catalog.missing_schema(Some(schema), self.search_path) {
            return Err(e);
        }
        let args = plain_args(args)?;
        let types = args.into_iter().map(|a| Ok(self.expr(a)?.ty)).collect::<Result<Vec<_>, SqlError>>()?;
        Err(function_error(&format!("{schema}.{name}"), &types, ResolveError::NotFound))
    }

    /// A list of arguments that the grammar asks for is there.
    pub(super) fn check_list(&self, f: &ast::Function, name: &str) -> Result<(), SqlError> {
        if has_no_arguments(f) && IN_GRAMMAR.contains(&name) { Err(self.at_closing(f)) } else { Ok(()) }
    }

    /// An error is of a function; what is wrong with the names that its rows get has no place.
    pub(super) fn at_function(&self, e: SqlError, name: &ast::ObjectName) -> SqlError {
        let is_of_names = e.code == SqlState::DUPLICATE_ALIAS
            || e.code == SqlState::INVALID_COLUMN_REFERENCE && e.message.starts_with("table \"");
        if is_of_names { e } else { self.at_name(e, name) }
    }

    /// The name of a function, whose schema has to have it.
    pub(super) fn function_in(
        &mut self,
        name: &ast::ObjectName,
        args: &[FunctionArg],
    ) -> Result<String, SqlError> {
        match function_name(name, self.catalog)? {
            (function, None) => Ok(function),
            (function, Some(schema)) => {
                let made = self.function_of_schema(&schema, &function, args);
                made.map_err(|e| self.at_name(e, name))
            }
        }
    }
}
