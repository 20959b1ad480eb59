//! Access control lists: which role has which privileges, and who granted them.
//!
//! Invariants:
//! 1. A list has one item for each pair of grantee and grantor, and no item without a privilege.
//! 2. Whoever grants a privilege has its grant option, or is the owner: what rests on a grant option goes with it.
//!
//! Must not know: what the privileges are on.

use super::Security;
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::quote_ident;

/// A set of privileges in the low half, and of their grant options in the high half.
pub type Privileges = u32;

/// INSERT
pub const INSERT: Privileges = 1;
/// SELECT
pub const SELECT: Privileges = 1 << 1;
/// UPDATE
pub const UPDATE: Privileges = 1 << 2;
/// DELETE
pub const DELETE: Privileges = 1 << 3;
/// TRUNCATE
pub const TRUNCATE: Privileges = 1 << 4;
/// REFERENCES
pub const REFERENCES: Privileges = 1 << 5;
/// TRIGGER
pub const TRIGGER: Privileges = 1 << 6;
/// EXECUTE
pub const EXECUTE: Privileges = 1 << 7;
/// USAGE
pub const USAGE: Privileges = 1 << 8;
/// CREATE
pub const CREATE: Privileges = 1 << 9;
/// TEMPORARY
pub const TEMPORARY: Privileges = 1 << 10;
/// CONNECT
pub const CONNECT: Privileges = 1 << 11;
/// SET
pub const SET: Privileges = 1 << 12;
/// ALTER SYSTEM
pub const ALTER_SYSTEM: Privileges = 1 << 13;
/// MAINTAIN
pub const MAINTAIN: Privileges = 1 << 14;

/// Privileges that a column can have.
pub const ALL_COLUMN: Privileges = INSERT | SELECT | UPDATE | REFERENCES;
/// The grantee PUBLIC.
pub const PUBLIC: u32 = 0;

/// The letters of privileges, by their bits.
const LETTERS: &[u8] = b"arwdDxtXUCTcsAm";
/// Their names, by their bits.
const NAMES: [&str; 15] = [
    "INSERT",
    "SELECT",
    "UPDATE",
    "DELETE",
    "TRUNCATE",
    "REFERENCES",
    "TRIGGER",
    "EXECUTE",
    "USAGE",
    "CREATE",
    "TEMPORARY",
    "CONNECT",
    "SET",
    "ALTER SYSTEM",
    "MAINTAIN",
];

/// The grant options of privileges.
pub const fn options_for(privileges: Privileges) -> Privileges {
    (privileges & 0xffff) << 16
}

/// The privileges of grant options.
pub const fn of_options(options: Privileges) -> Privileges {
    options >> 16
}

/// A privilege by its name in upper case.
pub fn privilege_named(name: &str) -> Option<Privileges> {
    let name = if name == "TEMP" { "TEMPORARY" } else { name };
    NAMES.iter().position(|n| *n == name).map(|n| 1 << n)
}

/// The privileges of a set with their names.
pub fn names_of(privileges: Privileges) -> impl Iterator<Item = (Privileges, &'static str)> {
    NAMES.iter().enumerate().map(|(n, name)| (1 << n, *name)).filter(move |(bit, _)| privileges & bit != 0)
}

/// What privileges are on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs)] // SQL's names.
pub enum Class {
    Table,
    Sequence,
    Column,
    Schema,
    Database,
    Function,
    Type,
    Language,
    Tablespace,
    ForeignWrapper,
    ForeignServer,
    LargeObject,
    Parameter,
}

impl Class {
    /// All privileges that there are on it.
    pub fn all(self) -> Privileges {
        match self {
            Class::Table => INSERT | SELECT | UPDATE | DELETE | TRUNCATE | REFERENCES | TRIGGER | MAINTAIN,
            Class::Sequence => USAGE | SELECT | UPDATE,
            Class::Column => ALL_COLUMN,
            Class::Schema => USAGE | CREATE,
            Class::Database => CREATE | TEMPORARY | CONNECT,
            Class::Function => EXECUTE,
            Class::Type | Class::Language | Class::ForeignWrapper | Class::ForeignServer => USAGE,
            Class::Tablespace => CREATE,
            Class::LargeObject => SELECT | UPDATE,
            Class::Parameter => SET | ALTER_SYSTEM,
        }
    }

