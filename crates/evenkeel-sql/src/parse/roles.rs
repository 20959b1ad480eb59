//! CREATE, ALTER and DROP ROLE, USER and GROUP; ALTER … OWNER TO; REASSIGN and DROP OWNED.
//!
//! Must not know: what the statements do.

use super::authority::{AuthorityStmt, OwnedKind, RoleOptions, RoleSpec, SettingChange};
use super::cursor::{Cursor, position_of};
use super::stmt::{Name, Stmt};
use super::utility::{set_path, set_value, setting_name};
use evenkeel_types::error::{SqlError, SqlState};
use sqlparser::tokenizer::Token;

/// Parses the statement if it is one of these.
pub(super) fn parse(c: &mut Cursor<'_>) -> Result<Option<Stmt>, SqlError> {
    let is_role = |n| ["role", "user", "group"].iter().any(|w| c.word_is(n, w));
    let mapping = c.word_is(1, "user") && c.word_is(2, "mapping");
    let stmt = if c.word_is(0, "create") && is_role(1) && !mapping {
        create(c)?
    } else if c.word_is(0, "alter") && is_role(1) && !mapping {
        alter(c)?
    } else if c.word_is(0, "drop") && is_role(1) && !mapping {
        c.skip(2);
        let if_exists = c.take(&["if", "exists"]);
        AuthorityStmt::DropRole { roles: role_list(c)?, if_exists }
    } else if c.word_is(0, "alter") && c.word_is(1, "database") && is_database_setting(c) {
        c.skip(2);
        let database = c.ident()?;
        AuthorityStmt::DatabaseSetting { database, change: setting_change(c)? }
    } else if c.word_is(0, "reassign") {
        c.skip(1);
        c.expect("owned")?;
        c.expect("by")?;
        let from = role_list(c)?;
        c.expect("to")?;
        AuthorityStmt::Reassign { from, to: role(c)? }
    } else if c.word_is(0, "drop") && c.word_is(1, "owned") {
        c.skip(2);
        c.expect("by")?;
        let by = role_list(c)?;
        let cascade = c.cascade();
        AuthorityStmt::DropOwned { by, cascade }
    } else if c.word_is(0, "alter")
        && let Some(stmt) = owner(c)?
    {
        stmt
    } else {
        return super::grant::parse(c);
    };
    c.expect_end()?;
    Ok(Some(Stmt::Authority(Box::new(stmt))))
}

fn is_database_setting(c: &Cursor<'_>) -> bool {
    c.word_is(3, "set") && !c.word_is(4, "tablespace") || c.word_is(3, "reset")
}

/// A role, by name or as CURRENT_USER and the like.
pub(super) fn role(c: &mut Cursor<'_>) -> Result<RoleSpec, SqlError> {
    for (word, spec) in [
        ("current_user", RoleSpec::Current("CURRENT_USER")),
        ("current_role", RoleSpec::Current("CURRENT_ROLE")),
        ("session_user", RoleSpec::Session),
    ] {
        if c.take(&[word]) {
            return Ok(spec);
        }
    }
    let place = c.rest().first().and_then(|t| position_of(c.source(), t.span.start));
    Ok(match c.ident()? {
        name if name == "public" => RoleSpec::Public,
        name if name == "none" => {
            return Err(place.into_iter().fold(reserved(&name), SqlError::with_position));
        }
        name => RoleSpec::Name(name),
    })
}

fn reserved(name: &str) -> SqlError {
    SqlError::new(SqlState::RESERVED_NAME, format!("role name \"{name}\" is reserved"))
}

/// Roles, separated by commas.
pub(super) fn role_list(c: &mut Cursor<'_>) -> Result<Vec<RoleSpec>, SqlError> {
    let mut roles = vec![role(c)?];
    while c.take_token(&Token::Comma) {
        roles.push(role(c)?);
    }
    Ok(roles)
}

/// The name of a role that is made or renamed.
fn role_name(c: &mut Cursor<'_>) -> Result<String, SqlError> {
    match role(c)? {
        RoleSpec::Name(name) => Ok(name),
        RoleSpec::Public => Err(reserved("public")),
        RoleSpec::Session => Err(no_name("SESSION_USER")),
        RoleSpec::Current(word) => Err(no_name(word)),
    }
}

