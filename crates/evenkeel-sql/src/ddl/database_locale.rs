//! The locale of a new database: what CREATE DATABASE says of it, beside its template's.
//!
//! Invariants:
//! 1. A database orders texts as its template does, unless that is empty (`template0`), since indexes are copied as they are.
//!
//! Must not know: how databases are made.

use crate::catalog::{DatabaseLocale, DatabaseRow};
use evenkeel_types::collation::locale_of_libc;
use evenkeel_types::error::{SqlError, SqlState};

/// What is said of it.
#[derive(Default)]
pub(super) struct SaidLocale {
    pub provider: Option<char>,
    pub locale: Option<String>,
    pub collate: Option<String>,
    pub ctype: Option<String>,
    pub icu_locale: Option<String>,
    pub builtin_locale: Option<String>,
    pub has_icu_rules: bool,
}

/// The template that may be of any other locale.
const EMPTY_TEMPLATE: &str = "template0";

fn invalid(code: SqlState, why: impl Into<String>) -> SqlError {
    SqlError::new(code, why.into())
}

/// The name of a locale of the builtin provider.
pub(super) fn builtin_name(said: &str) -> Result<&'static str, SqlError> {
    match said {
        "C" => Ok("C"),
        "C.UTF-8" | "C.UTF8" => Ok("C.UTF-8"),
        "PG_UNICODE_FAST" => Ok("PG_UNICODE_FAST"),
        _ => {
            let why = format!("invalid locale name \"{said}\" for builtin provider");
            Err(invalid(SqlState::WRONG_OBJECT_TYPE, why))
        }
    }
}

/// Fails for what is no locale of the C library's.
fn check_libc(category: &str, name: &str, provider: char) -> Result<(), SqlError> {
    if locale_of_libc(name).is_ok() || DatabaseLocale::is_bytewise_name(name) {
        return Ok(());
    }
    let e = invalid(SqlState::WRONG_OBJECT_TYPE, format!("invalid {category} locale name: \"{name}\""));
    Err(match provider {
        'i' => e.with_hint("If the locale name is specific to the ICU provider, use ICU_LOCALE."),
        'b' => e.with_hint("If the locale name is specific to the builtin provider, use BUILTIN_LOCALE."),
        _ => e,
    })
}

impl SaidLocale {
    /// Whose the locale is if nobody says: the template's. A language of the C library's is none of the builtin provider's, which PostgreSQL would refuse, or
    /// not heed; whoever asks for it wants its order.
    fn provider_unsaid(&self, template: &DatabaseLocale) -> char {
        let said = self.locale.as_ref().or(self.collate.as_ref()).filter(|name| !name.is_empty());
        let is_of_libc = |name: &String| !DatabaseLocale::is_bytewise_name(name) || name == "POSIX";
        match template.provider {
            'b' if self.builtin_locale.is_none() && said.is_some_and(is_of_libc) => 'c',
            of_template => of_template,
        }
    }

    /// The locale of a copy of a template.
    pub fn of_copy(self, from: &DatabaseRow) -> Result<DatabaseLocale, SqlError> {
        let template = &from.locale;
        let provider = self.provider.unwrap_or_else(|| self.provider_unsaid(template));
        let only_of = |what: &str, of: &str| {
            invalid(
                SqlState::INVALID_OBJECT_DEFINITION,
                format!("{what} cannot be specified unless locale provider is {of}"),
            )
        };
        if provider != 'i' && self.icu_locale.is_some() {
            return Err(only_of("ICU locale", "ICU"));
        }
        if provider != 'i' && self.has_icu_rules {
            return Err(only_of("ICU rules", "ICU"));
        }
        if provider != 'b' && self.builtin_locale.is_some() {
            return Err(invalid(
                SqlState::INVALID_OBJECT_DEFINITION,
                "BUILTIN_LOCALE cannot be specified unless locale provider is builtin",
            ));
        }
        if self.has_icu_rules {
            return Err(SqlError::unsupported("ICU_RULES is not supported"));
        }
        // An empty name is that of the server's environment: what the template has.
        let is_said = |name: &String| !name.is_empty();
        let collate = self.collate.or_else(|| self.locale.clone()).filter(is_said);
        let collate = collate.unwrap_or_else(|| template.collate.clone());
        let ctype = self.ctype.or_else(|| self.locale.clone()).filter(is_said);
        let ctype = ctype.unwrap_or_else(|| template.ctype.clone());
        let of_template = template.locale.clone().filter(|_| provider == template.provider);
        let missing = |option: &str| {
            invalid(SqlState::INVALID_PARAMETER_VALUE, format!("LOCALE or {option} must be specified"))
        };
        let locale = match provider {
            'i' => {
                let said = self.icu_locale.or_else(|| self.locale.clone()).or(of_template);
                Some(said.ok_or_else(|| missing("ICU_LOCALE"))?)
            }
            'b' => {
                let said = self.builtin_locale.or_else(|| self.locale.clone()).or(of_template);
                let said = said.ok_or_else(|| missing("BUILTIN_LOCALE"))?;
                Some(builtin_name(&said)?.to_owned())
            }
            _ => None,
        };
        let asked = self.provider.unwrap_or(template.provider);
        check_libc("LC_COLLATE", &collate, asked)?;
        check_libc("LC_CTYPE", &ctype, asked)?;
        let made = DatabaseLocale { provider, collate, ctype, locale };
        if from.name != EMPTY_TEMPLATE {
            check_fits(&made, template)?;
        }
        made.collation()?;
        Ok(made)
    }
}

/// Invariant 1: as PostgreSQL, by what they are called. Only that of a builtin locale neither the one nor the other of the C library's decides about anything: there
/// `C` is as good as `C.UTF-8`, whichever a script takes the cluster to have been made with.
fn check_fits(made: &DatabaseLocale, template: &DatabaseLocale) -> Result<(), SqlError> {
    let provider = |l: &DatabaseLocale| match l.provider {
        'i' => "icu".to_owned(),
        'b' => "builtin".to_owned(),
        _ => "libc".to_owned(),
    };
    let icu = |l: &DatabaseLocale| l.locale.clone().filter(|_| l.provider == 'i').unwrap_or_default();
    let differ = |new: String, old: String, what: &str, how: &str| {
        let why = format!("new {what} ({new}) {how} {what} of the template database ({old})");
        let hint = format!("Use the same {what} as in the template database, or use template0 as template.");
        if new == old { Ok(()) } else { Err(invalid(SqlState::INVALID_PARAMETER_VALUE, why).with_hint(hint)) }
    };
    let incompatible = "is incompatible with the";
    let is_idle = |new: &str, old: &str| {
        made.provider == 'b' && [new, old].into_iter().all(DatabaseLocale::is_bytewise_name)
    };
    if !is_idle(&made.collate, &template.collate) {
        differ(made.collate.clone(), template.collate.clone(), "collation", incompatible)?;
    }
    if !is_idle(&made.ctype, &template.ctype) {
        differ(made.ctype.clone(), template.ctype.clone(), "LC_CTYPE", incompatible)?;
    }
    differ(provider(made), provider(template), "locale provider", "does not match")?;
    differ(icu(made), icu(template), "ICU locale", "does not match")
}
