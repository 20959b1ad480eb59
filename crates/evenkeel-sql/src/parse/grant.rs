//! GRANT, REVOKE and ALTER DEFAULT PRIVILEGES.
//!
//! Must not know: what the statements do.

use super::authority::{AuthorityStmt, Grant, GrantOn, GrantRole, MembershipOptions, NamedColumns};
use super::cursor::Cursor;
use super::roles::{role, role_list};
use super::stmt::{Name, Stmt};
use crate::catalog::security::acl::Class;
use evenkeel_types::error::{SqlError, SqlState};
use sqlparser::tokenizer::Token;

/// Parses the statement if it is one of these.
pub(super) fn parse(c: &mut Cursor<'_>) -> Result<Option<Stmt>, SqlError> {
    let stmt = if c.word_is(0, "grant") || c.word_is(0, "revoke") {
        grant(c, false)?
    } else if c.word_is(0, "alter") && c.word_is(1, "default") && c.word_is(2, "privileges") {
        c.skip(3);
        default_privileges(c)?
    } else {
        return Ok(None);
    };
    c.expect_end()?;
    Ok(Some(Stmt::Authority(Box::new(stmt))))
}

fn default_privileges(c: &mut Cursor<'_>) -> Result<AuthorityStmt, SqlError> {
    let (mut roles, mut schemas) = (Vec::new(), Vec::new());
    loop {
        if c.take(&["for", "role"]) || c.take(&["for", "user"]) {
            roles.extend(role_list(c)?);
        } else if c.take(&["in", "schema"]) {
            schemas.extend(ident_list(c)?);
        } else {
            break;
        }
    }
    match grant(c, true)? {
        AuthorityStmt::Grant(grant) => Ok(AuthorityStmt::DefaultPrivileges { roles, schemas, grant }),
        _ => Err(c.syntax_error()),
    }
}

fn ident_list(c: &mut Cursor<'_>) -> Result<Vec<String>, SqlError> {
    let mut all = vec![c.ident()?];
    while c.take_token(&Token::Comma) {
        all.push(c.ident()?);
    }
    Ok(all)
}

fn grant(c: &mut Cursor<'_>, defaults: bool) -> Result<AuthorityStmt, SqlError> {
    let is_grant = c.take(&["grant"]);
    if !is_grant {
        c.expect("revoke")?;
    }
    let mut option = false;
    let mut options = MembershipOptions::default();
    if !is_grant {
        option = c.take(&["grant", "option", "for"]);
        for (word, slot) in
            [("admin", &mut options.admin), ("inherit", &mut options.inherit), ("set", &mut options.set)]
        {
            if c.take(&[word, "option", "for"]) {
                *slot = Some(false);
            }
        }
    }
    let privileges = privileges(c)?;
    if !c.take(&["on"]) {
        let roles = privileges.ok_or_else(|| c.syntax_error())?;
        if defaults || option || roles.iter().any(|(_, columns)| !columns.is_empty()) {
            return Err(c.syntax_error());
        }
        let roles = roles.into_iter().map(|(name, _)| name).collect();
        return grant_role(c, is_grant, roles, options);
    }
    let on = if defaults { kind_of_defaults(c)? } else { objects(c)? };
    c.expect(if is_grant { "to" } else { "from" })?;
    let mut grantees = Vec::new();
    loop {
        c.take(&["group"]);
        grantees.push(role(c)?);
        if !c.take_token(&Token::Comma) {
            break;
        }
    }
    option |= is_grant && c.take(&["with", "grant", "option"]);
    let grantor = if !defaults && c.take(&["granted", "by"]) { Some(role(c)?) } else { None };
    let cascade = !is_grant && c.cascade();
    let upper = |list: Vec<NamedColumns>| {
        list.into_iter().map(|(name, columns)| (name.to_ascii_uppercase(), columns)).collect()
    };
    let privileges = privileges.map(upper);
    Ok(AuthorityStmt::Grant(Grant { is_grant, option, privileges, on, grantees, grantor, cascade }))
}

/// Privileges with their columns, or names of roles; None: ALL.
fn privileges(c: &mut Cursor<'_>) -> Result<Option<Vec<NamedColumns>>, SqlError> {
    if c.take(&["all"]) {
        c.take(&["privileges"]);
        let columns = c.optional_columns()?;
        return Ok(if columns.is_empty() { None } else { Some(vec![("all".into(), columns)]) });
    }
    let mut list = Vec::new();
    loop {
        let name = if c.take(&["alter", "system"]) { "alter system".into() } else { c.ident()? };
        list.push((name, c.optional_columns()?));
        if !c.take_token(&Token::Comma) {
            return Ok(Some(list));
        }
    }
}

fn grant_role(
    c: &mut Cursor<'_>,
    is_grant: bool,
    roles: Vec<String>,
    mut options: MembershipOptions,
) -> Result<AuthorityStmt, SqlError> {
    c.expect(if is_grant { "to" } else { "from" })?;
    let members = role_list(c)?;
    if is_grant && c.take(&["with"]) {
        loop {
            let word = c.ident()?;
            let slot = match word.as_str() {
                "admin" => &mut options.admin,
                "inherit" => &mut options.inherit,
                "set" => &mut options.set,
                _ => {
                    let message = format!("unrecognized role option \"{word}\"");
                    return Err(SqlError::new(SqlState::SYNTAX_ERROR, message));
                }
            };
            *slot = Some(if c.take(&["option"]) { true } else { c.optional_bool()? });
            if !c.take_token(&Token::Comma) {
                break;
            }
        }
    }
    let grantor = if c.take(&["granted", "by"]) { Some(role(c)?) } else { None };
    let cascade = !is_grant && c.cascade();
    Ok(AuthorityStmt::GrantRole(GrantRole { is_grant, roles, members, options, grantor, cascade }))
}

