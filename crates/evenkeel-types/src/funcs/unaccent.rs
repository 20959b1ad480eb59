//! The function of the extension `unaccent`: letters without their accents, ligatures and signs spelled out.
//!
//! `unaccent.txt` has its rules, those of PostgreSQL 18's, which follow Unicode's decompositions and the transliteration of Latin to ASCII of the CLDR: a line
//! is what characters become (which may be nothing), a tab, and the characters.
//!
//! Must not know: whether the extension was asked for.

use super::{Eval, stable, str_arg};
use crate::datum::Datum;
use crate::function::{EvalCtx, ScalarFn};
use crate::guard::build::Text;
use crate::ty::Type as T;
use std::collections::HashMap;
use std::sync::OnceLock;

fn rules() -> &'static HashMap<char, &'static str> {
    static RULES: OnceLock<HashMap<char, &'static str>> = OnceLock::new();
    RULES.get_or_init(|| {
        let lines = include_str!("unaccent.txt").lines().filter_map(|l| l.split_once('\t'));
        lines.flat_map(|(to, from)| from.chars().map(move |c| (c, to))).collect()
    })
}

fn unaccent(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let (text, rules) = (str_arg(a, 0), rules());
    let mut out = Text::default();
    for c in text.chars() {
        match rules.get(&c) {
            Some(to) => out.push_str(to)?,
            None => out.push(c)?,
        }
    }
    Ok(Datum::from(out.finish()?))
}

pub(super) const TABLE: &[ScalarFn] = &[stable("unaccent", &[T::Text], T::Text, unaccent)];

/// Whether a function is the extension's.
pub(super) fn has(f: &ScalarFn) -> bool {
    TABLE.iter().any(|own| own.name == f.name && own.args == f.args)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_has_one_rule() {
        let lines = || include_str!("unaccent.txt").lines();
        assert!(lines().all(|l| l.matches('\t').count() == 1));
        let characters: usize = lines().map(|l| l.chars().rev().take_while(|c| *c != '\t').count()).sum();
        assert_eq!(characters, rules().len());
        assert_eq!(characters, 2661);
        assert_eq!(rules()[&'\u{301}'], "");
    }
}
