//! Queries that are kept, as they are shown: `pg_get_viewdef` and its like; types by their OIDs.
//!
//! Must not know: how they are made.

use super::Session;
use crate::catalog::views::pretty::pretty_text;
use crate::catalog::{Catalog, READ_MARK, Relation, StoredQuery};
use crate::parse::deparse::pretty;
use crate::parse::parse_expression;
use crate::parse::view::{edited, marks};
use evenkeel_types::{Type, quote_ident};

/// The text of a query with the names that its relations have now.
pub(super) fn shown(catalog: &Catalog, query: &StoredQuery, path: &[u32]) -> String {
    let mut edits = Vec::new();
    for (span, number, has_alias) in marks(&query.text, READ_MARK) {
        let Some(read) = query.reads.get(number) else { continue };
        let Some(relation) = catalog.relation(read.oid) else { continue };
        let now = |column: usize| match &relation {
            Relation::Table(t) => t.columns.get(column).map(|c| c.name.as_str()),
            Relation::View(v) => v.columns.get(column).map(|c| c.name.as_str()),
            Relation::Virtual(v) => v.columns.get(column).map(|c| c.0),
            Relation::Sequence(_) | Relation::Index(..) => None,
        };
        let name = catalog.qualified_name(&relation, path);
        let renamed = read.columns.iter().any(|(n, then)| read.used.contains(n) && now(*n) != Some(then));
        let mut text = match renamed {
            false => name,
            // Under the names by which the text calls them.
            true => {
                let columns = read.columns.iter().filter_map(|(n, then)| {
                    let (now, then) = (quote_ident(now(*n)?), quote_ident(then));
                    Some(if now == then { now } else { format!("{now} AS {then}") })
                });
                format!("(SELECT {} FROM {name})", columns.collect::<Vec<_>>().join(", "))
            }
        };
        if !has_alias && (renamed || relation.name() != read.name) {
            text = format!("{text} {}", quote_ident(&read.name));
        }
        edits.push((span, text));
    }
    format!(" {};", catalog.shown_types(&edited(&query.text, &edits), path))
}

/// An expression as people read it.
pub(super) fn pretty_expression(text: &str) -> String {
    printed(text).unwrap_or_else(|| text.to_owned())
}

/// The text of what is parsed. The clauses of JSON's functions, which the parser knows by names of our own, are left as they are written.
fn printed(text: &str) -> Option<String> {
    let made = pretty(&*parse_expression(text).ok()?);
    Some(if made.contains("\"<") { pretty_text(text) } else { made })
}

impl Session {
    /// A type that there is.
    pub(super) fn type_of_oid(&self, oid: u32) -> Option<Type> {
        let own = || {
            let ty = Type::from_stored_oid(oid)?;
            let made = self.catalog.user_type(ty.user_oid()?)?;
            // To clients values of a domain are what it is over.
            match made.domain {
                Some(_) if ty.is_array() => made.ty().array_of(),
                Some(_) => Some(made.ty()),
                None => Some(ty),
            }
        };
        Type::from_oid(oid).or_else(own)
    }
}
