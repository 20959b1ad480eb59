//! Types that users make: enums, composite types, and domains, of which more is said in `domain`.
//!
//! A type's OID is even, and the next one is its array's, so whoever reads a stored OID knows which it is. In kept texts a type stands as `"@"."t16384"`: by its OID, so
//! that neither a new name nor a search path changes what they mean.
//!
//! Invariants:
//! 1. A label keeps the number that it was given: rows hold that. Numbers are in the order of the labels.
//!
//! Must not know: how values are stored.

use super::collation::MARK as COLLATION_MARK;
use super::domain::{domain_itself, is_domain_array};
use super::{Catalog, Domain, NamedType};
use evenkeel_types::ty::FIRST_COMPOSITE_OID;
use evenkeel_types::user::{Attribute, Attributes};
use evenkeel_types::{Type, quote_ident, quote_literal};
use std::borrow::Cow;

/// How far apart the first labels of a type are: between two others come, half way each.
const STEP: u64 = 1 << 40;

/// What stands before a type's OID in kept texts.
const MARK: &str = "\"@\".\"t";

/// What a value of an enum begins with in kept texts: the type's OID, a colon and the number follow.
const LITERAL: &str = "'\u{1}";

/// A type that a user made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserType {
    /// Its OID.
    pub oid: u32,
    /// Its schema.
    pub schema: u32,
    /// Its name.
    pub name: String,
    /// Of an enum: its values with their labels, in order.
    pub labels: Vec<(u64, String)>,
    /// Of a domain: what makes it one.
    pub domain: Option<Box<Domain>>,
    /// Of a composite type: its attributes.
    pub attributes: Option<Attributes>,
}

/// The labels of a new enum with their numbers.
pub fn numbered(labels: Vec<String>) -> Vec<(u64, String)> {
    (1u64..).map(|n| n * STEP).zip(labels).collect()
}

/// A label's place as `pg_enum` shows it: whole for those that the type began with.
pub fn order_of(value: u64) -> f32 {
    (value as f64 / STEP as f64) as f32
}

impl UserType {
    /// The type that its values are of.
    pub fn ty(&self) -> Type {
        match (&self.domain, &self.attributes) {
            (Some(d), _) => d.ty,
            (None, Some(_)) => Type::Composite(self.oid),
            (None, None) => Type::Enum(self.oid),
        }
    }

    /// `pg_type.typtype`
    pub fn kind(&self) -> &'static str {
        match (&self.domain, &self.attributes) {
            (Some(_), _) => "d",
            (None, Some(_)) => "c",
            (None, None) => "e",
        }
    }

    /// OID of the row in `pg_class` that a composite type has.
    pub fn class_oid(&self) -> Option<u32> {
        self.attributes.as_ref().map(|_| self.oid - FIRST_COMPOSITE_OID)
    }

    /// Whether the values of its own, or of its attributes, are of a type.
    pub fn has_within(&self, oid: u32, catalog: &Catalog) -> bool {
        let is_it = |a: &Attribute| {
            a.domain.is_some_and(|d| catalog.is_over(domain_itself(d), oid))
                || a.ty.user_oid().is_some_and(|o| {
                    o == oid || catalog.user_type(o).is_some_and(|t| t.has_within(oid, catalog))
                })
        };
        self.oid == oid || self.attributes.iter().flat_map(|l| l.iter()).any(is_it)
    }

    /// The number of a label.
    pub fn value(&self, label: &str) -> Option<u64> {
        self.labels.iter().find(|l| l.1 == label).map(|l| l.0)
    }

    /// Puts a label at a place; None: there is no number left between its neighbours.
    pub fn insert(&mut self, at: usize, label: String) -> Option<()> {
        let before = at.checked_sub(1).map_or(0, |n| self.labels[n].0);
        let number = match self.labels.get(at) {
            Some(after) => before + (after.0 - before) / 2,
            None => before.checked_add(STEP)?,
        };
        if number == before {
            return None;
        }
        self.labels.insert(at, (number, label));
        Some(())
    }
}

impl Catalog {
    /// Types that users made.
    pub fn types(&self) -> impl Iterator<Item = &std::sync::Arc<UserType>> {
        self.types.values()
    }

    /// One by OID; the row type of a table or a view is one, too.
    pub fn user_type(&self, oid: u32) -> Option<&std::sync::Arc<UserType>> {
        self.types.get(oid).or_else(|| self.row_type(oid))
    }

    /// The composite type whose row in `pg_class` has an OID.
    pub fn composite_of_class(&self, oid: u32) -> Option<&std::sync::Arc<UserType>> {
        self.user_type(oid.checked_add(FIRST_COMPOSITE_OID)?).filter(|t| t.attributes.is_some())
    }

