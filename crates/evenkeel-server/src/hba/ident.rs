//! `pg_ident.conf`: who someone is elsewhere, and who he may be here.
//!
//! It must not know how it was found out who he is.

use evenkeel_sql::IdentShown;

use super::lines::Line;
use super::names::Name;

/// A line of a map.
#[derive(Clone, Debug)]
pub(crate) struct Mapping {
    pub map: String,
    pub system_user: Name,
    pub user: Name,
}

impl Mapping {
    pub fn parse(line: &Line) -> Result<Mapping, String> {
        if let Some(e) = &line.error {
            return Err(e.clone());
        }
        let mut fields = line.fields.iter();
        let mut next = || match fields.next().map(Vec::as_slice) {
            None | Some([]) => Err("missing entry at end of line".to_owned()),
            Some([one]) => Ok(one),
            Some(_) => Err("multiple values in ident field".to_owned()),
        };
        let (map, system_user, user) = (next()?, next()?, next()?);
        Ok(Mapping { map: map.text.clone(), system_user: Name::new(system_user)?, user: Name::new(user)? })
    }

    /// Whether who is `system_user` there may be `user` here, by this line.
    fn lets(&self, system_user: &str, user: &str, is_member: &dyn Fn(&str, &str) -> bool) -> bool {
        let Some(regex) = &self.system_user.regex else {
            return self.system_user.token.text == system_user && self.means(user, is_member);
        };
        let Some(group) = regex.first_group(system_user) else { return false };
        if self.user.token.is_keyword("all") || self.user.regex.is_some() || self.user.role().is_some() {
            return self.means(user, is_member);
        }
        let name = &self.user.token.text;
        match (name.contains("\\1"), group) {
            (false, _) => name == user,
            (true, Some(group)) => name.replacen("\\1", &group, 1) == user,
            (true, None) => {
                tracing::error!(
                    "regular expression \"{}\" has no subexpressions as requested by backreference in \"{name}\"",
                    self.system_user.token.text.trim_start_matches('/')
                );
                false
            }
        }
    }

    fn means(&self, user: &str, is_member: &dyn Fn(&str, &str) -> bool) -> bool {
        if let Some(role) = self.user.role() {
            return is_member(user, role);
        }
        self.user.token.is_keyword("all") || self.user.is(user)
    }

    /// As the view has it.
    pub fn shown(line: &Line, parsed: &Result<Mapping, String>, number: Option<i32>) -> IdentShown {
        let place = IdentShown {
            number,
            file: line.file.display().to_string(),
            line: line.number as i32,
            ..IdentShown::default()
        };
        match parsed {
            Err(e) => IdentShown { error: Some(e.clone()), ..place },
            Ok(m) => IdentShown {
                map: Some(m.map.clone()),
                system_user: Some(m.system_user.token.text.clone()),
                user: Some(m.user.token.text.clone()),
                ..place
            },
        }
    }
}

/// Whether who has shown to be `system_user` may be `user`, by this map; without one the names have to be the same. What stands in the way goes to the log.
pub(crate) fn may_be(
    mappings: &[Mapping],
    map: Option<&str>,
    system_user: &str,
    user: &str,
    is_member: &dyn Fn(&str, &str) -> bool,
) -> bool {
    let Some(map) = map else {
        let same = system_user == user;
        if !same {
            tracing::info!(
                "provided user name ({user}) and authenticated user name ({system_user}) do not match"
            );
        }
        return same;
    };
    let found = mappings.iter().any(|m| m.map == map && m.lets(system_user, user, is_member));
    if !found {
        tracing::info!(
            "no match in usermap \"{map}\" for user \"{user}\" authenticated as \"{system_user}\""
        );
    }
    found
}
