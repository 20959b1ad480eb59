//! Which rule a client meets.
//!
//! Invariants
//! 1. The first rule that fits decides, whatever it says; who fits none stays out.
//!
//! It must not know files, nor how anybody shows who he is.

use std::net::IpAddr;

use evenkeel_sql::{SqlError, SqlState};

use super::rule::{Kind, Method, Place, Rule};
use crate::errors::fatal;

/// Who wants in, and how he has come.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Visitor<'a> {
    /// None: by a Unix socket.
    pub address: Option<IpAddr>,
    pub is_encrypted: bool,
    pub user: &'a str,
    pub database: &'a str,
    pub replication: bool,
}

/// The networks of this machine: addresses with their masks.
pub(crate) type Interfaces = Vec<(IpAddr, IpAddr)>;

/// The rule that decides; an error tells the visitor that none lets him in.
pub(crate) fn find<'r>(
    rules: &'r [Rule],
    visitor: &Visitor<'_>,
    interfaces: &dyn Fn() -> Interfaces,
    is_member: &dyn Fn(&str, &str) -> bool,
) -> Result<&'r Rule, SqlError> {
    let found = rules.iter().find(|rule| fits(rule, visitor, interfaces, is_member));
    let message = match found {
        Some(rule) if rule.method != Method::Reject => return Ok(rule),
        Some(_) if visitor.replication => "pg_hba.conf rejects replication connection for",
        Some(_) => "pg_hba.conf rejects connection for",
        None if visitor.replication => "no pg_hba.conf entry for replication connection from",
        None => "no pg_hba.conf entry for",
    };
    let host = visitor.address.map_or("[local]".to_owned(), |address| address.to_string());
    let encryption = if visitor.is_encrypted { "SSL encryption" } else { "no encryption" };
    let (user, database) = (visitor.user, visitor.database);
    let to = if visitor.replication { String::new() } else { format!(" database \"{database}\",") };
    let message = format!("{message} host \"{host}\", user \"{user}\",{to} {encryption}");
    Err(fatal(SqlState::INVALID_AUTHORIZATION_SPECIFICATION, message))
}

fn fits(
    rule: &Rule,
    visitor: &Visitor<'_>,
    interfaces: &dyn Fn() -> Interfaces,
    is_member: &dyn Fn(&str, &str) -> bool,
) -> bool {
    let comes = match (rule.kind, visitor.address) {
        (Kind::Local, address) => address.is_none(),
        (_, None) => false,
        (Kind::Host | Kind::HostNoGssEnc, _) => true,
        (Kind::HostSsl, _) => visitor.is_encrypted,
        (Kind::HostNoSsl, _) => !visitor.is_encrypted,
        (Kind::HostGssEnc, _) => false,
    };
    comes
        && visitor.address.is_none_or(|address| is_from(address, &rule.place, interfaces))
        && rule.databases.iter().any(|name| {
            let token = &name.token;
            match visitor.replication {
                true => token.is_keyword("replication"),
                false if token.is_keyword("all") => true,
                false if token.is_keyword("sameuser") => visitor.user == visitor.database,
                false if token.is_keyword("samerole") || token.is_keyword("samegroup") => {
                    is_member(visitor.user, visitor.database)
                }
                false if token.is_keyword("replication") => false,
                false => name.is(visitor.database),
            }
        })
        && rule.users.iter().any(|name| match name.role() {
            Some(role) => is_member(visitor.user, role),
            None => name.token.is_keyword("all") || name.is(visitor.user),
        })
}

fn is_from(address: IpAddr, place: &Place, interfaces: &dyn Fn() -> Interfaces) -> bool {
    match place {
        Place::All => true,
        Place::Net(net, mask) => within(address, *net, *mask),
        Place::SameHost => interfaces().iter().any(|(own, _)| *own == address),
        Place::SameNet => interfaces().iter().any(|(own, mask)| within(address, *own, *mask)),
    }
}

fn within(address: IpAddr, net: IpAddr, mask: IpAddr) -> bool {
    match (address, net, mask) {
        (IpAddr::V4(a), IpAddr::V4(n), IpAddr::V4(m)) => (a.to_bits() ^ n.to_bits()) & m.to_bits() == 0,
        (IpAddr::V6(a), IpAddr::V6(n), IpAddr::V6(m)) => (a.to_bits() ^ n.to_bits()) & m.to_bits() == 0,
        _ => false,
    }
}