    /// One by schema and name.
    pub fn type_in(&self, schema: u32, name: &str) -> Option<&std::sync::Arc<UserType>> {
        self.types.values().find(|t| t.schema == schema && t.name == name)
    }

    /// A type that users made, or the array of one, by its name.
    pub fn type_named(&self, schema: Option<&str>, name: &str, path: &[u32]) -> Option<NamedType> {
        if schema == Some("@") {
            let oid = name.strip_prefix('t')?.parse().ok()?;
            if let Some(ty) = Type::from_oid(oid).filter(|t| t.is_of_extension()) {
                return Some(NamedType { ty, typmod: -1, domain: None });
            }
            let array = || self.user_type(domain_itself(oid))?.named_array();
            return self.user_type(oid).map(|t| t.named()).or_else(array);
        }
        let schemas = match schema {
            Some(s) => vec![self.schema_named(s)?.oid],
            None => path.to_vec(),
        };
        schemas.into_iter().find_map(|s| {
            let array = || {
                let of = self.type_in(s, name.strip_prefix('_')?)?;
                if of.domain.is_some() {
                    return of.named_array();
                }
                Some(NamedType { ty: of.ty().array_of()?, typmod: -1, domain: None })
            };
            let of_extension = || self.extension_type(s, name);
            let of_row = || self.row_type_in(s, name);
            self.type_in(s, name).map(|t| t.named()).or_else(array).or_else(of_extension).or_else(of_row)
        })
    }

    /// A type that an extension has in a schema.
    fn extension_type(&self, schema: u32, name: &str) -> Option<NamedType> {
        let ty = Type::of_extension(name)?;
        let made = self.extension_named(ty.extension()?)?;
        (made.schema == schema).then_some(NamedType { ty, typmod: -1, domain: None })
    }

    /// The schema that a type of an extension is in, if that was asked for.
    pub fn schema_of_type(&self, ty: Type) -> Option<u32> {
        self.extension_named(ty.extension()?).map(|e| e.schema)
    }

    /// A user's type's name as texts show it, or that of an extension's.
    pub fn type_name(&self, oid: u32, path: &[u32]) -> Option<String> {
        if is_domain_array(oid) && self.domain(domain_itself(oid)).is_some() {
            return self.type_name(domain_itself(oid), path).map(|name| name + "[]");
        }
        let (in_schema, name) = match self.user_type(oid) {
            Some(t) => (t.schema, t.name.as_str()),
            None => {
                let ty = Type::from_oid(oid)?;
                // It has the extension's name.
                (self.schema_of_type(ty)?, ty.extension()?)
            }
        };
        if self.is_found_alone(oid, name, path) {
            return Some(quote_ident(name));
        }
        let schema = self.schema(in_schema).map_or("?", |s| &s.name);
        Some(format!("{}.{}", quote_ident(schema), quote_ident(name)))
    }

    /// Whether a type is found by its name alone: PostgreSQL's own come first.
    pub fn is_found_alone(&self, oid: u32, name: &str, path: &[u32]) -> bool {
        Type::from_name(name).is_none() && self.type_named(None, name, path).is_some_and(|n| n.oid() == oid)
    }

    /// How a type is called in a text that is kept.
    pub fn kept_type_name(oid: u32) -> String {
        format!("{MARK}{oid}\"")
    }

    /// A value of an enum in a text that is kept: by its number.
    pub fn kept_literal(oid: u32, value: u64) -> String {
        format!("{LITERAL}{oid}:{value}'")
    }

    /// The same within the text of an array of them: it begins with a sign that no label needs.
    pub fn kept_element(oid: u32, value: u64) -> String {
        format!("{}{oid}:{value}", &LITERAL[1..])
    }

    /// The text of an array of values of an enum that is kept by their numbers, with the labels that they have now; others stay as they are.
    /// `in_literal`: apostrophes of labels are doubled.
    pub fn array_of_labels(&self, text: &str, in_literal: bool) -> String {
        let (mut out, mut rest) = (String::with_capacity(text.len()), text);
        while let Some(at) = rest.find(&LITERAL[1..]) {
            let (before, mark) = rest.split_at(at);
            out.push_str(before);
            let body = &mark[LITERAL.len() - 1..];
            let end = body.find(|c: char| !c.is_ascii_digit() && c != ':').unwrap_or(body.len());
            let label = body[..end].split_once(':').and_then(|(oid, value)| {
                let (t, value) = (self.user_type(oid.parse().ok()?)?, value.parse::<u64>().ok()?);
                t.labels.iter().find(|l| l.0 == value).map(|l| &l.1)
            });
            match label {
                Some(label) => {
                    out.push('"');
                    label.chars().for_each(|c| {
                        out.extend(['"', '\\'].contains(&c).then_some('\\'));
                        out.extend((in_literal && c == '\'').then_some('\''));
                        out.push(c);
                    });
                    out.push('"');
                }
                None => out.push_str(&mark[..LITERAL.len() - 1 + end]),
            }
            rest = &body[end..];
        }
        out.push_str(rest);
        out
    }

