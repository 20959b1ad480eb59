//! Large and small letters by the rules of a language, as a collation that is not bytewise has them: `ß` in large letters is `SS`.
//!
//! Without such a collation each character is changed by itself (`funcs/strings.rs`), as PostgreSQL's builtin provider does.
//!
//! Must not know: collations' orders.

use icu_casemap::options::TitlecaseOptions;
use icu_casemap::{CaseMapper, TitlecaseMapper};
use icu_locale_core::{LanguageIdentifier, Locale};

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Casing {
    /// `lower`
    Lower,
    /// `upper`
    Upper,
    /// `initcap`
    Title,
    /// `casefold`: what texts that differ in case alone become alike by.
    Fold,
}

impl Casing {
    /// By the name of its function.
    pub fn named(function: &str) -> Option<Casing> {
        Some(match function {
            "lower" => Casing::Lower,
            "upper" => Casing::Upper,
            "initcap" => Casing::Title,
            "casefold" => Casing::Fold,
            _ => return None,
        })
    }

    /// A text as it is asked for.
    pub fn of(self, text: &str, locale: &str) -> String {
        let language = locale.parse::<Locale>().map_or(LanguageIdentifier::UNKNOWN, |l| l.id);
        match self {
            Casing::Lower => CaseMapper::new().lowercase_to_string(text, &language).into_owned(),
            Casing::Upper => CaseMapper::new().uppercase_to_string(text, &language).into_owned(),
            Casing::Title => title(text, &language),
            Casing::Fold if ["tr", "az"].contains(&language.language.as_str()) => {
                CaseMapper::new().fold_turkic_string(text).into_owned()
            }
            Casing::Fold => CaseMapper::new().fold_string(text).into_owned(),
        }
    }
}

impl Casing {
    /// The same of letters of ASCII alone.
    pub fn of_ascii(self, text: &str) -> String {
        match self {
            Casing::Lower | Casing::Fold => text.to_ascii_lowercase(),
            Casing::Upper => text.to_ascii_uppercase(),
            Casing::Title => {
                let mut is_within = false;
                let mut cased = |c: char| {
                    let made = if is_within { c.to_ascii_lowercase() } else { c.to_ascii_uppercase() };
                    is_within = c.is_ascii_alphanumeric();
                    made
                };
                text.chars().map(&mut cased).collect()
            }
        }
    }
}

/// Whether large and small letters of a locale's language do not go together as those of others do: i and I of Turkish.
pub fn has_letters_of_its_own(locale: &str) -> bool {
    let language = locale.split(['-', '_']).next().unwrap_or_default();
    ["tr", "az", "lt"].contains(&language)
}

/// A word's first letter large and the others small.
fn title(text: &str, language: &LanguageIdentifier) -> String {
    let mut out = String::with_capacity(text.len());
    let mut word = String::new();
    let mut before = None;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let next = chars.peek().copied();
        let is_between = |fits: fn(char) -> bool| before.is_some_and(fits) && next.is_some_and(fits);
        if is_of_word(c)
            || joins_letters(c) && is_between(is_letter)
            || joins_digits(c) && is_between(is_digit)
        {
            word.push(c);
        } else {
            push_word(&word, language, &mut out);
            word.clear();
            out.push(c);
        }
        before = if is_mark(c) { before } else { Some(c) };
    }
    push_word(&word, language, &mut out);
    out
}

/// Marks that stand above or below the letter before them.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}')
}

fn is_letter(c: char) -> bool {
    c.is_alphabetic()
}

/// A digit, but for those that stand above or below the line or in a circle.
fn is_digit(c: char) -> bool {
    let is_other = matches!(c, '²' | '³' | '¹' | '¼'..='¾' | '\u{2070}'..='\u{209c}' | '\u{2150}'..='\u{215f}' | '\u{2460}'..='\u{249b}');
    c.is_numeric() && !is_other
}

fn is_of_word(c: char) -> bool {
    is_letter(c) || is_digit(c) || c == '_' || is_mark(c)
}

/// What ends no word between two letters (UAX #29).
fn joins_letters(c: char) -> bool {
    matches!(c, '\'' | '.' | '·' | '‘' | '’' | '․' | '‧' | '\u{387}' | '\u{55f}' | '\u{5f4}' | '．' | '＇')
}

/// The same of digits.
fn joins_digits(c: char) -> bool {
    matches!(c, '\'' | '.' | ',' | ';' | '‘' | '’' | '․' | '．' | '＇')
}

fn push_word(word: &str, language: &LanguageIdentifier, out: &mut String) {
    if !word.is_empty() {
        let titled =
            TitlecaseMapper::new().titlecase_segment_to_string(word, language, TitlecaseOptions::default());
        out.push_str(&titled);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_follow_the_language() {
        assert_eq!(Casing::Upper.of("straße i", "de-AT"), "STRASSE I");
        assert_eq!(Casing::Upper.of("ıi", "tr"), "Iİ");
        assert_eq!(Casing::Lower.of("Iİ", "tr-TR"), "ıi");
        assert_eq!(Casing::Lower.of("ΟΔΟΣ", "und"), "οδος");
        assert_eq!(Casing::Upper.of("ή το Μαΐου", "el-GR"), "Ή ΤΟ ΜΑΪΟΥ");
        assert_eq!(Casing::Lower.of("Ì", "lt"), "i\u{307}\u{300}");
        assert_eq!(Casing::Upper.of("ա\u{587}", "hy"), "ԱԵՎ");
    }

    #[test]
    fn words_begin_large() {
        assert_eq!(
            Casing::Title.of("o'neil ÀB-cd x_y 3rd ǆABC ßa", "en-US"),
            "O'neil Àb-Cd X_y 3rd ǅabc Ssa"
        );
        assert_eq!(Casing::Title.of("ijs ab.cd 1.5a ΟΔΟΣ", "nl"), "IJs Ab.cd 1.5a Οδος");
        assert_eq!(Casing::Title.of("ijs iI", "de"), "Ijs Ii");
        assert_eq!(Casing::Title.of("iI ıI", "tr"), "İı Iı");
        assert_eq!(Casing::Title.of_ascii("aB_c äb 1X"), "Ab_C äB 1x");
    }
}