fn on(class: Class, word: &str) -> GrantOn {
    GrantOn { class, word: word.to_uppercase(), names: Vec::new(), arguments: Vec::new(), all_in: false }
}

/// The kinds in the plural, as ALTER DEFAULT PRIVILEGES and ALL … IN SCHEMA name them.
fn plural(c: &mut Cursor<'_>) -> Option<GrantOn> {
    let kinds = [
        ("tables", Class::Table, "TABLE"),
        ("sequences", Class::Sequence, "SEQUENCE"),
        ("functions", Class::Function, "FUNCTION"),
        ("procedures", Class::Function, "PROCEDURE"),
        ("routines", Class::Function, "ROUTINE"),
    ];
    kinds.into_iter().find(|k| c.take(&[k.0])).map(|(_, class, word)| on(class, word))
}

fn kind_of_defaults(c: &mut Cursor<'_>) -> Result<GrantOn, SqlError> {
    if let Some(kind) = plural(c) {
        return Ok(kind);
    }
    if c.take(&["types"]) {
        return Ok(on(Class::Type, "TYPE"));
    }
    if c.take(&["schemas"]) {
        return Ok(on(Class::Schema, "SCHEMA"));
    }
    if c.take(&["large", "objects"]) {
        return Ok(on(Class::LargeObject, "LARGE OBJECT"));
    }
    Err(c.syntax_error())
}

fn objects(c: &mut Cursor<'_>) -> Result<GrantOn, SqlError> {
    let start = c.clone();
    if c.take(&["all"]) {
        if let Some(mut found) = plural(c) {
            c.expect("in")?;
            c.expect("schema")?;
            found.names = plain_names(c)?;
            found.all_in = true;
            return Ok(found);
        }
        *c = start;
    }
    const KINDS: [(&[&str], Class); 14] = [
        (&["table"], Class::Table),
        (&["sequence"], Class::Sequence),
        (&["database"], Class::Database),
        (&["domain"], Class::Type),
        (&["type"], Class::Type),
        (&["schema"], Class::Schema),
        (&["language"], Class::Language),
        (&["tablespace"], Class::Tablespace),
        (&["foreign", "data", "wrapper"], Class::ForeignWrapper),
        (&["foreign", "server"], Class::ForeignServer),
        (&["parameter"], Class::Parameter),
        (&["function"], Class::Function),
        (&["procedure"], Class::Function),
        (&["routine"], Class::Function),
    ];
    if c.take(&["large", "object"]) {
        let mut found = on(Class::LargeObject, "LARGE OBJECT");
        loop {
            found.names.push(Name { schema: None, name: c.integer()?.to_string() });
            if !c.take_token(&Token::Comma) {
                return Ok(found);
            }
        }
    }
    // A table may have the name of a kind.
    let is_alone = c.word_is(1, "to") || c.word_is(1, "from") || c.peek_nth(1) == Some(&Token::Comma);
    let kind = if is_alone { None } else { KINDS.iter().find(|(words, _)| c.take(words)) };
    let Some((words, class)) = kind else {
        let names = c.names()?;
        return Ok(GrantOn { names, ..on(Class::Table, "TABLE") });
    };
    let mut found = on(*class, &words.join(" "));
    match class {
        Class::Table | Class::Sequence | Class::Type => found.names = c.names()?,
        Class::Function => loop {
            found.names.push(c.name()?);
            found.arguments.push(arguments(c)?);
            if !c.take_token(&Token::Comma) {
                break;
            }
        },
        Class::Parameter => loop {
            let name = super::utility::setting_name(c)?;
            found.names.push(Name { schema: None, name });
            if !c.take_token(&Token::Comma) {
                break;
            }
        },
        _ => found.names = plain_names(c)?,
    }
    Ok(found)
}

fn plain_names(c: &mut Cursor<'_>) -> Result<Vec<Name>, SqlError> {
    Ok(ident_list(c)?.into_iter().map(|name| Name { schema: None, name }).collect())
}

/// The types of a function's arguments, as written; None: it has no parentheses.
fn arguments(c: &mut Cursor<'_>) -> Result<Option<Vec<String>>, SqlError> {
    if !c.take_token(&Token::LParen) {
        return Ok(None);
    }
    let (mut all, mut words, mut depth) = (Vec::new(), Vec::new(), 0);
    loop {
        let Some(token) = c.next() else { return Err(c.syntax_error()) };
        match token {
            Token::RParen if depth == 0 => {
                if !words.is_empty() {
                    all.push(words.join(" "));
                }
                return Ok(Some(all));
            }
            Token::Comma if depth == 0 => all.push(std::mem::take(&mut words).join(" ")),
            Token::LParen => {
                depth += 1;
                words.push("(".into());
            }
            Token::RParen => {
                depth -= 1;
                words.push(")".into());
            }
            other => words.push(other.to_string().to_lowercase()),
        }
    }
}