    /// The number that such a literal's content stands for.
    pub fn kept_label(content: &str, oid: u32) -> Option<u64> {
        let (of, value) = content.strip_prefix('\u{1}')?.split_once(':')?;
        (of.parse() == Ok(oid)).then(|| value.parse().ok())?
    }

    /// A kept text with the names that its types and their values have now, and the relations in it.
    pub fn shown_types(&self, text: &str, path: &[u32]) -> String {
        let text = self.shown_literals(&self.shown_relations(text, path), path);
        let text = if text.contains(&LITERAL[1..]) { self.array_of_labels(&text, true) } else { text };
        self.shown_names(&text, path)
    }

    fn shown_relations<'t>(&self, text: &'t str, path: &[u32]) -> Cow<'t, str> {
        let mut shown = Cow::Borrowed(text);
        for oid in Self::relations_in(text) {
            if let Some(relation) = self.relation(oid) {
                let name = quote_literal(&self.qualified_name(&relation, path));
                shown = shown.replace(&Self::kept_relation(oid), &format!("{name}::regclass")).into();
            }
        }
        shown
    }

    fn shown_literals(&self, text: &str, path: &[u32]) -> String {
        let (mut out, mut rest) = (String::with_capacity(text.len()), text);
        while let Some(at) = rest.find(LITERAL) {
            let (before, mark) = rest.split_at(at);
            out.push_str(before);
            let end = mark[1..].find('\'').map_or(mark.len(), |n| n + 2);
            let content = mark[LITERAL.len()..end].trim_end_matches('\'');
            let named = content.split_once(':').and_then(|(oid, value)| {
                let t = self.user_type(oid.parse().ok()?)?;
                let value: u64 = value.parse().ok()?;
                let label = t.labels.iter().find(|l| l.0 == value)?;
                let name = if mark[end..].starts_with("::") { None } else { self.type_name(t.oid, path) };
                let name = name.map_or(String::new(), |n| format!("::{n}"));
                Some(format!("{}{name}", quote_literal(&label.1)))
            });
            out.push_str(&named.unwrap_or_else(|| mark[..end].to_owned()));
            rest = &mark[end..];
        }
        out.push_str(rest);
        out
    }

    fn shown_names(&self, text: &str, path: &[u32]) -> String {
        let (mut out, mut rest) = (String::with_capacity(text.len()), text);
        // Both marks are of one length.
        let of = |text: &str| [text.find(MARK), text.find(COLLATION_MARK)].into_iter().flatten().min();
        while let Some(at) = of(rest) {
            let (before, mark) = rest.split_at(at);
            out.push_str(before);
            let number = &mark[MARK.len()..];
            let end = number.find('"').unwrap_or(number.len());
            let name = |oid| match mark.starts_with(MARK) {
                true => self.type_name(oid, path),
                false => self.has_collation(oid).then(|| self.shown_collation(oid, path)),
            };
            match number[..end].parse().ok().and_then(name) {
                Some(name) => out.push_str(&name),
                None => out.push_str(&mark[..MARK.len() + end]),
            }
            rest = number.get(end + 1..).unwrap_or_default();
        }
        out.push_str(rest);
        out
    }

    /// A relation in a text that is kept, as a regclass: by its OID.
    pub fn kept_relation(oid: u32) -> String {
        format!("'{oid}'::regclass")
    }

    /// Whether a kept text names a relation so.
    pub fn text_names_relation(text: &str, oid: u32) -> bool {
        Self::relations_in(text).any(|named| named == oid)
    }

    /// The relations that a kept text names so.
    pub fn relations_in(text: &str) -> impl Iterator<Item = u32> {
        text.match_indices("'::regclass").filter_map(|(at, _)| text[..at].rsplit('\'').next()?.parse().ok())
    }

    /// Whether a kept text names a type.
    pub fn text_has_type(text: &str, oid: u32) -> bool {
        text.contains(&Self::kept_type_name(oid)) || text.contains(&format!("{}{oid}:", &LITERAL[1..]))
    }
}