    /// What everybody has on it by default.
    fn world(self) -> Privileges {
        match self {
            Class::Database => TEMPORARY | CONNECT,
            Class::Function => EXECUTE,
            Class::Type | Class::Language => USAGE,
            _ => 0,
        }
    }

    /// The list of an object that has none of its own.
    pub fn default_acl(self, owner: u32) -> Acl {
        let (world, own) = (self.world(), if self == Class::Column { 0 } else { self.all() });
        let mut items = Vec::new();
        if world != 0 {
            items.push(AclItem { grantee: PUBLIC, grantor: owner, privileges: world });
        }
        if own != 0 {
            items.push(AclItem { grantee: owner, grantor: owner, privileges: own });
        }
        Acl(items)
    }

    /// How errors call it: `permission denied for …`.
    pub fn noun(self) -> &'static str {
        match self {
            Class::Table => "table",
            Class::Sequence => "sequence",
            Class::Column => "column",
            Class::Schema => "schema",
            Class::Database => "database",
            Class::Function => "function",
            Class::Type => "type",
            Class::Language => "language",
            Class::Tablespace => "tablespace",
            Class::ForeignWrapper => "foreign-data wrapper",
            Class::ForeignServer => "foreign server",
            Class::LargeObject => "large object",
            Class::Parameter => "parameter",
        }
    }
}

/// What one role granted another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AclItem {
    /// Who has it; `PUBLIC`: everybody.
    pub grantee: u32,
    /// Who granted it.
    pub grantor: u32,
    /// What.
    pub privileges: Privileges,
}

/// A list of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Acl(pub Vec<AclItem>);

/// Whether a change adds or takes away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// GRANT
    Add,
    /// REVOKE … RESTRICT
    Restrict,
    /// REVOKE … CASCADE
    Cascade,
}

impl Acl {
    /// What of `mask` a role has, itself, by PUBLIC or by roles whose privileges it has.
    pub fn mask(&self, s: &Security, role: u32, owner: u32, mask: Privileges) -> Privileges {
        let mut result = 0;
        // The owner has all grant options.
        if mask & 0xffff_0000 != 0 && s.has_privileges_of(role, owner) {
            result |= mask & 0xffff_0000;
        }
        for item in &self.0 {
            if item.privileges & mask & !result != 0
                && (item.grantee == PUBLIC || s.has_privileges_of(role, item.grantee))
            {
                result |= item.privileges & mask;
            }
        }
        result
    }

    /// What of `mask` a role has itself, or by PUBLIC.
    fn direct(&self, role: u32, owner: u32, mask: Privileges) -> Privileges {
        let of_owner = if role == owner { mask & 0xffff_0000 } else { 0 };
        let items = self.0.iter().filter(|i| i.grantee == PUBLIC || i.grantee == role);
        items.fold(of_owner, |all, i| all | i.privileges & mask)
    }

    /// Who grants privileges when `role` does so, and the grant options that it has of them.
    pub fn best_grantor(
        &self,
        s: &Security,
        role: u32,
        privileges: Privileges,
        owner: u32,
    ) -> (u32, Privileges) {
        let needed = options_for(privileges);
        if role == owner || s.is_superuser(role) {
            return (owner, needed);
        }
        let (mut grantor, mut best): (u32, Privileges) = (role, 0);
        for other in s.inherited(role) {
            if other == owner {
                return (owner, needed);
            }
            let has = self.direct(other, owner, needed);
            if has == needed {
                return (other, needed);
            }
            if has.count_ones() > best.count_ones() {
                (grantor, best) = (other, has);
            }
        }
        (grantor, best)
    }