fn no_name(word: &str) -> SqlError {
    SqlError::new(SqlState::RESERVED_NAME, format!("{word} cannot be used as a role name here"))
}

fn create(c: &mut Cursor<'_>) -> Result<AuthorityStmt, SqlError> {
    let is_user = c.word_is(1, "user");
    c.skip(2);
    let name = role_name(c)?;
    c.take(&["with"]);
    Ok(AuthorityStmt::CreateRole { name, is_user, options: options(c, true)? })
}

fn alter(c: &mut Cursor<'_>) -> Result<AuthorityStmt, SqlError> {
    let is_group = c.word_is(1, "group");
    c.skip(2);
    if c.word_is(0, "all") && ["in", "set", "reset"].iter().any(|w| c.word_is(1, w)) {
        c.skip(1);
        return role_setting(c, None);
    }
    if c.word_is(1, "rename") {
        let name = role_name(c)?;
        c.skip(1);
        c.expect("to")?;
        return Ok(AuthorityStmt::RenameRole { name, new_name: role_name(c)? });
    }
    let spec = role(c)?;
    if is_group {
        let add = c.take(&["add"]);
        if !add {
            c.expect("drop")?;
        }
        c.expect("user")?;
        return Ok(AuthorityStmt::AlterGroup { group: spec, add, members: role_list(c)? });
    }
    if ["set", "reset"].iter().any(|w| c.word_is(0, w)) || c.word_is(0, "in") && c.word_is(1, "database") {
        return role_setting(c, Some(spec));
    }
    c.take(&["with"]);
    Ok(AuthorityStmt::AlterRole { role: spec, options: options(c, false)? })
}

fn role_setting(c: &mut Cursor<'_>, role: Option<RoleSpec>) -> Result<AuthorityStmt, SqlError> {
    let database = if c.take(&["in", "database"]) { Some(c.ident()?) } else { None };
    Ok(AuthorityStmt::RoleSetting { role, database, change: setting_change(c)? })
}

fn setting_change(c: &mut Cursor<'_>) -> Result<SettingChange, SqlError> {
    if c.take(&["reset"]) {
        let name = setting_name(c)?;
        return Ok(if name == "all" { SettingChange::ResetAll } else { SettingChange::Reset(name) });
    }
    c.expect("set")?;
    let time_zone = c.word_is(0, "time") && c.word_is(1, "zone");
    let name = setting_name(c)?;
    if c.take(&["from", "current"]) {
        return Ok(SettingChange::FromCurrent(name));
    }
    if !time_zone && !c.take_token(&Token::Eq) {
        c.expect("to")?;
    }
    let value = if name == "search_path" { set_path(c)? } else { set_value(c, &name)? };
    Ok(SettingChange::Set(name, value))
}

/// Puts an option that may be named once.
fn once<T>(slot: &mut Option<T>, value: T) -> Result<(), SqlError> {
    match slot.replace(value) {
        None => Ok(()),
        Some(_) => Err(SqlError::new(SqlState::SYNTAX_ERROR, "conflicting or redundant options")),
    }
}

fn options(c: &mut Cursor<'_>, creates: bool) -> Result<RoleOptions, SqlError> {
    let mut o = RoleOptions::default();
    while !c.at_end() {
        let unquoted = matches!(c.peek(), Some(Token::Word(w)) if w.quote_style.is_none());
        if !unquoted {
            return Err(c.syntax_error());
        }
        let word = c.ident()?;
        match word.as_str() {
            "encrypted" if c.word_is(0, "password") => {}
            "unencrypted" if c.word_is(0, "password") => {
                return Err(SqlError::unsupported("UNENCRYPTED PASSWORD is no longer supported")
                    .with_hint("Remove UNENCRYPTED to store the password in encrypted form instead."));
            }
            "password" => {
                let password = if c.take(&["null"]) { None } else { Some(c.string()?) };
                once(&mut o.password, password)?;
            }
            "connection" => {
                c.expect("limit")?;
                once(&mut o.connection_limit, c.integer()?)?;
            }
            "valid" => {
                c.expect("until")?;
                once(&mut o.valid_until, c.string()?)?;
            }
            "sysid" if creates => drop(c.integer()?),
            "in" if creates && (c.take(&["role"]) || c.take(&["group"])) => o.in_roles.extend(role_list(c)?),
            "role" | "user" if creates => o.members.extend(role_list(c)?),
            "admin" if creates => o.admins.extend(role_list(c)?),
            "user" => o.members.extend(role_list(c)?),
            _ => flag(&mut o, &word)?,
        }
    }
    Ok(o)
}

