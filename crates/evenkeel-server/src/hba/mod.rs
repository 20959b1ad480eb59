//! Rules of who may come in: `pg_hba.conf` and `pg_ident.conf` in the database's folder.
//!
//! Invariants
//! 1. A file with an error is not taken up at all: what was in force before stays, and at the start the server does not.
//!
//! It must not know sockets.
#![doc = include_str!("README.md")]

mod door;
mod ident;
mod lines;
mod names;
mod rule;
#[cfg(test)]
mod tests;

use std::net::IpAddr;
use std::path::Path;

use evenkeel_sql::{HbaShown, IdentShown};
use tracing::{error, warn};

use crate::settings::{Id, ServerSettings};

pub(crate) use door::{Visitor, find};
pub(crate) use ident::{Mapping, may_be};
use lines::Line;
pub(crate) use rule::{ClientCert, Method, Rule};

/// The file of rules,
pub(crate) const RULES: &str = "pg_hba.conf";
/// and that of maps.
const MAPS: &str = "pg_ident.conf";

/// A file that was not taken up, by its name. Why stands in the log.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("could not load {0}")]
pub struct BadRules(String);

impl BadRules {
    /// The file.
    pub fn file(&self) -> &str {
        &self.0
    }
}

/// Whether there are rules. All that is wrong with them, and with the maps, goes to the log.
///
/// # Errors
/// A server would not start with them, and one that runs not take them up.
pub fn check(settings: &ServerSettings, folder: Option<&Path>) -> Result<bool, BadRules> {
    let rules = load(folder, settings.number(Id::Ssl) != 0)?;
    load_maps(folder)?;
    Ok(rules.is_some())
}

/// Reads the rules, if there are any; `ssl`: connections may be encrypted.
pub(crate) fn load(folder: Option<&Path>, ssl: bool) -> Result<Option<Vec<Rule>>, BadRules> {
    let Some(path) = folder.map(|folder| folder.join(RULES)).filter(|path| is_there(path)) else {
        return Ok(None);
    };
    let bad = || BadRules(path.display().to_string());
    let lines = lines::read(&path).map_err(|e| {
        error!("{e}");
        bad()
    })?;
    let rules = parsed(&lines, Rule::parse).ok_or_else(bad)?;
    if rules.is_empty() {
        error!("configuration file \"{}\" contains no entries", path.display());
        return Err(bad());
    }
    for rule in &rules {
        if let Some(why) = rule.idle(ssl) {
            warn!("{why} (line {} of configuration file \"{}\")", rule.line, rule.file);
        }
    }
    Ok(Some(rules))
}

/// Reads the maps; none where there is no file.
pub(crate) fn load_maps(folder: Option<&Path>) -> Result<Vec<Mapping>, BadRules> {
    let Some(path) = folder.map(|folder| folder.join(MAPS)).filter(|path| is_there(path)) else {
        return Ok(Vec::new());
    };
    let bad = || BadRules(path.display().to_string());
    let lines = lines::read(&path).map_err(|e| {
        error!("{e}");
        bad()
    })?;
    parsed(&lines, Mapping::parse).ok_or_else(bad)
}

/// Whether there is a file of rules: it is then what keeps strangers out.
pub(crate) fn exists(folder: &Path) -> bool {
    is_there(&folder.join(RULES))
}

/// What cannot be looked at is there: nobody is let in for that.
fn is_there(path: &Path) -> bool {
    std::fs::symlink_metadata(path).map_or_else(|e| e.kind() != std::io::ErrorKind::NotFound, |_| true)
}

/// All lines; None if one is wrong. Each that is goes to the log.
fn parsed<T>(lines: &[Line], parse: impl Fn(&Line) -> Result<T, String>) -> Option<Vec<T>> {
    let mut all = Some(Vec::new());
    for line in lines {
        match parse(line) {
            Ok(one) => {
                if let Some(all) = &mut all {
                    all.push(one);
                }
            }
            Err(e) => {
                error!("{e} (line {} of configuration file \"{}\")", line.number, line.file.display());
                all = None;
            }
        }
    }
    all
}

/// The rules' file as it is now, for the view.
pub(crate) fn shown(folder: Option<&Path>, ssl: bool) -> Vec<HbaShown> {
    let unread = |file: String, error: String| HbaShown { file, error: Some(error), ..HbaShown::default() };
    let mut number = 0;
    of_file(folder, RULES, unread, |line| {
        let rule = Rule::parse(line);
        let counts = rule.as_ref().is_ok_and(|rule| rule.idle(ssl).is_none());
        number += i32::from(counts);
        Rule::shown(line, &rule, counts.then_some(number), ssl)
    })
}

/// The maps' file as it is now, for the view.
pub(crate) fn maps_shown(folder: Option<&Path>) -> Vec<IdentShown> {
    let unread =
        |file: String, error: String| IdentShown { file, error: Some(error), ..IdentShown::default() };
    let mut number = 0;
    of_file(folder, MAPS, unread, |line| {
        let mapping = Mapping::parse(line);
        number += i32::from(mapping.is_ok());
        Mapping::shown(line, &mapping, mapping.is_ok().then_some(number))
    })
}

fn of_file<T>(
    folder: Option<&Path>,
    name: &str,
    unread: impl Fn(String, String) -> T,
    row: impl FnMut(&Line) -> T,
) -> Vec<T> {
    let Some(path) = folder.map(|folder| folder.join(name)).filter(|path| is_there(path)) else {
        return Vec::new();
    };
    match lines::read(&path) {
        Ok(lines) => lines.iter().map(row).collect(),
        Err(e) => vec![unread(path.display().to_string(), e)],
    }
}

/// The addresses of this machine, with their masks.
pub(crate) fn interfaces() -> Vec<(IpAddr, IpAddr)> {
    let Ok(all) = nix::ifaddrs::getifaddrs() else { return Vec::new() };
    let ip = |address: Option<nix::sys::socket::SockaddrStorage>| {
        let address = address?;
        let v4 = address.as_sockaddr_in().map(|a| IpAddr::V4(a.ip()));
        v4.or_else(|| address.as_sockaddr_in6().map(|a| IpAddr::V6(a.ip())))
    };
    all.filter_map(|interface| Some((ip(interface.address)?, ip(interface.netmask)?))).collect()
}

/// The name of a user of this machine.
pub(crate) fn system_user(uid: u32) -> Option<String> {
    nix::unistd::User::from_uid(uid.into()).ok().flatten().map(|user| user.name)
}