    /// Adds or takes away what an item says.
    pub fn change(&mut self, s: &Security, item: AclItem, mode: Mode, owner: u32) -> Result<(), SqlError> {
        if mode == Mode::Add && item.grantee != PUBLIC {
            self.check_circle(s, item, owner)?;
        }
        let found = self.0.iter().position(|i| i.grantee == item.grantee && i.grantor == item.grantor);
        let at = found.unwrap_or_else(|| {
            self.0.push(AclItem { privileges: 0, ..item });
            self.0.len() - 1
        });
        let before = self.0[at].privileges;
        let now = if mode == Mode::Add { before | item.privileges } else { before & !item.privileges };
        self.0[at].privileges = now;
        if now == 0 {
            self.0.remove(at); // invariant 1
        }
        let lost = of_options(before & !now);
        if lost != 0 && item.grantee != PUBLIC {
            self.revoke_below(s, item.grantee, lost, owner, mode)?; // invariant 2
        }
        Ok(())
    }

    /// Takes away what a role granted by grant options that it has no longer.
    fn revoke_below(
        &mut self,
        s: &Security,
        role: u32,
        lost: Privileges,
        owner: u32,
        mode: Mode,
    ) -> Result<(), SqlError> {
        if role == owner {
            return Ok(());
        }
        let lost = lost & !of_options(self.mask(s, role, owner, options_for(lost)));
        while let Some(item) = self.0.iter().find(|i| i.grantor == role && i.privileges & lost != 0).copied()
        {
            if mode == Mode::Restrict {
                return Err(dependent_privileges());
            }
            let taken = AclItem { privileges: lost | options_for(lost), ..item };
            self.change(s, taken, mode, owner)?;
        }
        Ok(())
    }

    /// A grant option must not come back to whom the grantor has it from.
    fn check_circle(&self, s: &Security, item: AclItem, owner: u32) -> Result<(), SqlError> {
        if item.grantor == owner {
            return Ok(());
        }
        let mut without = self.clone();
        while let Some(own) =
            without.0.iter().find(|i| i.grantee == item.grantee && of_options(i.privileges) != 0).copied()
        {
            let options = of_options(own.privileges);
            let taken = AclItem { privileges: options | options_for(options), ..own };
            without.change(s, taken, Mode::Cascade, owner)?;
        }
        let options = item.privileges & 0xffff_0000;
        if options & !without.mask(s, item.grantor, owner, options) != 0 {
            return Err(SqlError::new(
                SqlState::INVALID_GRANT_OPERATION,
                "grant options cannot be granted back to your own grantor",
            ));
        }
        Ok(())
    }

    /// After a change of owner: what the old one granted and had is the new one's.
    pub fn give_to(&mut self, old: u32, new: u32) {
        let mut items: Vec<AclItem> = Vec::with_capacity(self.0.len());
        for item in &self.0 {
            let swap = |role| if role == old { new } else { role };
            let item = AclItem { grantee: swap(item.grantee), grantor: swap(item.grantor), ..*item };
            match items.iter_mut().find(|i| i.grantee == item.grantee && i.grantor == item.grantor) {
                Some(same) => same.privileges |= item.privileges,
                None => items.push(item),
            }
        }
        self.0 = items;
    }

    /// Takes out all that names a role.
    pub fn forget(&mut self, s: &Security, role: u32, owner: u32) -> Result<(), SqlError> {
        while let Some(item) = self.0.iter().find(|i| i.grantee == role).copied() {
            let all = AclItem { privileges: u32::MAX, ..item };
            self.change(s, all, Mode::Cascade, owner)?;
        }
        self.0.retain(|i| i.grantor != role || role == owner);
        Ok(())
    }

    /// Brings default privileges into the order that they are shown in.
    pub fn sort(&mut self) {
        self.0.sort_by_key(|i| (i.grantee, i.grantor, i.privileges));
    }

    /// The roles that it names.
    pub fn roles(&self) -> impl Iterator<Item = u32> {
        self.0.iter().flat_map(|i| [i.grantee, i.grantor]).filter(|r| *r != PUBLIC)
    }

    /// Its items as `aclitem` prints them.
    pub fn texts(&self, s: &Security) -> Vec<String> {
        self.0.iter().map(|i| i.text(s)).collect()
    }
}