fn flag(o: &mut RoleOptions, word: &str) -> Result<(), SqlError> {
    let (name, on) = match word.strip_prefix("no") {
        Some(name) => (name, false),
        None => (word, true),
    };
    let slot = match name {
        "superuser" => &mut o.superuser,
        "inherit" => &mut o.inherit,
        "createrole" => &mut o.create_role,
        "createdb" => &mut o.create_db,
        "login" => &mut o.can_login,
        "replication" => &mut o.replication,
        "bypassrls" => &mut o.bypass_rls,
        _ => {
            let message = format!("unrecognized role option \"{word}\"");
            return Err(SqlError::new(SqlState::SYNTAX_ERROR, message));
        }
    };
    once(slot, on)
}

/// `ALTER kind name OWNER TO role`.
fn owner(c: &mut Cursor<'_>) -> Result<Option<AuthorityStmt>, SqlError> {
    let rest = c.rest().len();
    let ends = |n: usize, word: &str| rest > n && c.word_is(rest - n, word);
    if !(ends(3, "owner") && ends(2, "to")) {
        return Ok(None);
    }
    const KINDS: [(&[&str], OwnedKind); 11] = [
        (&["index"], OwnedKind::Index),
        (&["table"], OwnedKind::Table),
        (&["foreign", "table"], OwnedKind::Table),
        (&["view"], OwnedKind::View),
        (&["materialized", "view"], OwnedKind::MaterializedView),
        (&["sequence"], OwnedKind::Sequence),
        (&["schema"], OwnedKind::Schema),
        (&["database"], OwnedKind::Database),
        (&["type"], OwnedKind::Type),
        (&["domain"], OwnedKind::Domain),
        (&["collation"], OwnedKind::Collation),
    ];
    const OTHERS: [&str; 13] = [
        "function",
        "procedure",
        "routine",
        "aggregate",
        "language",
        "operator",
        "conversion",
        "event",
        "publication",
        "server",
        "statistics",
        "text",
        "tablespace",
    ];
    let start = c.clone();
    c.skip(1);
    if c.take(&["large", "object"]) {
        let name = Name { schema: None, name: c.integer()?.to_string() };
        c.expect("owner")?;
        c.expect("to")?;
        let (kind, to) = (OwnedKind::LargeObject, role(c)?);
        return Ok(Some(AuthorityStmt::Owner { kind, name, if_exists: false, to }));
    }
    let found = KINDS.iter().find(|(words, _)| c.take(words)).map(|k| k.1);
    let Some(kind) = found else {
        let Some(word) = OTHERS.iter().find(|w| c.word_is(0, w)) else { return Err(c.syntax_error()) };
        // Their names come in many forms.
        c.skip(1);
        let name = c.name().unwrap_or(Name { schema: None, name: String::new() });
        c.skip(c.rest().len() - 1);
        return Ok(Some(AuthorityStmt::Owner {
            kind: OwnedKind::Other(word),
            name,
            if_exists: false,
            to: role(c)?,
        }));
    };
    let if_exists = c.take(&["if", "exists"]);
    c.take(&["only"]);
    let name = c.name()?;
    c.take_token(&Token::Mul);
    if !c.word_is(0, "owner") {
        // One change of several.
        *c = start;
        return Ok(None);
    }
    c.expect("owner")?;
    c.expect("to")?;
    Ok(Some(AuthorityStmt::Owner { kind, name, if_exists, to: role(c)? }))
}
