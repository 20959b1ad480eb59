//! Words that stand for databases, users and names of other systems: a keyword, a name, a regular expression.
//!
//! It must not know rules.

use std::sync::Arc;

use evenkeel_types::regexp::{Compiled, Flags, compiled};

use super::lines::Token;

/// A word of a list.
#[derive(Clone, Debug)]
pub(crate) struct Name {
    pub token: Token,
    /// Of a word that begins with a slash.
    pub regex: Option<Regex>,
}

/// A regular expression in PostgreSQL's syntax.
#[derive(Clone)]
pub(crate) struct Regex(Arc<Compiled>);

impl std::fmt::Debug for Regex {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Regex")
    }
}

impl Name {
    pub fn new(token: &Token) -> Result<Name, String> {
        let regex = match token.text.strip_prefix('/') {
            None => None,
            Some(pattern) => {
                let flags = Flags::default();
                let made = compiled(pattern, flags);
                let made = made.map_err(|e| {
                    let why = e.message.strip_prefix("invalid regular expression: ").unwrap_or(&e.message);
                    format!("invalid regular expression \"{pattern}\": {why}")
                })?;
                Some(Regex(made))
            }
        };
        Ok(Name { token: token.clone(), regex })
    }

    /// The role whose members it means, if it does.
    pub fn role(&self) -> Option<&str> {
        self.token.text.strip_prefix('+').filter(|_| !self.token.quoted)
    }

    /// Whether it means `name`: keywords are the caller's.
    pub fn is(&self, name: &str) -> bool {
        match &self.regex {
            Some(regex) => regex.0.is_match(name).unwrap_or(false),
            None => self.token.text == name,
        }
    }
}

impl Regex {
    /// The first part in parentheses, if it matches; empty where there is none.
    pub fn first_group(&self, text: &str) -> Option<Option<String>> {
        let groups = self.0.captures_at(text, 0).ok()??;
        Some(groups.get(1).and_then(|range| text.get(range)).map(str::to_owned))
    }
}