impl AclItem {
    /// `grantee=privileges/grantor`
    pub fn text(&self, s: &Security) -> String {
        let mut text = if self.grantee == PUBLIC { String::new() } else { role_text(s, self.grantee) };
        text.push('=');
        for (n, letter) in LETTERS.iter().enumerate() {
            if self.privileges & 1 << n != 0 {
                text.push(char::from(*letter));
                if self.privileges & 1 << (n + 16) != 0 {
                    text.push('*');
                }
            }
        }
        text.push('/');
        text.push_str(&role_text(s, self.grantor));
        text
    }
}

impl AclItem {
    /// Reads `grantee=privileges/grantor`.
    pub fn parse(text: &str, s: &Security) -> Result<AclItem, SqlError> {
        let bad = |m: String| SqlError::new(SqlState::INVALID_TEXT_REPRESENTATION, m);
        let (grantee, rest) = role_of(text, s)?;
        let rest = rest.strip_prefix('=').ok_or_else(|| bad("missing \"=\" sign".into()))?;
        let (letters, grantor) = rest.split_once('/').unwrap_or((rest, ""));
        let mut item = AclItem { grantee, grantor: super::roles::BOOTSTRAP_OID, privileges: 0 };
        let mut last = 0;
        for letter in letters.bytes() {
            if letter == b'*' {
                item.privileges |= options_for(last);
                continue;
            }
            let at = LETTERS.iter().position(|l| *l == letter);
            last = 1
                << at.ok_or_else(|| {
                    let known = String::from_utf8_lossy(LETTERS);
                    bad(format!("invalid mode character: must be one of \"{known}\""))
                })?;
            item.privileges |= last;
        }
        if !grantor.is_empty() {
            item.grantor = role_of(grantor, s)?.0;
        }
        Ok(item)
    }
}

/// The role that a list names at the begin of a text, and the rest; no name is PUBLIC.
fn role_of<'t>(text: &'t str, s: &Security) -> Result<(u32, &'t str), SqlError> {
    let (name, rest) = match text.strip_prefix('"') {
        Some(quoted) => {
            let end = quoted.replace("\"\"", "__").find('"').unwrap_or(quoted.len());
            (quoted[..end].replace("\"\"", "\""), quoted.get(end + 1..).unwrap_or(""))
        }
        None => {
            let end = text.find('=').unwrap_or(text.len());
            (text[..end].to_owned(), &text[end..])
        }
    };
    if name.is_empty() {
        return Ok((PUBLIC, rest));
    }
    let found = s.role_named(&name).map(|r| r.oid);
    let oid = found.or_else(|| name.parse().ok()).ok_or_else(|| {
        SqlError::new(SqlState::UNDEFINED_OBJECT, format!("role \"{name}\" does not exist"))
    })?;
    Ok((oid, rest))
}

/// A role's name as lists have it: quoted unless it is of letters, digits and underscores.
fn role_text(s: &Security, oid: u32) -> String {
    let Some(role) = s.role(oid) else { return oid.to_string() };
    let is_safe = role.name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b >= 0x80);
    if is_safe { role.name.clone() } else { format!("\"{}\"", role.name.replace('"', "\"\"")) }
}

/// RESTRICT, and others have it from whom it is taken.
pub fn dependent_privileges() -> SqlError {
    SqlError::new(SqlState::DEPENDENT_OBJECTS_STILL_EXIST, "dependent privileges exist")
        .with_hint("Use CASCADE to revoke them too.")
}

/// `permission denied for table x`
pub fn denied(noun: &str, name: &str) -> SqlError {
    SqlError::new(SqlState::INSUFFICIENT_PRIVILEGE, format!("permission denied for {noun} {name}"))
}

/// `must be owner of table x`
pub fn not_owner(noun: &str, name: &str) -> SqlError {
    SqlError::new(SqlState::INSUFFICIENT_PRIVILEGE, format!("must be owner of {noun} {name}"))
}

/// A role's name as SQL.
pub fn quoted(s: &Security, role: u32) -> String {
    s.role(role).map_or_else(|| role.to_string(), |r| quote_ident(&r.name))
}
